"""All comparators by name, with what each needs, so that studies can run over them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pulasso.baselines.bagging import PUBagging
from pulasso.baselines.elkan_noto import ElkanNoto
from pulasso.baselines.moment import MomentLasso, OrdinalMomentLasso
from pulasso.baselines.naive import mn_lasso, on_lasso, oracle, ward_em
from pulasso.baselines.one_vs_rest import OneVsRestPU
from pulasso.baselines.risk import NonNegativePU
from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

__all__ = ["BASELINES", "Baseline"]


@dataclass(frozen=True)
class Baseline:
    """How to make a comparator, and what it needs.

    Attributes
    ----------
    build : callable
        From what is known about the scenario (a mapping with `scenario` and its number) and the strength of the
        penalty to an estimator.
    summary : str
        One line for tables.
    needs_scenario : bool
        Whether it uses prevalences or label frequencies.
    needs_true_classes : bool
        Whether it is fitted to true classes: an oracle.
    ordered : bool
        Whether it is made for ordered classes.
    binary : bool
        Whether it is made for one positive class only.
    tuned : bool
        Whether it has a penalty whose strength is to be chosen.
    extra : str or None
        The optional dependency it comes from.
    """

    build: Callable[[Mapping[str, Any], float], Any]
    summary: str
    needs_scenario: bool = True
    needs_true_classes: bool = False
    ordered: bool = False
    binary: bool = False
    tuned: bool = True
    extra: str | None = None

    def make(self, scenario_params: Mapping[str, Any], lam: float = 0.01) -> Any:
        """Return a new estimator; `scenario_params` as in ``Simulation.scenario_params``."""
        return self.build(scenario_params if self.needs_scenario else {}, lam)


def _pulearn(name: str, scenario: Mapping[str, Any], **params: Any) -> OneVsRestPU:
    try:
        import pulearn
    except ImportError:
        raise ImportError(f'{name} comes from pulearn: pip install "pulasso[baselines]".') from None
    return OneVsRestPU(getattr(pulearn, name)(**params), **scenario)


BASELINES: dict[str, Baseline] = {
    "mn-lasso": Baseline(
        lambda scenario, lam: mn_lasso(lam),
        "multinomial lasso, unlabeled means class 0",
        needs_scenario=False,
    ),
    "on-lasso": Baseline(
        lambda scenario, lam: on_lasso(lam),
        "ordinal lasso, unlabeled means class 0",
        needs_scenario=False,
        ordered=True,
    ),
    "elkan-noto": Baseline(
        lambda scenario, lam: ElkanNoto(mn_lasso(lam), **scenario),
        "naive lasso with corrected probabilities",
    ),
    "elkan-noto-weighted": Baseline(
        lambda scenario, lam: ElkanNoto(mn_lasso(lam), weighted=True, **scenario),
        "lasso on unlabeled rows split by class",
    ),
    "one-vs-rest": Baseline(
        lambda scenario, lam: OneVsRestPU(MultinomialPULasso(lam), **scenario),
        "a binary PU lasso for each class",
    ),
    "ward-em": Baseline(
        lambda scenario, lam: ward_em(**scenario),
        "EM without penalty, few features",
        binary=True,
        tuned=False,
    ),
    "pu-bagging": Baseline(
        lambda scenario, lam: PUBagging(random_state=0),
        "trees on samples of unlabeled rows",
        needs_scenario=False,
        tuned=False,
    ),
    "nnpu": Baseline(
        lambda scenario, lam: NonNegativePU(lam, **scenario),
        "non-negative risk, linear model with ridge",
    ),
    "upu": Baseline(
        lambda scenario, lam: NonNegativePU(lam, non_negative=False, **scenario),
        "unbiased risk, linear model with ridge",
    ),
    "moment-lasso": Baseline(
        lambda scenario, lam: MomentLasso(lam, **scenario),
        "convex moment method with group lasso",
    ),
    "ordinal-moment-lasso": Baseline(
        lambda scenario, lam: OrdinalMomentLasso(lam, **scenario),
        "convex moment method for ordered classes",
        ordered=True,
    ),
    "pulearn-bagging": Baseline(
        lambda scenario, lam: _pulearn("BaggingPuClassifier", scenario, n_estimators=20, random_state=0),
        "pulearn's bagging, one against the rest",
        tuned=False,
        extra="baselines",
    ),
    "pulearn-nnpu": Baseline(
        lambda scenario, lam: _pulearn("NNPUClassifier", scenario, prior=0.5, random_state=0),
        "pulearn's nnPU, one against the rest",
        tuned=False,
        extra="baselines",
    ),
    "oracle": Baseline(
        lambda scenario, lam: oracle(lam, **scenario),
        "multinomial lasso that sees the true classes",
        needs_true_classes=True,
    ),
    "ordinal-oracle": Baseline(
        lambda scenario, lam: oracle(lam, estimator=OrdinalPULasso, **scenario),
        "ordinal lasso that sees the true classes",
        needs_true_classes=True,
        ordered=True,
    ),
}
