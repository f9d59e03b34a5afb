"""Does labelling depend on the features beyond the class: what the test says, and what it refuses."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, SelectedLabelling
from pulasso.exceptions import InputError, ScenarioError
from pulasso.inference import LabellingTest
from pulasso.inference import test_labelling as ask

MODEL = MultinomialPULasso(lam=0.005, tol=1e-3, scenario="single-training-set", label_frequency=0.5)
HOW = {"n_replicates": 9, "random_state": 0, "progress": False}


def draw(effect, n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    proba = softmax(np.column_stack([np.zeros(n), 1.5 * X[:, 1], 1.5 * X[:, 2]]), axis=1)
    y = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return X, np.where(rng.random(n) < expit(0.2 + effect * X[:, 0]), y, 0)


def test_pytest_does_not_take_it_for_a_test():
    assert ask.__test__ is False


def test_selection_is_found_and_its_absence_is_not():
    found = ask(MODEL, *draw(2.0), [0], **HOW)
    assert found.p_value == 0.1 and found.statistic > found.null_statistics.max()
    assert "seems to depend on 0" not in found.sentence  # nine draws cannot say 0.05
    nothing = ask(MODEL, *draw(0.0), [0], **HOW)
    assert nothing.p_value > 0.1
    assert str(nothing).startswith("Nothing shows that labelling depends on 0")
    assert (nothing.null_statistics >= 0).all() and len(nothing.null_statistics) == 9


def test_a_classifier_tells_labelled_rows_from_those_that_are_expected():
    from sklearn.linear_model import LogisticRegression

    apart = MultinomialPULasso(lam=0.005, tol=1e-3, scenario=SelectedLabelling([0], excluded=True))
    found = ask(apart, *draw(2.0), method="classifier", **HOW)
    assert found.p_value == 0.1 and found.method == "classifier" and found.statistic > 0.6
    assert abs(np.median(found.null_statistics) - 0.5) < 0.05
    # What is linear in a column the classes take up, if they may.
    assert ask(MODEL, *draw(2.0), [0], method="classifier", **HOW).statistic < 0.55
    nothing = ask(MODEL, *draw(0.0), [0], method="classifier", **HOW)
    assert nothing.p_value > 0.1
    # A dependence that bends shows to trees, and not to what is linear in the column.
    rng = np.random.default_rng(1)
    X, y = draw(0.0, 1500, seed=1)[0], rng.integers(0, 3, 1500)
    z = np.where(rng.random(1500) < expit(3 * np.abs(X[:, 0]) - 2.5), y, 0)
    trees, linear = (
        ask(MODEL, X, z, [0], method="classifier", classifier=judge, **HOW)
        for judge in (None, LogisticRegression())
    )
    assert trees.statistic > 0.6 > linear.statistic and trees.p_value == 0.1


def test_the_words_of_a_clear_answer():
    result = LabellingTest(0.01, 30.0, np.zeros(99), ("road", "hours"))
    assert result.sentence.startswith(
        "Labelling seems to depend on road, hours beyond the class (p = 0.01, 99 draws)"
    )


def test_ordered_classes_a_scenario_and_its_columns():
    X, z = draw(1.0, n=300)
    model = OrdinalPULasso(lam=0.01, tol=1e-3, scenario=SelectedLabelling([0, 2], shared=False))
    result = ask(model, X, z, **{**HOW, "n_replicates": 2})
    assert result.columns == (0, 2)


def test_the_same_for_any_number_of_processes():
    X, z = draw(0.5, n=200)
    one, two = (ask(MODEL, X, z, [0], **{**HOW, "n_replicates": 3}, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.null_statistics, two.null_statistics)


def test_what_is_refused():
    X, z = draw(0.0, n=100)
    with pytest.raises(ScenarioError, match="case-control"):
        ask(MultinomialPULasso(lam=0.1, scenario="case-control", prevalence=0.2), X, z, [0])
    with pytest.raises(ScenarioError, match="does not have"):
        ask(MODEL, X, z, ["road"])
    with pytest.raises(ScenarioError, match="same in every row"):
        ask(MODEL, np.column_stack([X, np.ones(100)]), z, [3])
    with pytest.raises(TypeError, match="lam"):
        ask(MultinomialPULassoCV(), X, z, [0])
    with pytest.raises(InputError):
        ask(MODEL, X, z, [0], n_replicates=0)
    with pytest.raises(InputError, match="method"):
        ask(MODEL, X, z, [0], method="guess")
    with pytest.raises(InputError, match="no classifier"):
        ask(MODEL, X, z, [0], classifier=MODEL)


def test_the_report_holds_the_answer(tmp_path):
    X, z = draw(0.0, n=200)
    answer = LabellingTest(0.01, 30.0, np.zeros(99), ("road", "hours"))
    MODEL.fit(X, z).report(tmp_path / "page.html", labelling=answer)
    assert "Labelling seems to depend on road, hours" in (tmp_path / "page.html").read_text()
    with pytest.raises(InputError, match="test_labelling"):
        MODEL.report(tmp_path / "other.html", labelling=0.01)
