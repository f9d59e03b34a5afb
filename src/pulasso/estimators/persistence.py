"""Reading models back: JSON and arrays from a folder that may come from anywhere."""

import json
import os
from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

from pulasso.estimators._saved_checks import check_complete, check_estimator, check_path, check_value
from pulasso.estimators._saving import ARRAYS, DESCRIPTION, FORMAT, PREVALENCE_VALUES, VALUES
from pulasso.estimators.cv import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.estimators.fit_path import PathResult
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.exceptions import SavedModelError
from pulasso.solvers import Record
from pulasso.storage import Decoder, as_path, read_arrays, regular_file

__all__ = ["load", "load_notes"]

ESTIMATORS = (MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV)
# Numbers and long lists lie in the arrays; what is left is settings, names of columns, and notes.
DESCRIPTION_BYTES = 2**26


def load(path: str | os.PathLike) -> Any:
    """Return a model that was saved by its `save` method.

    The folder holds ``model.json``, which a person can read, and ``arrays.npz``. Neither is pickled: reading
    runs no code, takes time and memory in proportion to the size of the files, and a file that is
    damaged, or was made to deceive, gives a `SavedModelError`.

    Models also survive ``pickle`` and ``joblib.dump``, which run code when they load, so that only files of your
    own can be trusted. ``skops.io`` asks for ``trusted=`` the names of types that it shall build; for our models::

        trusted = [name for name in skops.io.get_untrusted_types(file=path) if name.startswith("pulasso.")]

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV or PathResult

    Raises
    ------
    SavedModelError
        If the folder holds no model, a damaged one, or one of a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pulasso
    >>> X, y = np.arange(20.0).reshape(-1, 1) % 7, np.arange(20) % 7 > 3
    >>> model = pulasso.MultinomialPULasso(lam=0.01, scenario="fully-observed").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model")
    ...     again = pulasso.load(f"{folder}/model")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    folder = as_path(path, "path")
    description = _read_description(folder)
    try:
        arrays = read_arrays(folder / ARRAYS, description.get("arrays"))
        model = Decoder(arrays, _builders(), rows=(Record,)).decode(description.get("model"))
        if not isinstance(model, (*ESTIMATORS, PathResult)):
            raise SavedModelError(f"it describes a {type(model).__name__}, not a model.")
        if not isinstance(model, PathResult):
            check_complete(model)
    except SavedModelError as error:
        raise SavedModelError(f"{folder} cannot be loaded: {error}") from None
    return model


def load_notes(path: str | os.PathLike) -> dict[str, Any]:
    """Return what was saved as `notes` beside a model.

    Parameters
    ----------
    path : str or path
        The folder that the model was saved in.

    Returns
    -------
    dict
        Empty if there are no notes.

    Examples
    --------
    >>> import tempfile
    >>> import pulasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(200, 3, random_state=0)
    >>> model = pulasso.MultinomialPULasso(lam=0.05, **data.scenario_params).fit(data.X, data.z)
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> model.save(folder, notes={"survey": 1987})
    >>> pulasso.load_notes(folder)
    {'survey': 1987}
    """
    notes = _read_description(as_path(path, "path")).get("notes")
    if not isinstance(notes, dict):
        raise SavedModelError(f"{path} has notes that are no mapping.")
    return notes


def _read_description(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTION
    if not file.exists():
        raise SavedModelError(
            f"{folder} holds no {DESCRIPTION}, so it is not a saved model. Give the folder that was passed to "
            "`save`, or that the command line wrote."
        )
    if regular_file(file) > DESCRIPTION_BYTES:
        raise SavedModelError(f"{file} is larger than {DESCRIPTION_BYTES} bytes: it is not ours.")
    try:
        description = json.loads(file.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SavedModelError(f"{file} is damaged: {error}") from None
    version = description.get("format") if isinstance(description, dict) else None
    if not isinstance(version, int) or version < 1:
        raise SavedModelError(f"{file} does not describe a saved model.")
    if version > FORMAT:
        raise SavedModelError(
            f"{folder} was saved by pulasso {str(description.get('pulasso')):.20} in format {version}; this "
            f"version reads up to format {FORMAT}. Upgrade it: pip install --upgrade pulasso."
        )
    return description


def _builders() -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Return how every type that a saved model may contain is put together."""
    builders: dict[str, Callable[[dict[str, Any]], Any]] = {}
    for value_type in VALUES:
        builders[value_type.__name__] = _build_value(value_type)
    for name in PREVALENCE_VALUES:
        builders[name] = _build_late(name)
    for estimator_type in ESTIMATORS:
        builders[estimator_type.__name__] = _build_estimator(estimator_type)
    builders[PathResult.__name__] = _build_path
    return builders


def _build_value(value_type: Any) -> Callable[[dict[str, Any]], Any]:
    def build(parts: dict[str, Any]) -> Any:
        known = {each.name for each in fields(value_type)}
        if not set(parts) <= known:
            raise SavedModelError(f"{value_type.__name__} has no {sorted(set(parts) - known)}.")
        check_value(value_type.__name__, parts)
        try:
            return value_type(**parts)
        except (TypeError, ValueError) as error:
            raise SavedModelError(f"{value_type.__name__}: {error}") from None

    return build


def _build_late(name: str) -> Callable[[dict[str, Any]], Any]:
    def build(parts: dict[str, Any]) -> Any:
        from pulasso.prevalence import result

        return _build_value(getattr(result, name))(parts)

    return build


def _build_estimator(estimator_type: Any) -> Callable[[dict[str, Any]], Any]:
    def build(parts: dict[str, Any]) -> Any:
        params, fitted = parts.get("params"), parts.get("fitted")
        if not isinstance(params, dict) or not isinstance(fitted, dict):
            raise SavedModelError(f"{estimator_type.__name__} lacks its parameters or its attributes.")
        unknown = [name for name in params if name not in signature(estimator_type).parameters]
        if unknown:
            raise SavedModelError(f"{estimator_type.__name__} has no parameter {unknown[0]!r}.")
        estimator = estimator_type(**params)
        for name, value in fitted.items():
            taken = not isinstance(name, str) or name.startswith("_") or hasattr(estimator_type, name)
            if taken or not name.isidentifier() or not name.endswith("_"):
                raise SavedModelError(f"{name!r:.60} is no attribute of a fitted {estimator_type.__name__}.")
            setattr(estimator, name, value)
        check_estimator(estimator)
        return estimator

    return build


def _build_path(parts: dict[str, Any]) -> PathResult:
    if set(parts) != {each.name for each in fields(PathResult)}:
        raise SavedModelError("the path lacks some of its parts, or has others.")
    path = PathResult(**parts)
    check_path(path)
    return path
