"""Groups of coefficients: constructors, checks against the data, block norms."""

import copy
import pickle
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from pulasso.exceptions import GroupError
from pulasso.penalties.groups import Blocks, Groups

NAMES = ["age", "height", "weight", "colour"]
CLASSES = ["cat", "dog"]


def resolve(groups, **changes):
    """Resolve against four named columns and two named classes."""
    return groups.resolve(
        **{"n_features": 4, "n_outputs": 2, "feature_names": NAMES, "class_names": CLASSES, **changes}
    )


def members(blocks):
    """Names of the blocks with the set of (row, column) of their entries."""
    return {
        name: set(zip(*map(np.ndarray.tolist, blocks.entries(np.array([j]))), strict=True))
        for j, name in enumerate(blocks.names)
    }


# Blocks


@st.composite
def random_blocks(draw):
    n_features, n_outputs = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    size = n_features * n_outputs
    labels = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
    numbers = np.unique(labels, return_inverse=True)[1].reshape(n_features, n_outputs)
    n_blocks = numbers.max() + 1
    return Blocks(numbers, np.ones(n_blocks), tuple(f"block {j}" for j in range(n_blocks)))


def brute_force_norms(blocks, theta):
    return [np.linalg.norm(theta[blocks.index == j]) for j in range(blocks.n_blocks)]


@settings(deadline=None)
@given(random_blocks(), st.integers(0, 2**32 - 1), st.sampled_from("CF"))
def test_norms_sizes_and_entries_agree_with_brute_force(blocks, seed, order):
    rng = np.random.default_rng(seed)
    theta = np.asarray(rng.normal(size=blocks.shape), order=order)
    assert_allclose(blocks.norms(theta), brute_force_norms(blocks, theta), rtol=1e-13)
    assert_array_equal(blocks.matrix(blocks.flat(theta)), theta)
    for j in range(blocks.n_blocks):
        assert blocks.sizes[j] == (blocks.index == j).sum()
        assert_array_equal(theta[blocks.entries(np.array([j]))], theta[blocks.index == j])


@pytest.mark.parametrize(
    ("groups", "n_outputs", "layout"),
    [
        ("rows", 3, "rows"),
        ("entries", 3, "entries"),
        ("rows", 1, "entries"),
        (Groups.from_labels([0, 0, 1, 2, 2]), 3, "general"),
        (Groups.from_labels([1, 0, 2, 3, 4]), 3, "rows"),
        (Groups.from_columns([[1], [0], [2], [3], [4]]), 3, "general"),
    ],
)
def test_shortcuts_are_taken_when_they_apply_and_give_the_same_norms(groups, n_outputs, layout):
    blocks = Groups.of(groups).resolve(5, n_outputs)
    theta = np.random.default_rng(0).normal(size=(5, n_outputs))
    assert blocks.layout == layout
    assert_allclose(blocks.norms(theta), brute_force_norms(blocks, theta), rtol=1e-14)
    assert_array_equal(blocks.matrix(blocks.flat(theta)), theta)
    assert_array_equal(theta[blocks.entries(np.array([1]))], theta[blocks.index == 1])


@pytest.mark.parametrize("groups", ["rows", "entries", Groups.from_labels([0, 1, 0])])
def test_norms_keep_single_precision(groups):
    norms = Groups.of(groups).resolve(3, 2).norms(np.ones((3, 2), dtype=np.float32))
    assert norms.dtype == np.float32


def test_blocks_are_read_only_but_leave_the_callers_arrays_alone():
    weights = np.ones(1)
    blocks = Blocks(np.zeros((2, 3), dtype=np.intp), weights, ("all",))
    with pytest.raises(ValueError, match="read-only"):
        blocks.weights[0] = 2.0
    assert weights.flags.writeable
    assert blocks.shape == (2, 3)
    assert repr(blocks) == "Blocks(1 blocks of a 2 x 3 matrix)"


