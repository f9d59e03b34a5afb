"""Scores without negatives where the chance of a label depends on the row."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULasso, SelectedLabelling, SingleTrainingSet, Sources
from pulasso.exceptions import ScenarioError
from pulasso.metrics import at_rows, make_pu_scorer, pu_accuracy, pu_scores
from pulasso.scenarios import Propensity

KNOWN = Propensity((0,), [0.2, 0.2], [[1.0], [1.0]])


def draw(n, seed=0, n_positive=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    eta = np.column_stack([1.5 * X[:, 1] + 0.4 * X[:, 0], 1.5 * X[:, 2] + 0.4 * X[:, 0]])[:, :n_positive]
    proba = softmax(np.column_stack([np.zeros(n), eta]), axis=1)
    y = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return X, np.where(rng.random(n) < expit(0.2 + X[:, 0]), y, 0), y


@pytest.fixture(scope="module")
def fitted():
    X, z, _ = draw(2000)
    return MultinomialPULasso(lam=0.003, scenario=SelectedLabelling([0])).fit(X, z)


def test_scores_are_those_of_the_true_classes(fitted):
    X, z, y = draw(60_000, seed=1)
    known = replace(fitted.scenario_, propensity=KNOWN)
    scores = pu_scores(fitted, X, z, scenario=known)
    error = scores["accuracy"].standard_error
    assert abs(scores["accuracy"].value - fitted.score(X, y)) < 4 * error and error < 0.01
    shares = np.bincount(y) / len(y)
    assert (abs(scores["share"].value - shares) < 4 * scores["share"].standard_error).all()
    truth = -np.mean(fitted.predict_log_proba(X)[np.arange(len(y)), y])
    assert abs(scores["log-loss"].value - truth) < 4 * scores["log-loss"].standard_error


def test_errors_hold_those_of_the_labelling(fitted):
    X, z, _ = draw(4000, seed=2)
    scores = pu_scores(fitted, X, z)
    held = replace(fitted.propensity_, directions=None)
    known = pu_scores(fitted, X, z, scenario=replace(fitted.scenario_, propensity=held))
    for name in ("accuracy", "log-loss"):
        assert scores[name].value == pytest.approx(known[name].value)
        assert scores[name].standard_error > known[name].standard_error
    assert (scores["share"].standard_error > known["share"].standard_error)[1:].all()
    assert (
        "was fitted" in scores.facts["chance of a label"] and "is known" in known.facts["chance of a label"]
    )
    # By hand: the covariance of intercept and effect, and the slope of the share in both.
    base = fitted.scenario_
    extra = 0.0
    for direction in fitted.propensity_.directions:
        ends = [
            pu_scores(fitted, X, z, scenario=replace(base, propensity=replace(held.moved(side * direction))))
            for side in (1, -1)
        ]
        extra += (0.5 * (ends[0]["share"].value[1] - ends[1]["share"].value[1])) ** 2
    expected = np.hypot(known["share"].standard_error[1], np.sqrt(extra))
    assert scores["share"].standard_error[1] == pytest.approx(expected)


def test_standard_errors_of_effects_are_those_of_repeated_samples():
    found = []
    for seed in range(25):
        X, z, _ = draw(1500, seed=100 + seed)
        model = MultinomialPULasso(lam=0.002, tol=1e-4, scenario=SelectedLabelling([0], lam=0.0)).fit(X, z)
        found.append((model.propensity_.coef[0, 0], model.propensity_.standard_error[0, 0]))
    spread, errors = np.std([each[0] for each in found]), np.median([each[1] for each in found])
    assert 0.5 < errors / spread < 2.0


def test_scorers_frames_pipelines_and_weights(fitted):
    X, z, _ = draw(500, seed=3)
    scorer = make_pu_scorer("accuracy")
    by_array = scorer(fitted, X, z)
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = MultinomialPULasso(lam=0.003, scenario=SelectedLabelling(["a"])).fit(frame, z)
    assert np.isfinite(scorer(named, frame, z))
    piped = make_pipeline(StandardScaler(), MultinomialPULasso(lam=0.003, scenario=SelectedLabelling([0])))
    piped.fit(X, z)
    scaled = piped[:-1].transform(X)
    assert scorer(piped, X, z) == pytest.approx(scorer(piped[-1], scaled, z))
    twice = scorer(fitted, np.vstack([X, X]), np.concatenate([z, z]))
    assert twice == pytest.approx(by_array) == scorer(fitted, X, z, sample_weight=np.full(500, 2.0))
    likelihood = make_pu_scorer("observed_log_likelihood")(fitted, X, z)
    assert likelihood == pytest.approx(fitted.observed_score(X, z))


def test_reports_and_displays_weigh_rows_as_well(fitted, tmp_path):
    X, z, _ = draw(400, seed=5)
    fitted.report(tmp_path / "page.html", X=X, z=z)
    page = (tmp_path / "page.html").read_text()
    assert "Estimated scores of the true classes" in page and "Where each true class goes" in page


def test_what_is_not_valid_is_refused(fitted):
    X, z, _ = draw(300, seed=4)
    with pytest.raises(ScenarioError, match="does not see the features") as refused:
        pu_accuracy(z, fitted.predict(X), scenario=fitted.scenario_)
    assert refused.value.parameter == "scenario"
    seen = pu_accuracy(z, fitted.predict(X), scenario=at_rows(fitted.scenario_, X))
    assert seen.value == pytest.approx(pu_scores(fitted, X, z)["accuracy"].value)
    plain = SingleTrainingSet(0.5)
    assert at_rows(plain, X) is plain
    with pytest.raises(ScenarioError, match="holds no propensity"):
        pu_scores(fitted, X, z, scenario=SelectedLabelling([0]))


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.IdentifiabilityWarning")
def test_labelling_that_is_not_identified_gives_no_scores(tmp_path):
    X, z, _ = draw(400, n_positive=1)
    model = MultinomialPULasso(lam=0.01, scenario=SelectedLabelling([0], allow_unidentified=True)).fit(X, z)
    with pytest.raises(ScenarioError, match="not identified"):
        pu_scores(model, X, z)
    model.report(tmp_path / "page.html", X=X, z=z)
    assert "the data do not tell that of this model" in (tmp_path / "page.html").read_text()
    known = SelectedLabelling([0], propensity=Propensity((0,), [0.2], [[1.0]]))
    assert 0 < pu_scores(model, X, z, scenario=known)["accuracy"].value < 1.5


def test_records_of_a_case_control_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 3))
    y = (rng.random(len(X)) < expit(1.5 * X[:, 1] + 0.5 * X[:, 0] - 1.5)).astype(int)
    members = np.flatnonzero(y)
    density = np.exp(X[members, 0])
    picked = rng.choice(members, 2000, replace=False, p=density / density.sum())
    rows = np.concatenate([rng.choice(len(X), 6000, replace=False), picked])
    z = np.repeat([0, 1], [6000, 2000])
    scenario = SelectedLabelling([0], sampling="case-control", prevalence=y.mean(), excluded=True)
    model = MultinomialPULasso(lam=0.01, scenario=scenario).fit(X[rows], z)
    level = -np.log(np.mean(np.exp(X[members, 0])))
    known = replace(scenario, propensity=Propensity((0,), [level], [[1.0]]))
    scores = pu_scores(model, X[rows], z, scenario=known)
    truth = np.mean(model.predict(X[members]) == 1)
    assert abs(scores["recall"].value[1] - truth) < 4 * scores["recall"].standard_error[1]
    assert abs(scores["share"].value[1] - y.mean()) < 0.02


def test_reports_of_several_sources_say_why_there_are_no_scores(tmp_path):
    X, z, y = draw(300)
    source = np.repeat(["registry", "survey"], 150)
    both = Sources({"registry": SelectedLabelling([0]), "survey": "fully-observed"})
    labels = np.where(source == "survey", y, z)
    model = MultinomialPULasso(lam=0.02, scenario=both).fit(X, labels, source=source)
    model.report(tmp_path / "page.html", X=X, z=labels)
    assert "one source at a time" in (tmp_path / "page.html").read_text()
    rows = source == "registry"
    scores = pu_scores(model, X[rows], z[rows], scenario=model.scenario_.scenarios["registry"])
    assert np.isfinite(scores["accuracy"].value)
