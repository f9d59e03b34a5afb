"""Every metric against scikit-learn where nothing is hidden, and against plain formulas where something is."""

import numpy as np
import pytest
from sklearn import metrics as exact
from sklearn.calibration import calibration_curve

from pulasso import CaseControl, SingleTrainingSet, metrics

N, N_CLASSES = 240, 3
ALL = {"scenario": "fully-observed"}
HALF = {"scenario": "single-training-set", "label_frequency": [0.5, 0.8]}
CASE = {"scenario": "case-control", "prevalence": [0.3, 0.1]}


def each(*settings):
    return pytest.mark.parametrize("known", settings, ids=lambda known: known["scenario"])


@pytest.fixture(scope="module", name="data")
def predictions():
    """True classes, observed labels, predicted classes and probabilities, weights."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, N_CLASSES, N)
    z = np.where(rng.random(N) < 0.6, y, 0)
    proba = rng.dirichlet(np.ones(N_CLASSES), N) + np.eye(N_CLASSES)[y] * 0.5
    proba /= proba.sum(axis=1, keepdims=True)
    return {"y": y, "z": z, "proba": proba, "pred": proba.argmax(axis=1), "weight": rng.uniform(0.1, 2.0, N)}


# --- nothing hidden: scikit-learn's numbers -----------------------------------------------------------


def brier(y, proba, sample_weight):
    return np.average(((proba - np.eye(N_CLASSES)[y]) ** 2).sum(axis=1), weights=sample_weight)


def ranked_probability(y, proba, sample_weight):
    """The sum over cuts, by hand; of two classes it is scikit-learn's Brier score."""
    cuts = [
        np.average((proba[:, : j + 1].sum(axis=1) - (y <= j)) ** 2, weights=sample_weight)
        for j in range(N_CLASSES - 1)
    ]
    return sum(cuts)


def mean_auc(y, proba, sample_weight):
    areas = [exact.roc_auc_score(y == c, proba[:, c], sample_weight=sample_weight) for c in range(N_CLASSES)]
    return np.mean(areas)


PAIRS = {
    "accuracy": (metrics.pu_accuracy, {}, exact.accuracy_score, {}),
    "recall": (metrics.pu_recall, {}, exact.recall_score, {"average": None}),
    "balanced accuracy": (metrics.pu_recall, {"average": "macro"}, exact.balanced_accuracy_score, {}),
    "precision": (metrics.pu_precision, {}, exact.precision_score, {"average": None}),
    "squared error": (metrics.pu_mean_squared_error, {}, exact.mean_squared_error, {}),
    "absolute error": (metrics.pu_mean_absolute_error, {}, exact.mean_absolute_error, {}),
    "log-loss": (metrics.pu_log_loss, {}, exact.log_loss, {}),
    "Brier score": (metrics.pu_brier_score, {}, brier, {}),
    "ranked probability score": (metrics.pu_ranked_probability_score, {}, ranked_probability, {}),
    "AUC": (metrics.pu_roc_auc, {"average": "macro"}, mean_auc, {}),
}
OF_PROBA = ("log-loss", "Brier score", "ranked probability score", "AUC")
for way in ("all", "true", "pred"):
    PAIRS[f"matrix {way}"] = (
        metrics.pu_confusion_matrix, {"normalize": way}, exact.confusion_matrix, {"normalize": way}
    )  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("weighted", [False, True])
def test_fully_observed_scores_are_those_of_scikit_learn(data, name, weighted):
    ours, own, theirs, others = PAIRS[name]
    weight = data["weight"] if weighted else None
    predicted = data["proba" if name in OF_PROBA else "pred"]
    found = ours(data["y"], predicted, sample_weight=weight, **own, **ALL)
    np.testing.assert_allclose(found.value, theirs(data["y"], predicted, sample_weight=weight, **others))
    assert np.shape(found.standard_error) == np.shape(found.value)


def test_standard_error_of_a_share_is_binomial(data):
    found = metrics.pu_accuracy(data["y"], data["pred"], **ALL)
    assert found.standard_error == pytest.approx(np.sqrt(found.value * (1 - found.value) / (N - 1)))


def test_two_classes_follow_scikit_learn(data):
    y, score = (data["y"] > 0).astype(int), data["proba"][:, 1:].sum(axis=1)
    two = np.column_stack([1 - score, score])
    area = exact.roc_auc_score(y, score)
    assert float(metrics.pu_roc_auc(y, score, **ALL)) == pytest.approx(area)
    np.testing.assert_allclose(metrics.pu_roc_auc(y, two, **ALL).value, area)
    assert float(metrics.pu_brier_score(y, two, **ALL)) == pytest.approx(exact.brier_score_loss(y, score))
    ranked = metrics.pu_ranked_probability_score(y, two, **ALL)
    assert float(ranked) == pytest.approx(exact.brier_score_loss(y, score))