def test_with_weights_keeps_everything_else():
    blocks = resolve(Groups.rows(symmetric=True))
    other = blocks.with_weights(np.zeros(4))
    assert_array_equal(other.weights, 0)
    assert_array_equal(blocks.weights, np.sqrt(2))
    assert (other.names, other.symmetric, other.shape) == (blocks.names, True, (4, 2))


# Rows and entries


def test_rows_are_one_block_per_column_across_classes():
    blocks = resolve(Groups.rows())
    assert_array_equal(blocks.index, [[0, 0], [1, 1], [2, 2], [3, 3]])
    assert_allclose(blocks.weights, np.sqrt(2))
    assert blocks.names == NAMES
    assert not blocks.symmetric
    assert resolve(Groups.rows(symmetric=True)).symmetric


def test_entries_are_one_block_per_coefficient_with_weight_one():
    blocks = resolve(Groups.entries())
    assert_array_equal(blocks.index, np.arange(8).reshape(4, 2))
    assert_array_equal(blocks.weights, 1)
    assert blocks.names[:3] == ("age[cat]", "age[dog]", "height[cat]")
    assert blocks.names[-1] == "colour[dog]"


def test_names_without_feature_or_class_names():
    assert Groups.rows().resolve(2, 3).names == ("x0", "x1")
    assert Groups.entries().resolve(1, 2).names == ("x0[1]", "x0[2]")
    assert Groups.entries().resolve(2, 1, ["a", "b"]).names == ("a", "b")


def test_names_are_a_sequence():
    names = resolve(Groups.entries()).names
    assert len(names) == 8
    assert list(names) == [names[j] for j in range(8)]
    assert names.index("height[dog]") == 3
    assert names != ("age",)
    with pytest.raises(IndexError):
        names[8]


@pytest.mark.parametrize("spec", ["rows", "entries"])
def test_a_million_columns_resolve_in_well_under_a_second(spec):
    feature_names = [f"f{i}" for i in range(1_000_000)]
    start = time.perf_counter()
    blocks = Groups.of(spec).resolve(1_000_000, 5, feature_names)
    last = blocks.names[-1]
    assert time.perf_counter() - start < 1.0
    assert last.startswith("f999999")


# Sets of columns


def test_from_columns_takes_names_and_indices():
    blocks = resolve(Groups.from_columns({"body": ["height", 2], "other": (0, np.int64(3))}))
    assert members(blocks) == {
        "body": {(1, 0), (1, 1), (2, 0), (2, 1)},
        "other": {(0, 0), (0, 1), (3, 0), (3, 1)},
    }
    assert_allclose(blocks.weights, [2, 2])


@pytest.mark.parametrize("sets", [[[0, 1], [2, 3]], np.arange(4).reshape(2, 2), [{1, 0}, range(2, 4)]])
def test_from_columns_without_names_counts_the_groups(sets):
    blocks = resolve(Groups.from_columns(sets))
    assert blocks.names == ("group 1", "group 2")
    assert_array_equal(blocks.index[:, 0], [0, 0, 1, 1])


def test_a_set_of_one_column_needs_no_brackets_in_a_mapping():
    assert Groups.from_columns({"a": "age", "b": 3}) == Groups.from_columns({"a": ["age"], "b": [3]})


def test_from_columns_by_class_makes_a_block_per_set_and_class():
    groups = Groups.from_columns({"a": [0, 1], "b": [2, 3]}, by_class=True)
    blocks = resolve(groups)
    assert blocks.names == ("a[cat]", "a[dog]", "b[cat]", "b[dog]")
    assert_array_equal(blocks.index, [[0, 1], [0, 1], [2, 3], [2, 3]])
    assert_allclose(blocks.weights, np.sqrt(2))
    assert resolve(groups, n_outputs=1, class_names=None).names == ("a", "b")


