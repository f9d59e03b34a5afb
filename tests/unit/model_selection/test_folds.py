"""Folds keep the shares of observed labels."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from pulasso.data.labels import encode_labels
from pulasso.model_selection import Fold, LossCurve, check_folds, make_splitter, split_rows


def test_every_label_has_the_same_share_in_every_fold():
    codes = np.random.default_rng(0).permuted(np.repeat([0, 1, 2, 3], [103, 41, 22, 6]))
    folds = split_rows(make_splitter(5, random_state=0), np.zeros((len(codes), 1)), codes)
    held_out = np.concatenate([fold.test for fold in folds])
    assert sorted(held_out) == list(range(len(codes)))
    for fold in folds:
        assert not set(fold.train) & set(fold.test)
        exact = np.bincount(codes) / 5
        assert (np.abs(np.bincount(codes[fold.test], minlength=4) - exact) < 1).all()
    assert not np.array_equal(folds[0].test, np.sort(codes)[: len(folds[0].test)])


def test_a_label_rarer_than_folds_is_allowed_if_each_fit_sees_it():
    labels = encode_labels(np.repeat([0, 1, 2], [20, 20, 2]))
    folds = split_rows(make_splitter(None, random_state=0), np.zeros((42, 1)), labels.codes)
    assert len(folds) == 5
    check_folds(folds, labels, np.ones(42))


def test_labels_that_occur_once_cannot_be_split():
    with pytest.raises(ValueError, match="need labels that occur more than once"):
        split_rows(make_splitter(2, random_state=0), np.zeros((3, 1)), np.arange(3))


def test_groups_go_to_the_splitter():
    groups = np.array([0, 0, 1, 1, 2, 2])
    folds = split_rows(make_splitter(GroupKFold(3), None), np.zeros((6, 1)), np.zeros(6, int), groups=groups)
    assert all(len(set(groups[fold.test])) == 1 for fold in folds)


def test_confirmed_negatives_are_named():
    labels = encode_labels([0, 0, 1, 1, -1, -1], unlabeled=0, negative=-1)
    fold = Fold(np.array([0, 2]), np.array([1, 3, 4, 5]))
    with pytest.raises(ValueError, match="Fold 1 of 1 holds out all 2 rows confirmed as -1"):
        check_folds([fold], labels, np.ones(6))


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


def test_among_equals_the_largest_lam():
    flat = curve([1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    assert flat.index("min") == flat.index("1se") == 0
    assert flat.edge() == "largest"
    assert curve([2.0, 1.0], [2.0, 1.0]).edge() == "smallest"
    # The standard error is 0.5: halving lam gained 0.12 of it, and then 0.01, which is flat.
    assert curve([3.0, 2.06, 2.0], [2.0, 1.06, 1.0]).edge() == "smallest"
    assert curve([3.0, 2.005, 2.0], [2.0, 1.005, 1.0]).edge() == ""
    assert LossCurve(np.zeros(2), np.ones((2, 2)), np.ones(2)).edge() == ""


def test_heavier_folds_count_more():
    np.testing.assert_allclose(curve([1.0], [4.0], weights=[2.0, 1.0]).mean, [2.0])


def test_losses_that_are_not_finite_are_passed_over():
    drawn = curve([2.0, np.nan, 1.0], [2.0, 0.0, np.inf])
    assert drawn.index("min") == 0
    assert drawn.usable.tolist() == [True, False, False]