def test_standard_error_of_the_area_is_that_of_delong(data):
    y, score = data["y"] == 1, data["proba"][:, 1].round(2)  # with ties
    wins = (score[y][:, None] > score[~y]) + 0.5 * (score[y][:, None] == score[~y])
    by_member, by_other = wins.mean(axis=1), wins.mean(axis=0)
    delong = by_member.var(ddof=1) / y.sum() + by_other.var(ddof=1) / (~y).sum()
    # Rounded to two digits, probabilities no longer sum to one; scores need not.
    found = metrics.pu_roc_auc(data["y"], data["proba"].round(2), **ALL).of(1)
    assert found.value == pytest.approx(wins.mean())
    assert found.standard_error == pytest.approx(np.sqrt(delong), rel=0.01)


def test_calibration_is_that_of_scikit_learn(data):
    curve = metrics.pu_calibration_curve(data["y"], data["proba"], n_bins=4, **ALL)
    for c in range(N_CLASSES):
        frequency, predicted = calibration_curve(data["y"] == c, data["proba"][:, c], n_bins=4)
        found = ~np.isnan(curve.predicted[c])
        np.testing.assert_allclose(curve.frequency[c, found], frequency)
        np.testing.assert_allclose(curve.predicted[c, found], predicted)
        np.testing.assert_allclose(curve.share[c].sum(), 1.0)


def test_quantile_bins_hold_equal_shares(data):
    curve = metrics.pu_calibration_curve(data["z"], data["proba"], n_bins=4, strategy="quantile", **HALF)
    np.testing.assert_allclose(curve.share, 0.25, atol=0.01)
    np.testing.assert_allclose(curve.edges[:, [0, -1]], [[0, 1]] * N_CLASSES)


# --- something hidden: the formulas of the docstrings -------------------------------------------------


def mean_by_hand(f, z, known):
    """E[f(X, Y)] in the words of the package's docstring; f has one column for each class."""
    if known["scenario"] == "case-control":
        total = f[z == 0, 0].mean()
        parts = [(f[z == k, k] - f[z == k, 0]).mean() for k in (1, 2)]
        return total + np.dot(known["prevalence"], parts)
    parts = [
        (f[z == k, k] - f[z == k, 0]).sum() / q for k, q in zip((1, 2), known["label_frequency"], strict=True)
    ]
    return (f[:, 0].sum() + np.sum(parts)) / len(z)


@each(CASE, HALF)
def test_means_and_ratios_by_hand(data, known):
    z, pred, proba = data["z"], data["pred"], data["proba"]
    classes = np.arange(N_CLASSES)
    hit = (pred[:, None] == classes).astype(float)

    def mean(f):
        return mean_by_hand(np.asarray(f, dtype=float), z, known)

    assert float(metrics.pu_accuracy(z, pred, **known)) == pytest.approx(mean(hit))
    assert float(metrics.pu_log_loss(z, proba, **known)) == pytest.approx(mean(-np.log(proba)))
    assert float(metrics.pu_mean_absolute_error(z, pred, **known)) == pytest.approx(
        mean(np.abs(pred[:, None] - classes))
    )
    recall, precision = metrics.pu_recall(z, pred, **known), metrics.pu_precision(z, pred, **known)
    joint = metrics.pu_confusion_matrix(z, pred, **known)
    for c in classes:
        of_class = np.tile(classes == c, (N, 1))
        assert recall.value[c] == pytest.approx(mean(of_class * hit) / mean(of_class))
        assert precision.value[c] == pytest.approx(mean(of_class * hit) / mean(hit[:, [c]] * np.ones(3)))
        for j in classes:
            assert joint.value[c, j] == pytest.approx(mean(of_class * hit[:, [j]]))


@each(CASE, HALF)
def test_area_over_all_pairs(data, known):
    z, score = data["z"], data["proba"].round(1)  # with ties
    found = metrics.pu_roc_auc(z, score, **known)
    for c in range(N_CLASSES):
        wins = (score[:, c][:, None] > score[:, c]) + 0.5 * (score[:, c][:, None] == score[:, c])
        member = np.tile(np.arange(3) == c, (N, 1)).astype(float)
        # The weight of each row is the mean of a function that sees no other row.
        u = np.array([mean_by_hand(member * (np.arange(N) == i)[:, None], z, known) for i in range(N)])
        v = np.array([mean_by_hand((1 - member) * (np.arange(N) == i)[:, None], z, known) for i in range(N)])
        assert found.value[c] == pytest.approx(u @ wins @ v / (u.sum() * v.sum()))