def test_the_rest_may_be_rows_or_entries():
    rows = resolve(Groups.from_columns({"body": [1, 2]}, rest="rows"))
    assert rows.names == ("body", "age", "colour")
    assert_array_equal(rows.index, [[1, 1], [0, 0], [0, 0], [2, 2]])
    entries = resolve(Groups.from_columns({"body": [1, 2]}, rest="entries"))
    assert entries.names == ("body", "age[cat]", "age[dog]", "colour[cat]", "colour[dog]")
    assert_array_equal(entries.index, [[1, 2], [0, 0], [0, 0], [3, 4]])
    assert_allclose(entries.weights, [2, 1, 1, 1, 1])
    by_class = resolve(Groups.from_columns({"body": [1, 2]}, rest="rows", by_class=True), feature_names=None)
    assert by_class.names == ("body[cat]", "body[dog]", "x0", "x3")


# Blocks of columns x classes


def test_from_blocks_takes_class_labels():
    groups = Groups.from_blocks(
        {"tail": (["age", "height"], "dog"), "fur": ([0, 1], ["cat"]), "both": ([2, 3], None)}
    )
    blocks = resolve(groups)
    assert_array_equal(blocks.index, [[1, 0], [1, 0], [2, 2], [2, 2]])
    assert blocks.names == ("tail", "fur", "both")
    assert_allclose(blocks.weights, [np.sqrt(2), np.sqrt(2), 2])


def test_from_blocks_without_class_names_counts_classes_from_one():
    blocks = Groups.from_blocks([([0], {1, 2}), ([0], 3)]).resolve(1, 3)
    assert_array_equal(blocks.index, [[0, 0, 1]])
    assert blocks.names == ("block 1", "block 2")


def test_from_blocks_accepts_numpy_labels_and_a_single_output():
    groups = Groups.from_blocks([([0], np.array([5])), ([0], np.array([7]))])
    assert_array_equal(groups.resolve(1, 2, class_names=np.array([5, 7])).index, [[0, 1]])
    assert_array_equal(Groups.from_blocks([([0, 1], None), ([2], None)]).resolve(3, 1).index, [[0], [0], [1]])


# One label per column


def test_from_labels_groups_equal_labels_in_order_of_appearance():
    blocks = resolve(Groups.from_labels(["b", "a", "b", "c"], symmetric=True))
    assert blocks.names == ("b", "a", "c")
    assert_array_equal(blocks.index[:, 1], [0, 1, 0, 2])
    assert blocks.symmetric


@pytest.mark.parametrize("labels", [[1, 1, 2, 2], np.array([1.0, 1.0, 2.0, 2.0]), pd.Series(list("1122"))])
def test_numeric_and_text_labels_mean_the_same(labels):
    assert Groups.from_labels(labels) == Groups.from_labels([1, 1, 2, 2])
    assert resolve(Groups.from_labels(labels, weights={1: 0})).weights.tolist() == [0, 2]


# Weights


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (Groups.rows(weights=3), [3, 3, 3, 3]),
        (Groups.rows(weights=[1, 0, np.inf, 2]), [1, 0, np.inf, 2]),
        (Groups.rows(weights={"height": 0, 3: np.inf}), [np.sqrt(2), 0, np.sqrt(2), np.inf]),
        (Groups.rows(weights=np.inf), [np.inf] * 4),
        (Groups.entries(weights=[1, 2, 3, 4]), [1, 1, 2, 2, 3, 3, 4, 4]),
        (Groups.entries(weights=np.arange(8).reshape(4, 2)), np.arange(8)),
        (Groups.entries(weights=np.arange(8)), np.arange(8)),
        (Groups.entries(weights={"age[dog]": 5, "age": 3}), [3, 5, 1, 1, 1, 1, 1, 1]),
        (Groups.from_columns({"a": [0, 1], "b": [2, 3]}, weights={"b": 7}), [2, 7]),
        (Groups.from_columns({"a": [0, 1], "b": [2, 3]}, weights=[5, 6], by_class=True), [5, 5, 6, 6]),
        (Groups.from_columns({"a": [0, 1, 2]}, weights=[5], rest="entries"), [5, 1, 1]),
        (Groups.from_columns({"a": [0, 1, 2]}, weights=[5, 6], rest="rows"), [5, 6]),
        (Groups.from_columns({"a": [0, 1, 2]}, weights={"colour": 6}, rest="rows"), [np.sqrt(6), 6]),
        (Groups.from_blocks([([0, 1, 2, 3], "cat"), ([0, 1, 2, 3], "dog")], weights=[1, 2]), [1, 2]),
    ],
)
def test_weights_may_be_a_number_a_sequence_or_a_mapping(groups, expected):
    assert_allclose(resolve(groups).weights, expected)


