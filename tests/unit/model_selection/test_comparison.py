"""Models and baselines on the same folds."""

import numpy as np
import pytest

from pulasso._messages import arg, warn
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import InputError, LabelError, ScenarioError
from pulasso.model_selection import Comparison, compare
from pulasso.model_selection.comparison import _one_warning

DATA = simulate_multinomial(
    240, 4, n_active=2, scenario="single-training-set", label_frequency=0.5, signal=(2, 3), random_state=0
)
NAMES = np.array(["background", "oak", "fir"])[DATA.z]
HALF = {
    "scenario": "single-training-set",
    "label_frequency": {"oak": 0.5, "fir": 0.5},
    "unlabeled": "background",
}


def test_a_model_that_knows_about_hidden_labels_is_better():
    found = compare(DATA.X, NAMES, ["mn-lasso", "pulasso"], cv=2, **HALF)
    frame = found.to_frame().set_index("model")
    assert frame.loc["pulasso", "accuracy"] > frame.loc["mn-lasso", "accuracy"]
    assert list(frame) == [
        "accuracy", "accuracy se", "balanced accuracy", "balanced accuracy se", "log-loss", "log-loss se", "AUC",
        "AUC se", "difference", "difference se", "seconds",
    ]  # fmt: skip
    lines = repr(found).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["pulasso", "mn-lasso"]  # the smaller log-loss first


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.TrivialModelWarning")
def test_weights_are_repetitions(monkeypatch):
    monkeypatch.setattr("pulasso.model_selection.comparison.N_LAMS", 1)  # which rows judge a lam is drawn
    weight = 1 + (np.arange(240) % 2)
    folds = [
        (np.arange(80, 240), np.arange(80)),
        (np.arange(160), np.arange(160, 240)),
    ]  # not all rows held out
    rows = np.repeat(np.arange(240), weight)
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    one = compare(DATA.X, NAMES, ["pulasso"], cv=folds, sample_weight=weight, **HALF).lines[0]
    two = compare(DATA.X[rows], NAMES[rows], ["pulasso"], cv=repeated, **HALF).lines[0]
    assert one["log-loss"] == pytest.approx(two["log-loss"], abs=1e-6)


def test_ordered_classes(monkeypatch):
    monkeypatch.setattr("pulasso.model_selection.comparison.N_LAMS", 2)
    data = simulate_ordinal(120, 3, n_positive=2, random_state=0)
    found = compare(
        data.X, data.z, ["multinomial", "pulasso"], response="ordinal", cv=2, **data.scenario_params
    )
    assert [line["model"] for line in found.lines] == ["multinomial", "pulasso"]


@pytest.mark.parametrize(
    ("how", "kind", "parameter"),
    [
        ({"models": ["mnlasso"]}, InputError, "models"),
        ({"models": ["multinomial"]}, InputError, "models"),  # for ordered classes only
        ({"label_frequency": "estimate"}, ScenarioError, "label_frequency"),
        ({"label_frequency": {"oak": 0.5}}, ScenarioError, "label_frequency"),
        ({"negative": "fir", "label_frequency": 0.5}, LabelError, "negative"),
        ({"cv": 1}, ValueError, None),
    ],
)
def test_what_cannot_be_compared(how, kind, parameter):
    with pytest.raises(kind) as caught:
        compare(DATA.X, NAMES, **{**HALF, **how})
    assert parameter is None or caught.value.parameter == parameter


def test_infinite_scores_are_explained():
    scores = {f"{name}{end}": 0.5 for name in ("accuracy", "balanced accuracy", "AUC") for end in ("", " se")}
    lines = [
        {"model": "one", **scores, "log-loss": np.inf, "log-loss se": np.nan, "seconds": 1.0},
        {"model": "two", **scores, "log-loss": 0.4, "log-loss se": 0.1, "seconds": 1.0},
    ]
    words = repr(Comparison(lines))
    assert "nan" not in words and "inf ±" not in words
    assert "probability 0" in words and words.endswith("Affected: one.")


def test_warnings_of_many_fits_are_summed_up():
    with pytest.warns(UserWarning) as caught, _one_warning("mn-lasso"):
        for words in (f"Raise {arg('lam')}.", f"Raise {arg('lam')}.", "Too few rows."):
            warn(words, UserWarning)
    (message,) = (each.message.args[0] for each in caught)
    assert message == "mn-lasso: Raise lam. (3 warnings in all its fits, of which this is the first)"
    assert arg("lam") in message.template


