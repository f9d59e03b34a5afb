"""What metrics say when something is off, and how estimates present themselves."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from pulasso import MultinomialPULasso, metrics
from pulasso.exceptions import (
    ClassOrderWarning,
    ImpossibleScoreWarning,
    LabelError,
    LabelFrequencyWarning,
    ScenarioError,
    SmallWeightWarning,
    TrivialModelWarning,
)
from pulasso.metrics import Estimate

Z = np.repeat([0, 1, 2], [60, 20, 20])
PRED = np.tile([0, 1, 2, 0, 0], 20)
MARKED = np.array(["?", "ash", "oak"])[Z]
PROBA = np.full((100, 3), 1 / 3)
CASE = {"prevalence": [0.3, 0.1]}
HALF = {"scenario": "single-training-set", "label_frequency": 0.5}
ALL = {"scenario": "fully-observed"}


# --- inputs that cannot be scored ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: metrics.pu_accuracy(Z, PRED), ScenarioError, "needs prevalence"),
        (lambda: metrics.pu_accuracy(Z, PRED, prevalence="estimate"), ScenarioError, "here give what one"),
        (
            lambda: metrics.pu_accuracy(Z, PRED, **HALF, prevalence=0.1),
            ScenarioError,
            "does not use prevalence",
        ),
        (lambda: metrics.pu_accuracy(Z, PRED, prevalance=0.1), TypeError, "Did you mean 'prevalence'"),
        (lambda: metrics.pu_accuracy(Z, PRED, seed=1), TypeError, "These are known: scenario, prevalence"),
        (lambda: metrics.pu_accuracy(Z, PRED[:9], **CASE), ValueError, "z has 100 rows but y_pred has 9"),
        (
            lambda: metrics.pu_accuracy(Z, PRED + 1, **CASE),
            LabelError,
            "y_pred names 3, but the classes are 0, 1, 2",
        ),
        (
            lambda: metrics.pu_accuracy(Z, PRED * np.nan, **CASE),
            LabelError,
            "lacks a class in 100 of 100 rows",
        ),
        (
            lambda: metrics.pu_accuracy(MARKED, MARKED, unlabeled="?", negative="none", **CASE),
            LabelError,
            "'[?]' marks unlabeled rows and is no true class.*pass negative='[?]'",
        ),
        (
            lambda: metrics.pu_accuracy(Z[:80], PRED[:80], classes=[0, 1, 2], **CASE),
            LabelError,
            "no row is labelled 2.*stratified by the observed label",
        ),
        (
            lambda: metrics.pu_accuracy(Z, PRED, sample_weight=np.ones(3), **CASE),
            ValueError,
            "z has 100 rows but sample_weight has 3 numbers",
        ),
        (
            lambda: metrics.pu_accuracy(Z, PRED, sample_weight=-np.ones(100), **CASE),
            ValueError,
            "row 0 is -1",
        ),
        (
            lambda: metrics.pu_recall(Z, PRED, average="micro", **CASE),
            ValueError,
            "average='micro' is unknown",
        ),
        (
            lambda: metrics.pu_confusion_matrix(Z, PRED, normalize="rows", **CASE),
            ValueError,
            "'all', 'true' or 'pred'",
        ),
        (
            lambda: metrics.pu_log_loss(Z, PROBA[:, :2], **CASE),
            ValueError,
            "2 columns, but there are 3 classes: 0, 1, 2",
        ),
        (lambda: metrics.pu_log_loss(Z, PROBA * 2, **CASE), ValueError, "row 0 .* must sum to 1"),
        (lambda: metrics.pu_log_loss(Z, np.log(PROBA), **CASE), ValueError, "pass log=True"),
        (
            lambda: metrics.pu_log_loss(Z, PROBA, log=True, **CASE),
            ValueError,
            "exponentials of log-probabilities",
        ),
        (lambda: metrics.pu_brier_score(Z, PROBA * np.nan, **CASE), ValueError, "y_proba of row 0"),
        (lambda: metrics.pu_roc_auc(Z, PROBA[:50], **CASE), ValueError, "y_score has 50"),
        (lambda: metrics.pu_roc_auc(Z, PROBA[:, 1], **CASE), ValueError, "one for each row and class"),
        (
            lambda: metrics.pu_calibration_curve(Z, PROBA, n_bins=0, **CASE),
            ValueError,
            "n_bins=0 must be at least 1",
        ),
        (
            lambda: metrics.pu_calibration_curve(Z, PROBA, strategy="x", **CASE),
            ValueError,
            "'uniform' or 'quantile'",
        ),
        (
            lambda: metrics.pu_mean_squared_error(Z, [1.0], numbered=True, **CASE),
            ValueError,
            "100 rows but y_pred",
        ),
        (lambda: metrics.make_pu_scorer("acuracy"), ValueError, "Did you mean 'accuracy'"),
        (
            lambda: metrics.make_pu_scorer("accuracy", prior=1),
            TypeError,
            "unexpected keyword argument 'prior'",
        ),
    ],
)
def test_errors_say_what_to_do(call, error, words):
    with pytest.raises(error, match=words):
        call()


# --- models that predict nothing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pred", "words"),
    [
        (np.zeros(100, int), "Every row is predicted as 0, class 0.*accuracy is the share of class 0, 0.6"),
        (np.ones(100, int), "Every row is predicted as 1.*its share, 0.3"),
        (np.maximum(PRED, 1), "Everything is predicted as positive: no row as 0"),
    ],
)
@pytest.mark.parametrize(
    "metric", [metrics.pu_accuracy, metrics.pu_confusion_matrix, metrics.pu_mean_absolute_error]
)
def test_trivial_models_are_named(metric, pred, words):
    with pytest.warns(TrivialModelWarning, match=words) as caught:
        metric(Z, pred, **CASE)
    assert caught[0].filename == __file__


def test_everything_positive_is_not_rewarded():
    """What makes such models look good is recall on labelled rows; accuracy charges for class 0."""
    with pytest.warns(TrivialModelWarning):
        found = metrics.pu_accuracy(Z, np.where(Z == 0, 1, Z), **CASE)
    assert float(found) == pytest.approx(0.4)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.TrivialModelWarning")
def test_undefined_scores_are_named():
    with pytest.warns(
        UndefinedMetricWarning, match="precision is undefined .nan. for 0, 2: no row is predicted so"
    ):
        found = metrics.pu_precision(Z, np.ones(100, int), **CASE)
    assert np.isnan(found.value[[0, 2]]).all()
    with pytest.warns(UndefinedMetricWarning, match="recall is undefined .nan. for 2"):
        found = metrics.pu_recall(Z[:80], PRED[:80], classes=[0, 1, 2], **HALF)
    assert np.isnan(found.value).tolist() == [False, False, True]
    with pytest.warns(UndefinedMetricWarning, match="area under the ROC curve is undefined"):
        metrics.pu_roc_auc(Z[:80], PROBA[:80], classes=[0, 1, 2], **HALF)


def test_too_low_a_label_frequency_is_named():
    with pytest.warns(LabelFrequencyWarning, match="200 % of positive classes.*class 0") as caught:
        metrics.pu_accuracy(Z, PRED, scenario="single-training-set", label_frequency=0.2)
    assert caught[0].filename == __file__


def test_a_guessed_order_is_named():
    text = np.array(["none", "severe", "mild"])
    known = {"unlabeled": "none", "negative": "none", **ALL}
    with pytest.warns(ClassOrderWarning, match="none < mild < severe") as caught:
        metrics.pu_mean_absolute_error(text[Z], text[PRED], **known)
    assert caught[0].filename == __file__
    ordered = metrics.pu_mean_absolute_error(text[Z], text[PRED], classes=["none", "mild", "severe"], **known)
    assert float(ordered) == pytest.approx(
        np.mean(np.abs(np.array([0, 2, 1])[Z] - np.array([0, 2, 1])[PRED]))
    )


def test_one_labelled_row_leaves_no_standard_error():
    found = metrics.pu_accuracy([0, 0, 0, 1], [0, 1, 0, 1], prevalence=0.3)
    assert np.isfinite(found.value)
    assert np.isnan(found.standard_error)


# --- estimates ----------------------------------------------------------------------------------------


def test_an_estimate_of_one_number():
    estimate = Estimate(0.84, 0.02)
    low, high = estimate.interval()
    assert (low, high) == pytest.approx((0.84 - 1.96 * 0.02, 0.84 + 1.96 * 0.02), abs=1e-5)
    assert estimate.interval(0.5)[1] < high
    assert float(estimate) == 0.84
    assert f"{estimate:.1f}" == "0.8"
    assert f"{estimate}" == repr(estimate) == "Estimate(0.840 ± 0.020)"
    assert repr(Estimate(0.84123, 0.00021)) == "Estimate(0.84123 ± 0.00021)"
    assert repr(Estimate(0.5, float("nan"))) == "Estimate(0.5 ± nan)"
    with pytest.raises(ValueError, match="level=95 must be at most 1"):
        estimate.interval(95)
    with pytest.raises(KeyError, match="this is one number"):
        estimate.of("oak")


def labelled_halves(leak):
    """600 rows, half of the members of class 1 labelled; a last column that shows the label, or is noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (2 * X[:, 0] + rng.logistic(size=600) > 0).astype(int)
    z = np.where(rng.random(600) < 0.5, y, 0)
    if leak:
        X[:, 2] = z + 0.1 * X[:, 2]
    return X, z


