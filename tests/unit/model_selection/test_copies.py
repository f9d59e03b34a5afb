"""Copies of rows in several folds are noticed, and what is alike by chance is not called a copy."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GroupKFold

from pulasso import MultinomialPULassoCV
from pulasso.exceptions import DuplicateRowsWarning, GridEdgeWarning
from pulasso.model_selection import make_splitter, split_rows
from pulasso.model_selection.copies import warn_of_copies

N = 120
RNG = np.random.default_rng(2)
X = RNG.normal(size=(N, 6)) * (RNG.random((N, 6)) < 0.7)
TWICE = np.vstack([X, X])
CODES = np.r_[np.zeros(N, dtype=int), np.arange(N) % 2]
FORMS = {
    "dense": np.asarray,
    "single": lambda x: x.astype(np.float32),
    "minus zero": lambda x: np.where(x == 0, np.where(np.arange(len(x))[:, None] < N, -0.0, 0.0), x),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}


def found_in(x, codes, weight=None):
    folds = split_rows(make_splitter(3, 0), x, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateRowsWarning)
        return warn_of_copies(folds, x, codes, np.ones(len(codes)) if weight is None else weight)


@pytest.mark.parametrize("form", FORMS)
def test_copies_are_counted_and_an_example_is_given(form):
    folds = split_rows(make_splitter(3, 0), TWICE, CODES)
    fold_of = np.empty(2 * N, dtype=int)
    for number, fold in enumerate(folds):
        fold_of[fold.test] = number
    apart = fold_of[:N] != fold_of[N:]
    (words,) = found_in(FORMS[form](TWICE), CODES)
    n_differ = 2 * int((apart & (CODES[N:] == 1)).sum())
    assert (
        words.startswith(f"{2 * int(apart.sum())} of {2 * N} held-out rows")
        and f", {n_differ} of them" in words
    )
    assert "GroupKFold" in words


def test_nothing_is_said_without_reason():
    assert not found_in(X, CODES[N:])
    assert not found_in(TWICE, CODES, weight=np.r_[np.ones(N), np.zeros(N)])  # copies that do not count
    assert not found_in(np.vstack([X, X[:1]]), np.r_[CODES[N:], 1])  # one copy changes nothing
    assert not found_in(RNG.integers(0, 3, (2 * N, 3)).astype(float), CODES)  # few values: alike by chance


def test_cross_validation_says_it_once_and_grouped_folds_are_silent():
    x, z = TWICE, np.r_[CODES[N:], np.where(X[:, 0] > 0, 2, 0)]
    model = MultinomialPULassoCV(scenario="fully-observed", lams=[0.1, 0.05], cv=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GridEdgeWarning)
        with pytest.warns(DuplicateRowsWarning) as caught:
            model.fit(x, z)
        (said,) = [str(each.message) for each in caught if issubclass(each.category, DuplicateRowsWarning)]
        assert said in model.warnings_
        model.set_params(cv=GroupKFold(3)).fit(x, z, groups=np.tile(np.arange(N), 2))
