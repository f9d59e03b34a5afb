"""What metrics say of inputs that cannot be scored, and of models and labels that deserve a warning."""

import inspect

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from pulasso import MultinomialPULasso, metrics
from pulasso.exceptions import (
    ClassOrderWarning,
    ImpossibleScoreWarning,
    InputError,
    LabelError,
    LabelFrequencyWarning,
    ScenarioError,
    SmallWeightWarning,
    TrivialModelWarning,
)

Z = np.repeat([0, 1, 2], [60, 20, 20])
PRED = np.tile([0, 1, 2, 0, 0], 20)
MARKED = np.array(["?", "ash", "oak"])[Z]
PROBA = np.full((100, 3), 1 / 3)
CASE = {"prevalence": [0.3, 0.1]}
HALF = {"scenario": "single-training-set", "label_frequency": 0.5}
ALL = {"scenario": "fully-observed"}


# --- inputs that cannot be scored ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: metrics.pu_accuracy(Z, PRED), ScenarioError),
        (lambda: metrics.pu_accuracy(Z, PRED, prevalence="estimate"), ScenarioError),
        (lambda: metrics.pu_accuracy(Z, PRED, **HALF, prevalence=0.1), ScenarioError),
        (lambda: metrics.pu_accuracy(Z, PRED + 1, **CASE), LabelError),
        (lambda: metrics.pu_accuracy(Z, PRED * np.nan, **CASE), LabelError),
        (lambda: metrics.pu_accuracy(MARKED, MARKED, unlabeled="?", negative="none", **CASE), LabelError),
        (lambda: metrics.pu_accuracy(Z, PRED, sample_weight=-np.ones(100), **CASE), ValueError),
        (lambda: metrics.pu_calibration_curve(Z, PROBA, n_bins=0, **CASE), ValueError),
        (lambda: metrics.Estimate(0.84, 0.02).interval(95), ValueError),
    ],
)
def test_what_other_rooms_refuse(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("parameter", "call"),
    [
        ("z", lambda: metrics.pu_accuracy(Z[:80], PRED[:80], classes=[0, 1, 2], **CASE)),
        ("y_pred", lambda: metrics.pu_accuracy(Z, PRED[:9], **CASE)),
        ("y_pred", lambda: metrics.pu_accuracy(Z, 1, **CASE)),
        ("sample_weight", lambda: metrics.pu_accuracy(Z, PRED, sample_weight=np.ones(3), **CASE)),
        ("average", lambda: metrics.pu_recall(Z, PRED, average="micro", **CASE)),
        ("normalize", lambda: metrics.pu_confusion_matrix(Z, PRED, normalize="rows", **CASE)),
        ("strategy", lambda: metrics.pu_calibration_curve(Z, PROBA, strategy="x", **CASE)),
        ("y_proba", lambda: metrics.pu_log_loss(Z, PROBA[:, :2], **CASE)),
        ("y_proba", lambda: metrics.pu_log_loss(Z, PROBA * 2, **CASE)),
        ("other_proba", lambda: metrics.pu_log_loss_difference(Z, PROBA, PROBA * 2, **CASE)),
        ("y_proba", lambda: metrics.pu_log_loss(Z, np.log(PROBA), **CASE)),
        ("y_proba", lambda: metrics.pu_log_loss(Z, PROBA, log=True, **CASE)),
        ("y_proba", lambda: metrics.pu_brier_score(Z, PROBA * np.nan, **CASE)),
        ("y_score", lambda: metrics.pu_roc_auc(Z, PROBA[:50], **CASE)),
        ("y_score", lambda: metrics.pu_roc_auc(Z, PROBA[:, 1], **CASE)),
        ("y_score", lambda: metrics.pu_roc_auc(Z > 0, PROBA[:50, 1], **ALL)),
        ("y_score", lambda: metrics.pu_roc_auc(Z, PROBA * np.inf, **CASE)),
        ("y_pred", lambda: metrics.pu_mean_squared_error(Z, [1.0], numbered=True, **CASE)),
        ("y_pred", lambda: metrics.pu_mean_squared_error(Z, Z * np.nan, numbered=True, **CASE)),
        ("name", lambda: metrics.make_pu_scorer("acuracy")),
    ],
)
def test_errors_name_the_parameter(parameter, call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.parameter == parameter


def test_errors_say_what_to_do():
    with pytest.raises(InputError, match=r"pass log=True"):
        metrics.pu_log_loss(Z, np.log(PROBA), **CASE)
    with pytest.raises(
        InputError, match=r"shape \(100, 2\) in place of \(100, 3\).* 0, 1, 2.* classes=\[...\]"
    ):
        metrics.pu_log_loss(Z, PROBA[:, :2], **CASE)
    with pytest.raises(InputError, match="Did you mean 'accuracy'"):
        metrics.make_pu_scorer("acuracy")


@pytest.mark.parametrize(
    "call",
    [
        lambda **labels: metrics.pu_accuracy(Z, PRED, **labels),
        lambda **labels: metrics.pu_scores(MultinomialPULasso(), Z, Z, **labels),
        lambda **labels: metrics.make_pu_scorer("accuracy", **labels),
    ],
)
def test_keywords_are_checked(call):
    with pytest.raises(TypeError, match="'prevalance'. Did you mean 'prevalence'"):
        call(prevalance=0.1)
    with pytest.raises(TypeError, match="'seed'. These are known: scenario, prevalence"):
        call(seed=1)


def test_help_shows_every_parameter():
    functions = [
        each for each in vars(metrics).values() if inspect.isfunction(each) and each is not metrics.at_rows
    ]
    assert len(functions) > 10
    for function in functions:
        text, own = inspect.getdoc(function), list(inspect.signature(function).parameters)[:-1]
        for parameter in [
            *own,
            "scenario",
            "prevalence, label_frequency",
            "classes",
            "unlabeled",
            "negative",
        ]:
            assert f"\n{parameter} : " in text, (function, parameter)
        sections = [text.index(f"\n{section}\n---") for section in ("Parameters", "Returns", "Examples")]
        assert sections == sorted(sections)


# --- models and labels that deserve a warning ---------------------------------------------------------


@pytest.mark.parametrize(
    ("pred", "words"),
    [
        (np.zeros(100, int), "class 0.*accuracy is the share of class 0, 0.6"),
        (np.ones(100, int), "predicted as 1.*its share, 0.3"),
        (np.maximum(PRED, 1), "predicted as positive: no row as 0"),
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
@pytest.mark.parametrize(
    ("call", "undefined"),
    [
        (lambda: metrics.pu_precision(Z, np.ones(100, int), **CASE), [0, 2]),
        (lambda: metrics.pu_recall(Z[:80], PRED[:80], classes=[0, 1, 2], **HALF), [2]),
        (lambda: metrics.pu_roc_auc(Z[:80], PROBA[:80], classes=[0, 1, 2], **HALF), [2]),
        (lambda: metrics.pu_roc_auc(Z[:60], PROBA[:60, 1], classes=[0, 1], **HALF), None),
    ],
)
def test_undefined_scores_are_named(call, undefined):
    with pytest.warns(UndefinedMetricWarning, match=r"undefined \(nan\) for "):
        found = call()
    expected = True if undefined is None else np.isin([0, 1, 2], undefined)
    np.testing.assert_array_equal(np.isnan(found.value), expected)


def test_too_low_a_label_frequency_is_named():
    with pytest.warns(LabelFrequencyWarning, match="200 % of positive classes") as caught:
        metrics.pu_accuracy(Z, PRED, scenario="single-training-set", label_frequency=0.2)
    assert caught[0].filename == __file__


def test_a_guessed_order_is_named():
    text = np.array(["none", "severe", "mild"])
    known = {"unlabeled": "none", "negative": "none", **ALL}
    with pytest.warns(ClassOrderWarning, match="none < mild < severe") as caught:
        metrics.pu_mean_absolute_error(text[Z], text[PRED], **known)
    assert caught[0].filename == __file__
    ordered = metrics.pu_mean_absolute_error(text[Z], text[PRED], classes=["none", "mild", "severe"], **known)
    position = np.array([0, 2, 1])
    assert float(ordered) == pytest.approx(np.mean(np.abs(position[Z] - position[PRED])))


def test_one_labelled_row_leaves_no_standard_error():
    found = metrics.pu_accuracy([0, 0, 0, 1], [0, 1, 0, 1], prevalence=0.3)
    assert np.isfinite(found.value)
    assert np.isnan(found.standard_error)


@pytest.mark.parametrize("known", [CASE, HALF], ids=["case-control", "single-training-set"])
def test_weights_that_were_divided_by_their_sum(known):
    """Weights are repetitions: their sum is the number of rows, and one row alone has no spread."""
    weight = np.full(len(Z), 1 / len(Z))
    with pytest.warns(SmallWeightWarning, match="adds up to 1 over 100 rows"):
        small = metrics.pu_accuracy(Z, PRED, sample_weight=weight, **known)
    plain = metrics.pu_accuracy(Z, PRED, **known)
    assert small.value == pytest.approx(plain.value) and np.isnan(small.standard_error)
    scaled = metrics.pu_accuracy(Z, PRED, sample_weight=weight * len(Z), **known)  # no warning
    assert scaled.standard_error == pytest.approx(plain.standard_error)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")  # a label among the features
def test_scores_that_cannot_be():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (2 * X[:, 0] + rng.logistic(size=600) > 0).astype(int)
    z = np.where(rng.random(600) < 0.5, y, 0)
    leaking = X.copy()
    leaking[:, 2] = z + 0.1 * X[:, 2]
    model = MultinomialPULasso(0.01, **HALF)
    with pytest.warns(ImpossibleScoreWarning, match="accuracy is 1.2., .* far above 1.* label_frequency"):
        scores = metrics.pu_scores(model.fit(leaking, z), leaking, z)
    assert scores.warnings[-1] in repr(scores)
    assert metrics.pu_scores(model.fit(X, z), X, z).warnings == []  # warnings are errors in the tests
    naive = MultinomialPULasso(0.01, scenario="fully-observed").fit(X, z)
    assert "rows of class 0" in metrics.pu_scores(naive, X, z).facts
