"""The summary of a fitted model: text, HTML, data frame."""

import builtins

import numpy as np
import pandas as pd
import pytest

from pulasso import CaseControl, Groups, MultinomialPULasso, OrdinalPULasso, SingleTrainingSet
from pulasso.exceptions import LabelFrequencyWarning

NAMES = ["rain", "frost", "slope", "iron"]
SINGLE = {"scenario": "single-training-set", "label_frequency": 0.75}

both = pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])


def frame_of(X, names=NAMES):
    return pd.DataFrame(X, columns=names)


def test_text_of_the_multinomial_model(X, y):
    labels = np.array(["none", "fir", "oak"])[y]
    model = MultinomialPULasso(lam=0.08, unlabeled="none", **SINGLE).fit(frame_of(X), labels)
    text = repr(model.summary())
    lines = text.splitlines()
    assert lines[0] == "MultinomialPULasso: 2 of 4 features selected"
    assert "scenario        single-training-set, label_frequency 0.75" in text
    assert "class 0         none" in text
    assert "labelled rows   fir: 30, oak: 30" in text
    assert "unlabeled rows  60" in text
    assert f"lam_max {model.lam_max_:.4g}" in text
    assert "groups          2 of 4 selected" in text
    assert f"objective       {model.objective_:.8g}" in text
    assert "of lam_max, converged" in text
    header, *rows = [line.split() for line in lines[-3:]]
    assert header == ["feature", "fir", "oak"]
    assert {row[0] for row in rows} == {"rain", "frost"}
    assert rows[0][1] == f"{model.coef_[0, NAMES.index(rows[0][0])]:+.4g}"
    assert "group " not in text, "a feature that is its own group needs no column for it"


def test_text_of_the_ordinal_model(X, y):
    model = OrdinalPULasso(lam=0.05, **SINGLE).fit(X, y)
    text = repr(model.summary())
    assert "thresholds" in text
    assert f"{model.thresholds_[0]:.4g}, {model.thresholds_[1]:.4g}" in text
    assert "feature     coef" in text
    assert "x1" in text


@both
def test_the_strongest_feature_comes_first_whatever_its_unit(X, y, estimator):
    plain = estimator(lam=0.03, **SINGLE).fit(frame_of(X), y).summary().features
    scaled = estimator(lam=0.03, **SINGLE).fit(frame_of(X * [1e-4, 1e4, 1, 1]), y).summary().features
    assert plain == scaled
    assert set(plain[:2]) & {"rain", "frost"}


def test_features_left_out_of_a_class_are_dots(X, y):
    summary = MultinomialPULasso(lam=0.06, groups="entries", **SINGLE).fit(frame_of(X), y).summary()
    assert np.any(summary.coefficients == 0)
    assert " ." in repr(summary)
    row = summary.features.index("rain")
    shown = [f"rain[{k}]" for k, value in zip([1, 2], summary.coefficients[row], strict=True) if value]
    assert summary.groups[row] == ", ".join(shown)


@both
def test_groups_are_shown(X, y, estimator):
    groups = Groups.from_columns({"weather": ["rain", "frost"], "ground": ["slope", "iron"]})
    summary = estimator(lam=0.05, groups=groups, **SINGLE).fit(frame_of(X), y).summary()
    assert summary.groups[0] == "weather"
    assert "group" in repr(summary).splitlines()[-3]
    assert "weather" in repr(summary)


@both
def test_nothing_selected(X, y, estimator):
    summary = estimator(lam=10.0, **SINGLE).fit(X, y).summary()
    assert "0 of 4 features selected" in repr(summary)
    assert "no feature was selected" in repr(summary)
    assert "<p>no feature was selected</p>" in summary._repr_html_()
    assert summary.to_frame().shape[0] == 0


