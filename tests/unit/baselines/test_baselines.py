"""What all comparators share, and each of them against something known."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.baselines import (
    BASELINES,
    ElkanNoto,
    MomentLasso,
    OneVsRestPU,
    PUBagging,
    mn_lasso,
    on_lasso,
    oracle,
    ward_em,
)
from pulasso.baselines._base import Observed
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import LabelError, NotFittedError, ScenarioError
from pulasso.scenarios import CaseControl, FullyObserved, LabelCounts, SingleTrainingSet

SINGLE = {"scenario": "single-training-set", "label_frequency": [0.4, 0.7]}


@pytest.fixture(scope="module")
def case_control():
    return simulate_multinomial(600, 4, random_state=0)


@pytest.fixture(scope="module")
def single():
    return simulate_multinomial(600, 4, random_state=0, **SINGLE)


def observed(codes, scenario, weight=None):
    codes = np.asarray(codes)
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=float)
    classes = np.arange(3)
    counts = LabelCounts.from_codes(codes, classes, weight)
    return Observed(None, codes, classes, weight, counts, scenario, scenario.label_model(counts))


# --- weights that stand for the population ------------------------------------------------------------------


def test_weights_of_case_control_data():
    everyone, members = observed(
        [0, 0, 1, 1, 2], CaseControl([0.3, 0.1]), [1, 3, 1, 1, 5]
    ).population_weights()
    np.testing.assert_allclose(everyone, [0.25, 0.75, 0, 0, 0])
    np.testing.assert_allclose(members.sum(axis=0), [0, 0.3, 0.1])
    np.testing.assert_allclose(members[2:4, 1], 0.15)


def test_weights_of_a_single_training_set():
    everyone, members = observed([0, 0, 1, 2], SingleTrainingSet([0.5, 1.0])).population_weights()
    np.testing.assert_allclose(everyone, 0.25)
    np.testing.assert_allclose(members.sum(axis=0), [0, 0.5, 0.25])


def test_weights_with_confirmed_negatives_and_certain_classes():
    scenario = SingleTrainingSet(0.5, negative_label_frequency=0.25)
    everyone, members = observed([0, 0, 1, 2, 3], scenario).population_weights()
    np.testing.assert_allclose(everyone, 0.2)
    np.testing.assert_allclose(members.sum(axis=0), [0.8, 0.4, 0.4])
    everyone, _ = observed([0, 0, 1, 2], CaseControl([0.3, 0.1], always_labeled=2)).population_weights()
    np.testing.assert_allclose(everyone, [0.45, 0.45, 0, 0.1])
    everyone, _ = observed([0, 0, 1, 2], FullyObserved()).population_weights()
    np.testing.assert_allclose(everyone, 0.25)


def test_weighted_sums_are_means_of_the_population():
    data = simulate_multinomial(40_000, 2, random_state=0)
    x, y = data.truth.draw(40_000, random_state=1)
    sample = observed(data.z, CaseControl(data.prevalence))
    everyone, members = sample.population_weights()
    np.testing.assert_allclose(everyone @ data.X**2, np.mean(x**2, axis=0), atol=0.04)
    for k in (1, 2):
        np.testing.assert_allclose(members[:, k] @ data.X, np.mean(x * (y == k)[:, None], axis=0), atol=0.02)


# --- the registry -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_has_the_same_face(name, case_control):
    baseline = BASELINES[name]
    if baseline.extra:
        pytest.importorskip("pulearn")
    data = simulate_multinomial(200, 2, n_positive=1, random_state=0) if baseline.binary else case_control
    if baseline.ordered:
        data = simulate_ordinal(300, 3, random_state=0)
    model = clone(baseline.make(data.scenario_params, 0.05))
    labels = data.y if baseline.needs_true_classes else data.z
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data.X, labels)
    proba = model.predict_proba(data.X)
    assert model.classes_.tolist() == list(range(len(data.prevalence) + 1))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (proba >= 0).all()
    assert (model.predict(data.X) == model.classes_[proba.argmax(axis=1)]).all()
    assert np.isfinite(model.observed_score(data.X, data.z))
    assert baseline.summary


def test_without_pulearn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pulearn", None)
    with pytest.raises(
        ImportError, match=r'BaggingPuClassifier comes from pulearn: pip install "pulasso\[base'
    ):
        BASELINES["pulearn-bagging"].make({"scenario": "case-control", "prevalence": 0.1})


@pytest.mark.parametrize("model", [ElkanNoto(), OneVsRestPU(), PUBagging(n_estimators=2)], ids=str)
def test_labels_are_read_as_everywhere(model, single):
    names = np.array(["?", "fir", "oak"])
    if not isinstance(model, PUBagging):
        model = clone(model).set_params(
            scenario="single-training-set", label_frequency={"oak": 0.7, "fir": 0.4}
        )
    model.set_params(unlabeled="?", negative="none")
    with pytest.raises(NotFittedError):
        model.predict(single.X)
    model.fit(single.X, names[single.z])
    assert model.classes_.tolist() == ["none", "fir", "oak"]
    assert set(model.predict(single.X)) <= {"none", "fir", "oak"}
    with pytest.raises(LabelError, match="no row carries a label"):
        model.fit(single.X, np.full(len(single.z), "?"))
    with pytest.raises(ValueError, match="600 rows but y has 599 labels"):
        model.fit(single.X, names[single.z][:-1])


def test_data_in_chunks_are_refused(single):
    array = pytest.importorskip("dask.array", reason="needs dask").from_array(single.X)
    with pytest.raises(TypeError, match="PUBagging reads X as a whole"):
        PUBagging().fit(array, single.z)
    with pytest.raises(TypeError, match="MomentLasso reads X as a whole"):
        MomentLasso(0.1, **single.scenario_params).fit(array, single.z)


def test_a_missing_number_is_asked_for(single):
    with pytest.raises(ScenarioError, match="needs label_frequency"):
        ElkanNoto().fit(single.X, single.z)
    with pytest.raises(ScenarioError, match="needs prevalence"):
        OneVsRestPU().fit(single.X, single.z)


def test_observed_score_is_that_of_the_library(single):
    """The binary problem of one class is the library's own model, so scores must agree, too."""
    z = (single.z == 1).astype(int)
    ours = MultinomialPULasso(0.01, scenario="single-training-set", label_frequency=0.4).fit(single.X, z)
    wrapped = OneVsRestPU(MultinomialPULasso(0.01), scenario="single-training-set", label_frequency=0.4)
    wrapped.fit(single.X, z)
    assert wrapped.observed_score(single.X, z) == pytest.approx(ours.observed_score(single.X, z), abs=1e-12)
    np.testing.assert_allclose(wrapped.predict_proba(single.X), ours.predict_proba(single.X))


