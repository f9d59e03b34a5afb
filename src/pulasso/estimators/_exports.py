"""What a fitted model leaves behind for others: a folder, a page, a card, a file for another program."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

__all__ = ["ExportMixin"]


class ExportMixin:
    """The methods of an estimator that write files; all of them ask before they replace one."""

    def report(self, path: str | os.PathLike, **about: Any) -> Path:
        """Write one self-contained HTML page about the model, for readers who never saw the code.

        Parameters
        ----------
        path : str or path
            The file to write; one that is there already is only replaced with ``force=True``.
        **about
            X and z, rows to judge by (better not those of the fit), and whatever else
            :func:`pulasso.report.write_report` takes.

        Returns
        -------
        Path
            Of the file.
        """
        check_is_fitted(self)
        from pulasso.report import write_report

        return write_report(self, path, **about)

    def card(self, path: str | os.PathLike, **about: Any) -> Path:
        """Write a model card: one page of Markdown to keep beside the model.

        Parameters
        ----------
        path : str or path
            The file to write; one that is there already is only replaced with ``force=True``.
        **about
            X and z, rows to judge by (better not those of the fit), `name`, `intended_use`, and whatever
            else :func:`pulasso.report.write_card` takes.

        Returns
        -------
        Path
            Of the file.
        """
        check_is_fitted(self)
        from pulasso.report import write_card

        return write_card(self, path, **about)

    def to_onnx(self, path: str | os.PathLike, **how: Any) -> Path:
        """Write `predict` and `predict_proba` as an ONNX file, for programs that do not run Python.

        Parameters
        ----------
        path : str or path
            The file to write; one that is there already is only replaced with ``force=True``.
        **how
            `dtype` of the rows, float32 or float64; see :func:`pulasso.export.to_onnx`.

        Returns
        -------
        Path
            Of the file.
        """
        check_is_fitted(self)
        from pulasso.export import to_onnx

        return to_onnx(self, path, **how)

    def save(
        self, path: str | os.PathLike, *, force: bool = False, notes: Mapping[str, Any] | None = None
    ) -> None:
        """Write the fitted model into a folder of JSON and arrays, from which `pulasso.load` reads it.

        The folder appears complete or not at all. It holds no code and no pickles.

        Parameters
        ----------
        path : str or path
            The folder to make.
        force : bool, default=False
            Replace a model that is already there.
        notes : mapping, optional
            Anything that JSON can hold, for `pulasso.load_notes`: where the data came from, for example.
        """
        from pulasso.estimators.persistence import save

        check_is_fitted(self)
        save(self, path, force=force, notes=notes)
