"""Rows of several sources in one fit."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_val_score

from pulasso import (
    CaseControl,
    FullyObserved,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    SelectedLabelling,
    SingleTrainingSet,
    Sources,
    fit_path,
    load,
)
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.estimators.fitting import problem_of, read
from pulasso.exceptions import InputError, ScenarioError
from pulasso.metrics import pu_scores
from pulasso.problem import Params
from pulasso.scenarios import Propensity

P, K = 4, 2
THETA = np.array([[1.2, -0.6], [-0.8, 0.9], [0.0, 0.7], [0.0, 0.0]])
INTERCEPT = np.array([-0.7, -1.0])
FREQUENCY = np.array([0.4, 0.6])
ESTIMATORS = [MultinomialPULasso, OrdinalPULasso]
CHOOSERS = [MultinomialPULassoCV, OrdinalPULassoCV]
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulasso.exceptions.ClassShareWarning", "ignore::pulasso.exceptions.GridEdgeWarning"
)


def draw(rng, n, shift=0.0):
    """Return features around a centre of their own, and true classes."""
    x = rng.normal(size=(n, P)) + shift
    score = np.hstack([np.zeros((n, 1)), x @ THETA + INTERCEPT]) + rng.gumbel(size=(n, K + 1))
    return x, score.argmax(axis=1)


def sample(n=300, seed=0, shift=0.4):
    """Return features, labels, sources and the scenario: records, a survey and a registry, of different regions."""
    rng = np.random.default_rng(seed)
    pool, y = draw(rng, 50 * n)
    records = np.concatenate(
        [np.arange(n), *(n + rng.choice(np.flatnonzero(y[n:] == k), n // 3) for k in (1, 2))]
    )
    surveyed, found = draw(rng, n // 2, shift)
    registered, true = draw(rng, n, -shift)
    shown = np.where(rng.random(n) < np.append(0.0, FREQUENCY)[true], true, 0)
    x = np.vstack([pool[records], surveyed, registered])
    z = np.concatenate([np.repeat([0, 1, 2], [n, n // 3, n // 3]), found, shown])
    source = np.repeat(["records", "survey", "registry"], [len(records), n // 2, n])
    prevalence = np.bincount(y)[1:] / len(y)
    scenario = Sources(
        {
            "records": CaseControl(prevalence),
            "survey": "fully-observed",
            "registry": SingleTrainingSet(FREQUENCY),
        }
    )
    order = rng.permutation(len(z))
    return x[order], z[order], source[order], scenario


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("rho", [0.0, 1.0])
@pytest.mark.parametrize(
    "scenario", [CaseControl([0.3, 0.2]), SingleTrainingSet(FREQUENCY), FullyObserved()], ids=lambda s: s.name
)
def test_one_source_is_its_scenario_alone(scenario, rho, estimator):
    x, z, source, _ = sample()
    rows = source == "registry"
    settings = {"lam": 0.01, "anchor": rho, "tol": 1e-9}
    alone = estimator(scenario=scenario, **settings).fit(x[rows], z[rows])
    one = estimator(scenario=Sources({"a": scenario}), **settings).fit(
        x[rows], z[rows], source=["a"] * rows.sum()
    )
    np.testing.assert_allclose(one.coef_, alone.coef_, atol=1e-7)
    assert one.objective_ == pytest.approx(alone.objective_, abs=1e-11)
    assert one.lam_max_ == pytest.approx(alone.lam_max_, rel=1e-9)
    np.testing.assert_allclose(one.told_shares_, alone.told_shares_, rtol=1e-12)
    np.testing.assert_allclose(one.class_shares_, alone.class_shares_, atol=1e-7)
    np.testing.assert_allclose(one.share_tolerance_, alone.share_tolerance_, rtol=1e-9)
    np.testing.assert_allclose(one.predict_proba(x, 0.2), alone.predict_proba(x, 0.2), atol=1e-7)


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *CHOOSERS])
def test_two_observed_sources_are_one(estimator):
    x, z, source, _ = sample()
    rows = source != "records"
    grid = {"lam": 0.01}
    if estimator in CHOOSERS:
        part = np.arange(rows.sum()) % 3
        folds = [(np.flatnonzero(part != i), np.flatnonzero(part == i)) for i in range(3)]
        grid = {"lams": [0.05, 0.02, 0.01], "cv": folds}
    both = Sources({"survey": FullyObserved(), "registry": FullyObserved()})
    found = estimator(scenario=both, tol=1e-9, **grid).fit(x[rows], z[rows], source=source[rows])
    stacked = estimator(scenario="fully-observed", tol=1e-9, **grid).fit(x[rows], z[rows])
    np.testing.assert_allclose(found.coef_, stacked.coef_, atol=1e-7)
    np.testing.assert_allclose(found.told_shares_, stacked.told_shares_, rtol=1e-12)
    if estimator in CHOOSERS:
        np.testing.assert_allclose(found.cv_loss_, stacked.cv_loss_, atol=1e-7)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("rho", [0.0, 2.0])
def test_gradients_agree_with_finite_differences(estimator, rho):
    x, z, source, scenario = sample(60)
    weight = np.random.default_rng(3).uniform(0.5, 2.0, len(z))
    model = estimator(scenario=scenario, anchor=rho)
    problem = problem_of(model, read(model, x, z, weight, source))
    rng = np.random.default_rng(4)
    at = Params(0.3 * rng.normal(size=problem.shape), np.abs(problem.null.offsets) + 0.1)
    grad = problem.gradient(problem.at(at))
    for _ in range(5):
        step = Params(rng.normal(size=problem.shape), rng.normal(size=at.offsets.shape))
        h = 1e-6
        slope = (problem.at(at + h * step).loss - problem.at(at - h * step).loss) / (2 * h)
        assert grad.dot(step) == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_all_solvers_and_storages_agree(estimator):
    x, z, source, scenario = sample()
    settings = {"lam": 0.01, "scenario": scenario, "anchor": 1.0, "tol": 1e-8}
    model = estimator(**settings).fit(x, z, source=source)
    assert model.converged_ and model.kkt_ <= 1e-8
    for solver in ("em", "proximal-gradient"):
        other = estimator(**settings | {"tol": 1e-6}, solver=solver).fit(x, z, source=source)
        assert other.objective_ == pytest.approx(model.objective_, abs=1e-7)
    chunked = estimator(**settings).fit(LocalChunks(ArraySource(x, 90)), z, source=source)
    np.testing.assert_allclose(chunked.coef_, model.coef_, atol=1e-5)
    weight = np.arange(len(z)) % 3
    weighted = estimator(**settings).fit(x, z, sample_weight=weight, source=source)
    rows = np.repeat(np.arange(len(z)), weight)
    repeated = estimator(**settings).fit(x[rows], z[rows], source=source[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_the_null_model_is_the_best_without_features():
    x, z, source, scenario = sample()
    model = MultinomialPULasso(scenario=scenario)
    problem = problem_of(model, read(model, x, z, None, source))
    null = problem.at(problem.null)
    np.testing.assert_allclose(null.grad_offsets, 0.0, atol=1e-10)
    at_max = MultinomialPULasso(lam=problem.lam_max * 1.0001, scenario=scenario).fit(x, z, source=source)
    assert not at_max.coef_.any()


def test_sources_together_come_closer_to_the_truth():
    """Errors fall with more rows, and those of all sources together are smaller than those of any alone."""

    def errors(n):
        found = []
        for seed in range(4):
            x, z, source, scenario = sample(n, seed)
            model = MultinomialPULasso(lam=0.0, scenario=scenario).fit(x, z, source=source)
            own = [np.linalg.norm(model.coef_.T - THETA)]
            for name, alone in scenario.scenarios.items():
                rows = source == name
                model = MultinomialPULasso(lam=0.0, scenario=alone).fit(x[rows], z[rows])
                own.append(np.linalg.norm(model.coef_.T - THETA))
            found.append(own)
        return np.mean(found, axis=0)

    few, many = errors(500), errors(4_500)
    assert (many[0] < many[1:]).all()
    assert many[0] < 0.55 * few[0]


@pytest.mark.parametrize("chooser", CHOOSERS)
def test_cross_validation_splits_sources_with_rows(chooser):
    x, z, source, scenario = sample()
    settings = {"scenario": scenario, "lams": [0.05, 0.02, 0.01], "random_state": 0}
    model = chooser(cv=3, **settings).fit(x, z, source=source)
    assert np.isfinite(model.cv_loss_).all() and model.anchor_ > 0
    assert np.isfinite(model.cv_proba_).all()
    chunked = chooser(cv=3, **settings).fit(LocalChunks(ArraySource(x, 90)), z, source=source)
    np.testing.assert_allclose(chunked.cv_loss_, model.cv_loss_, atol=1e-6)
    by_frame = chooser(cv=3, **settings).fit(x, z, source=pd.Series(source, dtype="category"))
    np.testing.assert_array_equal(by_frame.cv_loss_, model.cv_loss_)
    # Whole sources may be held out: the others fit the model, and its labels are judged by its own scenario.
    left_out = chooser(cv=GroupKFold(3), **settings).fit(x, z, source=source, groups=source)
    assert np.isfinite(left_out.cv_loss_).all()


def test_metadata_routing():
    x, z, source, scenario = sample()
    with sklearn.config_context(enable_metadata_routing=True):
        model = MultinomialPULasso(lam=0.02, scenario=scenario).set_fit_request(source=True)
        scores = cross_val_score(model, x, z, params={"source": source}, cv=3)
        chooser = MultinomialPULassoCV(scenario=scenario, lams=[0.05, 0.02], cv=3).set_fit_request(
            source=True
        )
        more = cross_val_score(chooser, x, z, params={"source": source}, cv=2)
    assert np.isfinite(scores).all() and np.isfinite(more).all()


def test_paths_observed_labels_and_saved_models(tmp_path):
    x, z, source, scenario = sample()
    path = fit_path(x, z, source=source, scenario=scenario, n_lams=5)
    model = MultinomialPULasso(lam=path.lams[-1], scenario=scenario).fit(x, z, source=source)
    assert model.objective_ == pytest.approx(path.objective[-1], abs=1e-6)
    observed = model.predict_observed_proba(x, source=source)
    np.testing.assert_allclose(observed.sum(axis=1), 1.0)
    survey = source == "survey"
    np.testing.assert_allclose(observed[survey], model.predict_proba(x[survey]), rtol=1e-9)
    score = model.observed_score(x, z, source=source)
    assert score == pytest.approx(np.log(observed[np.arange(len(z)), z]).mean())
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(x, 0.2), model.predict_proba(x, 0.2))
    assert again.observed_score(x, z, source=source) == pytest.approx(score, rel=1e-12)
    text = str(again.summary())
    assert "records (case-control, prevalence" in text and "survey: 150 rows" in text


def test_report_and_card_name_the_sources(tmp_path):
    x, z, source, scenario = sample()
    model = MultinomialPULasso(lam=0.02, scenario=scenario).fit(x, z, source=source)
    model.report(tmp_path / "page.html")
    assert "survey (fully-observed)" in (tmp_path / "page.html").read_text()


def test_scores_are_of_one_source_at_a_time():
    x, z, source, scenario = sample()
    model = MultinomialPULasso(lam=0.02, scenario=scenario).fit(x, z, source=source)
    with pytest.raises(ScenarioError, match="one source at a time"):
        pu_scores(model, x, z)
    rows = source == "registry"
    scores = pu_scores(model, x[rows], z[rows], scenario=scenario.scenarios["registry"])
    assert 0 < scores["accuracy"].value < 1


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *CHOOSERS])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: None, "not known"),
        (lambda s: s[:-1], "one for each row"),
        (lambda s: s[:, None], "one for each row"),
        (lambda s: np.where(s == "survey", "records", s), "No row .* 'survey'"),
        (lambda s: np.where(np.arange(len(s)) == 7, "Survey", s), "Row 7 comes from the source 'Survey'"),
        (lambda s: [None, *s[1:]], "of row 0 is None"),
        (lambda s: pd.Series(s).where(np.arange(len(s)) != 3), "of row 3 is nan"),
        (lambda s: [*s[:-1], ["survey"]], "is"),
    ],
)
def test_bad_sources_are_refused(change, words, estimator):
    x, z, source, scenario = sample(60)
    model = estimator(scenario=scenario)
    with pytest.raises(InputError, match=words) as caught:
        model.fit(x, z, source=change(source))
    assert caught.value.parameter == "source"
    assert not hasattr(model, "coef_")


def test_a_source_of_no_weight_has_no_rows():
    x, z, source, scenario = sample(60)
    with pytest.raises(InputError, match="No row"):
        MultinomialPULasso(scenario=scenario).fit(x, z, sample_weight=source != "survey", source=source)


def test_numbers_of_any_kind_name_sources_and_stay_as_they_were():
    x, z, source, scenario = sample(60)
    names = ("records", "survey", "registry")
    numbered = Sources(dict(enumerate(scenario.scenarios[name] for name in names)))
    given = np.array([np.int64(names.index(name)) for name in source], dtype=object)
    given.flags.writeable = False
    model = MultinomialPULasso(lam=0.02, scenario=numbered).fit(x, z, source=given)
    by_name = MultinomialPULasso(lam=0.02, scenario=scenario).fit(x, z, source=source)
    np.testing.assert_array_equal(model.coef_, by_name.coef_)
    assert type(given[0]) is np.int64


def test_sources_belong_to_scenarios_with_sources():
    x, z, source, scenario = sample(60)
    with pytest.raises(InputError, match="knows of no sources") as caught:
        MultinomialPULasso(scenario="fully-observed").fit(x, z, source=source)
    assert caught.value.parameter == "source"
    model = MultinomialPULasso(lam=0.1, scenario=scenario).fit(x, z, source=source)
    for call in (lambda: model.predict_observed_proba(x), lambda: model.observed_score(x, z)):
        with pytest.raises(InputError, match="not known"):
            call()


@pytest.mark.parametrize(
    "scenarios",
    [None, {}, ["fully-observed"], {"a": "case-control"}, {"a": "nothing"}, {"a": CaseControl}, {"a": 1}]
    + [{"a": CaseControl("estimate")}, {"a": Sources({"b": "fully-observed"})}],
)
def test_scenarios_that_cannot_be_are_refused(scenarios):
    with pytest.raises(ScenarioError):
        Sources(scenarios)


def test_numbers_that_do_not_fit_are_refused_with_the_source():
    x, z, source, scenario = sample(60)
    wrong = Sources({**scenario.scenarios, "registry": SingleTrainingSet({1: 0.5})})
    with pytest.raises(ScenarioError, match="Source 'registry': label_frequency has no number for 2"):
        MultinomialPULasso(scenario=wrong).fit(x, z, source=source)


# -- sources that differ in how frequent classes are ----------------------------------------------------------------


def shifted_sample(n, seed=0, shift=(1.5, 0.7)):
    """A registry, and a survey of people of whom classes 1 and 2 are more frequent at the same features."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2 * n, P))
    source = np.repeat(["registry", "survey"], n)
    score = np.hstack([np.zeros((2 * n, 1)), x @ THETA + INTERCEPT])
    score[source == "survey", 1:] += shift
    y = np.argmax(score + rng.gumbel(size=score.shape), axis=1)
    hidden = (source == "registry") & (rng.random(2 * n) > 0.5)
    return x, np.where(hidden, 0, y), source


