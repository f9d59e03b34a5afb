"""A learner of all rows, and predictions of rows by fits without them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pulasso
from pulasso import PUBoostingClassifier
from pulasso.exceptions import InputError
from pulasso.model_selection import cross_fit

pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"a": RNG.normal(size=300), "soil": pd.Categorical(RNG.choice(list("xyz"), 300))})
TABLE.loc[::9, "a"] = np.nan
Y = np.where((TABLE["soil"] == "x") & (RNG.random(300) < 0.9), "oak", "none")
Z = np.where(RNG.random(300) < 0.6, Y, "none")
QUICK = PUBoostingClassifier(
    scenario="single-training-set",
    label_frequency=0.6,
    unlabeled="none",
    n_estimators=20,
    learning_rate=0.2,
    random_state=0,
)
FOLDS = [
    (np.arange(100, 300), np.arange(100)),
    (np.arange(200), np.arange(200, 300)),
]  # 100..199: never held out


def test_each_row_is_predicted_by_a_fit_without_it():
    weight = np.where(np.arange(300) % 2, 1.0, 3.0)
    model = cross_fit(clone(QUICK), TABLE, Z, cv=FOLDS, sample_weight=weight)
    for (train, test), loss, rounds in zip(FOLDS, model.fold_losses_, model.fold_rounds_, strict=True):
        alone = clone(QUICK).fit(TABLE.iloc[train], Z[train], sample_weight=weight[train])
        np.testing.assert_array_equal(model.cv_proba_[test], alone.predict_proba(TABLE.iloc[test]))
        assert loss == pytest.approx(-alone.observed_score(TABLE.iloc[test], Z[test], weight[test]))
        assert rounds == alone.n_iter_
    assert np.isnan(model.cv_proba_[100:200]).all()
    whole = clone(QUICK).fit(TABLE, Z, sample_weight=weight)
    np.testing.assert_array_equal(model.predict_proba(TABLE), whole.predict_proba(TABLE))


def test_finished_folds_are_not_fitted_again(tmp_path, monkeypatch):
    with pulasso.checkpoint(tmp_path):
        first = cross_fit(clone(QUICK), TABLE, Z, cv=3)
        monkeypatch.setattr("pulasso.model_selection.cross_fitting._fit_fold", None)
        again = cross_fit(clone(QUICK), TABLE, Z, cv=3)
        with pytest.raises(TypeError, match="not callable"):
            cross_fit(clone(QUICK).set_params(anchor=1.0), TABLE, Z, cv=3)
    np.testing.assert_array_equal(first.cv_proba_, again.cv_proba_)


def test_processes_change_nothing():
    one, two = (cross_fit(clone(QUICK), TABLE, Z, cv=2, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_proba_, two.cv_proba_)


def test_ordered_labels_keep_their_order():
    stages = pd.Categorical(np.where(Z == "oak", np.where(TABLE["a"] > 0, "high", "mid"), "none"))
    stages = stages.reorder_categories(["none", "mid", "high"], ordered=True)
    model = clone(QUICK).set_params(response="ordinal", unlabeled=None)
    assert cross_fit(model, TABLE, stages, cv=2).classes_.tolist() == ["none", "mid", "high"]
    assert np.isfinite(model.cv_proba_).all()


@pytest.mark.parametrize("model", [pulasso.MultinomialPULasso(), PUBoostingClassifier, None])
def test_what_is_no_learner_is_refused(model):
    with pytest.raises(InputError) as caught:
        cross_fit(model, TABLE, Z)
    assert caught.value.parameter == "model"


def test_folds_without_a_label_are_refused():
    one_oak = np.where(np.arange(300) == 5, "oak", "none")
    with pytest.raises(InputError) as caught:
        cross_fit(clone(QUICK), TABLE, one_oak, cv=3)
    assert caught.value.parameter == "cv"