def test_scores_that_cannot_be():
    model = MultinomialPULasso(0.01, **HALF)
    X, z = labelled_halves(leak=True)
    with pytest.warns(
        ImpossibleScoreWarning, match="Estimated accuracy is 1.2., .* far above 1.* label_frequency"
    ):
        scores = metrics.pu_scores(model.fit(X, z), X, z)
    assert "a column gives the label away" in scores.warnings[-1]
    assert scores.warnings[-1] in repr(scores)
    X, z = labelled_halves(leak=False)
    assert metrics.pu_scores(model.fit(X, z), X, z).warnings == []  # warnings are errors in the tests
    naive = MultinomialPULasso(0.01, scenario="fully-observed").fit(X, z)
    assert "rows of class 0" in metrics.pu_scores(naive, X, z).facts


def test_an_estimate_by_class():
    estimate = Estimate(np.array([0.5, 0.25]), np.array([0.1, 0.2]), np.array(["none", "oak"]))
    assert float(estimate.of("oak")) == 0.25
    assert repr(estimate).splitlines()[-1].split() == ["oak", "0.250", "±", "0.200"]
    with pytest.raises(TypeError, match="one value for each class"):
        float(estimate)
    with pytest.raises(KeyError, match="'fir' is none of the classes: 'none', 'oak'"):
        estimate.of("fir")
    matrix = Estimate(np.eye(2), np.eye(2), estimate.classes)
    assert matrix.of("none").value.tolist() == [1.0, 0.0]
    assert repr(matrix).splitlines()[1].split() == ["true", "class", "none", "oak"]


