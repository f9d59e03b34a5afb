"""Boosted trees: better than the naive reading, the same API as the lasso, and the engine's own abilities."""

import pickle
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from pulasso import MultinomialPULasso, PUBoostingClassifier, SingleTrainingSet
from pulasso.exceptions import ClassShareWarning, InputError, ScenarioError
from pulasso.metrics import observed_log_likelihood_scorer, pu_scores
from pulasso.objectives import PUObjective
from pulasso.prevalence import sensitivity_sweep
from support.learners import curved, log_loss

SCENARIO = {"scenario": "single-training-set", "label_frequency": 0.4}
QUICK = {"n_estimators": 30, "learning_rate": 0.2, "early_stopping": False, "random_state": 0}


@pytest.fixture(name="engine", params=["lightgbm", "xgboost"])
def each_engine(request):
    pytest.importorskip(request.param, reason="in the extra 'boosting'")
    return request.param


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_beats_the_naive_reading_and_a_line(engine, response, record_figure):
    x, y, z = curved(2000, 1)
    new_x, new_y, _ = curved(2000, 2)

    def loss(labels, **how):
        model = PUBoostingClassifier(engine, response=response, random_state=0, **how).fit(x, labels)
        return log_loss(model.predict_proba(new_x), new_y)

    told, naive, best = (
        loss(z, **SCENARIO),
        loss(z, scenario="fully-observed"),
        loss(y, scenario="fully-observed"),
    )
    line = MultinomialPULasso(0.001, **SCENARIO).fit(x, z)
    record_figure(f"log-loss, {engine}, {response}", {"PU": told, "naive": naive, "all labels": best})
    assert told < (naive + best) / 2
    assert told < log_loss(line.predict_proba(new_x), new_y) or response == "ordinal"


def test_what_is_fitted_belongs_together(engine):
    x, _, z = curved(600, 3)
    frame = pd.DataFrame(x, columns=list("abcd"))
    labels = np.array(["?", "oak", "fir"])[z]
    model = PUBoostingClassifier(engine, unlabeled="?", negative="none", **SCENARIO, random_state=0)
    model.fit(frame, labels)
    assert model.classes_.tolist() == ["none", "fir", "oak"]
    assert model.feature_names_in_.tolist() == list("abcd") and model.n_features_in_ == 4
    proba, seen = model.predict_proba(frame), model.predict_observed_proba(frame)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(seen.sum(axis=1), 1.0)
    np.testing.assert_allclose(seen[:, 1:3], 0.4 * proba[:, 1:])
    np.testing.assert_allclose(model.class_shares_, proba.mean(axis=0))
    assert model.told_shares_[1:] == pytest.approx([(z == k).mean() / 0.4 for k in (2, 1)])
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert set(model.predict(frame)) <= set(model.classes_)
    assert model.n_iter_ == 1 + model.validation_loss_.argmin()
    assert -model.observed_score(frame, labels) == pytest.approx(model.loss_)
    assert "chosen by the observed labels" in repr(model.summary())
    assert model.summary().to_frame().index[0] == "abcd"[model.feature_importances_.argmax()]
    start, trees = model.null_scores_, model.decision_function(frame)[:, 1:] - model.null_scores_
    pu = PUObjective("single-training-set", np.array([0, 2, 1])[z], label_frequency=0.4)
    np.testing.assert_allclose(start, pu.null_scores_)
    assert np.abs(trees).max() > 0.1


def test_ordered_classes(engine):
    x, _, z = curved(600, 4)
    model = PUBoostingClassifier(engine, response="ordinal", **SCENARIO, **QUICK).fit(x, z)
    assert (np.diff(model.thresholds_) > 0).all()
    expected = model.predict_proba(x) @ np.arange(3)
    np.testing.assert_allclose(model.predict_expected(x), expected)
    other = PUBoostingClassifier(engine, **SCENARIO, **QUICK).fit(x, z)
    assert not hasattr(other, "predict_expected") and not hasattr(other, "thresholds_")


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")
def test_a_weight_of_two_is_two_rows(engine):
    x, _, z = curved(200, 5)
    x = x.round(1)  # no more values than bins, which engines make of rows, whatever these weigh
    weight = np.random.default_rng(0).integers(0, 4, len(z))
    model = PUBoostingClassifier(engine, **SCENARIO, **QUICK)
    weighted = clone(model).fit(x, z, sample_weight=weight).predict_proba(x)
    repeated = clone(model).fit(np.repeat(x, weight, axis=0), np.repeat(z, weight)).predict_proba(x)
    np.testing.assert_allclose(weighted, repeated, atol=1e-4)


