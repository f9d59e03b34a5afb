"""What a bootstrap says: how often groups are selected, and how far estimates spread."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.exceptions import InputError
from pulasso.tables import Printable, Printout, make_frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["BootstrapResult", "quantiles"]

ROWS_SHOWN = 15
HEADER = {"lower": "95 % from", "upper": "to", "group_frequency": "of the group"}
WHAT_INTERVALS_ARE = (
    "percentile intervals of the penalised estimate, not confidence intervals for the true coefficient"
)


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapResult(Printable):
    """Selection frequencies and percentile intervals over bootstrap replicates.

    Prints as text, renders as HTML in notebooks, converts by :meth:`to_frame`, and draws by :meth:`plot`.

    Attributes
    ----------
    model : estimator
        Fitted to all rows.
    n_replicates : int
    group_frequency : array of shape (n_groups,)
        Share of the replicates in which a group is selected.
    entry_frequency : array of the shape of ``model.coef_``
        The same for single coefficients.
    offsets : array of shape (n_replicates, K)
        Intercepts, or thresholds of the ordinal model.
    proba : array of shape (n_replicates, n_rows, K + 1), or None
        Class probabilities of the rows given as `predict_at`.
    by_label : bool
        Whether rows were drawn within every observed label.
    n_redrawn : int
        Draws that missed a label and were repeated.
    n_not_converged : int
        Replicates whose fit did not reach its tolerance; they are counted like the others.
    n_too_low : int
        Replicates whose labels ask for a larger label frequency than the assumed one.
    """

    model: Any
    n_replicates: int
    group_frequency: NDArray
    entry_frequency: NDArray
    offsets: NDArray
    proba: NDArray | None
    by_label: bool
    n_redrawn: int
    n_not_converged: int
    n_too_low: int
    _coefs: sparse.csc_matrix

    @property
    def groups(self) -> list[str]:
        """Names of the groups."""
        return list(self.model.groups_.names)

    @property
    def coefs(self) -> NDArray:
        """Coefficients of every replicate, shape (n_replicates, K, n_features) or (n_replicates, n_features)."""
        return self._coefs.toarray().reshape(self.n_replicates, *self.model.coef_.shape)

    def intervals(self, level: float = 0.95) -> tuple[NDArray, NDArray]:
        """Return percentile intervals of the penalised coefficients, each end in the shape of ``coef_``.

        The ends are the ``(1 - level) / 2`` and ``(1 + level) / 2`` quantiles of the estimates in the
        replicates, zeros included. They show how much the estimate varies; they are *not* confidence
        intervals for the true coefficient, from which the penalty keeps the estimate away.

        Parameters
        ----------
        level : float, default=0.95
        """
        lower, upper = np.zeros((2, self._coefs.shape[1]))
        ever = np.flatnonzero(np.diff(self._coefs.indptr))
        # Most columns are zero throughout; the others are made dense a few at a time.
        for columns in np.array_split(ever, max(1, len(ever) // 1000)):
            lower[columns], upper[columns] = quantiles(self._coefs[:, columns].toarray(), level)
        return lower.reshape(self.model.coef_.shape), upper.reshape(self.model.coef_.shape)

    def offsets_intervals(self, level: float = 0.95) -> tuple[NDArray, NDArray]:
        """Return percentile intervals of the intercepts (or thresholds), each end of shape (K,)."""
        return quantiles(self.offsets, level)

    def proba_intervals(self, level: float = 0.95) -> tuple[NDArray, NDArray]:
        """Return percentile intervals of P(y | x) for `predict_at`, each end of shape (n_rows, K + 1)."""
        if self.proba is None:
            raise InputError(
                "No predictions were made.",
                parameter="predict_at",
                remedy=f"Call bootstrap with {arg('predict_at', 'rows')}.",
            )
        return quantiles(self.proba, level)

    def to_frame(self, level: float = 0.95) -> "DataFrame":
        """Return one row for each coefficient that was ever selected, as a pandas data frame.

        ``lower`` and ``upper`` are percentile intervals of the penalised estimate: see :meth:`intervals`.
        """
        return make_frame(self._columns(level))

    def _columns(self, level: float) -> dict[str, list[Any]]:
        """Return the columns of the table: coefficients that were ever selected, the most frequent first."""
        model, blocks = self.model, self.model.groups_
        coef, frequency = np.atleast_2d(model.coef_), np.atleast_2d(self.entry_frequency)
        lower, upper = (np.atleast_2d(end) for end in self.intervals(level))
        strength = np.abs(coef) * model.feature_scale_
        order = np.lexsort([-strength.ravel(), -frequency.ravel()])
        ever = order[: np.count_nonzero((frequency > 0) | (strength > 0))]
        output, feature = np.unravel_index(ever, coef.shape)
        group = blocks.index[feature, output]
        names = getattr(model, "feature_names_in_", None)
        columns = {"feature": [f"x{j}" if names is None else str(names[j]) for j in feature]}
        if not model.response_.is_ordered:
            columns["class"] = model.classes_[output + 1].tolist()
        return columns | {
            "group": [blocks.names[number] for number in group],
            "coef": coef[output, feature].tolist(),
            "lower": lower[output, feature].tolist(),
            "upper": upper[output, feature].tolist(),
            "frequency": frequency[output, feature].tolist(),
            "group_frequency": self.group_frequency[group].tolist(),
        }

    def _printout(self) -> Printout:
        drawn = "within every observed label" if self.by_label else "from all of them"
        facts = {
            "replicates": f"{self.n_replicates}, rows drawn {drawn}",
            "lam": f"{self.model.lam:.4g} in every replicate",
            "intervals": WHAT_INTERVALS_ARE,
        }
        if self.n_redrawn:
            facts["drawn again"] = f"{self.n_redrawn} times, because a label was missing"
        if self.n_not_converged:
            facts["not converged"] = f"{self.n_not_converged} replicates; try a larger lam or max_iter"
        if self.n_too_low:
            facts["label frequency"] = f"too low for the labels of {self.n_too_low} replicates"
        columns = self._columns(level=0.95)
        if columns["group"] == columns["feature"]:
            del columns["group"]
        if columns["group_frequency"] == columns["frequency"]:
            del columns["group_frequency"]
        header = [HEADER.get(name, name) for name in columns]
        cells = [[_cell(name, value) for value in values] for name, values in columns.items()]
        return Printout(
            f"Bootstrap of {type(self.model).__name__}",
            facts,
            tables=[(header, list(zip(*cells, strict=True)))],
            notes=() if columns["feature"] else ("nothing was ever selected",),
            n_rows=ROWS_SHOWN,
        )

    def plot(self, ax: Any = None, *, level: float = 0.95, n_entries: int = 20) -> Any:
        """Draw intervals of the coefficients that were selected most often; returns the matplotlib axes.

        See :class:`pulasso.plots.BootstrapIntervalsDisplay`.
        """
        from pulasso.plots import BootstrapIntervalsDisplay

        draw = BootstrapIntervalsDisplay.from_result
        return draw(self, level=level, max_entries=n_entries, ax=ax).ax_


def quantiles(values: NDArray, level: float) -> tuple[NDArray, NDArray]:
    """Return the ends of percentile intervals along the first axis."""
    check_number("level", level, above=0.0, most=1.0)
    lower, upper = np.quantile(values, [(1.0 - level) / 2, (1.0 + level) / 2], axis=0)
    return lower, upper


def _cell(name: str, value: Any) -> str:
    if name in ("feature", "class", "group"):
        return str(value)
    if "frequency" in name:
        return f"{value:.2f}"
    return f"{value:+.4g}" if value else "0"