def test_a_calibration_curve_prints_and_converts():
    curve = metrics.pu_calibration_curve(
        Z, np.tile([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], (50, 1)), n_bins=2, **CASE
    )
    frame = curve.to_frame()
    assert list(frame.columns) == [
        "class",
        "above",
        "up_to",
        "share",
        "predicted",
        "frequency",
        "standard_error",
    ]
    assert len(frame) == 5  # class 2 is never given more than one half
    assert len(repr(curve).splitlines()) == 2 + 5
    np.testing.assert_allclose(frame["predicted"], [0.1, 0.8, 0.1, 0.8, 0.1])


@pytest.mark.parametrize("about", [CASE, HALF], ids=["case-control", "single-training-set"])
def test_weights_that_were_divided_by_their_sum(about):
    """Weights are repetitions: their sum is the number of rows, and one row alone has no spread."""
    weight = np.full(len(Z), 1 / len(Z))
    with pytest.warns(
        SmallWeightWarning, match=r"adds up to 1 over 100 rows.*multiply them by the number of rows"
    ):
        small = metrics.pu_accuracy(Z, PRED, sample_weight=weight, **about)
    plain = metrics.pu_accuracy(Z, PRED, **about)
    assert small.value == pytest.approx(plain.value) and np.isnan(small.standard_error)
    scaled = metrics.pu_accuracy(Z, PRED, sample_weight=weight * len(Z), **about)  # no warning
    assert scaled.standard_error == pytest.approx(plain.standard_error)
