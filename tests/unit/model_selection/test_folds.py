"""Folds keep the proportions of observed labels, and a curve of losses chooses a lam."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from pulasso.data.labels import encode_labels
from pulasso.exceptions import InputError
from pulasso.model_selection import Fold, LossCurve, check_folds, make_splitter, named_scorer, split_rows

CODES = np.repeat([0, 1], [8, 4])


def test_every_label_has_the_same_share_in_every_fold():
    codes = np.random.default_rng(0).permuted(np.repeat([0, 1, 2, 3], [103, 41, 22, 6]))
    folds = split_rows(make_splitter(5, random_state=0), np.zeros((len(codes), 1)), codes)
    held_out = np.concatenate([fold.test for fold in folds])
    assert sorted(held_out) == list(range(len(codes)))
    for fold in folds:
        assert not set(fold.train) & set(fold.test)
        exact = np.bincount(codes) / 5
        assert (np.abs(np.bincount(codes[fold.test], minlength=4) - exact) < 1).all()
    assert (np.diff(folds[0].test) > 1).any()  # shuffled


def test_a_label_rarer_than_folds_is_allowed_if_each_fit_sees_it():
    labels = encode_labels(np.repeat([0, 1, 2], [20, 20, 2]))
    folds = split_rows(make_splitter(None, random_state=0), np.zeros((42, 1)), labels.codes)
    assert len(folds) == 5
    check_folds(folds, labels, np.ones(42))


def test_groups_go_to_the_splitter():
    groups = np.array([0, 0, 1, 1, 2, 2])
    folds = split_rows(make_splitter(GroupKFold(3), None), np.zeros((6, 1)), np.zeros(6, int), groups=groups)
    assert all(len(set(groups[fold.test])) == 1 for fold in folds)


def test_seeds_of_every_kind_and_rows_as_masks():
    def first(seed):
        return split_rows(make_splitter(2, seed), CODES[:, None], CODES)[0].test.tolist()

    assert first(3) == first(np.int64(3)) == first(np.random.RandomState(3))
    assert first(np.random.default_rng(3)) == first(np.random.default_rng(3))
    is_test = np.arange(12) % 2 == 0
    (fold,) = split_rows(make_splitter([(~is_test, is_test)], None), CODES[:, None], CODES)
    assert fold.test.tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize(
    ("cv", "seed", "codes", "parameter"),
    [
        (9, 0, CODES, "cv"),
        (2, 0, np.arange(3), "cv"),
        ([], None, CODES, "cv"),
        ([3], None, CODES, "cv"),
        ([([0, 99], [1])], None, CODES, "cv"),
        ([([0.5], [1])], None, CODES, "cv"),
        ([([[0], [1]], [2])], None, CODES, "cv"),
        (2, 2**40, CODES, "random_state"),
        (2, -1, CODES, "random_state"),
        (2, True, CODES, "random_state"),
        (2, "seed", CODES, "random_state"),
    ],
)
def test_folds_that_cannot_be_made(cv, seed, codes, parameter):
    with pytest.raises(InputError) as caught:
        split_rows(make_splitter(cv, seed), codes[:, None], codes)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("train", "weight", "words"),
    [
        ([0, 1, 2, 3], 1, "holds out all 2 rows confirmed as -1"),
        ([0, 1, 4, 5], 1, "holds out all 2 rows labelled 1"),
        ([2, 3, 4, 5], 1, "holds out all 2 rows without label"),
        ([0, 2, 4], 0, "holds out no row"),
    ],
)
def test_folds_that_cannot_be_used(train, weight, words):
    labels = encode_labels([0, 0, 1, 1, -1, -1], unlabeled=0, negative=-1)
    test = np.setdiff1d(np.arange(6), train)
    weights = np.ones(6)
    weights[test] = weight
    with pytest.raises(InputError, match=f"Fold 1 of 1 {words}") as caught:
        check_folds([Fold(np.array(train), test)], labels, weights)
    assert caught.value.parameter == "cv"


def test_an_unknown_scorer():
    with pytest.raises(InputError, match="Did you mean 'pu_accuracy'") as caught:
        named_scorer("pu_acuracy")
    assert caught.value.parameter == "scoring"


def curve(*losses, weights=None):
    losses = np.array(losses)
    lams = 2.0 ** -np.arange(losses.shape[1])
    return LossCurve(lams, losses, np.ones(len(losses)) if weights is None else np.array(weights))


def test_the_choice_of_a_known_curve():
    drawn = curve([4.0, 2.5, 2.0, 3.0], [4.0, 2.7, 3.0, 3.0])
    np.testing.assert_allclose(drawn.mean, [4.0, 2.6, 2.5, 3.0])
    np.testing.assert_allclose(drawn.se[2], 0.5)
    assert drawn.index("min") == 2
    assert drawn.index("1se") == 1
    assert drawn.edge() == ""
    np.testing.assert_allclose(
        curve([1.0], [4.0], weights=[2.0, 1.0]).mean, [2.0]
    )  # heavier folds count more


def test_a_single_fold_has_no_standard_error():
    alone = curve([2.0, 1.5, 1.4])
    assert np.isnan(alone.se).all()
    assert alone.index("1se") == alone.index("min") == 2
    assert alone.edge() == "smallest"


def test_among_equals_the_largest_lam():
    flat = curve([1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    assert flat.index("min") == flat.index("1se") == 0
    assert flat.edge() == "largest"
    assert curve([2.0, 1.0], [2.0, 1.0]).edge() == "smallest"
    # The standard error is 0.5: halving lam gained 0.12 of it, and then 0.01, which is flat.
    assert curve([3.0, 2.06, 2.0], [2.0, 1.06, 1.0]).edge() == "smallest"
    assert curve([3.0, 2.005, 2.0], [2.0, 1.005, 1.0]).edge() == ""
    assert LossCurve(np.zeros(2), np.ones((2, 2)), np.ones(2)).edge() == ""


def test_losses_that_are_not_finite_are_passed_over():
    drawn = curve([2.0, np.nan, 1.0], [2.0, 0.0, np.inf])
    assert drawn.index("min") == 0
    assert drawn.usable.tolist() == [True, False, False]
