"""Pictures of boosted trees: importances, averaged response curves, and what they share with linear models."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulasso import PUBoostingClassifier, plots
from pulasso.exceptions import InputError

matplotlib.use("Agg")
pytest.importorskip("lightgbm", reason="in the extra 'boosting'")

N = 500
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "height": RNG.normal(size=N),
        "soil": pd.Categorical(
            RNG.choice(["clay", "sand", "loam"], N), categories=["sand", "loam", "clay", "ice"]
        ),
        "idle": np.ones(N),
    }
)
TABLE.loc[::5, "height"] = np.nan
TRUTH = np.where((TABLE["soil"] == "clay") & (RNG.random(N) < 0.9), 2, (TABLE["height"] > 0.3).astype(int))
Z = np.array(["none", "oak", "fir"], dtype=object)[np.where(RNG.random(N) < 0.6, TRUTH, 0)]
SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.6, "n_estimators": 40, "random_state": 0}


@pytest.fixture(name="model", scope="module")
def fitted_trees():
    return PUBoostingClassifier(unlabeled="none", **SETTINGS).fit(TABLE, Z)


def test_importances_are_those_of_the_trees(model):
    display = plots.FeatureImportancesDisplay.from_estimator(make_pipeline(model))
    assert set(display.shown_) == {0, 1}
    np.testing.assert_allclose(
        [bar.get_width() for bar in display.bars_], model.feature_importances_[display.shown_]
    )
    words = display.ax_.get_xlabel()
    assert words == "share of the total gain\n1 feature not used"
    few = plots.FeatureImportancesDisplay.from_estimator(model, max_features=1)
    assert "1 less important feature not shown" in few.ax_.get_xlabel()
    shuffled = plots.FeatureImportancesDisplay(np.array([0.1, -0.1]), ["a", "b"], "loss").plot()
    assert shuffled.shown_.tolist() == [0]  # less than nothing is nothing


def test_without_importances_it_says_where_to_get_some():
    line = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError) as caught:
        plots.FeatureImportancesDisplay.from_estimator(line)
    assert caught.value.parameter == "estimator" and "permutation_importance" in caught.value.remedy


def test_the_curve_of_a_number_is_the_mean_over_rows(model):
    display = plots.ResponseCurveDisplay.from_estimator(model, TABLE[:200], "height", n_points=5)
    expected = [model.predict_proba(TABLE[:200].assign(height=value)).mean(axis=0) for value in display.grid]
    np.testing.assert_allclose(display.proba, expected)
    there = TABLE["height"][:200].dropna()
    np.testing.assert_allclose(display.grid[[0, -1]], there.quantile([0.01, 0.99]))
    assert "missing in 20 % of the rows" in display.ax_.get_xlabel()
    assert display.ax_.get_ylabel() == "mean probability of the true class"


def test_the_curve_of_categories_stands_at_their_names(model):
    display = plots.ResponseCurveDisplay.from_estimator(model, TABLE[:100], "soil")
    assert display.grid.tolist() == ["clay", "loam", "sand"] and display.deciles is None
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["clay", "loam", "sand"]
    assert display.proba[:, 1].argmax() == 0  # the firs are on clay
    expected = model.predict_proba(TABLE[:100].assign(soil=pd.Categorical(["loam"] * 100))).mean(axis=0)
    np.testing.assert_allclose(display.proba[1], expected)


def test_many_categories_are_cut_and_turned():
    names = [f"a long name of soil {i}" for i in range(30)]
    table = pd.DataFrame({"soil": pd.Categorical(RNG.choice(names, N)), "a": RNG.normal(size=N)})
    model = PUBoostingClassifier(**SETTINGS).fit(table, np.where(TRUTH > 0, TRUTH, 0))
    display = plots.ResponseCurveDisplay.from_estimator(model, table, "soil")
    assert len(display.grid) == 20
    display.figure_.canvas.draw()
    assert display.ax_.get_xticklabels()[0].get_rotation() == 45


@pytest.mark.parametrize("kind", ["array", "sparse", "objects"])
def test_containers(kind):
    x = np.column_stack([TABLE["height"].fillna(0.0), RNG.integers(0, 3, N)])
    own = {"categorical_features": [1]} if kind == "objects" else {}
    x = {"array": x, "sparse": sparse.csr_array(x), "objects": x.astype(object)}[kind]
    model = PUBoostingClassifier(**SETTINGS, **own).fit(x, np.where(TRUTH > 0, TRUTH, 0))
    display = plots.ResponseCurveDisplay.from_estimator(model, x, 0, n_points=4)
    rows = (x.toarray() if kind == "sparse" else x)[np.linspace(0, N - 1, 300).round().astype(int)].copy()
    rows[:, 0] = display.grid[2]
    np.testing.assert_allclose(display.proba[2], model.predict_proba(rows).mean(axis=0))


def test_whether_to_average_can_be_said(model):
    x = TABLE[["height"]].fillna(0.0)
    line = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, TRUTH)
    middle, mean = (
        plots.ResponseCurveDisplay.from_estimator(line, x, 0, n_points=3, average=average)
        for average in (None, True)
    )
    assert not middle.average and mean.average
    np.testing.assert_allclose(middle.proba, mean.proba)  # there is no other feature
    with pytest.raises(InputError) as caught:
        plots.ResponseCurveDisplay.from_estimator(model, TABLE.assign(height=np.nan), "height")
    assert caught.value.parameter == "feature"


def test_pictures_of_predictions_and_shares(model):
    confusion = plots.PUConfusionMatrixDisplay.from_estimator(model, TABLE, Z)
    assert confusion.ax_.get_xlabel().startswith("predicted class")
    plots.PUCalibrationDisplay.from_estimator(model, TABLE, Z)
    shares = plots.ClassSharesDisplay.from_estimator(model)
    np.testing.assert_allclose(shares.predicted, model.class_shares_)
    for cls in (plots.GroupNormsDisplay, plots.SelectedFeaturesDisplay, plots.ConvergenceDisplay):
        with pytest.raises(InputError, match="has no groups of coefficients"):
            cls.from_estimator(model)