def test_weights_by_name_work_without_feature_names():
    assert Groups.rows(weights={"x1": 0}).resolve(2, 1).weights.tolist() == [1, 0]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 4))
def test_the_default_weight_is_the_square_root_of_the_size(labels, n_outputs):
    blocks = Groups.from_labels(labels).resolve(len(labels), n_outputs)
    assert_allclose(blocks.weights, np.sqrt(blocks.sizes))
    assert blocks.sizes.sum() == len(labels) * n_outputs


# The value object


SAMPLES = [
    Groups.rows(symmetric=True),
    Groups.entries(weights=np.arange(8).reshape(4, 2)),
    Groups.from_columns({"a": ["age"]}, weights={"a": 2}, rest="rows"),
    Groups.from_columns([[0, 1], [2, 3]], by_class=True, weights=0.5),
    Groups.from_blocks({"a": ([0, 1, 2, 3], None)}),
    Groups.from_labels(["p", "q", "p", "q"]),
]


class Holder(BaseEstimator):
    def __init__(self, groups="rows"):
        self.groups = groups


@pytest.mark.parametrize("groups", SAMPLES, ids=repr)
@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g)), lambda g: clone(Holder(g)).groups],
    ids=["deepcopy", "pickle", "clone"],
)
def test_copies_are_equal_and_resolve_alike(groups, duplicate):
    other = duplicate(groups)
    assert other == groups
    assert hash(other) == hash(groups)
    assert_array_equal(resolve(other).index, resolve(groups).index)
    assert_array_equal(resolve(other).weights, resolve(groups).weights)


def test_equality_looks_at_every_part():
    assert Groups.rows() == Groups.of("rows")
    assert Groups.rows() != Groups.entries()
    assert Groups.rows() != "rows"
    assert Groups.rows(weights=[1, 2]) != Groups.rows(weights=[1, 3])
    assert Groups.rows(weights={"a": 1, "b": 2}) == Groups.rows(weights={"b": 2, "a": 1})
    assert Groups.rows(weights={}) == Groups.rows()
    assert Groups.rows(weights=[0.0]) == Groups.rows(weights=[-0.0])
    assert Groups.rows(symmetric=True) != Groups.rows()
    assert Groups.from_columns({"a": {"x", "y"}}) == Groups.from_columns({"a": ["x", "y"]})
    assert len({Groups.rows(), Groups.rows(), Groups.entries()}) == 2


def test_groups_cannot_be_changed_from_outside():
    weights = np.ones(2)
    groups = Groups.rows(weights=weights)
    weights[0] = 9
    assert groups.weights.tolist() == [1, 1]
    with pytest.raises(AttributeError):
        groups.kind = "entries"
    with pytest.raises(ValueError, match="read-only"):
        groups.weights[0] = 2


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        (Groups.rows(), "Groups.rows()"),
        (Groups.rows(weights=2, symmetric=True), "Groups.rows(weights=2.0, symmetric=True)"),
        (Groups.entries(weights=range(9)), "Groups.entries(weights=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, ...])"),
        (
            Groups.from_columns({"a": [0], "b": ["x"]}, weights={"a": 0}, by_class=True, rest="rows"),
            "Groups.from_columns({'a': (0,), 'b': ('x',)}, weights={'a': 0.0}, by_class=True, rest='rows')",
        ),
        (Groups.from_blocks([([0, 1], "cat")]), "Groups.from_blocks({'block 1': ((0, 1), ('cat',))})"),
        (Groups.from_labels([1, 1, 2]), "Groups.from_labels(['1', '1', '2'])"),
    ],
)
def test_repr_reads_like_the_call_that_made_it(groups, text):
    assert repr(groups) == text


