"""What each scenario makes of the numbers it is given, by hand, and what it refuses."""

import numpy as np
import pytest

from pulasso import CaseControl, FullyObserved, MultinomialPULasso, OrdinalPULasso, SingleTrainingSet
from pulasso.exceptions import LabelError, ScenarioError
from pulasso.losses import ObservedLoss, PULoss
from pulasso.scenarios import SCENARIOS, LabelCounts, LabelModel, as_scenario
from support.cases import null_of

CLASSES = np.array(["none", "oak", "fir"])
COUNTS = LabelCounts(CLASSES, n_unlabeled=100.0, n_labeled=np.array([0.0, 20.0, 30.0]))
WITH_NEGATIVES = LabelCounts(CLASSES, n_unlabeled=100.0, n_labeled=np.array([25.0, 20.0, 30.0]))


def vectors(label_model):
    return np.exp(label_model.log_labeled), np.exp(label_model.log_hidden)


# -- counts ------------------------------------------------------------------------------------------------


def test_counts_are_weighted():
    codes, weight = np.array([0, 0, 1, 2, 3]), np.array([1.0, 0.5, 2.0, 3.0, 4.0])
    counts = LabelCounts.from_codes(codes, CLASSES, weight)
    assert counts.n_unlabeled == 1.5 and counts.total == 10.5
    np.testing.assert_array_equal(counts.n_labeled, [4.0, 2.0, 3.0])
    np.testing.assert_allclose(counts.frequencies * 10.5, [1.5, 2.0, 3.0, 4.0])


def test_labels_that_do_not_occur_count_zero():
    counts = LabelCounts.from_codes(np.array([0, 1]), CLASSES, np.ones(2))
    np.testing.assert_array_equal(counts.n_labeled, [0.0, 1.0, 0.0])


# -- case-control ------------------------------------------------------------------------------------------


def test_case_control_vectors():
    a, c = vectors(CaseControl([0.2, 0.1]).label_model(COUNTS))
    np.testing.assert_allclose(a, [0.0, 20 / (0.2 * 100), 30 / (0.1 * 100)])
    np.testing.assert_allclose(c, [1.0, 1.0, 1.0])


def test_case_control_with_confirmed_negatives():
    a, c = vectors(CaseControl([0.2, 0.1]).label_model(WITH_NEGATIVES))
    np.testing.assert_allclose(a, [25 / (0.7 * 100), 1.0, 3.0])
    np.testing.assert_allclose(c, 1.0)


def test_case_control_always_labelled():
    a, c = vectors(CaseControl([0.2, 0.1], always_labeled=["fir"]).label_model(COUNTS))
    # The unlabeled rows come from the 90 % of the population that are not fir.
    np.testing.assert_allclose(a, [0.0, 0.9 * 20 / (0.2 * 100), 0.9 * 30 / (0.1 * 100)])
    np.testing.assert_allclose(c, [1.0, 1.0, 0.0])


def test_case_control_null_model_is_the_prevalence():
    null = null_of(CaseControl([0.2, 0.1]).label_model(COUNTS), COUNTS)
    np.testing.assert_allclose(null.log_odds, np.log([0.2 / 0.7, 0.1 / 0.7]), rtol=1e-12)
    assert null.exists


@pytest.mark.parametrize(
    "prevalence, words",
    [
        ([0.6, 0.4], "sum to 1"),
        ([0.0, 0.4], "'oak' is 0"),
        ([0.2, 1.0], "'fir' is 1"),
        ([0.2, -0.1], "'fir' is -0.1"),
        ([0.2, np.nan], "'fir' is nan"),
        ([0.2], "2 positive classes"),
        ({"oak": 0.2}, "no number for 'fir'"),
        ({"oak": 0.2, "fir": 0.1, "elm": 0.1}, "'elm'"),
        ("many", "not a number"),
    ],
)
def test_case_control_refuses(prevalence, words):
    with pytest.raises(ScenarioError, match=words):
        CaseControl(prevalence).label_model(COUNTS)


def test_case_control_needs_unlabeled_rows():
    everything_known = LabelCounts(CLASSES, 0.0, np.array([10.0, 20.0, 30.0]))
    with pytest.raises(ScenarioError, match="no unlabeled row"):
        CaseControl(0.2).label_model(everything_known)


def test_case_control_refuses_unknown_always_labelled_classes():
    with pytest.raises(ScenarioError, match="'elm'"):
        CaseControl(0.2, always_labeled=["elm"]).label_model(COUNTS)


# -- single training set -----------------------------------------------------------------------------------


def test_single_training_set_vectors():
    a, c = vectors(SingleTrainingSet({"fir": 0.5, "oak": 0.8}).label_model(COUNTS))
    np.testing.assert_allclose(a, [0.0, 0.8, 0.5])
    np.testing.assert_allclose(c, [1.0, 0.2, 0.5])


