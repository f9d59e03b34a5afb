"""Rows are drawn again in the way in which the scenario says they were drawn."""

import numpy as np
import pytest

from pulasso.data.labels import Labels
from pulasso.inference._rows import MAX_DRAWS, Rows

CLASSES = np.array(["none", "ash", "oak"])


def make_rows(codes, by_label, weight=None):
    codes = np.asarray(codes)
    labels = Labels(codes, CLASSES, order_was_guessed=False, has_negatives=bool((codes == 3).any()))
    x = np.arange(len(codes), dtype=float)[:, None]
    return Rows(x, labels, np.ones(len(codes)) if weight is None else np.asarray(weight, float), by_label)


def label_counts(rows, counts):
    return np.bincount(rows.labels.codes, weights=counts, minlength=4)


CODES = np.repeat([0, 1, 2, 3], [40, 12, 7, 5])


def test_case_control_keeps_the_number_of_rows_of_every_label(rng):
    rows = make_rows(CODES, by_label=True)
    draws = [rows.resample(rng) for _ in range(20)]
    assert all((label_counts(rows, counts) == [40, 12, 7, 5]).all() for counts, _ in draws)
    assert all(n_redrawn == 0 for _, n_redrawn in draws)
    assert len({counts.tobytes() for counts, _ in draws}) == 20


def test_one_sample_is_drawn_as_a_whole(rng):
    rows = make_rows(CODES, by_label=False)
    seen = np.array([label_counts(rows, rows.resample(rng)[0]) for _ in range(300)])
    assert (seen.sum(axis=1) == len(CODES)).all()
    n, share = len(CODES), np.bincount(CODES) / len(CODES)
    # The number of rows with a label is binomial (all but always: draws without a label are repeated).
    assert seen.mean(axis=0) == pytest.approx(n * share, abs=4 * np.sqrt(n * 0.25 / 300))
    assert seen.std(axis=0) == pytest.approx(np.sqrt(n * share * (1 - share)), rel=0.25)


@pytest.mark.parametrize("by_label", [False, True])
def test_every_row_is_as_likely_as_any_other_of_its_label(rng, by_label):
    rows = make_rows(np.repeat([0, 1], [6, 4]), by_label)
    often = np.mean([rows.resample(rng)[0] for _ in range(600)], axis=0)
    assert often == pytest.approx(np.ones(10), abs=0.15)


@pytest.mark.parametrize("by_label", [False, True])
def test_rows_of_weight_zero_are_never_drawn(rng, by_label):
    weight = np.ones(len(CODES))
    weight[::3] = 0
    rows = make_rows(CODES, by_label, weight)
    counts, _ = rows.resample(rng)
    assert counts[::3].sum() == 0
    assert counts.sum() == np.count_nonzero(weight)
    first, second, _ = rows.halves(rng)
    assert not set(np.arange(0, len(CODES), 3)) & {*first, *second}


def test_a_draw_that_misses_a_label_is_repeated_and_counted(rng):
    rows = make_rows(np.repeat([0, 1, 2], [30, 20, 1]), by_label=False)
    draws = [rows.resample(rng) for _ in range(200)]
    assert all(counts[50] > 0 for counts, _ in draws)
    # A single row of n is missed with probability (1 - 1/n)^n, so there are p / (1 - p) repetitions on average.
    missed = (1 - 1 / 51) ** 51
    assert np.mean([n for _, n in draws]) == pytest.approx(missed / (1 - missed), abs=0.25)


def test_halves_are_disjoint_and_as_large_as_they_can_be(rng):
    for by_label, sizes in ((True, [20, 6, 3, 2]), (False, None)):
        rows = make_rows(CODES, by_label)
        for _ in range(10):
            first, second, _ = rows.halves(rng)
            assert not set(first) & set(second)
            if by_label:
                assert (np.bincount(CODES[first]) == sizes).all()
                assert (np.bincount(CODES[second]) == sizes).all()
            else:
                assert len(first) == len(second) == len(CODES) // 2


def test_halves_of_one_sample_have_varying_counts_of_labels(rng):
    rows = make_rows(CODES, by_label=False)
    counts = [np.bincount(CODES[rows.halves(rng)[0]], minlength=4)[1] for _ in range(50)]
    assert len(set(counts)) > 2


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ([0] * 40 + [1] * 40 + [2], "Only 1 rows carry the label 'oak', and 100 halves of the rows"),
        ([0] + [1] * 40 + [2] * 40, "Only 1 rows are unlabeled"),
        ([3] + [0] * 9 + [1] * 40 + [2] * 40, "Only 1 rows are confirmed members of class 'none'"),
    ],
)
def test_a_label_that_cannot_be_in_both_halves_is_named(rng, codes, words):
    assert MAX_DRAWS == 100
    with pytest.raises(ValueError, match=words):
        make_rows(codes, by_label=False).halves(rng)