def test_of_passes_groups_through():
    groups = Groups.rows(weights=2)
    assert Groups.of(groups) is groups
    assert Groups.of("entries") == Groups.entries()


# Errors


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Groups.of("columns"), "'rows', 'entries' or a Groups object, not 'columns'"),
        (lambda: Groups.of([[0], [1]]), "Groups.from_columns"),
        (lambda: Groups.from_columns(3), "not 3"),
        (lambda: Groups.from_columns("age"), "not 'age'"),
        (lambda: Groups.from_columns([0, 1]), r"Write \[\[0, 1, 2\]\] for one group"),
        (lambda: Groups.from_columns({"a": [True, False]}), "'a': True is not a column; np.flatnonzero"),
        (lambda: Groups.from_columns({"a": [0.5]}), "'a': 0.5 is not a column"),
        (lambda: Groups.from_columns({"a": None}), "'a': None is not a collection"),
        (lambda: Groups.from_columns({1: [0], "1": [1]}), "Two groups are called '1'"),
        (lambda: Groups.from_columns([[0]], rest="ignore"), "rest must be 'error', 'rows' or 'entries'"),
        (lambda: Groups.from_columns([[0]], by_class=True, symmetric=True), "Leave out by_class=True"),
        (lambda: Groups.from_columns([[0]], rest="entries", symmetric=True), "rest='entries'"),
        (lambda: Groups.from_blocks({"a": [0, 1, 2]}), r"'a' must be a pair \(columns, classes\)"),
        (lambda: Groups.from_labels("aab"), "one group label per column"),
        (lambda: Groups.from_labels([[1], [2]]), "one group label per column"),
        (lambda: Groups.from_labels([1, None]), "Column 1 has no group label"),
        (lambda: Groups.from_labels([np.nan, 1]), "Column 0 has no group label"),
        (lambda: Groups.from_labels(pd.Series(["a", pd.NA], dtype="string")), "Column 1 has no group label"),
        (lambda: Groups.rows(weights="sqrt"), "weights must be None, a number"),
        (lambda: Groups.rows(weights={"a": "heavy"}), "weights must be None, a number"),
    ],
)
def test_constructors_refuse(make, words):
    with pytest.raises(GroupError, match=words):
        make()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (Groups.from_columns({"a": ["agee"]}), "'a': X has no column 'agee'. Did you mean 'age'?"),
        (Groups.from_columns({"a": ["zzz"]}), "There are 'age', 'height', 'weight', 'colour'"),
        (Groups.from_columns({"a": [4]}), "'a': X has no column 4; columns are counted from 0 to 3"),
        (Groups.from_columns({"a": [-1]}), "'a': column -1 is negative"),
        (Groups.from_columns({"a": [0, 1, 2, 3], "b": []}), "'b' is empty"),
        (Groups.from_columns({"a": [0, "age"]}), "'a' has column 'age' twice"),
        (Groups.from_columns({"a": [0, 1], "b": [1, 2]}), "'a' and 'b' overlap: both have column 'height'"),
        (Groups.from_columns({"a": [0]}), "no group: columns 'height', 'weight', 'colour'.*rest='rows'"),
        (Groups.from_columns({"a": [0, 1, 2]}), "In no group: column 'colour'\\. .*rest='entries'"),
        (Groups.from_blocks({"a": ([0, 1], None), "b": ([1], "dog")}), "'a' and 'b'.* 'height' .class 'dog'"),
        (Groups.from_blocks({"a": ([0, 1, 2], None), "b": ([3], "cat")}), "column 'colour' .class 'dog'"),
        (Groups.from_blocks({"a": ([0], 1)}), "'a': .* class 1, only for 'cat', 'dog'"),
        (Groups.from_blocks({"a": ([0], [])}), "'a' is empty: give it a class"),
        (Groups.from_blocks({"a": ([0], ["cat", "cat"])}), "'a' has class 'cat' twice"),
        (Groups.from_labels([1, 2]), "2 group labels for 4 columns"),
        (Groups.rows(weights=[1, 2, 3]), "got 3, expected 4 \\(one per group\\)"),
        (Groups.rows(weights=np.ones((4, 2))), "array of shape \\(4, 2\\), expected 4"),
        (Groups.entries(weights=np.ones((2, 4))), "shape .2, 4., expected 4 .one per column., shape .4, 2."),
        (Groups.from_columns({"a": [0, 1, 2]}, weights=[1, 2, 3], rest="rows"), "expected 1 .one per set"),
        (Groups.rows(weights=[1, -1, 1, 1]), "'height' has weight -1.0"),
        (Groups.rows(weights=[1, 1, np.nan, 1]), "'weight' has weight nan"),
        (Groups.entries(weights={"age[dog]": -2}), "'age\\[dog\\]' has weight -2.0"),
        (Groups.rows(weights=-1), "'age' has weight -1.0"),
        (Groups.rows(weights={"heigth": 1}), "no group 'heigth'. Did you mean 'height'"),
        (Groups.rows(weights={7: 1}), "Weights: X has no column 7"),
        (Groups.rows(weights={0.5: 1}), "Weights: 0.5 is not a column"),
        (Groups.rows(weights={0: 1, "age": 2}), "name 'age' twice"),
        (Groups.from_labels([1, 1, 2, 2], weights={3: 1}), "no group 3. There are '1', '2'"),
    ],
)
def test_resolve_refuses(groups, words):
    with pytest.raises(GroupError, match=words):
        resolve(groups)


