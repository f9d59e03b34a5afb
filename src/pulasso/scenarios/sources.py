"""Several sources in one fit: each row belongs to one, and each source has a scenario of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import Message, arg, did_you_mean, listed, plain
from pulasso.exceptions import InputError, ScenarioError
from pulasso.scenarios._protocol import LabelCounts
from pulasso.scenarios.label_model import LabelModel
from pulasso.scenarios.selected_labelling import SelectedLabelling

__all__ = ["Sources"]


@dataclass(frozen=True, eq=False)
class Sources:
    r"""Rows from several sources, one model: records, surveys, registries, each with its own scenario and numbers.

    All sources share P(y | x). A row of source s has the likelihood :math:`P(z|x, s)` of its scenario, with the counts
    of *its* source: in case-control records ``a_k = n_k / (pi_k n_u)`` counts the rows of the records alone. As the
    likelihood is conditional on x and s, how many rows each source has needs no further correction.

    With ``shift="intercept"`` sources may differ in how frequent classes are at the same x, as one that counts doubtful
    finds does: :math:`P(y = k | x, s) \propto P(y = k | x) \exp \delta_{sk}`, with numbers that are fitted with the
    classes. They are zero for the source `reference`, and P(y | x) is about its population.

    Parameters
    ----------
    scenarios : mapping from name to Scenario or str
        The scenario of every source, under the names that ``fit(X, z, source=...)`` uses for them: an object, or
        the name of a scenario that needs no number. A propensity (:class:`SelectedLabelling`) is fitted with the
        classes.
    shift : "intercept", optional
        Let class log odds of sources differ by constants.
    reference : source, optional
        The one whose population predictions are about; needed with `shift`.
    shifts : mapping from source to array of shape (K,), optional
        Shifts that are known, or were fitted; by default they are to be fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import CaseControl, FullyObserved, MultinomialPULasso, Sources
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(900, 3))
    >>> y = (X[:, 0] + rng.logistic(size=900) > 1.5).astype(int)
    >>> source = np.repeat(["records", "survey"], [800, 100])
    >>> z = np.where((source == "survey") | (np.arange(900) >= 400), y, 0)  # 400 sites of background
    >>> kept = (source == "survey") | (np.arange(900) < 400) | (z == 1)
    >>> both = Sources({"records": CaseControl(prevalence=0.24), "survey": FullyObserved()})
    >>> model = MultinomialPULasso(lam=0.01, scenario=both).fit(X[kept], z[kept], source=source[kept])
    >>> model.scenario_.name, model.converged_
    ('sources', True)
    """

    scenarios: Mapping[Any, Any]
    shift: str | None = None
    reference: Any = None
    shifts: Mapping[Any, Any] | None = None

    name: ClassVar[str] = "sources"
    asks_for: ClassVar[str | None] = None
    by_row: ClassVar[bool] = True
    by_source: ClassVar[bool] = True
    explanation: ClassVar[Message] = Message("Each source has a scenario with its own number.")

    def __post_init__(self) -> None:
        from pulasso.scenarios import as_scenario

        if not isinstance(self.scenarios, Mapping) or not self.scenarios:
            raise ScenarioError(
                f"Sources takes a mapping from the name of each source to its scenario, not {self.scenarios!r:.80}.",
                parameter="scenarios",
                remedy="For example Sources({'records': CaseControl(prevalence=0.1), 'survey': FullyObserved()}).",
            )
        found = {}
        for name, scenario in self.scenarios.items():
            try:
                found[plain(name)] = as_scenario(scenario)
            except ScenarioError as error:
                raise _of_source(name, error) from None
            number = getattr(found[plain(name)], str(found[plain(name)].asks_for), None)
            is_estimate = isinstance(number, str) and number == "estimate"
            is_selected = isinstance(scenario, SelectedLabelling)
            if (getattr(scenario, "by_row", False) and not is_selected) or is_estimate:
                what = "an 'estimate'" if is_estimate else "one that depends on the row"
                raise ScenarioError(
                    f"Source {plain(name)!r}: its scenario must tell its numbers, and {what} does not.",
                    parameter="scenarios",
                    remedy="Give the numbers.",
                )
        object.__setattr__(self, "scenarios", found)
        self._check_shift()

    def _check_shift(self) -> None:
        """Refuse shifts that lack a source from which they are counted."""
        if not (self.shift is None or (isinstance(self.shift, str) and self.shift == "intercept")):
            raise ScenarioError(
                f"shift={self.shift!r:.80} is unknown.",
                parameter="shift",
                remedy="Use None or 'intercept'.",
            )
        object.__setattr__(self, "reference", plain(self.reference))
        if (self.shift is not None or self.reference is not None) and not self._is_source(self.reference):
            raise ScenarioError(
                f"reference={self.reference!r:.80} is none of the sources {listed(self.scenarios)}.",
                parameter="reference",
                remedy="With shift='intercept' predictions are for the population of one source: name it.",
            )
        if self.shift is None and (self.reference is not None or self.shifts is not None):
            name = "reference" if self.reference is not None else "shifts"
            raise ScenarioError(f"{name} needs shift='intercept'.", parameter=name)
        if self.shifts is not None and not (
            isinstance(self.shifts, Mapping) and set(self.shifts) == set(self.shifted)
        ):
            raise ScenarioError(
                f"shifts must hold {listed(self.shifted)}, the sources beside the reference.",
                parameter="shifts",
            )

    def _is_source(self, name: Any) -> bool:
        """Return whether a source is called so; lists and arrays are no names."""
        try:
            return name in self.scenarios
        except TypeError:
            return False

    @property
    def shifted(self) -> tuple:
        """Sources whose class log odds may differ from those of the reference."""
        return tuple(name for name in self.scenarios if self.shift and name != self.reference)

    @property
    def is_fitted(self) -> bool:
        """Whether nothing about the labelling remains to be fitted."""
        selected = [each for each in self.scenarios.values() if isinstance(each, SelectedLabelling)]
        return not (self.shift and self.shifts is None) and all(each.propensity for each in selected)

    @property
    def warnings(self) -> tuple:
        """What was said about the fit of propensities."""
        said = (getattr(each, "warnings", ()) for each in self.scenarios.values())
        return tuple(dict.fromkeys(words for each in said for words in each))

    @property
    def sampled_by_label(self) -> bool:
        """Whether the number of rows with each label was fixed in every source."""
        return all(each.sampled_by_label for each in self.scenarios.values())

    @property
    def is_observed(self) -> bool:
        """Whether no source hides any label."""
        return all(each.name == "fully-observed" for each in self.scenarios.values())

    def excluded_columns(self, n_features: int, feature_names: Any = None) -> NDArray[np.intp]:
        """Return the positions of the columns that have no part in the model of the classes, of any source."""
        parts = [each for each in self.scenarios.values() if isinstance(each, SelectedLabelling)]
        found = [each.excluded_columns(n_features, feature_names) for each in parts]
        return np.unique(np.concatenate([*found, np.empty(0)]).astype(np.intp))

    # -- rows and their sources --------------------------------------------------------------------------------

    def check_rows(self, source: NDArray | None, weight: NDArray) -> None:
        """Refuse rows of unknown sources, and sources without rows.

        Parameters
        ----------
        source : array of shape (n_samples,), or None if it was not given
        weight : array of shape (n_samples,)
        """
        present = set(self._read(source)[weight > 0].tolist())
        lacking = [name for name in self.scenarios if name not in present]
        if lacking:
            raise InputError(
                f"No row (of positive weight) comes from the source {listed(lacking)}.",
                parameter="source",
                remedy=f"{arg('source')} has {listed(sorted(present, key=str))}; correct the names, or leave the "
                "source out of Sources.",
            )

    def _read(self, source: ArrayLike | None) -> NDArray:
        """Return the source of every row by its name here, or say which is unknown."""
        if source is None:
            raise InputError(
                f"Where each row comes from is not known: the scenario has the sources {listed(self.scenarios)}.",
                parameter="source",
                remedy="Pass source=, an array with one of these names for each row.",
            )
        names = np.array([plain(each) for each in np.asarray(source, dtype=object)], dtype=object)
        for row in range(len(names)):
            if names[row] not in self.scenarios:
                raise InputError(
                    f"Row {row} comes from the source {names[row]!r}, of which the scenario does not know.",
                    parameter="source",
                    remedy=f"It knows {listed(self.scenarios)}.{did_you_mean(names[row], self.scenarios)}",
                )
        return names

    # -- what the rest of the library asks ---------------------------------------------------------------------

    def label_model(
        self, counts: LabelCounts, x: Any = None, feature_names: Any = None, source: ArrayLike | None = None
    ) -> LabelModel:
        """Return the arrays a and c of every row, by the scenario and the counts of its source."""
        found = self.selected(counts, x, feature_names, source)
        return self.assembled(counts, source, found, self.shifts or {})

    def selected(
        self, counts: LabelCounts, x: Any, feature_names: Any = None, source: ArrayLike | None = None
    ) -> dict[Any, LabelModel]:
        """Return the arrays a and c of the rows of every source whose labelling depends on columns."""
        names, found = self._read(source), {}
        for name, scenario in self.scenarios.items():
            own = (counts.by_source or {}).get(name)
            if isinstance(scenario, SelectedLabelling) and own is not None and own.total > 0:
                if hasattr(type(x), "map_concat"):
                    raise ScenarioError(
                        f"Source {name!r} has a propensity, which needs rows in memory, and X comes in chunks.",
                        parameter="scenarios",
                    )
                found[name] = scenario.label_model(own, x[np.flatnonzero(names == name)], feature_names)
        return found

    def assembled(
        self,
        counts: LabelCounts,
        source: ArrayLike | None,
        found: Mapping[Any, LabelModel],
        shifts: Mapping[Any, Any],
    ) -> LabelModel:
        """Return the arrays of every row from those of sources that depend on the row, and from shifts."""
        names = self._read(source)
        arrays = np.zeros((2, len(names), len(counts.classes)))
        for name in self.scenarios:
            rows = names == name
            own = (counts.by_source or {}).get(name)
            if own is None or not own.total > 0 or not rows.any():
                continue  # rows that do not count
            model = found[name] if name in found else self._model(name, own)
            arrays[0, rows], arrays[1, rows] = model.log_labeled, model.log_hidden
            if name in shifts:
                arrays[:, rows, 1:] += np.asarray(shifts[name], dtype=float)
        return LabelModel(*arrays)

    def told_shares(self, counts: LabelCounts) -> NDArray | None:
        """Return the class shares that sources tell, by the rows that are samples of the population."""
        told = self.told_by_source(counts)
        if not told:
            return None
        total = sum(weight for _, weight in told.values())
        return sum(
            (weight / total * shares for shares, weight in told.values()), np.zeros(len(counts.classes))
        )

    def population_shares(self, counts: LabelCounts) -> NDArray:
        """Return the same for the whole population, of which unlabeled rows may lack a class."""
        found, total = np.zeros(len(counts.classes)), 0.0
        for name, (shares, weight) in self.told_by_source(counts).items():
            scenario, own = self.scenarios[name], (counts.by_source or {})[name]
            whole = scenario.population_shares(own) if hasattr(scenario, "population_shares") else shares
            found, total = found + weight * whole, total + weight
        return found / total

    def told_by_source(self, counts: LabelCounts) -> dict[Any, tuple[NDArray, float]]:
        """Return the shares that each source tells, and the weight of the rows that they are about.

        Sources that hide no label tell nothing but what they count. They have no part in it, unless all are so; nor
        has a source in whose unlabeled rows a class never is, unless all are so. Where sources are shifted the
        reference alone counts.
        """
        found, hides = {}, {}
        for name, scenario in self.scenarios.items():
            own = (counts.by_source or {}).get(name)
            if own is None or not own.total > 0:
                continue
            weight = own.n_unlabeled if scenario.sampled_by_label else own.total
            if name in self.shifted or (shares := self._shares(name, own)) is None:
                continue
            found[name] = (shares, weight)
            hides[name] = isinstance(scenario, SelectedLabelling) or (self._model(name, own).hides_positives)
        for wanted in (
            [n for n in found if hides[n] and (found[n][0][1:] > 0).all()],
            [n for n in found if hides[n]],
        ):
            if wanted:
                return {name: found[name] for name in wanted}
        return found

    def population(self, counts: LabelCounts, codes: NDArray, source: ArrayLike | None) -> NDArray:
        """Say which rows `told_shares` are about, shape (n_samples,)."""
        names, found = self._read(source), np.zeros(len(codes), dtype=bool)
        for name in self.told_by_source(counts):
            found |= (names == name) & ((codes == 0) | (not self.scenarios[name].sampled_by_label))
        return found

    def held_out_counts(self, train: LabelCounts, test: LabelCounts) -> LabelCounts:
        """Return the counts by which held-out rows are judged: their own where rows were sampled by label."""
        fitted, own = train.by_source or {}, test.by_source or {}
        mixed = {}
        for name, scenario in self.scenarios.items():
            is_fitted = name in fitted and fitted[name].total > 0
            mixed[name] = fitted[name] if is_fitted and not scenario.sampled_by_label else own.get(name)
        by_source = {name: each for name, each in mixed.items() if each is not None}
        return LabelCounts(test.classes, test.n_unlabeled, test.n_labeled, by_source)

    def _shares(self, name: Any, counts: LabelCounts) -> NDArray | None:
        """Return the shares that one source tells: its prevalence, or labels divided by their frequency."""
        scenario = self.scenarios[name]
        if hasattr(scenario, "told_shares"):
            return scenario.told_shares(counts)
        model, n_labeled = self._model(name, counts), counts.n_labeled[1:]
        stands_for = np.exp(np.where(n_labeled > 0, (model.log_total - model.log_labeled)[1:], 0.0))
        positive = n_labeled * stands_for / counts.total
        return np.append(1.0 - positive.sum(), positive)

    def _model(self, name: Any, counts: LabelCounts) -> LabelModel:
        try:
            return self.scenarios[name].label_model(counts)
        except ScenarioError as error:
            raise _of_source(name, error) from None


def _of_source(name: Any, error: ScenarioError) -> ScenarioError:
    """Return an error about the scenario of one source, with the name of the source."""
    return ScenarioError(
        Message(f"Source {plain(name)!r}: {error.args[0].template}"), parameter=error.parameter
    )
