"""What a fitted estimator holds and answers, for both models in every scenario."""

import numpy as np
import pytest

from pulasso import (
    CaseControl,
    FullyObserved,
    Groups,
    MultinomialPULasso,
    OrdinalPULasso,
    OrdinalPULassoCV,
    SingleTrainingSet,
)
from pulasso.exceptions import ConvergenceWarning, InputError, LabelFrequencyWarning
from pulasso.solvers import SOLVERS

# The classes of these small data have no order, and their shares are not those that are told: models say so.
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")

SCENARIOS = {
    "case-control": {"scenario": "case-control", "prevalence": [0.3, 0.2]},
    "single-training-set": {"scenario": "single-training-set", "label_frequency": [0.75, 0.8]},
    "fully-observed": {"scenario": "fully-observed"},
}
SINGLE = SCENARIOS["single-training-set"]

both = pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])
every_scenario = pytest.mark.parametrize("settings", SCENARIOS.values(), ids=SCENARIOS)


def vectors_by_hand(settings, y):
    """The vectors a and c of SPEC's table, from the counts in y."""
    n_k = np.array([(y == 1).sum(), (y == 2).sum()])
    if settings["scenario"] == "case-control":
        return n_k / (np.array([0.3, 0.2]) * (y == 0).sum()), np.ones(2)
    if settings["scenario"] == "single-training-set":
        return np.array([0.75, 0.8]), np.array([0.25, 0.2])
    return np.ones(2), np.zeros(2)


# --- fitted attributes --------------------------------------------------------------------------------


@both
@every_scenario
def test_fitted_attributes(X, y, estimator, settings):
    model = estimator(lam=0.02, **settings)
    assert model.fit(X, y) is model
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_features_in_ == 4
    assert not hasattr(model, "feature_names_in_")
    assert model.lam_max_ > 0.02
    assert model.converged_ is True
    assert 0 <= model.kkt_ <= model.tol
    assert model.n_iter_ >= 1
    assert np.isfinite(model.objective_)
    assert model.scenario_.name == settings["scenario"]
    assert model.groups_.n_blocks == 4
    assert model.group_norms_.shape == (4,)
    assert model.label_counts_.n_unlabeled == 60
    assert model.label_counts_.n_labeled.tolist() == [0, 30, 30]
    assert model.history_[-1].objective == model.objective_
    assert [words for words in model.warnings_ if not words.startswith("By prevalence")] == []


@every_scenario
def test_shapes_of_the_multinomial_model(X, y, settings):
    model = MultinomialPULasso(lam=0.02, **settings).fit(X, y)
    assert model.coef_.shape == (2, 4)
    assert model.intercept_.shape == (2,)
    assert not hasattr(model, "thresholds_")
    assert model.coef_[0, 0] > 0
    assert model.coef_[1, 1] > 0


@every_scenario
def test_shapes_of_the_ordinal_model(X, y, settings):
    model = OrdinalPULasso(lam=0.02, **settings).fit(X, y)
    assert model.coef_.shape == (4,)
    assert model.thresholds_.shape == (2,)
    assert np.all(np.diff(model.thresholds_) > 0)
    assert not hasattr(model, "intercept_")
    assert model.coef_[1] > 0


@both
@every_scenario
def test_the_objective_is_the_observed_loss_plus_the_penalty(X, y, estimator, settings):
    model = estimator(lam=0.02, **settings).fit(X, y)
    penalty = 0.02 * model.groups_.weights @ model.group_norms_
    assert model.objective_ == pytest.approx(penalty - model.observed_score(X, y), rel=1e-9)


@both
@every_scenario
@pytest.mark.parametrize("factor", [1.0, 5.0])
def test_at_lam_max_the_null_model_matches_the_observed_frequencies(X, y, estimator, settings, factor):
    lam_max = estimator(lam=1.0, **settings).fit(X, y).lam_max_
    null = estimator(lam=factor * lam_max, **settings).fit(X, y)
    assert not null.coef_.any()
    observed = np.tile([0.5, 0.25, 0.25], (3, 1))
    np.testing.assert_allclose(null.predict_observed_proba(X[:3]), observed, rtol=1e-6)
    below = estimator(lam=0.98 * lam_max, **settings).fit(X, y)
    assert below.coef_.any()


def test_the_null_model_of_case_control_data_has_the_given_prevalence(X, y):
    null = MultinomialPULasso(lam=10.0, scenario="case-control", prevalence=[0.3, 0.2]).fit(X, y)
    np.testing.assert_allclose(null.predict_proba(X[:1]), [[0.5, 0.3, 0.2]], rtol=1e-9)
    np.testing.assert_allclose(null.intercept_, np.log([0.3 / 0.5, 0.2 / 0.5]), rtol=1e-9)