@each(CASE, HALF, ALL)
def test_standard_errors_are_those_of_the_infinitesimal_jackknife(data, known):
    """The variance is the sum of squared derivatives in the weights of rows, within what was sampled."""
    rows = slice(0, 20)
    z, pred, proba = data["z"][rows], data["pred"][rows], data["proba"][rows]
    sampled = z if known is CASE else np.zeros_like(z)
    factor = np.bincount(sampled)[sampled] / (np.bincount(sampled)[sampled] - 1.0)

    def estimates(weight):
        known_too = {"sample_weight": weight, **known}
        return [
            metrics.pu_accuracy(z, pred, **known_too),
            metrics.pu_recall(z, pred, average="macro", **known_too),
            metrics.pu_precision(z, pred, average="macro", **known_too),
            metrics.pu_roc_auc(z, proba, average="macro", **known_too),
            metrics.pu_log_loss(z, proba, **known_too),
            metrics.pu_log_loss_difference(z, proba, proba[::-1], **known_too),
        ]

    step, slopes = 1e-4, []
    for i in range(len(z)):
        nudge = step * (np.arange(len(z)) == i)
        up, down = ([each.value for each in estimates(1.0 + sign * nudge)] for sign in (1, -1))
        slopes.append((np.array(up) - down) / (2 * step))
    expected = np.sqrt(factor @ np.square(slopes))
    found = [each.standard_error for each in estimates(np.ones(len(z)))]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_label_frequency_one_hides_nothing(data):
    known = {"scenario": "single-training-set", "label_frequency": 1.0}
    for metric, predicted in [(metrics.pu_recall, data["pred"]), (metrics.pu_roc_auc, data["proba"])]:
        one, other = metric(data["y"], predicted, **known), metric(data["y"], predicted, **ALL)
        np.testing.assert_allclose(one.value, other.value)
        np.testing.assert_allclose(one.standard_error, other.standard_error)


def test_confirmed_negatives_sharpen_class_0():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    pred = np.where(rng.random(4000) < 0.8, y, 1 - y)
    shown = rng.random(4000) < np.where(y == 1, 0.3, 0.5)
    z = np.where(shown, y, -1)
    known = {"scenario": SingleTrainingSet(0.3, negative_label_frequency=0.5), "unlabeled": -1, "negative": 0}
    sharp = metrics.pu_recall(z, pred, **known)
    blunt = metrics.pu_recall(
        np.where(z == 1, 1, 0), pred, scenario="single-training-set", label_frequency=0.3
    )
    truth = exact.recall_score(y, pred, average=None)
    assert (np.abs(sharp.value - truth) < 3 * sharp.standard_error).all()
    assert sharp.standard_error[0] < 0.6 * blunt.standard_error[0]


def test_always_labelled_classes_are_missing_among_the_unlabeled():
    rng = np.random.default_rng(2)
    y = rng.choice(3, 20_000, p=[0.5, 0.3, 0.2])
    pred = np.where(rng.random(len(y)) < 0.7, y, 0)
    z = np.where(y == 2, 2, 0)  # class 2 never hides
    extra = rng.choice(np.flatnonzero(y == 1), 1000)
    scenario = CaseControl([0.3, 0.2], always_labeled=2)
    found = metrics.pu_accuracy(
        np.append(z, np.ones(1000, int)), np.append(pred, pred[extra]), scenario=scenario
    )
    assert abs(found.value - np.mean(pred == y)) < 3 * found.standard_error


def test_text_labels_and_markers(data):
    names = np.array(["none", "ash", "oak"])
    text = np.where(data["z"] == 0, "?", names[data["z"]])
    known = {"unlabeled": "?", "negative": "none", "scenario": "case-control"}
    found = metrics.pu_recall(text, names[data["pred"]], prevalence={"oak": 0.1, "ash": 0.3}, **known)
    plain = metrics.pu_recall(data["z"], data["pred"], **CASE)
    np.testing.assert_allclose(found.value, plain.value)
    assert found.of("oak").value == pytest.approx(plain.value[2])
    missing = np.where(data["z"] == 0, np.nan, data["z"])
    again = metrics.pu_recall(missing, data["pred"], unlabeled=float("nan"), negative=0, **CASE)
    np.testing.assert_allclose(again.value, plain.value)


