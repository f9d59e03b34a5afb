"""Examples of every labelling scenario, with and without confirmed negatives and always-labelled classes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pulasso import CaseControl, FullyObserved, SingleTrainingSet
from pulasso.losses import ObservedLoss, PULoss, find_null_model
from pulasso.scenarios import SCENARIOS, LabelCounts, LabelModel, Scenario


def prevalences(n_positive):
    """Different for every class, with 40 % left for class 0."""
    parts = 1.0 + np.arange(n_positive) / 2.0
    return 0.6 * parts / parts.sum()


def frequencies(n_positive):
    """Different for every class."""
    return np.linspace(0.8, 0.5, n_positive)


def first_certain(n_positive):
    """The first class never hides, the others do."""
    return np.concatenate([[1.0], frequencies(n_positive)[1:]])


@dataclass(frozen=True)
class Case:
    """One scenario, for any number of classes."""

    name: str
    make: Callable[[int], Scenario]
    confirmed: bool = False  # whether there are confirmed negatives

    def __repr__(self):
        return self.name

    def labels(self, rng, n_samples, n_positive, weighted=True):
        """Draw labels (every one occurs) and weights; nothing here knows about features."""
        n_labels = n_positive + 1 + self.confirmed
        # Two of three rows are unlabeled, so that the null model exists in every scenario.
        drawn = np.where(rng.random(n_samples) < 0.67, 0, rng.integers(0, n_labels, n_samples))
        drawn[:n_labels] = np.arange(n_labels)
        weight = rng.uniform(0.2, 3.0, n_samples) if weighted else np.ones(n_samples)
        return LabelSample.of(self.make(n_positive), drawn, weight, n_positive)


def null_of(label_model, counts):
    """Return the null model for counts of labels."""
    codes = np.arange(len(counts.frequencies))
    return find_null_model(ObservedLoss(label_model, codes, counts.frequencies), counts)


@dataclass(frozen=True, eq=False)
class LabelSample:
    """Observed labels with what their scenario makes of them."""

    scenario: Scenario
    counts: LabelCounts
    label_model: LabelModel
    codes: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, scenario, codes, weight, n_positive):
        counts = LabelCounts.from_codes(codes, np.arange(n_positive + 1), weight)
        return cls(scenario, counts, scenario.label_model(counts), codes, weight)

    @property
    def loss(self):
        return ObservedLoss(self.label_model, self.codes, self.weight)

    @property
    def likelihood(self):
        return PULoss(self.label_model)

    @property
    def null(self):
        return find_null_model(self.loss, self.counts)


CASES = [
    Case("case-control", lambda k: CaseControl(prevalences(k))),
    Case("case-control-confirmed-negatives", lambda k: CaseControl(prevalences(k)), confirmed=True),
    Case("case-control-always-labelled", lambda k: CaseControl(prevalences(k), always_labeled=(1,))),
    Case("single-training-set", lambda k: SingleTrainingSet(frequencies(k))),
    Case(
        "single-training-set-confirmed-negatives",
        lambda k: SingleTrainingSet(frequencies(k), negative_label_frequency=0.3),
        confirmed=True,
    ),
    Case("single-training-set-always-labelled", lambda k: SingleTrainingSet(first_certain(k))),
    Case("fully-observed", lambda k: FullyObserved()),
    Case("fully-observed-confirmed-negatives", lambda k: FullyObserved(), confirmed=True),
]

# One example of each scenario. A new scenario needs a case above, named like itself.
BY_SCENARIO = [next(case for case in CASES if case.name == cls.name) for cls in SCENARIOS]
