"""Probabilities of the rows of a fit by the models of the cross-validation that did not see them."""

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_predict

import pulasso
from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import GridEdgeWarning, InputError
from pulasso.metrics import pu_scores
from pulasso.report import write_report

pytestmark = pytest.mark.filterwarnings(f"ignore::{GridEdgeWarning.__module__}.{GridEdgeWarning.__name__}")
ONE_SET = {"scenario": "single-training-set", "label_frequency": 0.5}


@pytest.fixture(scope="module")
def wide():
    """More features than rows, of which a fit memorises some."""
    return simulate_multinomial(120, 200, random_state=1, **ONE_SET)


@pytest.fixture(scope="module")
def chosen(wide):
    return MultinomialPULassoCV(cv=4, n_lams=15, random_state=0, **wide.scenario_params).fit(wide.X, wide.z)


def test_it_is_what_scikit_learn_would_predict(wide, chosen):
    """At the same lam; the path of a fold and a single fit reach it by other ways, to the same tolerance."""
    plain = MultinomialPULasso(chosen.lam_, tol=1e-8, anchor=chosen.anchor_, **wide.scenario_params)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    found = cross_val_predict(plain, wide.X, wide.z, cv=folds, method="predict_proba")
    np.testing.assert_allclose(chosen.cv_proba_, found, atol=1e-4)


def test_chunks_and_ordered_classes():
    data = simulate_ordinal(150, 6, random_state=0, **ONE_SET)
    model = OrdinalPULassoCV(cv=3, n_lams=5, tol=1e-8, random_state=0, **data.scenario_params)
    in_memory = model.fit(data.X, data.z).cv_proba_
    in_chunks = model.fit(LocalChunks(ArraySource(data.X, 40)), data.z).cv_proba_
    np.testing.assert_allclose(in_memory.sum(axis=1), 1.0)
    np.testing.assert_allclose(in_chunks, in_memory, atol=1e-5)


def test_rows_that_no_fold_holds_out(wide):
    model = MultinomialPULassoCV(cv=ShuffleSplit(2, random_state=0), n_lams=4, **wide.scenario_params)
    proba = model.fit(wide.X, wide.z).cv_proba_
    lacking = np.isnan(proba).all(axis=1)
    assert 0 < lacking.sum() < len(proba) and np.isfinite(proba[~lacking]).all()
    with pytest.raises(InputError) as caught:
        pu_scores(model, wide.X, wide.z, y_proba=proba)
    assert caught.value.parameter == "y_proba"
    with pytest.raises(InputError):
        pu_scores(model, wide.X, wide.z, y_proba=proba[:, :2])


@pytest.mark.filterwarnings("ignore:Everything is predicted as positive")
def test_scores_are_honest(wide, chosen):
    """The likelihood of labels is better on rows that were fitted than on those that were held out."""
    own, honest = (
        pu_scores(chosen, wide.X, wide.z, y_proba=proba)["log-loss"].value
        for proba in (chosen.predict_proba(wide.X), chosen.cv_proba_)
    )
    assert honest > own
    plain = pu_scores(chosen, wide.X, wide.z)["log-loss"].value
    assert plain == pytest.approx(own)


def test_the_report_judges_by_held_out_rows(wide, chosen, tmp_path):
    pytest.importorskip("jinja2")
    page = write_report(chosen, tmp_path / "a.html", X=wide.X, z=wide.z).read_text(encoding="utf-8")
    assert "judged by the model of the cross-validation that did not see" in page
    other = write_report(chosen, tmp_path / "b.html", X=wide.X[::2], z=wide.z[::2]).read_text(
        encoding="utf-8"
    )
    assert "did not see" not in other


def test_a_saved_model_does_not_hold_them(chosen, tmp_path):
    chosen.save(tmp_path / "model")
    assert not hasattr(pulasso.load(tmp_path / "model"), "cv_proba_")