def test_only_five_left_out_columns_are_named():
    with pytest.raises(GroupError, match="columns 1, 2, 3, 4, 5 and 4 more"):
        Groups.from_columns([[0]]).resolve(10, 2)


def test_names_need_named_columns_and_unique_ones():
    groups = Groups.from_columns({"a": ["age"]}, rest="rows")
    with pytest.raises(GroupError, match="X has no column names"):
        groups.resolve(2, 1)
    with pytest.raises(GroupError, match="two columns called 'age'"):
        groups.resolve(2, 1, ["age", "age"])
    assert Groups.from_columns([[0, 1]]).resolve(2, 1, ["age", "age"]).n_blocks == 1


def test_names_must_fit_the_matrix():
    with pytest.raises(GroupError, match="2 feature_names for 4 columns"):
        resolve(Groups.rows(), feature_names=["a", "b"])
    with pytest.raises(GroupError, match="2 class_names for 1 output"):
        resolve(Groups.rows(), n_outputs=1)


# Transformers


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "colour": np.resize(["red", "green", "blue", "blue"], 40),
            "size": np.resize(["s", "m"], 40),
            "age": rng.uniform(20, 60, 40),
            "height": rng.normal(170, 10, 40),
        }
    )


def sources(transformer):
    """Group of each output column."""
    return list(Groups.from_transformer(transformer).spec)


