"""A class with hardly any labelled row is named: what is selected for it may be noise."""

import warnings

import numpy as np
import pytest

from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, fit_path
from pulasso.exceptions import FewLabelsWarning
from pulasso.inference import bootstrap

KNOWN = {"prevalence": 0.1}


def noise(n_labeled, n=400, p=30):
    """Return features that tell nothing, and labels of which `oak` has so many, and `fir` enough."""
    X = np.random.default_rng(0).normal(size=(n, p))
    z = np.full(n, "none")
    z[:30] = "fir"
    z[30 : 30 + n_labeled] = "oak"
    return X, z


def said(make, *args, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(*args, **settings)
    return [str(each.message) for each in caught if issubclass(each.category, FewLabelsWarning)]


@pytest.mark.parametrize("n_labeled", [3, 4])
def test_the_class_and_its_rows_are_named_once(n_labeled):
    X, z = noise(n_labeled)
    model = MultinomialPULasso(0.02, unlabeled="none", **KNOWN)
    (words,) = said(model.fit, X, z)
    assert (
        f"'oak' ({n_labeled} of 400 rows)" in words and "fir" not in words and "stability_selection" in words
    )
    assert words in model.warnings_
    assert said(fit_path, X, z, n_lams=2, unlabeled="none", **KNOWN) == [words]


def test_cross_validation_says_it_of_all_rows_alone():
    model = MultinomialPULassoCV(
        lams=[0.05, 0.04], cv=3, tol=1e-3, unlabeled="none", progress=False, random_state=0, **KNOWN
    )
    (words,) = said(model.fit, *noise(4))
    assert "'oak' (4 of 400 rows)" in words
    assert not said(model.fit, *noise(6))  # of which a fold sees four


def test_enough_labels_or_a_small_table_are_nothing_to_speak_of():
    model = MultinomialPULasso(0.02, unlabeled="none", **KNOWN)
    assert not said(model.fit, *noise(5))
    X, z = noise(3)
    assert not said(model.fit, X[:90], z[:90])


def test_ordered_classes_share_their_labels():
    model = OrdinalPULasso(0.02, class_order=["none", "oak", "fir"], **KNOWN)
    X, z = noise(3)
    assert not said(model.fit, X, z)
    (words,) = said(model.fit, X[29:], z[29:])
    assert "'oak' (3 of 371 rows), 'fir' (1 of 371 rows)" in words


def test_rows_of_weight_zero_do_not_count():
    X, z = noise(8)
    weight = np.ones(len(z))
    weight[33:38] = 0.0
    (words,) = said(MultinomialPULasso(0.02, unlabeled="none", **KNOWN).fit, X, z, sample_weight=weight)
    assert "'oak' (3 of 395 rows)" in words


def test_many_fits_do_not_repeat_it():
    model = MultinomialPULasso(0.05, tol=1e-3, unlabeled="none", **KNOWN)
    assert len(said(bootstrap, model, *noise(4), n_replicates=3, random_state=0, progress=False)) == 1