@both
@every_scenario
def test_standardized_fits_do_not_depend_on_the_units_of_x(X, y, estimator, settings):
    units, origin = np.array([1.0, 1e3, 1e-3, 7.0]), np.array([0.0, 5.0, -2.0, 100.0])
    model = estimator(lam=0.02, tol=1e-9, **settings).fit(X, y)
    other = estimator(lam=0.02, tol=1e-9, **settings).fit(origin + X * units, y)
    np.testing.assert_allclose(other.coef_ * units, model.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(other.predict_proba(origin + X * units), model.predict_proba(X), rtol=1e-5)


def test_without_an_intercept_the_origin_is_undecided(X, y):
    model = MultinomialPULasso(lam=0.02, fit_intercept=False, scenario="fully-observed").fit(X, y)
    assert model.intercept_.tolist() == [0.0, 0.0]
    assert model.converged_
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 4))), np.full((1, 3), 1 / 3))


@both
def test_without_standardizing_the_penalty_acts_on_coef_itself(X, y, estimator):
    model = estimator(lam=0.02, standardize=False, **SINGLE).fit(X, y)
    norms = np.linalg.norm(np.atleast_2d(model.coef_), axis=0)
    np.testing.assert_allclose(model.group_norms_, norms, atol=1e-12)


# --- predictions --------------------------------------------------------------------------------------


@both
@every_scenario
def test_probabilities_classes_and_log_odds_agree(X, y, estimator, settings):
    model = estimator(lam=0.02, **settings).fit(X, y)
    proba, eta = model.predict_proba(X), model.decision_function(X)
    assert proba.shape == eta.shape == (120, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba)
    np.testing.assert_allclose(eta, np.log(proba / proba[:, :1]), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_the_formula_of_the_multinomial_model(X, y):
    model = MultinomialPULasso(lam=0.02, **SINGLE).fit(X, y)
    eta = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X)[:, 1:], eta, rtol=1e-9, atol=1e-12)


def test_the_formula_of_the_ordinal_model(X, y):
    model = OrdinalPULasso(lam=0.02, **SINGLE).fit(X, y)
    below = 1 / (1 + np.exp(-(model.thresholds_ - (X @ model.coef_)[:, None])))  # P(y < j)
    np.testing.assert_allclose(np.cumsum(model.predict_proba(X), axis=1)[:, :-1], below, rtol=1e-9)


def test_the_expected_class_of_the_ordinal_model(X, y):
    model = OrdinalPULasso(lam=0.02, **SINGLE).fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(model.predict_expected(X), proba[:, 1] + 2 * proba[:, 2])
    assert not hasattr(MultinomialPULasso, "predict_expected")


@pytest.mark.parametrize(("rule", "power"), [("mode", 0), ("median", 1), ("mean", 2)])
@pytest.mark.parametrize("estimator", [OrdinalPULasso, OrdinalPULassoCV])
def test_every_rule_of_the_ordinal_model_predicts_the_class_that_costs_least(X, y, estimator, rule, power):
    """Expected cost of every class by brute force; 0 ** 0 is 1 in NumPy, hence the sign."""
    grid = {"lam": 0.02} if estimator is OrdinalPULasso else {"n_lams": 5, "cv": 2}
    model = estimator(**SINGLE, **grid, class_order=["a", "b", "c"])
    proba = model.fit(X, np.array(["a", "b", "c"])[y]).predict_proba(X)
    distance = np.abs(np.arange(3)[:, None] - np.arange(3)).astype(float)
    cost = proba @ (np.sign(distance) if power == 0 else distance**power)
    np.testing.assert_array_equal(model.predict(X, rule=rule), model.classes_[cost.argmin(axis=1)])
    assert (model.predict(X) == model.predict(X, rule="mode")).all()


def test_an_unknown_rule_of_the_ordinal_model_is_refused(X, y):
    model = OrdinalPULasso(lam=0.02, **SINGLE).fit(X, y)
    with pytest.raises(InputError) as caught:
        model.predict(X, rule="medain")
    assert caught.value.parameter == "rule"
    assert "Did you mean 'median'" in str(caught.value)


@both
@every_scenario
def test_observed_probabilities_follow_the_scenario(X, y, estimator, settings):
    model = estimator(lam=0.02, **settings).fit(X, y)
    proba = model.predict_proba(X)
    odds = proba[:, 1:] / proba[:, :1]
    a, c = vectors_by_hand(settings, y)
    total = 1 + odds @ (a + c)
    expected = np.column_stack([(1 + odds @ c) / total, odds * a / total[:, None]])
    observed = model.predict_observed_proba(X)
    np.testing.assert_allclose(observed, expected, rtol=1e-9)
    np.testing.assert_allclose(observed.sum(axis=1), 1.0)