def curved(n, seed):
    """Rows whose classes no line tells apart, and those that one does."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    lines, curves = (
        rng.logistic(size=n) + each > 0 for each in (2 * x[:, 0] - x[:, 1], 3 * x[:, 0] * x[:, 1])
    )
    seen = rng.random(n) < 0.5
    return x, *(np.where(seen & y, 1, 0) for y in (lines, curves))


def test_the_verdict_tells_a_line_from_a_curve():
    told = {"scenario": "single-training-set", "label_frequency": 0.5, "cv": 3}
    x, line, curve = curved(900, 0)
    of_line = compare(x, line, ["boosting", "pulasso"], **told)
    assert "Keep the linear model, which can be read." in of_line.verdict
    of_curve = compare(x, curve, ["pulasso", "boosting"], **told)
    assert of_curve.verdict.startswith("Boosted trees are better than the linear model: log-loss 0.")
    for found in (of_line, of_curve):
        assert repr(found).endswith(found.verdict) and "log-loss - pulasso's" in repr(found)
        lines = {each["model"]: each for each in found.lines}
        assert lines["pulasso"]["difference"] == lines["pulasso"]["difference se"] == 0
        apart = lines["boosting"]["log-loss"] - lines["pulasso"]["log-loss"]
        assert lines["boosting"]["difference"] == pytest.approx(apart)
        unpaired = np.hypot(lines["boosting"]["log-loss se"], lines["pulasso"]["log-loss se"])
        assert lines["boosting"]["difference se"] < unpaired
    assert not compare(x, curve, ["boosting"], **told).verdict  # with nothing to compare


@pytest.mark.parametrize(
    ("difference", "error", "words"),
    [
        (
            0.003,
            0.006,
            "no better than the linear model: log-loss 0.503 against 0.500 (difference 0.003 ± 0.006)",
        ),
        (-0.003, 0.006, "no better than the linear model"),
        (-0.009, 0.006, "perhaps better than the linear model, perhaps not"),
        (0.02, 0.006, "worse than the linear model"),
        (
            -0.02,
            0.006,
            "better than the linear model: log-loss 0.480 against 0.500 (difference 0.020 ± 0.006)",
        ),
        (-0.004, 0.001, "better than the linear model, but by less than 1 %"),
        (np.inf, np.nan, "not comparable"),
    ],
)
def test_the_verdict_weighs_a_difference_by_its_error(difference, error, words):
    scores = {f"{name}{end}": 0.5 for name in ("accuracy", "balanced accuracy", "AUC") for end in ("", " se")}
    flexible = {"log-loss": 0.5 + difference, "difference": difference, "difference se": error}
    lines = [
        {"model": name, "seconds": 1.0, **scores, "log-loss se": 0.1, **own}
        for name, own in (
            ("pulasso", {"log-loss": 0.5, "difference": 0.0, "difference se": 0.0}),
            ("neural", flexible),
        )
    ]
    found = Comparison(lines)
    assert found.verdict.startswith(f"A neural network is {words}")
    keep, decided = "Keep the linear model" in found.verdict, difference < -0.005
    assert keep != decided and found.verdict in repr(found)


def test_columns_of_categories_and_missing_values_are_for_learners():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=400), "soil": pd.Categorical(rng.choice(list("xyz"), 400))})
    y = (table["soil"] == "x").to_numpy() & (table["a"] > -1).to_numpy()
    table.loc[::7, "a"] = np.nan
    z = np.where(y & (rng.random(400) < 0.5), 1, 0)
    found = compare(table, z, "boosting", cv=2, scenario="single-training-set", label_frequency=0.5)
    assert found.lines[0]["accuracy"] > 0.85


def test_a_learner_that_is_not_installed_is_named_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr("pulasso.model_selection.learners.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pulasso\[neural\]"):
        compare(DATA.X, NAMES, ["pulasso", "neural"], **HALF)


def test_networks_are_compared():
    pytest.importorskip("skorch", reason="in the extra 'neural'")
    found = compare(DATA.X, NAMES, ["pulasso", "neural"], cv=2, **HALF)
    assert found.verdict.startswith("A neural network is")


def test_bagging_is_among_the_default_models():
    data = simulate_multinomial(120, 3, n_active=2, random_state=0)
    found = compare(data.X, data.z, cv=2, **data.scenario_params)
    assert "pu-bagging" in [line["model"] for line in found.lines]


def test_repeated_folds_count_a_row_once(monkeypatch):
    monkeypatch.setattr("pulasso.model_selection.comparison.N_LAMS", 2)
    folds = [(np.arange(80, 240), np.arange(80)), (np.arange(160), np.arange(160, 240))]
    once, twice = (compare(DATA.X, NAMES, ["pulasso"], cv=cv, **HALF).lines[0] for cv in (folds, folds * 2))
    for name in ("log-loss", "log-loss se", "accuracy se"):
        assert once[name] == pytest.approx(twice[name], rel=1e-12)
