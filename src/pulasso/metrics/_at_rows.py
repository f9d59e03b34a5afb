"""A scenario whose labelling depends on the row, for the rows that are scored."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pulasso.exceptions import ScenarioError
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, describe_scenario

__all__ = ["at_rows"]


@dataclass(frozen=True, eq=False)
class _AtRows:
    """A scenario that has seen the features, and needs no more than counts."""

    scenario: Any
    x: Any

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def asks_for(self) -> str | None:
        return self.scenario.asks_for

    @property
    def explanation(self) -> str:
        return self.scenario.explanation

    @property
    def sampled_by_label(self) -> bool:
        return self.scenario.sampled_by_label

    def label_model(self, counts: LabelCounts) -> LabelModel:
        names = [str(name) for name in self.x.columns] if hasattr(self.x, "columns") else None
        values = self.x.to_numpy() if hasattr(self.x, "to_numpy") else self.x
        values = values.tocsr() if hasattr(values, "tocsr") else np.asarray(values)
        return self.scenario.label_model(counts, values, names)

    def __repr__(self) -> str:
        return f"{describe_scenario(self.scenario, leave_out=('propensity',))}, at {len(self.x)} rows"


def at_rows(scenario: Scenario, X: Any) -> Scenario:
    """Return a scenario for metrics that do not see the features, though the chance of a label depends on them.

    A labelled row then counts by the inverse of its own chance of a label. :func:`pu_scores`, scorers and displays do
    so by themselves.

    Parameters
    ----------
    scenario : Scenario
        Of a fitted model, ``model.scenario_``; one whose labelling does not depend on the row is returned as it is.
    X : array-like of shape (n_samples, n_features)
        The rows to be scored, in the order of their labels.

    Returns
    -------
    Scenario

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import SelectedLabelling
    >>> from pulasso.metrics import at_rows, pu_accuracy
    >>> from pulasso.scenarios import Propensity
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 2))
    >>> y = (X[:, 1] > 0).astype(int)
    >>> z = np.where(rng.random(4000) < 1 / (1 + np.exp(-X[:, 0])), y, 0)
    >>> by_road = SelectedLabelling([0], propensity=Propensity((0,), [0.0], [[1.0]]))
    >>> round(pu_accuracy(z, y, scenario=at_rows(by_road, X)).value, 1)
    1.0
    """
    if not getattr(scenario, "by_row", False):
        return scenario
    propensity = getattr(scenario, "propensity", None)
    if propensity is None:
        raise ScenarioError(
            f"{scenario!r:.80} holds no propensity.",
            parameter="scenario",
            remedy="Take model.scenario_ of a fitted model, or give propensity=.",
        )
    if propensity.identification.startswith("Not identified"):
        raise ScenarioError(
            "Scores weigh labelled rows by the inverse of their chance of a label, and the data do not tell that of "
            "this model: its labelling is not identified.",
            parameter="scenario",
            remedy="If it is known from elsewhere, score with scenario=SelectedLabelling(..., propensity=...).",
        )
    return _AtRows(scenario, X)