@both
@pytest.mark.parametrize("standardize", [True, False])
def test_rounding_is_no_relation(estimator, standardize):
    """Sums that cancel leave 1e-17, which is no lam_max to start a path from."""
    X = np.tile([[0.1], [0.2], [0.7], [0.3], [1 / 3]], (8, 1))
    z = np.repeat([0, 1], 20)
    model = estimator(lam=0.0, scenario="fully-observed", standardize=standardize).fit(X, z)
    assert model.lam_max_ == 0 and model.converged_ and not model.coef_.any()
    assert "lam_max 0: no penalised feature is related to the labels" in repr(model.summary())
    small = 1e-12 * np.random.default_rng(0).normal(size=(40, 1))  # small numbers are no rounding
    model = estimator(lam=1.0, scenario="fully-observed", standardize=standardize, tol=0.01).fit(small, z)
    assert model.lam_max_ > 0


def test_long_tables_are_cut(y):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 30))
    summary = MultinomialPULasso(lam=1e-3, scenario="fully-observed").fit(X, y).summary()
    assert len(summary.features) == 30
    assert "... and 10 more (see .to_frame())" in repr(summary)
    assert "... and 10 more" in summary._repr_html_()
    assert len(summary.to_frame()) == 30


def test_html_escapes_what_users_wrote(X, y):
    names = ["<script>alert(1)</script>", "a & b", "slope", "iron"]
    labels = np.array(["<none>", "<b>fir</b>", "<i>oak</i>"])[y]
    groups = Groups.from_columns({"<u>all</u>": names})
    model = MultinomialPULasso(lam=0.05, unlabeled="<none>", groups=groups, **SINGLE)
    html = model.fit(frame_of(X, names), labels).summary()._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    for raw in ("<b>", "<i>", "<u>", "<none>"):
        assert raw not in html
    assert "a &amp; b" in html


@both
def test_to_frame(X, y, estimator):
    model = estimator(lam=0.03, **SINGLE).fit(frame_of(X), y)
    table = model.summary().to_frame()
    columns = ["coef"] if estimator is OrdinalPULasso else ["1", "2"]
    assert table.columns.tolist() == ["group", *columns]
    assert table.index.name == "feature"
    coef = pd.DataFrame(np.atleast_2d(model.coef_).T, index=NAMES, columns=columns)
    np.testing.assert_array_equal(table[columns], coef.loc[table.index])


def test_to_frame_without_pandas(X, y, monkeypatch):
    summary = MultinomialPULasso(lam=0.03, **SINGLE).fit(X, y).summary()
    load = builtins.__import__

    def without_pandas(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return load(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(ImportError, match=r"pip install pulasso\[frames\]"):
        summary.to_frame()


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (CaseControl(np.array([0.3, 0.2])), r"case-control, prevalence [0.3 0.2]"),
        (
            CaseControl({1: 0.3, 2: 0.2}, always_labeled=(2,)),
            "prevalence {1: 0.3, 2: 0.2}, always_labeled (2,)",
        ),
        (SingleTrainingSet(0.75), "single-training-set, label_frequency 0.75\n"),
    ],
    ids=["array", "mapping", "number"],
)
def test_scenarios_are_described(X, y, scenario, words):
    assert words in repr(MultinomialPULasso(lam=0.05, scenario=scenario).fit(X, y).summary())


def test_confirmed_negatives_are_counted(X, y):
    labels = np.where(np.arange(120) < 20, 0, np.where(y == 0, -1, y))
    model = MultinomialPULasso(lam=0.05, scenario="case-control", prevalence=0.2, unlabeled=-1, negative=0)
    assert "confirmed negatives  20" in repr(model.fit(X, labels).summary())


@both
def test_warnings_are_repeated(X, y, estimator):
    model = estimator(lam=0.05, scenario="single-training-set", label_frequency=0.4)
    with pytest.warns(LabelFrequencyWarning):
        model.fit(X, y)
    assert "warning: label_frequency is too low" in repr(model.summary())
    assert "<p>warning: label_frequency is too low" in model.summary()._repr_html_()