def test_a_label_that_is_impossible_does_not_count_without_weight(single):
    model = PUBagging(n_estimators=1, random_state=0).fit(single.X, single.z)
    X, z = single.X[::-1], single.z  # other labels than those of the rows
    possible = model.predict_proba(X)[np.arange(len(z)), z] > 0
    assert 0 < possible.sum() < len(z)
    assert model.observed_score(X, z) == -np.inf
    weighted = model.observed_score(X, z, sample_weight=possible.astype(float))
    assert weighted == model.observed_score(X[possible], z[possible])


# --- Elkan and Noto -----------------------------------------------------------------------------------------


class Knows(ClassifierMixin, BaseEstimator):
    """A classifier of observed labels that knows their probabilities."""

    def __init__(self, truth=None, scenario=None):
        self.truth = truth
        self.scenario = scenario

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        counts = LabelCounts.from_codes(y, np.arange(3), np.ones(len(y)))
        self.label_model_ = self.scenario.label_model(counts)
        return self

    def predict_proba(self, X):
        log_proba = np.log(self.truth.predict_proba(X))
        return np.exp(self.label_model_.observed_log_proba(log_proba[:, 1:] - log_proba[:, :1]))

    def __sklearn_clone__(self):
        return self


@pytest.mark.parametrize("kind", ["case_control", "single"])
def test_elkan_noto_is_exact_for_an_exact_classifier(kind, request):
    data = request.getfixturevalue(kind)
    model = MultinomialPULasso(**data.scenario_params).fit(data.X, data.z)
    knows = Knows(data.truth, model.scenario_)
    corrected = ElkanNoto(knows, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_allclose(corrected.predict_proba(data.X), data.truth.predict_proba(data.X), atol=1e-12)


@pytest.mark.parametrize("kind", ["case_control", "single"])
def test_weighted_elkan_noto_splits_unlabeled_rows_by_bayes_rule(kind, request):
    data = request.getfixturevalue(kind)
    model = MultinomialPULasso(**data.scenario_params).fit(data.X, data.z)

    class Remembers(Knows):
        def fit(self, X, y, sample_weight=None):
            self.seen = (X, y, sample_weight)
            return super().fit(X, y)

    remembers = Remembers(data.truth, model.scenario_)
    corrected = ElkanNoto(remembers, weighted=True, **data.scenario_params).fit(data.X, data.z)
    _, classes, weight = corrected.estimator_.seen
    eta = np.log(data.truth.predict_proba(data.X))
    eta = eta[:, 1:] - eta[:, :1]
    everyone, _ = observed(data.z, model.scenario_).population_weights()
    share = model.label_model_.responsibilities(eta, data.z) * everyone[:, None]
    np.testing.assert_allclose(np.bincount(classes, weight) / len(data.z), share.sum(axis=0), rtol=1e-10)


def test_elkan_noto_estimates_the_label_frequency_of_separate_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1500)
    x = rng.normal(size=(1500, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    z = np.where(rng.random(1500) < np.array([0, 0.3, 0.8])[y], y, 0)
    model = ElkanNoto(LogisticRegression(), label_frequency="estimate", random_state=0).fit(x, z)
    np.testing.assert_allclose(model.scenario_.label_frequency, [0.3, 0.8], atol=0.06)
    assert model.score(x, y) > 0.95


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"scenario": "case-control", "label_frequency": "estimate"},
            "is for scenario='single-training-set'",
        ),
        ({"label_frequency": "estimate", "hold_out": 2.0}, "hold_out=2.0 must be at most"),
        ({"label_frequency": 0.5, "weighted": "yes"}, "weighted='yes' must be True or False"),
        (
            {"label_frequency": 0.5, "weighted": True, "estimator": KNeighborsClassifier()},
            "takes sample_weight",
        ),
    ],
)
def test_wrong_settings_of_elkan_noto(settings, words, single):
    with pytest.raises(ValueError, match=words):
        ElkanNoto(**settings).fit(single.X, single.z)