@both
@every_scenario
def test_observed_score_is_the_mean_log_likelihood(X, y, estimator, settings):
    model = estimator(lam=0.02, **settings).fit(X, y)
    log_likelihood = np.log(model.predict_observed_proba(X)[np.arange(120), y])
    assert model.observed_score(X, y) == pytest.approx(log_likelihood.mean())
    weight = np.arange(120.0)
    expected = np.average(log_likelihood, weights=weight)
    assert model.observed_score(X, y, sample_weight=weight) == pytest.approx(expected)
    # New labels need not hold every class, nor an unlabeled row.
    assert model.observed_score(X[45:60], y[45:60]) == pytest.approx(log_likelihood[45:60].mean())


@both
def test_two_classes(X, y, estimator):
    model = estimator(lam=0.02, scenario="single-training-set", label_frequency=0.8).fit(X, y > 0)
    assert model.classes_.tolist() == [False, True]
    assert model.decision_function(X).shape == (120,)
    assert model.predict(X).dtype == bool
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > 0)


def test_one_positive_class_makes_the_two_models_one(X, y):
    settings = {"lam": 0.02, "tol": 1e-9, "scenario": "case-control", "prevalence": 0.4}
    multinomial = MultinomialPULasso(**settings).fit(X, y > 0)
    ordinal = OrdinalPULasso(**settings).fit(X, y > 0)
    np.testing.assert_allclose(ordinal.coef_, multinomial.coef_[0], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(-ordinal.thresholds_, multinomial.intercept_, rtol=1e-5)
    assert ordinal.objective_ == pytest.approx(multinomial.objective_)


# --- scenarios as objects, and what only objects can say --------------------------------------------------


@both
@pytest.mark.parametrize(
    ("words", "thing"),
    [
        (SCENARIOS["case-control"], CaseControl([0.3, 0.2])),
        (SCENARIOS["single-training-set"], SingleTrainingSet([0.75, 0.8])),
        (SCENARIOS["fully-observed"], FullyObserved()),
    ],
    ids=SCENARIOS,
)
def test_a_name_and_an_object_mean_the_same(X, y, estimator, words, thing):
    by_name = estimator(lam=0.02, **words).fit(X, y)
    by_object = estimator(lam=0.02, scenario=thing).fit(X, y)
    np.testing.assert_array_equal(by_name.coef_, by_object.coef_)


def test_naive_reading_underestimates_the_positive_classes(X, y):
    naive = MultinomialPULasso(lam=0.02, **SCENARIOS["fully-observed"]).fit(X, y)
    aware = MultinomialPULasso(lam=0.02, **SCENARIOS["single-training-set"]).fit(X, y)
    assert aware.predict_proba(X)[:, 1:].sum() > 1.1 * naive.predict_proba(X)[:, 1:].sum()


def test_label_frequency_one_is_the_naive_reading(X, y):
    naive = MultinomialPULasso(lam=0.02, tol=1e-9, scenario="fully-observed").fit(X, y)
    certain = MultinomialPULasso(lam=0.02, tol=1e-9, scenario="single-training-set", label_frequency=1.0)
    certain.fit(X, y)
    np.testing.assert_allclose(certain.coef_, naive.coef_, rtol=1e-6, atol=1e-9)


@both
def test_a_class_that_is_always_labelled_is_never_unlabeled(X, y, estimator):
    model = estimator(lam=0.02, scenario=CaseControl([0.3, 0.2], always_labeled=(1,))).fit(X, y)
    assert model.label_model_.log_hidden[1] == -np.inf
    proba = model.predict_proba(X)
    observed = model.predict_observed_proba(X)
    # P(z = 0 | x) : P(z = 2 | x) = (P(y = 0 | x) + P(y = 2 | x)) : a_2 P(y = 2 | x)
    ratio = observed[:, 0] / observed[:, 2] * proba[:, 2] / (proba[:, 0] + proba[:, 2])
    np.testing.assert_allclose(ratio, ratio[0])
    text = np.array(["none", "oak", "yew"])[y]
    named = MultinomialPULasso(lam=0.02, scenario=CaseControl([0.3, 0.2], always_labeled="oak")).fit(X, text)
    assert named.label_model_.log_hidden[1] == -np.inf


@both
@pytest.mark.parametrize(
    "scenario",
    [CaseControl([0.3, 0.2]), SingleTrainingSet([0.75, 0.8], negative_label_frequency=0.5), FullyObserved()],
    ids=SCENARIOS,
)
def test_confirmed_negatives(X, y, estimator, scenario):
    labels = np.where(np.arange(120) < 20, 0, np.where(y == 0, -1, y))
    model = estimator(lam=0.02, scenario=scenario, unlabeled=-1, negative=0).fit(X, labels)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.label_counts_.n_labeled.tolist() == [20, 30, 30]
    assert set(model.predict(X)) <= {0, 1, 2}
    observed = model.predict_observed_proba(X)
    assert observed.shape == (120, 4)
    np.testing.assert_allclose(observed.sum(axis=1), 1.0)
    column = {-1: 0, 1: 1, 2: 2, 0: 3}
    likelihood = [row[column[label]] for row, label in zip(observed, labels, strict=True)]
    assert model.observed_score(X, labels) == pytest.approx(np.log(likelihood).mean())


# --- warnings -----------------------------------------------------------------------------------------


@both
def test_a_label_frequency_lower_than_the_labels_allow(X, y, estimator):
    # 30 of 120 rows in each class: with frequency 0.4 the classes would make up 2 * 0.25 / 0.4 = 125 %.
    model = estimator(lam=0.02, scenario="single-training-set", label_frequency=0.4)
    with pytest.warns(
        LabelFrequencyWarning, match=r"125 % of the rows.*smallest label frequency .* 0\.5;"
    ) as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__
    assert model.warnings_ == [str(caught[0].message)]
    for value in (model.coef_, model.objective_, model.kkt_, model.predict_log_proba(X), model.lam_max_):
        assert np.isfinite(value).all()


def test_different_label_frequencies_get_a_bound_each(X, y):
    model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency={1: 0.25, 2: 0.5})
    with pytest.warns(LabelFrequencyWarning, match=r"1: 0\.375, 2: 0\.75"):
        model.fit(X, y)


