"""What stability selection says: selection probabilities, the stable set, and the bound on its errors."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso.inference.bounds import check_threshold, pairs_bound, selection_bound
from pulasso.tables import Printable, Printout, make_frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["StabilityResult"]

ROWS_SHOWN = 15
ASSUMPTIONS = (
    "The first bound holds if groups without effect are exchangeable and selection is no worse than chance; without "
    "that, for groups which a subsample selects with probability at most q / n_groups. The second is for the same "
    "groups, if the share of pairs in which both subsamples select them has a unimodal distribution. Both take rows as "
    "independent and the scenario as right: a wrong prevalence or label frequency is no sampling error."
)


@dataclass(frozen=True, eq=False, repr=False)
class StabilityResult(Printable):
    """Selection probabilities of groups over random subsamples of half the rows.

    Prints as text, renders as HTML in notebooks, converts by :meth:`to_frame`, and draws by :meth:`plot`.

    Attributes
    ----------
    groups : tuple of str
        Names of the groups.
    candidates : array of bool, shape (n_groups,)
        Groups that are judged: neither unpenalised nor excluded.
    lams : array of shape (n_lams,)
        From large to small.
    entered : array of shape (n_subsamples, n_groups)
        Position in `lams` at which the path of a subsample first has the group; ``n_lams`` if it never does.
    q : int or None
        Groups that a subsample may select; None where `lams` alone say when to stop.
    threshold : float
    by_label : bool
        Whether subsamples were drawn within every observed label.
    n_redrawn : int
        Pairs that missed a label and were drawn again.
    n_not_converged : int
        Subsamples with a fit on their path that did not reach its tolerance.
    n_too_low : int
        Subsamples whose labels ask for a larger label frequency than the assumed one.
    n_short : int
        Subsamples whose path ended before `q` groups had entered.
    """

    groups: tuple[str, ...]
    candidates: NDArray[np.bool_]
    lams: NDArray
    entered: NDArray[np.int32]
    q: int | None
    threshold: float
    by_label: bool
    n_redrawn: int
    n_not_converged: int
    n_too_low: int
    n_short: int

    @property
    def n_subsamples(self) -> int:
        """Number of subsamples."""
        return len(self.entered)

    @property
    def n_groups(self) -> int:
        """Number of groups that are judged."""
        return int(np.count_nonzero(self.candidates))

    @property
    def probabilities(self) -> NDArray:
        """Share of the subsamples that select each group, shape (n_groups,); NaN for groups that are not judged."""
        share = (self.entered < len(self.lams)).mean(axis=0)
        return np.where(self.candidates, share, np.nan)

    @property
    def paths(self) -> NDArray:
        """Share of the subsamples that select each group at this lam or a larger one, (n_lams, n_groups)."""
        positions = np.arange(len(self.lams))
        # Sorted entries turn "how many entered until here" into a search, without an array of three axes.
        counts = [np.searchsorted(np.sort(column), positions, side="right") for column in self.entered.T]
        return np.where(self.candidates, np.array(counts).T / self.n_subsamples, np.nan)

    @property
    def q_realized(self) -> float:
        """Mean number of groups that a subsample selects."""
        return float((self.entered < len(self.lams)).sum(axis=1).mean())

    @property
    def stable(self) -> list[str]:
        """Names of the groups whose probability is at least the threshold, the most stable first."""
        is_stable = self.probabilities >= self.threshold
        return [self.groups[j] for j in self._order() if is_stable[j]]

    @property
    def bound(self) -> float:
        """Bound on the expected number of false selections: see :func:`selection_bound`.

        With the `q` that was asked for, which no subsample exceeds; else with `q_realized`, an estimate.
        """
        q = self.q_realized if self.q is None else self.q
        return selection_bound(q, self.threshold, self.n_groups)

    @property
    def pairs_bound(self) -> float:
        """The sharper bound for complementary pairs: see :func:`pairs_bound`; NaN outside its range."""
        q = self.q_realized if self.q is None else self.q
        return pairs_bound(q, self.threshold, self.n_groups, self.n_subsamples // 2)

    def at(self, threshold: float) -> "StabilityResult":
        """Return the same probabilities with another threshold, above 0.5 and at most 1.

        The bounds hold for a threshold chosen beforehand, not for the one that pleases most.
        """
        check_threshold(threshold)
        return replace(self, threshold=float(threshold))

    def _order(self) -> NDArray[np.intp]:
        """Judged groups: by probability, among equals the one that enters first."""
        judged = np.flatnonzero(self.candidates)
        first = self.entered[:, judged].mean(axis=0)
        return judged[np.lexsort([first, -self.probabilities[judged]])]

    @property
    def assumptions(self) -> str:
        """What the two bounds assume, in words."""
        return ASSUMPTIONS

    def to_frame(self) -> "DataFrame":
        """Return one row for each judged group, the most stable first, as a pandas data frame."""
        order = self._order()
        probability = self.probabilities[order]
        names = [self.groups[j] for j in order]
        return make_frame(
            {"group": names, "probability": probability, "stable": probability >= self.threshold}
        )

    def _printout(self) -> Printout:
        drawn = "within every observed label" if self.by_label else "of all rows"
        realized = f"{self.q_realized:.3g} on average"
        sharper = "" if np.isnan(self.pairs_bound) else f"; {self.pairs_bound:.2g} if unimodal"
        facts = {
            "subsamples": f"{self.n_subsamples}, in disjoint pairs {drawn}",
            "selected by each": realized if self.q is None else f"at most {self.q}, {realized}",
            "stable": f"{len(self.stable)} of {self.n_groups} groups, threshold {self.threshold:g}",
            "false selections": f"at most {self.bound:.2g} expected{sharper} (see .assumptions)",
        }
        if self.n_short:
            facts["short paths"] = f"{self.n_short} had fewer than q groups; try a smaller lam_min_ratio"
        if self.n_redrawn:
            facts["drawn again"] = f"{self.n_redrawn} pairs, because a label was missing"
        if self.n_not_converged:
            facts["not converged"] = f"{self.n_not_converged}; try a larger lam_min_ratio or max_iter"
        if self.n_too_low:
            facts["label frequency"] = f"too low for the labels of {self.n_too_low}"
        probability = self.probabilities
        shown = [j for j in self._order() if probability[j] > 0][: max(ROWS_SHOWN, len(self.stable))]
        words = {j: "stable" if probability[j] >= self.threshold else "" for j in shown}
        rows = [[self.groups[j], f"{probability[j]:.2f}", word] for j, word in words.items()]
        notes = () if rows else ("no group was ever selected",)
        return Printout("Stability selection", facts, [(["group", "probability", ""], rows)], notes)

    def _repr_html_(self) -> str:
        printout = self._printout()
        return replace(printout, notes=(*printout.notes, ASSUMPTIONS)).to_html()

    def plot(self, ax: Any = None) -> Any:
        """Draw the selection probability of every group along the path; returns the matplotlib axes.

        See :class:`pulasso.plots.StabilityPathDisplay`.
        """
        from pulasso.plots import StabilityPathDisplay

        return StabilityPathDisplay.from_result(self, ax=ax).ax_