def test_one_hot_with_a_dropped_category_and_the_remainder_passed_through(frame):
    transformer = ColumnTransformer(
        [("onehot", OneHotEncoder(drop="first"), ["size", "colour"])], remainder="passthrough"
    )
    output = transformer.fit_transform(frame)
    groups = Groups.from_transformer(transformer, weights={"age": 0})
    blocks = groups.resolve(output.shape[1], 2, transformer.get_feature_names_out())
    assert blocks.names == ("size", "colour", "age", "height")
    assert_array_equal(blocks.index[:, 0], [0, 1, 1, 2, 3])
    assert_allclose(blocks.weights, [np.sqrt(2), 2, 0, np.sqrt(2)])


@pytest.mark.parametrize("drop", [None, "first", "if_binary", ["blue", "s"]])
@pytest.mark.parametrize("rare", [{}, {"min_frequency": 15}, {"max_categories": 2}])
def test_one_hot_in_all_its_forms(frame, drop, rare):
    encoder = OneHotEncoder(drop=drop, handle_unknown="error", **rare).fit(frame[["colour", "size"]])
    expected = [name.split("_")[0] for name in encoder.get_feature_names_out()]
    assert sources(encoder) == expected


def test_ambiguous_prefixes_are_told_apart():
    table = pd.DataFrame({"a": ["b_c", "d", "d"], "a_b": ["c", "c", "e"]})
    encoder = OneHotEncoder(feature_name_combiner=lambda feature, category: f"{feature}_{category}").fit(
        table
    )
    assert list(encoder.get_feature_names_out()).count("a_b_c") == 2
    assert sources(encoder) == ["a", "a", "a_b", "a_b"]


@pytest.mark.parametrize(
    ("encode", "widths"), [("onehot", (3, 2)), ("onehot-dense", (3, 2)), ("ordinal", (1, 1))]
)
def test_bins(frame, encode, widths):
    bins = KBinsDiscretizer([3, 2], encode=encode, strategy="uniform").fit(frame[["age", "height"]])
    assert sources(bins) == ["age"] * widths[0] + ["height"] * widths[1]


def test_pipelines_splines_and_reused_columns(frame):
    frame.loc[3, "age"] = np.nan
    transformer = ColumnTransformer(
        [
            ("scaled", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "height"]),
            ("curve", make_pipeline(SimpleImputer(), "passthrough", SplineTransformer(3)), ["height", "age"]),
            ("unused", StandardScaler(), []),
            ("dropped", "drop", ["size"]),
        ]
    )
    n_columns = transformer.fit_transform(frame).shape[1]
    expected = ["age", "height"] + ["height"] * 5 + ["age"] * 5
    assert sources(transformer) == expected
    blocks = Groups.from_transformer(transformer).resolve(n_columns, 1)
    assert blocks.names == ("age", "height")
    assert blocks.sizes.tolist() == [6, 6]


@pytest.mark.parametrize(
    "columns",
    [
        "age",
        ["age"],
        [2],
        slice(2, 3),
        [False, False, True, False],
        slice("age", "age"),
        [-2],
        lambda X: ["age"],
    ],
    ids=["name", "names", "numbers", "slice", "mask", "slice of names", "from the end", "callable"],
)
def test_column_transformer_columns_may_be_given_in_any_way(frame, columns):
    as_column = FunctionTransformer(lambda x: np.asarray(x).reshape(-1, 1))
    assert sources(ColumnTransformer([("part", as_column, columns)]).fit(frame)) == ["age"]


def test_arrays_get_numbered_names(frame):
    encoder = ColumnTransformer([("onehot", OneHotEncoder(), [1])], remainder=StandardScaler())
    assert sources(encoder.fit(frame[["age", "size", "height"]].to_numpy())) == ["x1", "x1", "x0", "x2"]


def test_a_single_source_column_needs_no_rule():
    text = pd.DataFrame({"note": ["red fox", "red dog", "big dog"], "n": [1.0, 2.0, 3.0]})
    parts = [("words", CountVectorizer(), "note"), ("powers", PolynomialFeatures(3), ["n"])]
    transformer = ColumnTransformer(parts)
    assert sources(transformer.fit(text)) == ["note"] * 4 + ["n"] * 4