def test_missing_values_categories_and_sparse(engine):
    x, _, z = curved(500, 6)
    rng = np.random.default_rng(0)
    kinds = np.array(["ash", "elm", "yew"])[(x[:, 0] > 0).astype(int) + (x[:, 1] > 0)]
    holes = np.where(rng.random(len(x)) < 0.2, np.nan, x[:, 0])
    frame = pd.DataFrame({"hole": holes, "kind": pd.Categorical(kinds)})
    model = PUBoostingClassifier(engine, **SCENARIO, **QUICK).fit(frame, z)
    assert np.isfinite(model.predict_proba(frame)).all() and (model.feature_importances_ > 0).all()
    again = frame.assign(
        kind=pd.Categorical(kinds, categories=["yew", "ash", "elm"])
    )  # the same, otherwise coded
    np.testing.assert_array_equal(model.predict_proba(again), model.predict_proba(frame))
    unseen = frame.assign(kind=["oak"] * len(frame))
    gone = frame.assign(kind=[None] * len(frame))
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(gone))
    codes = np.column_stack([holes, pd.Categorical(kinds).codes])
    listed = PUBoostingClassifier(engine, categorical_features=[1], **SCENARIO, **QUICK).fit(codes, z)
    np.testing.assert_array_equal(listed.predict_proba(codes), model.predict_proba(frame))
    zeros = np.where(np.abs(x) < 1, 0.0, x)
    dense = PUBoostingClassifier(engine, **SCENARIO, **QUICK).fit(zeros, z)
    thin = clone(dense).fit(sparse.csr_array(zeros), z)
    np.testing.assert_allclose(
        thin.predict_proba(sparse.csc_matrix(zeros)), dense.predict_proba(zeros), atol=1e-6
    )


def test_constraints_are_handed_on(engine):
    x, _, z = curved(800, 7)
    frame = pd.DataFrame(x, columns=list("abcd"))
    rising = PUBoostingClassifier(engine, monotone_constraints={"a": 1}, **SCENARIO, **QUICK).fit(frame, z)
    rows = pd.DataFrame(np.tile(x[:20], (30, 1)), columns=list("abcd"))
    rows["a"] = np.repeat(np.linspace(-2, 2, 30), 20)
    eta = rising.decision_function(rows)[:, 1:].reshape(30, 20, 2)
    assert (np.diff(eta, axis=0) >= -1e-9).all()
    free = PUBoostingClassifier(engine, **SCENARIO, **QUICK).fit(frame, z)
    assert (np.diff(free.decision_function(rows)[:, 1:].reshape(30, 20, 2), axis=0) < -1e-3).any()
    alone = PUBoostingClassifier(
        engine, interaction_constraints=[["a"], ["b", "c", "d"]], **SCENARIO, **QUICK
    )
    eta = alone.fit(frame, z).decision_function(rows)[:, 1:].reshape(30, 20, 2)
    steps = np.diff(eta, axis=0)  # the effect of a is the same in every row
    np.testing.assert_allclose(steps, np.broadcast_to(steps[:, :1], steps.shape), atol=1e-5)


def test_the_anchor_holds(engine):
    x, _, z = curved(600, 8)
    how = {**SCENARIO, **QUICK, "n_estimators": 150}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClassShareWarning)
        free, held = (PUBoostingClassifier(engine, anchor=rho, **how).fit(x, z) for rho in (0.0, 10.0))
    miss = [np.abs(each.class_shares_ - each.told_shares_).max() for each in (free, held)]
    assert miss[1] < miss[0] / 2 and miss[1] < 0.02


