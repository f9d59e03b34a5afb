"""Records that are denser where people looked: bias columns that enter labelled rows only."""

import warnings

import numpy as np
import pytest
from scipy.special import softmax

import pulasso
from pulasso import (
    CaseControl,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    SelectedLabelling,
    Sources,
)
from pulasso.exceptions import IdentifiabilityWarning, ScenarioError
from pulasso.inference import test_labelling as labelling_test
from pulasso.losses import PULoss
from pulasso.losses.propensity import thinning_gradient
from pulasso.scenarios import LabelModel

EFFECT = 1.0
# Background and records are drawn from the same places.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulasso.exceptions.ClassShareWarning", "ignore::pulasso.exceptions.DuplicateRowsWarning"
)


def simulate(n, n_positive=1, *, seed=0, effect=EFFECT):
    """Background, and records whose density grows with column 0, which goes along with column 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40 * n, 4))
    X[:, 0] += 0.5 * X[:, 1]
    theta = np.zeros((4, n_positive))
    theta[1 + np.arange(n_positive) % 3, np.arange(n_positive)] = 1.2
    proba = softmax(np.column_stack([np.zeros(len(X)), X @ theta - 2.0]), axis=1)
    y = (proba.cumsum(axis=1) < rng.random((len(X), 1))).sum(axis=1)
    rows, z = [rng.choice(len(X), n, replace=False)], [np.zeros(n, dtype=int)]
    for k in range(1, n_positive + 1):
        members = np.flatnonzero(y == k)
        density = np.exp(effect * X[members, 0])
        rows.append(rng.choice(members, n // 4, p=density / density.sum(), replace=False))
        z.append(np.full(n // 4, k))
    shares = np.bincount(y, minlength=n_positive + 1)[1:] / len(y)
    rows, z = np.concatenate(rows), np.concatenate(z)
    return X[rows], z, theta, shares, X[: 4 * n], proba[: 4 * n]


def excess(model, X, proba):
    return np.mean(np.sum(proba * (np.log(proba) - model.predict_log_proba(X)), axis=1))


def biased(shares, **settings):
    return SelectedLabelling([0], sampling="case-control", prevalence=shares, **settings)


def test_the_gradient_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    density, eta = rng.normal(size=(2, 12, 3))
    codes, step = np.arange(12) % 4, 1e-6

    def model(density):
        labeled = np.column_stack([np.full(12, -np.inf), density])
        return LabelModel(labeled, np.zeros((12, 4)))

    gradient = thinning_gradient(model(density), eta, codes)
    for k in range(3):
        moved = [density + sign * step * (np.arange(3) == k) for sign in (1, -1)]
        ends = [PULoss(model(each)).loss(eta, codes) for each in moved]
        np.testing.assert_allclose(gradient[:, k], (ends[0] - ends[1]) / (2 * step), atol=1e-8)


@pytest.mark.parametrize(
    ("n_positive", "settings"),
    [(1, {"excluded": True}), (2, {}), (2, {"excluded": True, "shared": False})],
)
def test_effects_are_recovered_and_predictions_freed_of_them(n_positive, settings):
    X, z, theta, shares, new, proba = simulate(3000, n_positive)
    model = MultinomialPULasso(lam=3e-4, tol=1e-5, scenario=biased(shares, **settings)).fit(X, z)
    blind = MultinomialPULasso(lam=3e-4, tol=1e-5, scenario=CaseControl(shares)).fit(X, z)
    np.testing.assert_allclose(model.propensity_.coef, EFFECT, atol=0.2)
    np.testing.assert_allclose(model.coef_.T, theta, atol=0.25)
    assert excess(model, new, proba) < 0.1 * excess(blind, new, proba)
    assert model.converged_ and model.propensity_.kkt <= model.tol
    assert len(model.propensity_.objective) > 2 and (np.diff(model.propensity_.objective) <= 1e-12).all()


def test_records_counted_by_their_density_are_a_sample_of_the_class():
    X, z, _, shares, _, _ = simulate(1000, 2)
    model = MultinomialPULasso(lam=1e-3, tol=1e-5, scenario=biased(shares)).fit(X, z)
    labelled = model.label_model_
    for k in (1, 2):
        stands_for = np.exp(-labelled.log_labeled[z == k, k]).sum()
        assert stands_for == pytest.approx(shares[k - 1] * np.sum(z == 0))


def test_a_reference_that_is_told():
    X, z, _, shares, _, _ = simulate(1000)
    model = MultinomialPULasso(lam=1e-3, scenario=biased(shares, excluded=True, reference=[0.7])).fit(X, z)
    found = model.propensity_
    assert found.intercept[0] == pytest.approx(-0.7 * found.coef[0, 0])
    assert found.kkt <= model.tol
    frame_of_reference = model.scenario_.label_model(model.label_counts_, np.full((1, 4), 0.7))
    plain = CaseControl(shares).label_model(model.label_counts_)
    np.testing.assert_allclose(frame_of_reference.log_labeled[0, 1], plain.log_labeled[1])


def test_a_known_effort_is_an_offset():
    X, z, theta, shares, _, _ = simulate(3000)
    X = np.column_stack([X, EFFECT * X[:, 0]])
    scenario = SelectedLabelling([2], sampling="case-control", prevalence=shares, offset=4, excluded=True)
    model = MultinomialPULasso(lam=3e-4, scenario=scenario).fit(X, z)
    assert abs(model.propensity_.coef[0, 0]) < 0.2 and not model.coef_[0, [2, 4]].any()
    np.testing.assert_allclose(model.coef_[0, 1], theta[1, 0], atol=0.25)


def test_no_effects_are_a_case_control_sample():
    X, z, _, shares, _, _ = simulate(800, 2, effect=0.0)
    model = MultinomialPULasso(lam=2e-3, scenario=biased(shares, lam=10.0)).fit(X, z)
    plain = MultinomialPULasso(lam=2e-3, scenario=CaseControl(shares)).fit(X, z)
    assert model.propensity_.is_constant
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)
    assert model.objective_ == pytest.approx(plain.objective_)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_cross_validation_ordered_classes_and_saving(tmp_path):
    X, z, _, shares, new, _ = simulate(800, 2)
    how = {"n_lams": 8, "cv": 3, "tol": 1e-4, "random_state": 0, "progress": False}
    model = MultinomialPULassoCV(scenario=biased(shares, excluded=True), **how).fit(X, z)
    assert model.propensity_.coef[0, 0] > 0.5 and np.isfinite(model.cv_loss_).all()
    np.testing.assert_allclose(model.class_shares_[1:], shares, atol=0.05)
    model.save(tmp_path / "model")
    again = pulasso.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    ordinal = OrdinalPULasso(lam=0.01, scenario=biased(shares, excluded=True)).fit(X, z)
    assert ordinal.propensity_.coef[0, 0] > 0.5


def test_whether_records_are_biased_can_be_tested():
    for effect, found in ((EFFECT, True), (0.0, False)):
        X, z, _, shares, _, _ = simulate(400, 1, effect=effect)
        model = MultinomialPULasso(lam=2e-3, tol=1e-4, scenario=biased(shares, excluded=True))
        answer = labelling_test(model, X, z, n_replicates=19, random_state=0, progress=False)
        assert (answer.p_value <= 0.05) == found


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.IdentifiabilityWarning")
def test_records_beside_a_survey():
    X, z, theta, shares, new, proba = simulate(2000, seed=3)
    rng = np.random.default_rng(0)
    surveyed = rng.choice(len(new), 400, replace=False)
    y = (rng.random(400) < proba[surveyed, 1]).astype(int)
    both, labels = np.vstack([X, new[surveyed]]), np.concatenate([z, y])
    source = np.repeat(["records", "survey"], [len(X), 400])
    losses = {}
    for name, records in {"aware": biased(shares), "blind": CaseControl(shares)}.items():
        scenario = Sources({"records": records, "survey": "fully-observed"})
        model = MultinomialPULasso(lam=5e-4, tol=1e-5, scenario=scenario).fit(both, labels, source=source)
        losses[name] = excess(model, new, proba)
        if name == "aware":
            # The survey tells what the records alone cannot: column 0 has no part in the class.
            found = model.scenario_.scenarios["records"].propensity
            assert found.coef[0, 0] == pytest.approx(EFFECT, abs=0.3) and found.kkt <= model.tol
            assert "labelling of records" in model.summary().facts
            assert model.predict_observed_proba(both, source=source).shape == (len(both), 2)
    assert losses["aware"] < 0.2 * losses["blind"]


def test_columns_of_a_source_are_named_excluded_and_checked():
    import pandas as pd

    X, z, _, shares, new, proba = simulate(500, seed=3)
    y = (np.random.default_rng(0).random(100) < proba[:100, 1]).astype(int)
    table = pd.DataFrame(np.vstack([X, new[:100]]), columns=["road", "b", "c", "d"])
    labels, source = np.concatenate([z, y]), np.repeat(["records", "survey"], [len(X), 100])
    biased = SelectedLabelling(["road"], sampling="case-control", prevalence=shares, excluded=True)
    scenario = Sources({"records": biased, "survey": "fully-observed"})
    model = MultinomialPULasso(lam=0.005, scenario=scenario).fit(table, labels, source=source)
    assert model.coef_[0, 0] == 0 and model.scenario_.scenarios["records"].propensity.columns == ("road",)
    # What is the same in all rows of its source tells nothing, whatever it is elsewhere.
    table.loc[source == "records", "road"] = 1.0
    with pytest.raises(ScenarioError) as refused:
        MultinomialPULasso(lam=0.005, scenario=scenario).fit(table, labels, source=source)
    assert refused.value.parameter == "columns"
    with pytest.raises(ScenarioError, match="does not have"):
        model.fit(table.drop(columns="road"), labels, source=source)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_records_beside_a_survey_in_cross_validation():
    X, z, _, shares, new, proba = simulate(500, seed=3)
    y = (np.random.default_rng(0).random(100) < proba[:100, 1]).astype(int)
    scenario = Sources(
        {"records": biased(shares), "survey": "fully-observed"}, shift="intercept", reference="survey"
    )
    how = {"n_lams": 6, "cv": 3, "tol": 1e-4, "random_state": 0, "progress": False}
    source = np.repeat(["records", "survey"], [len(X), 100])
    model = MultinomialPULassoCV(scenario=scenario, **how)
    model.fit(np.vstack([X, new[:100]]), np.concatenate([z, y]), source=source)
    assert np.isfinite(model.cv_loss_).all() and set(model.scenario_.shifts) == {"records"}
    assert not model.scenario.is_fitted and model.scenario_.is_fitted


# -- what is identified, and what is refused --------------------------------------------------------------------------


def test_of_one_class_the_prevalence_does_not_tell_effects():
    X, z, _, shares, _, _ = simulate(400)
    with pytest.raises(ScenarioError, match="Not identified"):
        MultinomialPULasso(lam=0.01, anchor=3.0, scenario=biased(shares)).fit(X, z)
    with pytest.warns(IdentifiabilityWarning, match="Not identified"):
        MultinomialPULasso(lam=0.01, scenario=biased(shares, allow_unidentified=True)).fit(X, z)
    with warnings.catch_warnings():
        warnings.simplefilter("error", IdentifiabilityWarning)
        model = MultinomialPULasso(lam=0.01, scenario=biased(shares, excluded=True)).fit(X, z)
    assert "logistic form" not in model.propensity_.identification


@pytest.mark.parametrize(
    ("settings", "parameter"),
    [
        ({"sampling": "cohort"}, "sampling"),
        ({"sampling": "case-control"}, "prevalence"),
        ({"sampling": "case-control", "label_frequency": 0.1}, "prevalence"),
        (
            {"sampling": "case-control", "prevalence": 0.1, "negative_label_frequency": 0.1},
            "negative_label_frequency",
        ),
        ({"sampling": "case-control", "prevalence": 0.1, "reference": [1.0, 2.0]}, "reference"),
        ({"reference": [1.0]}, "reference"),
    ],
)
def test_numbers_that_do_not_belong_to_the_sampling(settings, parameter):
    with pytest.raises(ScenarioError) as refused:
        SelectedLabelling([0], **settings)
    assert refused.value.parameter == parameter


def test_columns_that_are_constant_or_part_records_from_background():
    X, z, _, shares, _, _ = simulate(200)
    X[:, 0] = 1.0
    with pytest.raises(ScenarioError) as refused:
        MultinomialPULasso(lam=0.05, scenario=biased(shares, excluded=True)).fit(X, z)
    assert refused.value.parameter == "columns"
    X[:, 0] = z + 0.1 * X[:, 1]
    X[z == 1, 0] += 5
    with pytest.warns(IdentifiabilityWarning, match="parts all labelled rows"):
        model = MultinomialPULasso(lam=0.05, scenario=biased(shares, excluded=True)).fit(X, z)
    assert np.isfinite(model.propensity_.coef).all() and np.isfinite(model.predict_proba(X)).all()
