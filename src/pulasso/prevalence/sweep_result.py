"""What a sensitivity sweep found: one row for each assumed number."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed, plain
from pulasso.tables import html_table, make_frame, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["SensitivitySweep"]

CLASSES_SHOWN = 4  # of a value that differs between classes


@dataclass(frozen=True, eq=False)
class SensitivitySweep:
    """How a fitted model depends on the assumed prevalence or label frequency; first axis: assumed values.

    Attributes
    ----------
    parameter : {"prevalence", "label_frequency"}
    values : list
        The assumed numbers, as given.
    reference : int
        Position of the value that the others are compared with.
    log_likelihood : array of shape (n_values,)
        Mean log-likelihood of the observed labels.
    lam : array of shape (n_values,)
        Strength of the penalty; differs between values where it was chosen by cross-validation.
    coefs : array of shape (n_values, n_outputs, n_features)
    features : array of str of shape (n_features,)
    predictions : array of shape (n_values, n_rows)
        Predicted classes.
    probabilities : array of shape (n_values, n_rows, n_classes)
    changed : array of shape (n_values,)
        Share of rows whose predicted class differs from that under the reference.
    scores, score_errors : dict of str to array of shape (n_values,)
        Estimated scores of the true classes (see :mod:`pulasso.metrics`) and their standard errors; each
        value of the number is judged by itself, so that scores do not tell which value is right.
    converged : array of bool of shape (n_values,)
    warnings : list of tuple of str
        What each fit warned about.
    """

    parameter: str
    values: list[Any]
    reference: int
    log_likelihood: NDArray
    lam: NDArray
    coefs: NDArray = field(repr=False)
    features: NDArray = field(repr=False)
    predictions: NDArray = field(repr=False)
    probabilities: NDArray = field(repr=False)
    changed: NDArray
    scores: Mapping[str, NDArray]
    score_errors: Mapping[str, NDArray]
    converged: NDArray
    warnings: list[tuple[str, ...]]

    @property
    def selected(self) -> NDArray:
        """Whether each feature is selected, shape (n_values, n_features)."""
        return (self.coefs != 0).any(axis=1)

    @property
    def knows_features(self) -> bool:
        """Whether features are selected at all: networks have neither coefficients nor importances."""
        return bool(np.isfinite(self.lam).any() or self.coefs.any())

    @property
    def verb(self) -> str:
        """What models do with features: a penalty selects them, trees use them."""
        return "selected" if np.isfinite(self.lam).any() else "used"

    @property
    def always_selected(self) -> list[str]:
        """Features that are selected whatever number is assumed."""
        return self.features[self.selected.all(axis=0)].tolist()

    @property
    def sometimes_selected(self) -> list[str]:
        """Features whose selection depends on the assumed number."""
        return self.features[self.selected.any(axis=0) & ~self.selected.all(axis=0)].tolist()

    @property
    def gained(self) -> NDArray:
        """Number of features that the reference does not select, shape (n_values,)."""
        return np.count_nonzero(self.selected & ~self.selected[self.reference], axis=1)

    @property
    def lost(self) -> NDArray:
        """Number of features that only the reference selects, shape (n_values,)."""
        return np.count_nonzero(~self.selected & self.selected[self.reference], axis=1)

    def columns(self) -> dict[str, NDArray]:
        """Return what a plot shows: name and one number for each value."""
        shown = {"log-likelihood": self.log_likelihood}
        if self.knows_features:
            shown[f"{self.verb} features"] = np.count_nonzero(self.selected, axis=1)
        shown["changed predictions"] = self.changed
        return {**shown, **({"accuracy": self.scores["accuracy"]} if "accuracy" in self.scores else {})}

    def positions(self) -> tuple[NDArray, list[str] | None]:
        """Return where values lie on an axis, and their names where they are not plain numbers."""
        if all(np.ndim(value) == 0 and not isinstance(value, Mapping) for value in self.values):
            return np.array(self.values, dtype=float), None
        return np.arange(len(self.values)), [_show(value) for value in self.values]

    def to_frame(self) -> "DataFrame":
        """Return one row for each assumed value as a pandas data frame."""
        table: dict[str, Any] = {
            self.parameter: [_show(v) for v in self.values] if self.positions()[1] else self.positions()[0],
            "reference": np.arange(len(self.values)) == self.reference,
            "log_likelihood": self.log_likelihood,
            "lam": self.lam,
            "n_selected": np.count_nonzero(self.selected, axis=1),
            "gained": self.gained,
            "lost": self.lost,
            "changed": self.changed,
            "converged": self.converged,
        }
        for name, values in self.scores.items():
            table[name] = values
            table[f"{name} std. error"] = self.score_errors[name]
        return make_frame(table)

    def plot(self, ax: Any = None) -> Any:
        """Draw what depends on the number, one panel each; returns a :class:`pulasso.plots.SensitivityDisplay`."""
        from pulasso.plots import SensitivityDisplay

        return SensitivityDisplay.from_sweep(self, ax=ax)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        of_features = ["features", "gained", "lost"] if self.knows_features else []
        header = [self.parameter, "log-lik.", *of_features, "changed", *self.scores]
        rows = []
        for i, value in enumerate(self.values):
            cells = [
                _show(value) + (" *" if i == self.reference else ""),
                f"{self.log_likelihood[i]:.4f}",
                *(
                    str(each[i])
                    for each in (self.selected.sum(axis=1), self.gained, self.lost)
                    if of_features
                ),
                f"{100 * self.changed[i]:.1f} %",
            ]
            cells += [
                f"{values[i]:.3f} ± {self.score_errors[name][i]:.3f}" for name, values in self.scores.items()
            ]
            rows.append(cells)
        return header, rows

    def _notes(self) -> list[str]:
        reference = _show(self.values[self.reference])
        what = "gained, lost and changed compare" if self.knows_features else "changed compares"
        notes = [f"* reference, {reference}: {what} with it"]
        if self.knows_features:
            notes.append(f"always {self.verb}: {listed(self.always_selected, show=str) or 'no feature'}")
        if self.sometimes_selected:
            notes.append(f"depends on {self.parameter}: {listed(self.sometimes_selected, show=str)}")
        for value, said in zip(self.values, self.warnings, strict=True):
            notes.extend(f"warning at {_show(value)}: {words}" for words in said)
        return notes

    def __repr__(self) -> str:
        header, rows = self._table()
        title = f"Sensitivity to {self.parameter}: {len(self.values)} fits"
        return "\n".join([title, *text_table(header, rows), *(f"  {note}" for note in self._notes())])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        title = f"<h4>Sensitivity to {escape(self.parameter)}</h4>"
        return f"<div class='pulasso-sweep'>{title}{html_table(*self._table())}{notes}</div>"


def _show(value: Any) -> str:
    """Return an assumed value as text."""
    if isinstance(value, Mapping):
        return listed(
            [f"{plain(name)}: {float(each):.4g}" for name, each in value.items()], CLASSES_SHOWN, str
        )
    if np.ndim(value):
        return listed(value, CLASSES_SHOWN, "{:.4g}".format)
    return f"{float(value):.4g}"