def test_single_training_set_with_confirmed_negatives():
    scenario = SingleTrainingSet(0.5, negative_label_frequency=0.3)
    a, c = vectors(scenario.label_model(WITH_NEGATIVES))
    np.testing.assert_allclose(a, [0.3, 0.5, 0.5])
    np.testing.assert_allclose(c, [0.7, 0.5, 0.5])


def test_confirmed_negatives_need_their_frequency():
    with pytest.raises(ScenarioError, match="negative_label_frequency"):
        SingleTrainingSet(0.5).label_model(WITH_NEGATIVES)


def test_certain_labels_are_allowed():
    a, c = vectors(SingleTrainingSet([1.0, 0.5]).label_model(COUNTS))
    np.testing.assert_allclose(a, [0.0, 1.0, 0.5])
    np.testing.assert_allclose(c, [1.0, 0.0, 0.5])


@pytest.mark.parametrize("frequency", [0.0, 1.1, -0.5, np.nan])
def test_single_training_set_refuses(frequency):
    with pytest.raises(ScenarioError, match="must lie in"):
        SingleTrainingSet(frequency).label_model(COUNTS)


def test_single_training_set_null_model_divides_by_the_frequency():
    null = null_of(SingleTrainingSet([0.8, 0.5]).label_model(COUNTS), COUNTS)
    shares = np.array([20 / 150 / 0.8, 30 / 150 / 0.5])
    np.testing.assert_allclose(null.log_odds, np.log(shares / (1 - shares.sum())), rtol=1e-12)
    assert null.excess == pytest.approx(shares.sum(), rel=1e-12)


def test_told_shares_are_labels_by_their_frequency():
    np.testing.assert_allclose(SingleTrainingSet(0.5).told_shares(COUNTS), [50 / 150, 40 / 150, 60 / 150])


@pytest.mark.parametrize("counts", [COUNTS, WITH_NEGATIVES], ids=["plain", "confirmed"])
@pytest.mark.parametrize("prior_count", [0.5, 1.0, 20.0])
def test_told_shares_with_a_prior_are_the_most_probable_ones(counts, prior_count):
    """By brute force: the posterior of the shares, up to a constant, is smaller around them."""
    shown = np.array([0.4 if counts.n_labeled[0] else 0.0, 0.2, 0.5])
    scenario = SingleTrainingSet(shown[1:], negative_label_frequency=0.4, prior_count=prior_count)
    told = scenario.told_shares(counts)
    assert told.sum() == pytest.approx(1.0, abs=1e-12) and (told > 0).all()

    def log_posterior(pi):
        labeled = (counts.n_labeled + prior_count) @ np.log(pi)
        return labeled + counts.n_unlabeled * np.log(pi @ (1 - shown))

    rng = np.random.default_rng(0)
    for _ in range(200):
        other = told * np.exp(1e-2 * rng.normal(size=3))
        assert log_posterior(other / other.sum()) < log_posterior(told)


def test_a_prior_makes_impossible_shares_possible_and_is_forgotten_with_many_labels():
    few = LabelCounts(CLASSES, n_unlabeled=10.0, n_labeled=np.array([0.0, 8.0, 8.0]))
    assert (
        SingleTrainingSet(0.5).told_shares(few)[0]
        < 0
        < SingleTrainingSet(0.5, prior_count=1).told_shares(few)[0]
    )
    many = LabelCounts(CLASSES, n_unlabeled=1e6, n_labeled=np.array([0.0, 2e5, 3e5]))
    both = [SingleTrainingSet(0.5, prior_count=count).told_shares(many) for count in (0.0, 1.0)]
    np.testing.assert_allclose(*both, atol=1e-5)


@pytest.mark.parametrize("prior_count", [-1.0, np.inf, np.nan])
def test_a_prior_count_is_a_number_of_rows(prior_count):
    with pytest.raises(ScenarioError, match="prior_count"):
        SingleTrainingSet(0.5, prior_count=prior_count).label_model(COUNTS)


@pytest.mark.parametrize("frequency", [1 / 3, 0.2, 0.01, 1e-6])
def test_a_label_frequency_that_is_too_low_stays_finite(frequency):
    label_model = SingleTrainingSet(frequency).label_model(COUNTS)
    null = null_of(label_model, COUNTS)
    # 50 of 150 rows are labelled: below 1/3 the classes would need more rows than there are.
    assert null.excess == pytest.approx(1 / (3 * frequency), rel=1e-9)
    assert np.isfinite(null.log_odds).all()
    codes = np.repeat([0, 1, 2], [100, 20, 30])
    value, grad = ObservedLoss(label_model, codes, np.ones(150)).value_and_grad(
        np.tile(null.log_odds, (150, 1))
    )
    assert np.isfinite(value) and np.isfinite(grad).all()
    if frequency < 1 / 3:
        assert not null.exists


def test_a_null_model_with_confirmed_negatives_always_exists():
    scenario = SingleTrainingSet(0.01, negative_label_frequency=0.3)
    null = null_of(scenario.label_model(WITH_NEGATIVES), WITH_NEGATIVES)
    assert null.exists and np.isfinite(null.log_odds).all()


# -- fully observed ----------------------------------------------------------------------------------------