def test_expected_positions(data):
    expected = data["proba"] @ np.arange(3)
    found = metrics.pu_mean_squared_error(data["y"], expected, numbered=True, **ALL)
    assert float(found) == pytest.approx(np.mean((expected - data["y"]) ** 2))


def test_log_probabilities_stay_finite():
    log_proba = np.array([[0.0, -800.0], [-800.0, 0.0], [-1.0, np.log1p(-np.exp(-1.0))]])
    z = [1, 0, 0]
    found = metrics.pu_log_loss(z, log_proba, log=True, **ALL)
    assert float(found) == pytest.approx((800 + 800 + 1) / 3)
    rounded = metrics.pu_log_loss(z, np.exp(log_proba), **ALL)
    assert rounded.value == np.inf
    assert np.isnan(rounded.standard_error)
    # A zero that no row can stand for does no harm.
    assert np.isfinite(metrics.pu_log_loss([1, 0], [[0.0, 1.0], [1.0, 0.0]], **ALL).value)


def test_a_paired_difference_is_that_of_the_losses_and_better_known(data):
    z, proba, about = data["z"], data["proba"], {**HALF, "sample_weight": data["weight"]}
    other = 0.9 * proba + 0.1 / proba.shape[1]
    losses = [metrics.pu_log_loss(z, each, **about) for each in (proba, other)]
    found = metrics.pu_log_loss_difference(z, proba, other, **about)
    assert float(found) == pytest.approx(float(losses[0]) - float(losses[1]))
    assert found.standard_error < 0.5 * min(each.standard_error for each in losses)
    sure = np.eye(proba.shape[1])[np.zeros(len(z), int)]
    assert metrics.pu_log_loss_difference(z, sure, proba, **about).value == np.inf
    assert np.isnan(metrics.pu_log_loss_difference(z, sure, sure, **about).value)


# --- rows of weight zero are absent, whatever they hold -----------------------------------------------


class Told:
    """A classifier that says what it is told, whatever the features are."""

    def __init__(self, proba):
        self.proba, self.classes_ = np.asarray(proba), np.arange(N_CLASSES)

    def predict_proba(self, X):
        return self.proba

    def predict(self, X):
        return self.proba.argmax(axis=1)


@pytest.fixture(scope="module", name="longer")
def with_impossible_rows(data):
    """The same rows, and three whose labels are impossible under the model."""
    more = {
        "z": [1, 0, 2],
        "pred": [0, 2, 1],
        "proba": [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
        "weight": [0, 0, 0],
    }
    return {name: np.concatenate([data[name], rows]) for name, rows in more.items()}


@pytest.mark.parametrize("name", [*PAIRS, "calibration"])
@each(CASE, HALF)
def test_metrics_do_not_see_rows_of_weight_zero(data, longer, name, known):
    ours, own, *_ = PAIRS.get(name, (metrics.pu_calibration_curve, {}))
    key = "proba" if name in (*OF_PROBA, "calibration") else "pred"
    expected, found = (
        ours(rows["z"], rows[key], sample_weight=rows["weight"], **own, **known) for rows in (data, longer)
    )
    for attribute in vars(expected).keys() - {"classes"}:
        np.testing.assert_allclose(getattr(found, attribute), getattr(expected, attribute), rtol=1e-10)


@pytest.mark.parametrize("name", metrics.SCORERS)
def test_scorers_do_not_see_rows_of_weight_zero(data, longer, name):
    scorer = metrics.make_pu_scorer(name, **HALF)
    expected, found = (
        scorer(Told(rows["proba"]), rows["z"], rows["z"], rows["weight"]) for rows in (data, longer)
    )
    assert found == pytest.approx(expected)
    counted = scorer(Told(longer["proba"]), longer["z"], longer["z"])  # minus infinity perhaps, but never nan
    assert counted < expected


def test_a_confirmed_negative_of_weight_zero_asks_for_nothing(data):
    """No scenario tells how likely it is, and nobody needs to know."""
    z, proba = np.append(np.where(data["z"] == 0, -1, data["z"]), 0), np.vstack([data["proba"], [0, 1, 0]])
    marked = metrics.make_pu_scorer("observed_log_likelihood", unlabeled=-1, negative=0, **HALF)
    found = marked(Told(proba), z, z, np.append(data["weight"], 0))
    plain = metrics.make_pu_scorer("observed_log_likelihood", **HALF)
    assert found == pytest.approx(plain(Told(data["proba"]), data["z"], data["z"], data["weight"]))