def test_selectors_imputers_and_unions(frame):
    numbers = frame[["age", "height"]].assign(flat=1.0)
    assert sources(VarianceThreshold().fit(numbers)) == ["age", "height"]
    assert sources(SelectKBest(k=1).fit(numbers[["age", "height"]], numbers["height"] > 170)) == ["height"]
    numbers.loc[0, "height"] = np.nan
    assert sources(SimpleImputer(add_indicator=True).fit(numbers)) == ["age", "height", "flat", "height"]
    union = FeatureUnion([("same", "passthrough"), ("log", FunctionTransformer(np.log1p)), ("none", "drop")])
    assert sources(make_pipeline("passthrough", StandardScaler(), union).fit(numbers)) == [*numbers, *numbers]


def test_target_encoder_makes_one_column_per_class(frame):
    encoder = TargetEncoder().fit(frame[["colour", "size"]], np.resize(["a", "b", "c"], 40))
    assert sources(encoder) == ["colour"] * 3 + ["size"] * 3


class Doubler(BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return np.hstack([X, X])


@pytest.mark.parametrize(
    ("transformer", "words"),
    [
        (PCA(), "PCA comes from: each of its outputs mixes"),
        (make_pipeline(StandardScaler(), PCA(2)), "PCA .* Groups.from_columns"),
        (PolynomialFeatures(2), "PolynomialFeatures .* not named like its inputs"),
        (FunctionTransformer(np.fliplr), "FunctionTransformer .* feature_names_out='one-to-one'"),
        (Doubler(), "Doubler .* no get_feature_names_out"),
        (ColumnTransformer([("pca", PCA(2), ["age", "height"])]), "PCA"),
    ],
)
def test_transformers_that_mix_columns_are_refused_by_name(frame, transformer, words):
    with pytest.raises(GroupError, match=words):
        Groups.from_transformer(transformer.fit(frame[["age", "height"]]))


def test_inputs_that_bear_the_names_of_outputs_do_not_fool_it(frame):
    scores = frame[["age", "height"]].set_axis(["pca0", "pca1"], axis=1)
    with pytest.raises(GroupError, match="PCA"):
        Groups.from_transformer(PCA().fit(scores))


def test_a_pipeline_must_end_in_a_transformer(frame):
    numbers = frame[["age", "height"]]
    model = make_pipeline(StandardScaler(), DummyClassifier()).fit(numbers, frame["size"])
    with pytest.raises(GroupError, match=r"pass pipeline\[:-1\]"):
        Groups.from_transformer(model)
    assert sources(model[:-1]) == ["age", "height"]
    with pytest.raises(GroupError, match="no step that was fitted"):
        Groups.from_transformer(make_pipeline("passthrough").fit(numbers))


def test_an_encoder_with_more_outputs_than_it_accounts_for_is_refused(frame):
    class Padded(OneHotEncoder):
        def get_feature_names_out(self, input_features=None):
            return [*super().get_feature_names_out(input_features), "bias"]

    with pytest.raises(GroupError, match="Padded .* 6 columns where 5 were expected"):
        Groups.from_transformer(Padded().fit(frame[["colour", "size"]]))


def test_what_is_not_a_fitted_transformer_is_refused():
    with pytest.raises(GroupError, match="OneHotEncoder is not fitted"):
        Groups.from_transformer(OneHotEncoder())
    with pytest.raises(GroupError, match="'colour' is no transformer"):
        Groups.from_transformer("colour")
    with pytest.raises(GroupError, match="n_features_in_"):
        Groups.from_transformer(CountVectorizer().fit(["red fox"]))


def test_the_transformer_must_be_the_one_that_made_x(frame):
    encoder = OneHotEncoder().fit(frame[["colour"]])
    with pytest.raises(GroupError, match="3 group labels for 4 columns"):
        resolve(Groups.from_transformer(encoder))