def shifting(**more):
    scenarios = {"registry": SingleTrainingSet(0.5), "survey": FullyObserved()}
    return Sources(scenarios, **{"shift": "intercept", "reference": "registry", **more})


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_shifts_are_fitted_with_the_classes(estimator, tmp_path):
    x, z, source = shifted_sample(3000)
    model = estimator(lam=1e-3, tol=1e-5, scenario=shifting()).fit(x, z, source=source)
    without = estimator(lam=1e-3, tol=1e-5, scenario=Sources(shifting().scenarios)).fit(x, z, source=source)
    assert model.observed_score(x, z, source=source) > without.observed_score(x, z, source=source)
    assert model.converged_ and model.scenario_.is_fitted and not model.scenario.is_fitted
    shift = model.scenario_.shifts["survey"]
    if estimator is MultinomialPULasso:
        np.testing.assert_allclose(shift, [1.5, 0.7], atol=0.35)
        np.testing.assert_allclose(model.intercept_, INTERCEPT, atol=0.25)
    # Rows of the survey are likelier to be of class 1 than the model of the registry says, by the shift.
    rows = source == "survey"
    of_survey = model.predict_observed_proba(x[rows], source=source[rows])
    odds = model.predict_proba(x[rows])[:, 1:] * np.exp(shift)
    expected = np.column_stack([model.predict_proba(x[rows])[:, 0], odds])
    np.testing.assert_allclose(of_survey, expected / expected.sum(axis=1, keepdims=True), rtol=1e-6)
    # Only the reference tells the shares of the population that predictions are about.
    np.testing.assert_allclose(model.told_shares_[1:], 2 * np.bincount(z[~rows])[1:] / 3000)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(
        again.predict_observed_proba(x, source=source), model.predict_observed_proba(x, source=source)
    )
    facts = again.summary().facts
    assert "predictions for registry" in facts["scenario"] and "shift of survey" in facts
    assert facts["shares told"].startswith("registry: 0 ")