def test_fully_observed_vectors():
    a, c = vectors(FullyObserved().label_model(COUNTS))
    np.testing.assert_allclose(a, [0.0, 1.0, 1.0])
    np.testing.assert_allclose(c, [1.0, 0.0, 0.0])


def test_fully_observed_takes_confirmed_negatives_for_class_0():
    a, c = vectors(FullyObserved().label_model(WITH_NEGATIVES))
    np.testing.assert_allclose(a, [0.2, 1.0, 1.0])
    np.testing.assert_allclose(c, [0.8, 0.0, 0.0])
    null = null_of(FullyObserved().label_model(WITH_NEGATIVES), WITH_NEGATIVES)
    np.testing.assert_allclose(null.log_odds, np.log([20 / 125, 30 / 125]), rtol=1e-12)


def test_fully_observed_needs_class_0():
    with pytest.raises(ScenarioError, match="none"):
        FullyObserved().label_model(LabelCounts(CLASSES, 0.0, np.array([0.0, 20.0, 30.0])))


# -- the likelihood by hand --------------------------------------------------------------------------------


def test_confirmed_negatives_by_hand():
    label_model = LabelModel(np.log([0.25, 0.5]), np.log([0.75, 0.5]))
    eta = np.array([[np.log(2.0)]])
    # N = (0.25 + 0.75) + (0.5 + 0.5) * 2 = 3
    np.testing.assert_allclose(
        np.exp(PULoss(label_model).log_proba(eta)),
        [[(0.75 + 0.5 * 2) / 3, 0.5 * 2 / 3, 0.25 / 3]],
        rtol=1e-14,
    )
    for code, proba, hidden in ((0, 1.75 / 3, 1 / 1.75), (1, 1 / 3, 1.0), (2, 0.25 / 3, 0.0)):
        value, grad = ObservedLoss(label_model, np.array([code]), np.ones(1)).value_and_grad(eta)
        assert value == pytest.approx(-np.log(proba), rel=1e-14)
        assert grad[0, 0] == pytest.approx(2 / 3 - hidden, rel=1e-13)


def test_a_class_that_is_always_labelled_is_never_hidden():
    label_model = SingleTrainingSet([1.0, 0.5]).label_model(COUNTS)
    posterior = PULoss(label_model).responsibilities(np.array([[50.0, 0.0]]), np.array([0]))
    np.testing.assert_allclose(posterior, [[1 / 1.5, 0.0, 0.5 / 1.5]], rtol=1e-14)


# -- from names to scenarios -------------------------------------------------------------------------------


def test_names_give_scenarios():
    assert isinstance(as_scenario("case-control", prevalence=0.1), CaseControl)
    assert isinstance(
        as_scenario("single-training-set", label_frequency=0.1, prevalence=None), SingleTrainingSet
    )
    assert as_scenario("fully-observed") == FullyObserved()
    ready = CaseControl(0.3)
    assert as_scenario(ready) is ready


@pytest.mark.parametrize(
    "scenario, numbers, words",
    [
        ("case-control", {}, "needs prevalence"),
        ("single-training-set", {}, "needs label_frequency"),
        ("case-control", {"label_frequency": 0.5}, "does not use label_frequency"),
        ("fully-observed", {"prevalence": 0.5}, "does not use prevalence"),
        ("cross-over", {}, "unknown"),
        (3, {}, "neither"),
        (CaseControl(0.1), {"prevalence": 0.2}, "holds its own numbers"),
    ],
)
def test_what_does_not_fit_is_refused(scenario, numbers, words):
    with pytest.raises(ScenarioError, match=words):
        as_scenario(scenario, **numbers)


@pytest.mark.parametrize("cls", SCENARIOS)
def test_the_message_about_an_unknown_scenario_names_all(cls):
    with pytest.raises(ScenarioError, match=cls.name):
        as_scenario("cross-over")


@pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])
@pytest.mark.parametrize("by_row", [False, True])
def test_a_label_that_cannot_be_is_refused_by_its_row(estimator, by_row):
    """All members of all classes carry their label, so that nobody is unlabeled."""
    rng = np.random.default_rng(0)
    X, z = rng.normal(size=(60, 2)), np.arange(60) % 3
    z[[7, 9]] = -1
    scenario = SingleTrainingSet(1.0, negative_label_frequency=1.0)
    if by_row:
        scenario = _ByRow(scenario)
    model = estimator(0.05, scenario=scenario, unlabeled=-1, negative=0)
    with pytest.raises(LabelError, match="Row 7 is unlabeled, and so are 1 more"):
        model.fit(X, z)
    assert not hasattr(model, "coef_")


class _ByRow:
    """The same numbers for every row."""

    name, asks_for, sampled_by_label, by_row, explanation = "by row", None, False, True, ""

    def __init__(self, scenario):
        self.scenario = scenario

    def label_model(self, counts, x, feature_names=None):
        model = self.scenario.label_model(counts)
        return LabelModel(*(np.tile(each, (len(x), 1)) for each in (model.log_labeled, model.log_hidden)))