def test_too_few_rows_to_hold_out():
    with pytest.raises(ScenarioError, match="at least two rows of every observed label"):
        ElkanNoto(label_frequency="estimate").fit(np.eye(4), [0, 0, 0, 1])


def test_weights_that_an_estimator_ignores_are_refused(single):
    model = ElkanNoto(KNeighborsClassifier(), **SINGLE)
    assert model.fit(single.X, single.z).score(single.X, single.y) > 0.3
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        model.fit(single.X, single.z, sample_weight=np.arange(1.0, 601.0))


@pytest.mark.parametrize("model", [ElkanNoto(), OneVsRestPU()], ids=str)
def test_confirmed_negatives_are_refused_where_they_have_no_place(model, single):
    scenario = SingleTrainingSet([0.4, 0.7], negative_label_frequency=0.5)
    z = np.where((single.z == 0) & (np.arange(600) % 2 == 0), -1, single.z)
    with pytest.raises(ScenarioError, match="no place for confirmed negatives"):
        clone(model).set_params(scenario=scenario, unlabeled=-1, negative=0).fit(single.X, z)


# --- one against the rest, bagging --------------------------------------------------------------------------


def test_one_vs_rest_leaves_other_labelled_rows_out_of_case_control_data(case_control):
    model = OneVsRestPU(MultinomialPULasso(0.02), **case_control.scenario_params)
    model.fit(case_control.X, case_control.z)
    rows = case_control.z != 2
    alone = MultinomialPULasso(0.02, prevalence=case_control.prevalence[0])
    alone.fit(case_control.X[rows], case_control.z[rows])
    np.testing.assert_allclose(model.estimators_[0].coef_, alone.coef_)


