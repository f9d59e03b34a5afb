"""Reading labels: markers, class names, class order, weights, and words when something is off."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from pulasso.data.labels import encode_labels, encode_with
from pulasso.exceptions import LabelError, MarkerWarning

NAN = float("nan")


def assert_encoded(labels, codes, classes):
    assert labels.codes.dtype == np.intp
    assert labels.codes.tolist() == codes
    assert labels.classes.tolist() == classes


# --- unlabeled=None: the smallest label is the marker and names class 0 -------------------------------


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([0, 2, 1, 0], [0, 2, 1, 0], [0, 1, 2]),
        ([-1, 1, -1], [0, 1, 0], [-1, 1]),
        ([-1, 0, 1], [0, 1, 2], [-1, 0, 1]),
        ([1.0, 3.0, 1.0], [0, 1, 0], [1.0, 3.0]),
        ([True, False], [1, 0], [False, True]),
        (["bg", "oak", "ash"], [1, 2, 0], ["ash", "bg", "oak"]),
        (["bg", "negative", "oak"], [0, 1, 2], ["bg", "negative", "oak"]),
    ],
)
def test_smallest_label_is_the_marker(y, codes, classes):
    labels = encode_labels(y)
    assert_encoded(labels, codes, classes)
    assert not labels.has_negatives
    assert not labels.order_was_guessed


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, bool, "<U3"])
def test_classes_keep_the_dtype_of_an_array(dtype):
    y = np.array([0, 1, 1]).astype(dtype)
    assert encode_labels(y).classes.dtype == np.unique(y).dtype


def test_predictions_can_be_looked_up_in_classes():
    labels = encode_labels(np.array(["bg", "oak", "ash"], dtype=object), unlabeled="bg")
    assert labels.classes[np.array([2, 0])].tolist() == ["oak", "bg"]
    assert labels.classes.dtype == object


@pytest.mark.parametrize("missing", [NAN, np.nan, None, pd.NaT, pd.NA, np.float32("nan")])
def test_missing_values_need_a_declaration(missing):
    y = np.array(["oak", missing, "ash", missing], dtype=object)
    with pytest.raises(LabelError, match=r'y has 2 missing values.*unlabeled=float\("nan"\)'):
        encode_labels(y)


def test_one_missing_value_is_singular():
    with pytest.raises(LabelError, match="y has 1 missing value\\."):
        encode_labels([0.0, 1.0, NAN])


def test_missing_values_beside_another_marker_are_refused():
    with pytest.raises(LabelError, match="1 missing value, but unlabeled rows are marked by -1"):
        encode_labels([-1.0, 1.0, NAN], unlabeled=-1)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("unlabeled", [None, NAN, 0])
def test_infinity_is_refused(infinity, unlabeled):
    with pytest.raises(ValueError, match="Input y contains infinity"):
        encode_labels([0.0, 1.0, infinity], unlabeled=unlabeled)


# --- missing values as the marker ---------------------------------------------------------------------


@pytest.mark.parametrize("unlabeled", [NAN, np.nan, np.float32("nan"), pd.NA])
@pytest.mark.parametrize("missing", [NAN, None, pd.NaT, pd.NA])
def test_every_kind_of_missing_value_is_the_marker(unlabeled, missing):
    y = np.array(["oak", missing, None, "ash"], dtype=object)
    assert_encoded(encode_labels(y, unlabeled=unlabeled), [2, 0, 0, 1], ["negative", "ash", "oak"])


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, None, 2], [0, 1, 2]),
        ([1.0, NAN, 2.0], [0.0, 1.0, 2.0]),
        (np.array([1, np.nan, 2], dtype=np.float32), [0.0, 1.0, 2.0]),
        (["ash", None, "oak"], ["negative", "ash", "oak"]),
        (["ash", NAN, "oak"], ["negative", "ash", "oak"]),
        (pd.Series(["ash", None, "oak"]), ["negative", "ash", "oak"]),
        (pd.Series([1, None, 2]), [0.0, 1.0, 2.0]),
        (pd.Series([1, None, 2], dtype="Int64"), [0, 1, 2]),
        (pl.Series([1, None, 2]), [0, 1, 2]),
        (pl.Series(["ash", None, "oak"]), ["negative", "ash", "oak"]),
        (pd.Categorical(["ash", None, "oak"]), ["negative", "ash", "oak"]),
        (pd.Series([1, None, 2], dtype="category"), [0, 1, 2]),
    ],
)
def test_class_0_gets_a_default_name_beside_missing_markers(y, classes):
    labels = encode_labels(y, unlabeled=NAN)
    assert_encoded(labels, [1, 0, 2], classes)
    assert [type(name) for name in labels.classes.tolist()] == [type(name) for name in classes]


@pytest.mark.parametrize(
    "y", [[True, None], pd.Series([True, None], dtype="boolean"), pl.Series([True, None])]
)
def test_booleans_name_class_0_false(y):
    labels = encode_labels(y, unlabeled=NAN)
    assert_encoded(labels, [1, 0], [False, True])
    assert labels.classes.dtype == bool


def test_nothing_unlabeled_is_left_to_the_scenario():
    assert_encoded(encode_labels([1.0, 2.0, 2.0], unlabeled=NAN), [1, 2, 2], [0, 1, 2])


# --- ordinary markers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "unlabeled", "codes", "classes"),
    [
        ([1, -1, 2], -1, [1, 0, 2], [-1, 1, 2]),
        ([1, 9, 2], 9, [1, 0, 2], [9, 1, 2]),
        ([0, 1, 2], 0, [0, 1, 2], [0, 1, 2]),
        (["oak", "", "ash"], "", [2, 0, 1], ["", "ash", "oak"]),
        (["oak", "bg", "ash"], "bg", [2, 0, 1], ["bg", "ash", "oak"]),
        (np.array(["oak", "bg"]), np.str_("bg"), [1, 0], ["bg", "oak"]),
        ([True, False], 0, [1, 0], [False, True]),
        ([1.0, -1.0], np.int64(-1), [1, 0], [-1.0, 1.0]),
    ],
)
def test_an_ordinary_marker_names_class_0(y, unlabeled, codes, classes):
    assert_encoded(encode_labels(y, unlabeled=unlabeled), codes, classes)


def test_an_absent_marker_is_an_error_with_suggestions():
    with pytest.raises(LabelError, match="unlabeled is 'BG'.*present: 'ash', 'bg', 'oak'. Did you mean 'bg'"):
        encode_labels(["bg", "oak", "ash"], unlabeled="BG")
    with pytest.raises(LabelError, match="unlabeled is -1.*Labels present: 0, 1\\.$"):
        encode_labels([0, 1], unlabeled=-1)


def test_long_lists_of_labels_are_cut():
    with pytest.raises(LabelError, match="0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"):
        encode_labels(range(12), unlabeled=77)


def test_a_marker_of_another_type_is_an_absent_marker():
    with pytest.raises(LabelError, match="unlabeled is -1.*'-1', 'oak'. Did you mean '-1'"):
        encode_labels(["-1", "oak"], unlabeled=-1)
    with pytest.raises(LabelError, match="unlabeled is '0', which does not occur in y"):
        encode_labels([0, 1], unlabeled="0")


@pytest.mark.parametrize("argument", ["unlabeled", "negative"])
def test_a_list_is_no_label(argument):
    with pytest.raises(LabelError, match=rf"{argument}=\[-1\].*not a label"):
        encode_labels([0, 1], **{"unlabeled": 0, argument: [-1]})


# --- the name of class 0, and confirmed negatives -----------------------------------------------------


@pytest.mark.parametrize(
    ("y", "unlabeled"),
    [([NAN, 0, 1], NAN), ([-1, 0, 1], -1), ([99, 0, 1], 99)],
)
def test_zero_beside_the_marker_is_ambiguous(y, unlabeled):
    with pytest.raises(LabelError, match="positive class or a confirmed negative.*negative=0 .*negative=-1"):
        encode_labels(y, unlabeled=unlabeled)


def test_other_default_names_beside_the_marker_are_ambiguous_too():
    with pytest.raises(LabelError, match="negative='negative'.*negative='background'"):
        encode_labels(["negative", None, "oak"], unlabeled=NAN)
    with pytest.raises(LabelError, match="negative=False"):
        encode_labels([False, None, True], unlabeled=NAN)


@pytest.mark.parametrize(("y", "unlabeled"), [([NAN, 0, 1], NAN), ([-1, 0, 1], -1)])
def test_negative_confirms_the_rows_that_carry_it(y, unlabeled):
    labels = encode_labels(y, unlabeled=unlabeled, negative=0)
    assert_encoded(labels, [0, 2, 1], [0, 1])
    assert labels.has_negatives


@pytest.mark.parametrize(("y", "unlabeled"), [([NAN, 0, 1], NAN), ([-1, 0, 1], -1)])
def test_another_name_for_class_0_makes_zero_a_positive_class(y, unlabeled):
    labels = encode_labels(y, unlabeled=unlabeled, negative=-1)
    assert_encoded(labels, [0, 1, 2], [-1, 0, 1])
    assert not labels.has_negatives


def test_negative_may_be_a_name_that_no_row_carries():
    labels = encode_labels(np.array(["oak", "bg"]), unlabeled="bg", negative="absent everywhere")
    assert_encoded(labels, [1, 0], ["absent everywhere", "oak"])
    assert not labels.has_negatives


def test_negative_needs_the_marker_too():
    with pytest.raises(LabelError, match="negative=0 names class 0.*Give the marker too"):
        encode_labels([0, 1, 2], negative=0)


def test_missing_values_are_reported_before_a_lonely_negative():
    with pytest.raises(LabelError, match="1 missing value"):
        encode_labels([0, 1, NAN], negative=0)


@pytest.mark.parametrize(("y", "negative"), [([NAN, 1], "bg"), (["oak", None], 0), ([True, None], "no")])
def test_class_0_is_named_like_the_labels(y, negative):
    with pytest.raises(LabelError, match="of the same kind"):
        encode_labels(y, unlabeled=NAN, negative=negative)


def test_class_0_is_not_named_nan():
    with pytest.raises(LabelError, match="needs an ordinary name"):
        encode_labels([1, NAN], unlabeled=NAN, negative=NAN)


def test_a_name_that_does_not_fit_widens_the_classes():
    labels = encode_labels(np.array([1, 9], dtype=np.uint8), unlabeled=9, negative=-1)
    assert labels.classes.tolist() == [-1, 1]
    assert encode_labels([True, None], unlabeled=NAN, negative=0).classes.dtype == bool


# --- kinds of input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        np.array,
        lambda y: np.array(y, dtype=object),
        pd.Series,
        lambda y: pd.Series(y, dtype=object, index=[7, 7, 3, 1]),
        lambda y: pd.Series(y, dtype="category"),
        pd.Categorical,
        pl.Series,
        lambda y: pl.Series(y, dtype=pl.Categorical),
    ],
)
def test_strings_in_any_container(container):
    labels = encode_labels(container(["oak", "bg", "ash", "bg"]), unlabeled="bg")
    assert_encoded(labels, [2, 0, 1, 0], ["bg", "ash", "oak"])
    assert labels.classes.dtype.kind in "OU"


@pytest.mark.parametrize(
    "container", [list, np.array, lambda y: np.array(y, dtype=object), pd.Series, pl.Series]
)
def test_integers_in_any_container(container):
    labels = encode_labels(container([2, 0, 1, 0]))
    assert_encoded(labels, [2, 0, 1, 0], [0, 1, 2])
    assert labels.classes.dtype.kind == "i"


def test_numpy_string_dtype():
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("needs NumPy 2")
    y = np.array(["oak", "bg"], dtype=np.dtypes.StringDType())
    assert_encoded(encode_labels(y, unlabeled="bg"), [1, 0], ["bg", "oak"])


@pytest.mark.parametrize("unlabeled", [None, NAN])
def test_continuous_targets_are_refused_in_scikit_learns_words_and_ours(unlabeled):
    words = (
        r"Unknown label type: continuous. y holds 3 different numbers with decimals, such as 0, 1.235: .*cut"
    )
    with pytest.raises(LabelError, match=words):
        encode_labels([0.0, 1.23456789, 2.5], unlabeled=unlabeled)


@pytest.mark.parametrize("marker", ["unlabeled", "Background", "unknown"])
def test_a_label_that_looks_like_the_marker_and_is_not_taken_as_one(marker):
    y = ["Ash", marker, "Ash", marker]
    with pytest.warns(
        MarkerWarning, match=rf"'Ash', the first one, are taken as unlabeled.* unlabeled='{marker}'"
    ):
        encode_labels(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_labels(y, unlabeled="Ash")
        encode_labels(y, unlabeled=marker)
        encode_labels(["background", "oak"])


def test_unordered_categories_are_sorted_and_unused_ones_ignored():
    y = pd.Categorical(["b", "a"], categories=["z", "b", "a"])
    assert_encoded(encode_labels(y), [1, 0], ["a", "b"])


def test_an_ordered_categorical_gives_the_order():
    y = pd.Series(
        pd.Categorical(["high", "low", "mid"], categories=["none", "low", "mid", "high"], ordered=True)
    )
    labels = encode_labels(y, ordered=True)
    assert_encoded(labels, [2, 0, 1], ["low", "mid", "high"])
    assert not labels.order_was_guessed


def test_an_ordered_categorical_of_numbers_with_missing_values():
    y = pd.Series(pd.Categorical([1, None, 5, 3], categories=[5, 3, 1], ordered=True))
    assert_encoded(encode_labels(y, unlabeled=NAN), [3, 0, 1, 2], [0, 5, 3, 1])


def test_a_polars_enum_gives_the_order():
    y = pl.Series(["high", "low", "mid"], dtype=pl.Enum(["low", "mid", "high"]))
    labels = encode_labels(y, ordered=True)
    assert_encoded(labels, [2, 0, 1], ["low", "mid", "high"])
    assert not labels.order_was_guessed


@pytest.mark.parametrize("container", [np.array, pd.DataFrame])
def test_a_column_vector_is_flattened_with_a_warning(container):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        labels = encode_labels(container([[0], [1]]))
    assert_encoded(labels, [0, 1], [0, 1])


def test_a_one_column_frame_keeps_the_order_of_its_categorical():
    y = pd.DataFrame({"stage": pd.Categorical(["late", "early"], categories=["late", "early"], ordered=True)})
    with pytest.warns(DataConversionWarning):
        labels = encode_labels(y)
    assert labels.classes.tolist() == ["late", "early"]


def test_two_columns_are_refused():
    with pytest.raises(ValueError, match="y should be a 1d array"):
        encode_labels([[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("y", "culprit"),
    [
        (["oak", -1], "strings .*'oak'.* and numbers .*-1"),
        (np.array(["2020-01-01"], dtype="M8[ns]"), "datetime64 objects"),
        (pd.Series(pd.to_datetime(["2020-01-01", None])), "datetime64 objects"),
        (np.array([b"oak"]), "bytes_? objects"),
        (np.array([1j], dtype=object), "complex objects"),
    ],
)
def test_other_labels_are_refused_by_name(y, culprit):
    with pytest.raises(LabelError, match=culprit):
        encode_labels(y)


def test_dates_that_are_all_missing_carry_no_label():
    with pytest.raises(LabelError, match="no row carries a label"):
        encode_labels(np.array(["NaT", "NaT"], dtype="M8[D]"), unlabeled=NAN)


# --- class order --------------------------------------------------------------------------------------


def test_class_order_starts_with_the_marker():
    y = ["low", "high", "mid", "?"]
    labels = encode_labels(y, unlabeled="?", class_order=["?", "low", "mid", "high"], ordered=True)
    assert_encoded(labels, [1, 3, 2, 0], ["?", "low", "mid", "high"])
    assert not labels.order_was_guessed


def test_class_order_decides_the_marker_when_none_is_given():
    labels = encode_labels(["low", "high", "mid"], class_order=np.array(["low", "mid", "high"]))
    assert_encoded(labels, [0, 2, 1], ["low", "mid", "high"])


@pytest.mark.parametrize("first", ["?", "none"])
def test_class_order_starts_with_the_marker_or_class_0(first):
    labels = encode_labels(
        ["low", "none", "high", "?"], unlabeled="?", negative="none", class_order=[first, "low", "high"]
    )
    assert_encoded(labels, [1, 3, 2, 0], ["none", "low", "high"])


def test_class_order_names_class_0_when_missing_values_are_the_marker():
    labels = encode_labels(["low", None, "high"], unlabeled=NAN, class_order=["none", "low", "high"])
    assert_encoded(labels, [1, 0, 2], ["none", "low", "high"])
    with pytest.raises(LabelError, match="class_order starts with 0, but the labels in y are strings"):
        encode_labels(["low", None, "high"], unlabeled=NAN, class_order=[0, "low", "high"])


def test_class_order_settles_whether_zero_is_a_positive_class():
    assert_encoded(encode_labels([-1, 1, 0], unlabeled=-1, class_order=[-1, 0, 1]), [0, 2, 1], [-1, 0, 1])
    with pytest.raises(LabelError, match="positive class or a confirmed negative"):
        encode_labels([NAN, 1, 0], unlabeled=NAN, class_order=[0, 1])


@pytest.mark.parametrize(
    ("class_order", "message"),
    [
        (["?", "low", "hgih"], "names 'hgih', which does not occur in y.*Did you mean 'high'"),
        (["?", "low"], "leaves out 'high'"),
        (["?", "low", "high", "low"], "names 'low' more than once"),
        (["low", "high"], "starts with 'low', but must start with class 0, here 'none'"),
        (["?", "none", "low", "high"], "names 'none' after '\\?'"),
        ([], "is empty"),
        ([["?"], "low"], "not a label"),
    ],
)
def test_a_wrong_class_order_names_the_culprit(class_order, message):
    with pytest.raises(LabelError, match=message):
        encode_labels(["low", "?", "high"], unlabeled="?", negative="none", class_order=class_order)


def test_an_unknown_first_class_without_a_marker():
    with pytest.raises(LabelError, match="class_order names 'lo', which does not occur in y.*mean 'low'"):
        encode_labels(["low", "high"], class_order=["lo", "high"])


@pytest.mark.parametrize(
    ("y", "ordered", "guessed"),
    [
        (["a", "b", "c"], True, True),
        (pl.Series(["a", "b", "c"]), True, True),
        (pd.Categorical(["a", "b", "c"]), True, True),
        (["a", "b", "c"], False, False),
        (["a", "b", "b"], True, False),
        ([0, 1, 2], True, False),
        ([0.0, 1.0, 2.0], True, False),
        ([False, True, True], True, False),
    ],
)
def test_only_the_alphabet_is_a_guess(y, ordered, guessed):
    assert encode_labels(y, ordered=ordered).order_was_guessed is guessed


# --- weights ------------------------------------------------------------------------------------------


def test_rows_of_weight_zero_are_absent():
    labels = encode_labels(["bg", "oak", "ash", "bg"], unlabeled="bg", sample_weight=[1, 2, 0, 0.5])
    assert_encoded(labels, [0, 1, 0, 0], ["bg", "oak"])


def test_missing_or_infinite_labels_of_weight_zero_do_not_matter():
    labels = encode_labels([0.0, 1.0, NAN, np.inf, 2.5], sample_weight=[1, 1, 0, 0, 0])
    assert_encoded(labels, [0, 1, 0, 0, 0], [0, 1])


def test_negatives_of_weight_zero_are_no_negatives():
    labels = encode_labels([-1, 0, 1], unlabeled=-1, negative=0, sample_weight=[1, 0, 1])
    assert_encoded(labels, [0, 0, 1], [0, 1])
    assert not labels.has_negatives


def test_a_marker_of_weight_zero_does_not_occur():
    with pytest.raises(LabelError, match="unlabeled is -1, which does not occur"):
        encode_labels([-1, 2, 1], unlabeled=-1, sample_weight=[0, 1, 1])


def test_weights_that_leave_nothing():
    with pytest.raises(LabelError, match="at least one non-zero number"):
        encode_labels([0, 1], sample_weight=[0, 0])
    with pytest.raises(LabelError, match="no rows"):
        encode_labels([])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        encode_labels([0, 1], sample_weight=[1, 1, 1])


# --- too few classes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [[1, 1, 1], ["oak"], [True, True]])
def test_one_label_is_only_one_class(y):
    with pytest.raises(LabelError, match="y contains only one class"):
        encode_labels(y)


def test_weights_that_leave_one_class():
    with pytest.raises(LabelError, match="only one class"):
        encode_labels([0, 1, 1], sample_weight=[0, 1, 1])


@pytest.mark.parametrize(("y", "unlabeled"), [([NAN] * 3, NAN), ([None] * 3, NAN), ([-1] * 3, -1)])
def test_everything_unlabeled(y, unlabeled):
    with pytest.raises(LabelError, match=r"no row carries a label \(all 3 rows are unlabeled\).*class"):
        encode_labels(y, unlabeled=unlabeled)


@pytest.mark.parametrize(("y", "unlabeled"), [([NAN, 0, 0], NAN), ([-1, 0, 0], -1)])
def test_negatives_alone_are_only_one_class(y, unlabeled):
    with pytest.raises(LabelError, match="only one class, 0: 2 rows are confirmed negatives and 1"):
        encode_labels(y, unlabeled=unlabeled, negative=0)


# --- new labels against known classes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes", "options", "codes"),
    [
        ([2, 0, 2], [0, 1, 2], {}, [2, 0, 2]),
        ([1, 1], [0, 1, 2], {}, [1, 1]),
        ([1, -1], [-1, 1, 2], {"unlabeled": -1}, [1, 0]),
        ([1, NAN], [0, 1], {"unlabeled": NAN}, [1, 0]),
        ([1, None, 0], [0, 1], {"unlabeled": NAN, "negative": 0}, [1, 0, 2]),
        ([1, -1, 0], [0, 1], {"unlabeled": -1, "negative": 0}, [1, 0, 2]),
        ([0, -1, 1], [-1, 0, 1], {"unlabeled": -1, "negative": -1}, [1, 0, 2]),
        (["oak", ""], ["", "ash", "oak"], {"unlabeled": ""}, [2, 0]),
    ],
)
def test_encode_with_known_classes(y, classes, options, codes):
    assert encode_with(y, np.array(classes), **options).tolist() == codes


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (["elm", "oak"], {}, "y holds 'elm', unknown to the fitted model, whose labels are 'oak', 'bg'"),
        (["bg", None], {}, "1 missing value, but unlabeled rows are marked by 'bg'"),
        (["bg", "oak"], {"unlabeled": NAN}, "y holds 'bg', unknown"),
        ([1, 2], {}, "y holds 1, 2, unknown"),
    ],
)
def test_encode_with_names_unknown_labels(y, options, message):
    with pytest.raises(LabelError, match=message):
        encode_with(y, ["bg", "oak"], **options)


# --- properties ---------------------------------------------------------------------------------------

label_lists = st.lists(st.integers(0, 4), min_size=2, max_size=30).filter(lambda y: len(set(y)) > 1)
encodings = st.sampled_from(
    [{}, {"unlabeled": "smallest"}, {"unlabeled": "smallest", "negative": "largest"}, {"ordered": True}]
)


def resolve(options, y):
    """Replace the words "smallest" and "largest" by the labels of y that they mean."""
    extremes = {"smallest": min(y), "largest": max(y)}
    return {name: extremes.get(value, value) for name, value in options.items()}


def has_positive_class(options, y):
    return len(set(y)) > (2 if "negative" in options else 1)


@settings(deadline=None)
@given(y=label_lists, options=encodings, data=st.data())
def test_permuting_rows_permutes_codes(y, options, data):
    y = np.array(y) + 1  # without 0, which would be ambiguous
    if not has_positive_class(options, y.tolist()):
        return
    options = resolve(options, y.tolist())
    order = np.array(data.draw(st.permutations(range(len(y)))))
    plain, permuted = encode_labels(y, **options), encode_labels(y[order], **options)
    assert permuted.codes.tolist() == plain.codes[order].tolist()
    assert permuted.classes.tolist() == plain.classes.tolist()
    assert permuted.has_negatives == plain.has_negatives


@settings(deadline=None)
@given(
    y=label_lists, options=encodings, offset=st.integers(1, 5), container=st.sampled_from([list, pd.Series])
)
def test_renaming_labels_in_order_leaves_codes_alone(y, options, offset, container):
    if not has_positive_class(options, y):
        return
    numbers = [label + 1 for label in y]
    texts = ["class " + "abcdefghij"[label + offset] for label in y]
    by_number = encode_labels(numbers, **resolve(options, numbers))
    by_text = encode_labels(container(texts), **resolve(options, texts))
    assert by_text.codes.tolist() == by_number.codes.tolist()
    renamed = dict(zip(numbers, texts, strict=True))
    assert by_text.classes.tolist() == [renamed[number] for number in by_number.classes.tolist()]


@settings(deadline=None)
@given(y=label_lists, data=st.data())
def test_weight_zero_equals_leaving_rows_out(y, data):
    y = np.array(y)
    weight = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(y), max_size=len(y))))
    if len(set(y[weight > 0].tolist())) < 2:
        return
    weighted, trimmed = encode_labels(y, sample_weight=weight), encode_labels(y[weight > 0])
    assert weighted.classes.tolist() == trimmed.classes.tolist()
    assert weighted.codes[weight > 0].tolist() == trimmed.codes.tolist()
    assert not weighted.codes[weight == 0].any()


@settings(deadline=None)
@given(y=label_lists)
def test_encoding_twice_agrees(y):
    labels = encode_labels(y)
    assert encode_with(y, labels.classes).tolist() == labels.codes.tolist()