def test_shifts_that_are_known_are_not_fitted():
    x, z, source = shifted_sample(300)
    known = shifting(shifts={"survey": [1.5, 0.7]})
    model = MultinomialPULasso(lam=0.01, scenario=known).fit(x, z, source=source)
    assert model.scenario_ is known


@pytest.mark.parametrize("estimator", [MultinomialPULasso, MultinomialPULassoCV])
def test_a_propensity_that_is_known_stays_beside_what_is_fitted(estimator):
    x, z, source = shifted_sample(600)
    table = pd.DataFrame(x, columns=list("abcd"))
    known = SelectedLabelling(["d"], propensity=Propensity(("d",), np.zeros(K), np.full((K, 1), 0.3)))
    scenarios = {"registry": known, "survey": FullyObserved()}
    how = {"n_lams": 3, "cv": 2, "tol": 1e-4} if estimator is MultinomialPULassoCV else {"lam": 0.02}
    fitted = estimator(scenario=Sources(scenarios, shift="intercept", reference="registry"), **how)
    shifts = fitted.fit(table, z, source=source).scenario_.shifts
    assert fitted.scenario_.scenarios["registry"] is known and (shifts["survey"] > 0).all()
    again = MultinomialPULasso(lam=getattr(fitted, "lam_", 0.02), scenario=fitted.scenario_, tol=1e-7)
    again = again.set_params(anchor=fitted.anchor_).fit(table, z, source=source)
    np.testing.assert_allclose(again.coef_, fitted.coef_, atol=2e-3)


@pytest.mark.parametrize(
    ("settings", "parameter"),
    [
        ({"shift": "slopes"}, "shift"),
        ({"shift": np.array(["intercept", "slopes"])}, "shift"),
        ({"reference": ["registry"]}, "reference"),
        ({"reference": {}}, "reference"),
        ({"shifts": [0, 0]}, "shifts"),
        ({"reference": None}, "reference"),
        ({"reference": "census"}, "reference"),
        ({"shift": None}, "reference"),
        ({"shift": None, "reference": None, "shifts": {"survey": [0, 0]}}, "shifts"),
        ({"shifts": {"registry": [0, 0]}}, "shifts"),
    ],
)
def test_shifts_that_cannot_be(settings, parameter):
    with pytest.raises(ScenarioError) as refused:
        shifting(**settings)
    assert refused.value.parameter == parameter