@both
def test_a_fit_that_is_stopped_early_says_so(X, y, estimator):
    model = estimator(lam=0.003, max_iter=1, solver="proximal-gradient", **SINGLE)
    with pytest.warns(
        ConvergenceWarning, match=r"lam=0\.003 .*max_iter=1 .*Try .*max_iter above 1"
    ) as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__
    assert model.converged_ is False
    assert model.kkt_ > model.tol
    assert model.warnings_ == [str(caught[0].message)]
    assert np.isfinite(model.predict_proba(X)).all()


# --- solvers and groups -------------------------------------------------------------------------------


@both
@every_scenario
def test_every_solver_finds_the_same_model(X, y, estimator, settings):
    fits = [estimator(lam=0.03, tol=1e-8, solver=name, **settings).fit(X, y) for name in SOLVERS]
    for fit in fits[1:]:
        assert fit.objective_ == pytest.approx(fits[0].objective_, rel=1e-9)
        np.testing.assert_allclose(fit.coef_, fits[0].coef_, rtol=1e-4, atol=1e-6)


def test_rows_enter_for_all_classes_or_none(X, y):
    coef = MultinomialPULasso(lam=0.04, groups="rows", **SINGLE).fit(X, y).coef_
    selected = coef.any(axis=0)
    assert 0 < selected.sum() < 4
    assert coef[:, selected].all()


def test_entries_enter_one_by_one(X, y):
    coef = MultinomialPULasso(lam=0.04, groups="entries", **SINGLE).fit(X, y).coef_
    assert 0 < np.count_nonzero(coef) < coef.size
    assert np.any(np.count_nonzero(coef, axis=0) == 1)


@both
def test_weight_zero_is_never_dropped_and_infinity_always(X, y, estimator):
    model = estimator(lam=10.0, groups=Groups.rows(weights=[1, np.inf, 0, 1]), **SINGLE).fit(X, y)
    assert np.atleast_2d(model.coef_).any(axis=0).tolist() == [False, False, True, False]
    assert model.converged_


def test_symmetric_rows_do_not_depend_on_the_reference_class(X, y):
    """Fully observed: call any class the marker, the probabilities stay the same."""
    groups = Groups.rows(symmetric=True)
    first = MultinomialPULasso(lam=0.02, tol=1e-9, groups=groups, scenario="fully-observed").fit(X, y)
    other = MultinomialPULasso(lam=0.02, tol=1e-9, groups=groups, scenario="fully-observed", unlabeled=2)
    with pytest.raises(ValueError, match="label 0 besides the marker"):
        other.fit(X, y)
    other.set_params(negative=2).fit(X, y)
    assert other.classes_.tolist() == [2, 0, 1]
    assert other.objective_ == pytest.approx(first.objective_, rel=1e-9)
    np.testing.assert_allclose(other.predict_proba(X)[:, [1, 2, 0]], first.predict_proba(X), atol=1e-5)
    plain = MultinomialPULasso(lam=0.02, tol=1e-9, scenario="fully-observed").fit(X, y)
    turned = MultinomialPULasso(lam=0.02, tol=1e-9, scenario="fully-observed", unlabeled=2, negative=2).fit(
        X, y
    )
    assert abs(plain.objective_ - turned.objective_) > 1e-4, "the plain norm does depend on it"