def test_case_control_and_confirmed_negatives(engine):
    rng = np.random.default_rng(0)
    x, y, _ = curved(3000, 9)
    share = np.bincount(y)[1:] / len(y)
    cases = [rng.choice(np.flatnonzero(y == k), 200, replace=False) for k in (1, 2)]
    rows = np.concatenate([np.arange(1000), *cases])
    z = np.concatenate([np.full(1000, -1), np.repeat([1, 2], 200)])
    sure = rng.choice(np.flatnonzero(y[:1000] == 0), 50, replace=False)
    model = PUBoostingClassifier(engine, prevalence=share, unlabeled=-1, negative=0, random_state=0)
    without = clone(model).fit(x[rows], z)
    np.testing.assert_allclose(without.class_shares_, without.predict_proba(x[:1000]).mean(axis=0))
    z[sure] = 0
    one = {"scenario": SingleTrainingSet(0.5, negative_label_frequency=0.1), "prevalence": None}
    confirmed = clone(model).set_params(**one).fit(x[rows], z)
    assert confirmed.predict_observed_proba(x[:5]).shape == (5, 4)


def test_scores_search_and_sweep_work(engine):
    x, _, z = curved(400, 10)
    new_x, new_y, new_z = curved(2000, 14)
    model = PUBoostingClassifier(engine, **SCENARIO, **QUICK)
    search = GridSearchCV(model, {"max_leaves": [2, 8]}, scoring=observed_log_likelihood_scorer, cv=3).fit(
        x, z
    )
    assert search.best_params_["max_leaves"] == 8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClassShareWarning)
        fitted = clone(model).fit(x, z)
        found = pu_scores(fitted, new_x, new_z).overall
        sweep = sensitivity_sweep(model, x, z, [0.4, 0.6], held_out=(new_x, new_z), progress=False)
    assert abs(found["accuracy"].value - fitted.score(new_x, new_y)) < 0.1
    assert sweep.changed[1] > 0 and sweep.features.tolist() == ["x0", "x1", "x2", "x3"]


def test_survives_a_pickle_and_repeats_itself(engine):
    x, _, z = curved(400, 11)
    model = PUBoostingClassifier(engine, **SCENARIO, random_state=3).fit(x, z)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))
    np.testing.assert_array_equal(clone(model).fit(x, z).predict_proba(x), model.predict_proba(x))


def test_refusals(engine, monkeypatch):
    x, _, z = curved(300, 12)

    def fails(match, kind=InputError, rows=x, **how):
        with pytest.raises(kind, match=match):
            PUBoostingClassifier(**{"engine": engine, **SCENARIO, **QUICK, **how}).fit(rows, z)

    fails("engine='catboost' is unknown", engine="catboost")
    fails("-1, 0 or 1 for each of 4", monotone_constraints=[1, 2])
    fails("no column 'e'", monotone_constraints={"e": 1})
    fails("list of lists", interaction_constraints=[0, 1])
    fails("holds 9", interaction_constraints=[[0, 9]])
    fails("which the estimator sets itself", engine_params={"objective": "binary"})
    fails("label_frequency", kind=ScenarioError, label_frequency=None)
    fails("takes neither missing", rows=np.where(x > 2, np.nan, x), label_frequency="estimate")
    fails("contains inf", rows=np.where(x > 2, np.inf, x))
    model = PUBoostingClassifier(engine, **SCENARIO, **QUICK).fit(x, z)
    with pytest.raises(TypeError, match="no coefficients"):
        model.to_onnx("model.onnx")
    monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(ImportError, match=r'pip install "pulasso\[boosting\]"'):
        PUBoostingClassifier(engine, **SCENARIO, **QUICK).fit(x, z)


def test_labels_beyond_what_the_number_allows_are_warned_of(engine):
    x, _, z = curved(300, 13)
    z = np.where(z == 0, 1, z)
    z[:60] = 0
    with pytest.warns(UserWarning, match="too low for these labels"):
        model = PUBoostingClassifier(engine, **{**SCENARIO, "label_frequency": 0.3}, **QUICK).fit(x, z)
    assert np.isfinite(model.predict_proba(x)).all() and "too low" in model.warnings_[0]
