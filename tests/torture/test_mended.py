"""What the fuzz found, as small calls: each ended in an unnamed error before."""

import gzip
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

import pulasso
from pulasso import CaseControl, Groups, MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso
from pulasso.cli.main import app
from pulasso.exceptions import ConvergenceWarning, GroupError, LabelError, SavedModelError, ScenarioError

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.arange(12) % 3


def refused(kind, words, x=X, y=Y, weight=None, model=MultinomialPULasso, **settings):
    with pytest.raises(kind, match=words):
        model(**{"scenario": "fully-observed", **settings}).fit(x, y, sample_weight=weight)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([[1.0, 2.0]] * 11 + [[1.0]], "its rows differ in length"),
        (np.where(X > 1, 1e200, X), "values beyond 1e\\+150 in column"),
        (np.array([[[], 1.0]] * 12, dtype=object), "in column 0. Encode"),
        (np.array([[10**400, 1.0]] * 12, dtype=object), "in column 0. Encode"),
    ],
)
def test_features(x, words):
    refused(ValueError, words, x=x)


def test_columns_that_single_precision_cannot_square():
    refused(ValueError, "pass standardize=True", x=X * 1e30, standardize=False)
    MultinomialPULasso(lam=0.1, scenario="fully-observed").fit(X * 1e30, Y)


@pytest.mark.parametrize("weight", [10.0 ** np.linspace(-300, 300, 12), np.full(12, 1e300), 10**400])
def test_weights(weight):
    refused(ValueError, "sample_weight", weight=weight)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"lam": 10**400}, "lam=1000"),
        ({"lam": "0.5"}, "lam='0.5' is not a number"),
        ({"lam": Fraction(1, 3)}, "is a Fraction. Write lam=float"),
        ({"tol": Decimal("1e-6")}, "is a Decimal. Write tol=float"),
        ({"solver": np.array(["em", "em"])}, "solver="),
        ({"scenario": "case-control", "prevalence": 10**400}, "prevalence=1000"),
        ({"scenario": "case-control", "prevalence": 1e-300}, "too small"),
        ({"negative": b"none", "unlabeled": 0}, "negative"),
        ({"negative": 10**30, "unlabeled": 0}, "usual size"),
    ],
)
def test_settings(settings, words):
    refused(ValueError, words, **settings)


def test_tolerances_that_cannot_be_reached():
    with pytest.warns(ConvergenceWarning):
        MultinomialPULasso(lam=1e-3, scenario="fully-observed", tol=1e-320).fit(X, Y)


def test_rows_that_overflow():
    model = MultinomialPULasso(lam=1e-3, scenario="fully-observed").fit(X * 1e-6, Y)
    with pytest.raises(ValueError, match="Row 1 of X holds numbers so large"):
        model.predict_proba(X * np.where(np.arange(12) == 1, 1e308, 1.0)[:, None])


@pytest.mark.parametrize("path", [3.5, b"folder", None, ["folder"]])
def test_paths(path):
    model = MultinomialPULasso(lam=0.1, scenario="fully-observed").fit(X, Y)
    with pytest.raises(TypeError, match="path=.* is not a path"):
        model.save(path)
    with pytest.raises(TypeError, match="path=.* is not a path"):
        pulasso.load(path)


def test_coefficients_that_no_fit_has(tmp_path):
    model = MultinomialPULasso(lam=0.1, scenario="fully-observed").fit(X, Y)
    model.coef_[0, 0] = 1e200
    model.save(tmp_path / "model")
    with pytest.raises(SavedModelError, match="larger than those of any fit"):
        pulasso.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("sets", "weights", "words"),
    [
        (np.array(3), None, "Expected a mapping"),
        ({"a": np.array(0)}, None, "is not a collection of columns"),
        ([[0], [1]], [5e-324, 1.0], "so small that no finite lam"),
    ],
)
def test_groups(sets, weights, words):
    with pytest.raises(GroupError, match=words):
        MultinomialPULasso(scenario="fully-observed", groups=Groups.from_columns(sets, weights)).fit(X, Y)


def test_classes():
    refused(LabelError, "class_order=3 is not a list", model=OrdinalPULasso, class_order=3)
    refused(ScenarioError, "always_labeled", scenario=CaseControl(0.1, always_labeled=[[]]))
    refused(ValueError, "there must be one for each row", y=np.array(1))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cv": [1, 2]}, "pair \\(train, test\\)"),
        ({"cv": [([0, 99], [1])]}, "row numbers from 0 to 11"),
        ({"cv": 2, "random_state": 2**40}, "random_state=1099511627776"),
    ],
)
def test_folds(settings, words):
    refused(ValueError, words, model=MultinomialPULassoCV, **settings)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv.gz", gzip.compress(b"y,a\n1,2\n" * 50, mtime=0)[:-9], "damaged"),
        ("t.npz", b"PK\x03\x04 no archive", "cannot be read"),
        ("t.csv", "y,a\n1,ö\n".encode("utf-16"), "t.csv"),
        ("t.csv", b"y,a\n1,\x81\n", "byte 0x81"),
    ],
)
def test_tables(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    command = ["fit", str(tmp_path / name), "--label", "y", "--scenario", "fully-observed", "--lam", "0.1"]
    done = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "out")])
    assert done.exit_code == 1 and words in done.stderr
