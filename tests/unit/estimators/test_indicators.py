"""`standardize="auto"` in estimators and paths, and what is said where columns of zeros and ones are rare."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import pulasso
from pulasso import (
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    checkpoint,
    fit_path,
)
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.exceptions import InputError, RareIndicatorWarning
from pulasso.inference import stability_selection

KNOWN = {"scenario": "single-training-set", "label_frequency": 0.6}
GRID = {"lams": [0.03, 0.02, 0.01], "cv": 3, "random_state": 0, "progress": False}
CV = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")


def mixed(n=240):
    """Return a table of which half is indicators, one of them rare, and labels of ordered classes."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((n, 3)) < [0.5, 0.2, 0.03], 5.0 * rng.normal(size=(n, 3))]).astype(float)
    u = X @ [1.0, -1.0, 2.0, 0.2, -0.2, 0.0] + rng.logistic(size=n)
    y = np.digitize(u, [0.0, 1.5])
    return X, np.where(rng.random(n) < 0.6, y, 0)


def by_hand(X):
    """Return the table with columns that are not indicators divided by their standard deviations."""
    return X / np.append(np.ones(3), X[:, 3:].std(axis=0))


@pytest.mark.parametrize("kind", [MultinomialPULasso, OrdinalPULasso])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_auto_is_what_scaling_by_hand_gives(kind, storage):
    X, z = mixed()
    auto = kind(0.01, standardize="auto", **KNOWN).fit(storage(X), z)
    plain = kind(0.01, standardize=False, **KNOWN).fit(by_hand(X), z)
    assert auto.converged_ and plain.converged_ and auto.coef_.any()
    np.testing.assert_allclose(auto.predict_proba(X), plain.predict_proba(by_hand(X)), atol=1e-5)
    np.testing.assert_allclose(auto.feature_scale_, np.append(np.ones(3), X[:, 3:].std(axis=0)))
    scaled = kind(0.01, **KNOWN).fit(X, z)
    assert np.abs(scaled.predict_proba(X) - auto.predict_proba(X)).max() > 0.01


def test_auto_in_chunks():
    X, z = mixed()
    settings = {"lams": [0.02, 0.01], "standardize": "auto", **KNOWN}
    expected = fit_path(X, z, **settings)
    found = fit_path(LocalChunks(ArraySource(X, 50)), z, **settings)
    np.testing.assert_allclose(found.coefs, expected.coefs, atol=1e-5)


@CV
@pytest.mark.parametrize("kind", [MultinomialPULassoCV, OrdinalPULassoCV])
def test_auto_in_cross_validation(kind):
    X, z = mixed()
    auto = kind(standardize="auto", **GRID, **KNOWN).fit(X, z)
    scaled = kind(**GRID, **KNOWN).fit(X, z)
    assert (auto.feature_scale_[:3] == 1.0).all()
    assert not np.allclose(auto.cv_loss_, scaled.cv_loss_)


def test_a_saved_model_and_a_checkpoint_know_the_setting(tmp_path):
    X, z = mixed()
    fits = {}
    for standardize in (True, "auto"):
        with checkpoint(tmp_path / "checkpoint"):
            fits[standardize] = MultinomialPULasso(0.01, standardize=standardize, **KNOWN).fit(X, z)
    assert not np.allclose(fits[True].coef_, fits["auto"].coef_)
    fits["auto"].save(tmp_path / "model")
    loaded = pulasso.load(tmp_path / "model")
    assert loaded.standardize == "auto"
    np.testing.assert_array_equal(loaded.coef_, fits["auto"].coef_)


@pytest.mark.parametrize("wrong", ["Auto", "yes", None, 2])
def test_other_words_are_refused(wrong):
    X, z = mixed()
    with pytest.raises(InputError, match="True, False or 'auto'") as caught:
        MultinomialPULasso(standardize=wrong, **KNOWN).fit(X, z)
    assert caught.value.parameter == "standardize"


# -- many rare indicators --------------------------------------------------------------------------------------


def one_hot(n=900):
    """Return a table of mutations, most of them rare, and labels that depend on a common one."""
    rng = np.random.default_rng(1)
    X = (rng.random((n, 40)) < np.repeat([0.2, 0.005], [10, 30])).astype(float)
    y = rng.random(n) < 1 / (1 + np.exp(1.0 - 2.0 * X[:, 1]))
    return X, (y & (rng.random(n) < 0.6)).astype(int)


def said(make, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(*args)
    return [str(each.message) for each in caught if issubclass(each.category, RareIndicatorWarning)]


@CV
def test_many_rare_indicators_are_spoken_of_once():
    X, z = one_hot()
    for model in (
        MultinomialPULasso(0.02, **KNOWN),
        MultinomialPULassoCV(**{**GRID, "lams": [0.03, 0.02]}, **KNOWN),
    ):
        (words,) = said(model.fit, X, z)
        assert "hold only 0 and 1" in words and "standardize='auto'" in words
        assert words in model.warnings_


@pytest.mark.parametrize("standardize", ["auto", False])
def test_nothing_is_said_where_they_are_left_alone(standardize):
    assert not said(MultinomialPULasso(0.02, standardize=standardize, **KNOWN).fit, *one_hot())


def test_nothing_is_said_of_counts_or_of_few_rare_columns():
    X, z = one_hot()
    counts = np.hstack([X, np.random.default_rng(0).poisson(0.2, size=(len(X), 30))])
    assert not said(MultinomialPULasso(0.02, **KNOWN).fit, counts, z)
    assert not said(MultinomialPULasso(0.02, **KNOWN).fit, X[:, :25], z)


def test_many_fits_do_not_repeat_it():
    X, z = one_hot()
    model = MultinomialPULasso(0.02, tol=1e-3, **KNOWN)
    many = {"n_subsamples": 4, "n_lams": 3, "random_state": 0, "progress": False}
    assert len(said(lambda: stability_selection(model, X, z, **many))) == 1
