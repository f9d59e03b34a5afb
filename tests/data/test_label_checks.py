"""Label columns of files: types, the marker of unlabeled rows, labels that look misspelt or ordered."""

import numpy as np
import pandas as pd
import pytest

from pulasso.data.label_checks import label_warnings, parse_labels, read_label_column
from pulasso.data.labels import encode_labels
from pulasso.exceptions import LabelError


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["0", "1", "2"], [0, 1, 2]),
        (["0", "1.5"], [0.0, 1.5]),
        (["01", "2"], [1.0, 2.0]),
        (["1", "a"], ["1", "a"]),
        (["1", ""], [1, None]),
        ([1.0, 2.0, np.nan], [1, 2, None]),
        ([True, False], [True, False]),
        (["None", "null", "", "NA"], ["None", "null", None, None]),
    ],
)
def test_labels_get_the_type_they_deserve(texts, expected):
    parsed = parse_labels(pd.Series(texts, dtype=object)).tolist()
    assert parsed == expected
    assert [type(each) for each in parsed] == [type(each) for each in expected]


@pytest.mark.parametrize(
    ("labels", "how", "marker"),
    [
        (["oak", "", "fir"], {}, None),
        (["oak", "Background", "fir"], {}, "Background"),
        (["2", "1", "5"], {}, 1),
        (["low", "mid", "high"], {"class_order": ["low", "mid", "high"]}, "low"),
        (["oak", "somewhere"], {"unlabeled": "somewhere"}, "somewhere"),
        (["7", "0"], {"unlabeled": "7"}, 7),
        (["oak", "", "fir"], {"unlabeled": ""}, None),
    ],
)
def test_the_marker_is_found(labels, how, marker):
    found = read_label_column(labels, **how)
    given = found.settings["unlabeled"]
    assert given != given if marker is None else given == marker
    assert found.is_unlabeled.tolist() == [each == marker for each in found.y.tolist()]
    assert (found.guess is None) == ("unlabeled" in how)


def test_guesses_are_told():
    found = read_label_column(["oak", "background"], name="species")
    assert found.guess.startswith("Unlabeled rows: the 1 of 2 with species = 'background'")
    assert read_label_column([0, 1], hidden=False).guess.startswith("Class 0: the 1 of 2 rows")


@pytest.mark.parametrize(
    ("labels", "how", "parameter"),
    [
        (["oak", "fir"], {}, "unlabeled"),  # of two words neither says that it is the marker
        (["oak", "?", "unknown"], {}, "unlabeled"),
        ([None, ""], {}, "y"),
        (np.linspace(0, 1, 9), {}, "y"),
        ([f"site {i}" for i in range(30)], {}, "y"),
        (["unlabeled", "low", "high"], {"class_order": ["low", "high"]}, "unlabeled"),
    ],
)
def test_what_cannot_be_guessed(labels, how, parameter):
    with pytest.raises(LabelError) as caught:
        read_label_column(labels, **how)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("labels", "how", "parameter"),
    [
        (["oak", "background", ""], {"unlabeled": "background"}, "unlabeled"),
        (["oak", "background"], {"unlabeled": "backgrond"}, "unlabeled"),
        (["oak", "fir"], {"negative": "none"}, "unlabeled"),
        (["low", "high"], {"class_order": ["lo", "high"]}, "class_order"),
        (["low", "high"], {"class_order": ["low", "mid", "high"]}, "class_order"),
        (
            ["mild", "medium", "severe"],
            {"unlabeled": "mild", "class_order": ["medium", "severe"]},
            "class_order",
        ),
        (["mild", "medium"], {"unlabeled": "mild", "class_order": ["medium", "mild"]}, "class_order"),
        (["", "oak", "fir"], {"class_order": ["oak", "fir"]}, "negative"),
    ],
)
def test_what_is_left_to_the_encoding_of_labels(labels, how, parameter):
    """Where labels and arguments contradict each other, the messages are those of every estimator."""
    found = read_label_column(labels, **how)
    with pytest.raises(LabelError) as caught:
        encode_labels(found.y, ordered=True, **found.settings)
    assert caught.value.parameter == parameter


def test_the_lowest_class_need_not_occur():
    for labels, how in (
        (["?", "mid", "high"], {"unlabeled": "?"}),
        (["", "mid", "high"], {}),
    ):
        found = read_label_column(labels, class_order=["low", "mid", "high"], **how)
        assert encode_labels(found.y, **found.settings).classes.tolist() == ["low", "mid", "high"]


@pytest.mark.parametrize(
    ("counts", "n_alike"),
    [
        ({"?": 50, "Quercus robur": 40, "Quercus robor": 2}, 1),
        ({"?": 50, "Quercus robur": 40, "quercus_robur": 30}, 1),
        ({"background": 50, "backgorund": 2, "oak": 9}, 1),
        ({"?": 50, "Quercus robur": 40, "Quercus rubra": 5}, 0),
        ({"?": 50, "type A": 40, "type B": 2}, 0),
        ({"?": 50, "sample1": 40, "sample2": 2}, 0),
        ({"?": 50, "malign": 40, "benign": 2}, 0),
        ({"?": 50, "barley": 30, "barleys": 29}, 0),
        ({0: 50, 1: 40, 11: 2}, 0),
    ],
)
def test_what_looks_like_a_misspelling(counts, n_alike):
    assert len(label_warnings(column_of(counts))) == n_alike


@pytest.mark.parametrize(
    ("labels", "scale"),
    [
        (["?", "severe", "mild", "moderate"], ["mild", "moderate", "severe"]),
        (["?", "mild", "medium", "severe"], ["mild", "medium", "severe"]),
        (["none", "stage III", "stage I", "stage II"], ["stage I", "stage II", "stage III"]),
        (["low", "oak", "high"], None),
    ],
)
def test_what_looks_like_a_scale(labels, scale):
    y = column_of(dict.fromkeys(labels, 3))
    assert [str(scale) in each for each in label_warnings(y)] == ([] if scale is None else [True])
    assert not label_warnings(y, class_order=labels)


def column_of(counts):
    return parse_labels([name for name, n in counts.items() for _ in range(n)])


def test_long_numbers_are_not_rounded_into_one():
    texts = ["9223372036854775809", "9223372036854775810", "0"]
    assert parse_labels(texts).tolist() == texts


def test_labels_in_two_forms_of_unicode_are_refused():
    composed, taken_apart = "f\u00f6hre", "fo\u0308hre"
    with pytest.raises(LabelError, match=r"two forms of Unicode, 'fo\\u0308hre' and 'f\\xf6hre'"):
        encode_labels(["?", composed, taken_apart], unlabeled="?")
    assert len(encode_labels(["?", composed, "fohre"], unlabeled="?").classes) == 3
