"""Rows are drawn again in the way in which the scenario says they were drawn."""

import numpy as np
import pytest

from pulasso import PUData
from pulasso.exceptions import InputError
from pulasso.inference._drawing import draw_pair, resample

CODES = np.repeat([0, 1, 2, 3], [40, 12, 7, 5])
each_way = pytest.mark.parametrize("by_label", [False, True])


def make_data(codes, weight=None):
    codes = np.asarray(codes)
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight, float)
    return PUData(
        np.arange(len(codes), dtype=float)[:, None], codes, np.array(["none", "ash", "oak"]), weight
    )


def test_case_control_has_the_same_number_of_rows_of_every_label(rng):
    data = make_data(CODES)
    draws = [resample(data, True, rng) for _ in range(20)]
    assert all((np.bincount(CODES, weights=counts) == [40, 12, 7, 5]).all() for counts, _ in draws)
    assert all(n_redrawn == 0 for _, n_redrawn in draws)
    assert len({counts.tobytes() for counts, _ in draws}) == 20


def test_one_sample_is_drawn_as_a_whole(rng):
    data = make_data(CODES)
    seen = np.array([np.bincount(CODES, weights=resample(data, False, rng)[0]) for _ in range(300)])
    assert (seen.sum(axis=1) == len(CODES)).all()
    n, share = len(CODES), np.bincount(CODES) / len(CODES)
    # The number of rows with a label is binomial (all but always: draws without a label are repeated).
    assert seen.mean(axis=0) == pytest.approx(n * share, abs=4 * np.sqrt(n * 0.25 / 300))
    assert seen.std(axis=0) == pytest.approx(np.sqrt(n * share * (1 - share)), rel=0.25)


@each_way
def test_every_row_is_as_likely_as_any_other_of_its_label(rng, by_label):
    data = make_data(np.repeat([0, 1], [6, 4]))
    often = np.mean([resample(data, by_label, rng)[0] for _ in range(600)], axis=0)
    assert often == pytest.approx(np.ones(10), abs=0.15)


@each_way
def test_rows_of_weight_zero_are_never_drawn(rng, by_label):
    weight = np.ones(len(CODES))
    weight[::3] = 0
    counts, _ = resample(make_data(CODES, weight), by_label, rng)
    assert counts[::3].sum() == 0
    assert counts.sum() == np.count_nonzero(weight)
    (first, second), _ = draw_pair(make_data(CODES, weight), by_label, rng)
    assert weight[first].all() and weight[second].all()


def test_a_draw_that_misses_a_label_is_repeated_and_counted(rng):
    data = make_data(np.repeat([0, 1, 2], [30, 20, 1]))
    draws = [resample(data, False, rng) for _ in range(200)]
    assert all(counts[50] > 0 for counts, _ in draws)
    # A single row of n is missed with probability (1 - 1/n)^n, so there are p / (1 - p) repetitions on average.
    missed = (1 - 1 / 51) ** 51
    assert np.mean([n for _, n in draws]) == pytest.approx(missed / (1 - missed), abs=0.25)


@each_way
def test_subsamples_are_disjoint_and_as_large_as_they_can_be(rng, by_label):
    pairs = [draw_pair(make_data(CODES), by_label, rng)[0] for _ in range(20)]
    assert not any(set(first) & set(second) for first, second in pairs)
    assert all(len(first) == len(second) for first, second in pairs)
    counts = {tuple(np.bincount(CODES[rows], minlength=4)) for pair in pairs for rows in pair}
    if by_label:
        assert counts == {(20, 6, 3, 2)}
    else:
        assert {sum(each) for each in counts} == {len(CODES) // 2}
        assert len(counts) > 2


@pytest.mark.parametrize(
    ("codes", "name"),
    [
        ([0] * 40 + [1] * 40 + [2], "'oak'"),
        ([0] + [1] * 40 + [2] * 40, "'unlabeled'"),
        ([3] + [0] * 9 + [1] * 40 + [2] * 40, "'none'"),
    ],
)
def test_a_label_that_cannot_be_in_both_subsamples_is_named(rng, codes, name):
    with pytest.raises(InputError, match=f"Only 1 of the rows carry the label {name}") as caught:
        draw_pair(make_data(codes), False, rng)
    assert caught.value.parameter == "z"