def test_one_vs_rest_needs_unlabeled_rows_in_the_scenario(single):
    with pytest.raises(ScenarioError, match="not of 'fully-observed' data"):
        OneVsRestPU(scenario="fully-observed").fit(single.X, single.z)


def test_one_vs_rest_tells_the_prior(case_control):
    class Prior(Knows):
        def __init__(self, prior=None):
            self.prior = prior

        def fit(self, X, y):
            self.n_rows_ = len(y)
            return self

        def predict_proba(self, X):
            return np.tile([1 - self.prior, self.prior], (len(X), 1))

        __sklearn_clone__ = None

    del Prior.__sklearn_clone__
    Prior.__sklearn_clone__ = lambda self: Prior(self.prior)
    model = OneVsRestPU(Prior(), **case_control.scenario_params).fit(case_control.X, case_control.z)
    wanted = [1 - case_control.prevalence.sum(), *case_control.prevalence]
    np.testing.assert_allclose(model.predict_proba(case_control.X[:2]), [wanted, wanted])


def test_bagging_depends_on_its_seed_only(case_control):
    def proba(seed):
        model = PUBagging(n_estimators=3, random_state=seed).fit(case_control.X, case_control.z)
        return model.predict_proba(case_control.X)

    np.testing.assert_array_equal(proba(0), proba(0))
    assert not np.array_equal(proba(0), proba(1))


def test_bagging_draws_as_many_rows_as_asked(case_control):
    class Counts(Knows):
        def __init__(self):
            pass

        def fit(self, X, y, sample_weight=None):
            self.classes_, self.n_rows_ = np.unique(y, return_counts=True)
            return self

        def __sklearn_clone__(self):
            return Counts()

    model = PUBagging(Counts(), n_estimators=2, sample_size=0.5).fit(case_control.X, case_control.z)
    assert [each.n_rows_.tolist() for each in model.estimators_] == [[75, 150, 150]] * 2
    with pytest.raises(ValueError, match="n_estimators=0 must be at least 1"):
        PUBagging(n_estimators=0).fit(case_control.X, case_control.z)


# --- the library's own estimators with fixed settings -------------------------------------------------------


def test_naive_constructors():
    assert isinstance(mn_lasso(0.1), MultinomialPULasso) and isinstance(on_lasso(0.1), OrdinalPULasso)
    assert mn_lasso(0.1, groups="entries").groups == "entries"
    assert on_lasso(0.1).scenario == "fully-observed"


def test_ward_em_is_the_likelihood_without_penalty():
    data = simulate_multinomial(500, 2, n_positive=1, random_state=1)
    ward = ward_em(**data.scenario_params).fit(data.X, data.z)
    exact = MultinomialPULasso(0.0, tol=1e-8, **data.scenario_params).fit(data.X, data.z)
    np.testing.assert_allclose(ward.coef_, exact.coef_, atol=0.05)


@pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])
def test_the_oracle_allows_for_case_control_sampling(estimator):
    simulate = simulate_multinomial if estimator is MultinomialPULasso else simulate_ordinal
    data = simulate(20_000, 3, null_proba=[0.8, 0.15, 0.05], random_state=0)
    model = oracle(0.0, estimator=estimator, **data.scenario_params).fit(data.X, data.y)
    np.testing.assert_allclose(model.coef_, data.coef, atol=0.1)
    free = ("intercept_", data.intercept) if data.thresholds is None else ("thresholds_", data.thresholds)
    np.testing.assert_allclose(getattr(model, free[0]), free[1], atol=0.1)


def test_the_oracle_of_a_single_training_set_needs_no_correction():
    assert oracle(0.1, scenario="single-training-set", label_frequency=0.5).scenario == "fully-observed"


def test_the_oracle_must_know_the_classes():
    known = oracle(0.1, scenario="case-control", prevalence={"oak": 0.1, "fir": 0.2}).scenario
    assert known.always_labeled == ("oak", "fir")
    assert oracle(0.1, scenario="case-control", prevalence=0.1, classes=[5]).scenario.always_labeled == (5,)
    with pytest.raises(ValueError, match=r"pass classes=\[...\]"):
        oracle(0.1, scenario="case-control", prevalence=0.1)
    with pytest.raises(ValueError, match="needs prevalence"):
        oracle(0.1, scenario="case-control")
