"""The same model from the same data, however labels, numbers, features and weights are written."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from pulasso import Groups, MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import ClassOrderWarning

# The classes of these small data have no order, and their shares are not those that are told: models say so.
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")

NAN = float("nan")
NAMES = ["rain", "frost", "slope", "iron"]
SINGLE = {"lam": 0.02, "scenario": "single-training-set", "label_frequency": 0.75}
CASE_CONTROL = {"lam": 0.02, "scenario": "case-control"}

both = pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])


def named(y, *names):
    return np.array(names)[y]


# --- labels -------------------------------------------------------------------------------------------

# How the same labels may be written: what y becomes, the marker, and the classes of the model.
WRITTEN = {
    "integers": (lambda y: y, None, [0, 1, 2]),
    "small integers": (lambda y: y.astype(np.int8), None, [0, 1, 2]),
    "floats": (lambda y: y.astype(float), None, [0.0, 1.0, 2.0]),
    "list": (lambda y: y.tolist(), None, [0, 1, 2]),
    "minus one": (lambda y: np.where(y == 0, -1, y), None, [-1, 1, 2]),
    "minus one, said so": (lambda y: np.where(y == 0, -1, y), -1, [-1, 1, 2]),
    "nan": (lambda y: np.where(y == 0, NAN, y), NAN, [0.0, 1.0, 2.0]),
    "none": (lambda y: [None if label == 0 else int(label) for label in y], NAN, [0, 1, 2]),
    "pandas series": (lambda y: pd.Series(y).where(y > 0), NAN, [0.0, 1.0, 2.0]),
    "pandas nullable": (lambda y: pd.Series(y, dtype="Int64").mask(y == 0), NAN, [0, 1, 2]),
    "polars series": (lambda y: pl.Series(y), None, [0, 1, 2]),
    "polars nulls": (lambda y: pl.Series([None if v == 0 else int(v) for v in y]), NAN, [0, 1, 2]),
    "text": (lambda y: named(y, "a none", "fir", "oak"), None, ["a none", "fir", "oak"]),
    "text with a marker": (lambda y: named(y, "unknown", "fir", "oak"), "unknown", ["unknown", "fir", "oak"]),
    "empty text": (lambda y: named(y, "", "fir", "oak"), "", ["", "fir", "oak"]),
    "text and nan": (
        lambda y: pd.Series(named(y, "", "fir", "oak")).replace("", None),
        NAN,
        ["negative", "fir", "oak"],
    ),
    "categorical": (
        lambda y: pd.Categorical(named(y, "a none", "fir", "oak")),
        None,
        ["a none", "fir", "oak"],
    ),
}


@both
@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassOrderWarning")
@pytest.mark.parametrize(("write", "marker", "classes"), WRITTEN.values(), ids=WRITTEN)
def test_labels_may_be_written_in_many_ways(X, y, estimator, write, marker, classes):
    expected = estimator(**SINGLE).fit(X, y)
    model = estimator(unlabeled=marker, **SINGLE).fit(X, write(y))
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.classes_.tolist() == classes
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.predict(X)])
    assert model.observed_score(X, write(y)) == expected.observed_score(X, y)


@both
def test_booleans(X, y, estimator):
    expected = estimator(**SINGLE).fit(X, (y > 0).astype(int))
    model = estimator(**SINGLE).fit(X, y > 0)
    assert model.classes_.tolist() == [False, True]
    np.testing.assert_array_equal(model.coef_, expected.coef_)


@pytest.mark.parametrize(
    "ordered",
    [
        lambda labels: pd.Categorical(labels, categories=["none", "some", "many"], ordered=True),
        lambda labels: pd.Series(labels, dtype=pd.CategoricalDtype(["none", "some", "many"], ordered=True)),
        lambda labels: pl.Series(labels, dtype=pl.Enum(["none", "some", "many"])),
    ],
    ids=["categorical", "series", "polars enum"],
)
def test_an_ordered_categorical_gives_the_order(X, y, ordered):
    expected = OrdinalPULasso(**SINGLE).fit(X, y)
    model = OrdinalPULasso(**SINGLE).fit(X, ordered(named(y, "none", "some", "many")))
    assert model.classes_.tolist() == ["none", "some", "many"]
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_class_order_gives_the_order(X, y):
    expected = OrdinalPULasso(**SINGLE).fit(X, y)
    model = OrdinalPULasso(class_order=["none", "some", "many"], **SINGLE)
    model.fit(X, named(y, "none", "some", "many"))
    assert model.classes_.tolist() == ["none", "some", "many"]
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_an_order_that_is_guessed_is_announced(X, y):
    model = OrdinalPULasso(unlabeled="none", **SINGLE)
    with pytest.warns(
        ClassOrderWarning, match="alphabetical order: none < many < some.*class_order="
    ) as caught:
        model.fit(X, named(y, "none", "some", "many"))
    assert caught[0].filename == __file__
    assert model.classes_.tolist() == ["none", "many", "some"]


# --- numbers per class --------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    "prevalence",
    [
        [0.3, 0.2],
        (0.3, 0.2),
        np.array([0.3, 0.2]),
        pd.Series([0.3, 0.2]),
        {"fir": 0.3, "oak": 0.2},
        {"oak": 0.2, "fir": 0.3},
        pd.Series({"oak": 0.2, "fir": 0.3}),
        {np.str_("oak"): np.float32(0.2), "fir": 0.3},
    ],
    ids=["list", "tuple", "array", "series", "mapping", "other order", "indexed series", "numpy scalars"],
)
@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassOrderWarning")
def test_a_prevalence_may_be_written_in_many_ways(X, y, estimator, prevalence):
    labels = named(y, "a none", "fir", "oak")
    expected = estimator(prevalence=[0.3, 0.2], **CASE_CONTROL).fit(X, y)
    model = estimator(prevalence=prevalence, **CASE_CONTROL).fit(X, labels)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5)


@both
def test_one_prevalence_for_all_classes(X, y, estimator):
    scalar = estimator(prevalence=0.2, **CASE_CONTROL).fit(X, y)
    array = estimator(prevalence=[0.2, 0.2], **CASE_CONTROL).fit(X, y)
    mapping = estimator(prevalence={1: 0.2, 2.0: 0.2}, **CASE_CONTROL).fit(X, y)
    np.testing.assert_array_equal(scalar.coef_, array.coef_)
    np.testing.assert_array_equal(scalar.coef_, mapping.coef_)


# --- features -----------------------------------------------------------------------------------------

STORAGES = {
    "list": lambda X: X.tolist(),
    "Fortran order": np.asfortranarray,
    "every other row of a larger array": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "csr array": sparse.csr_array,
    "csc array": sparse.csc_array,
    "csr matrix": sparse.csr_matrix,
    "csc matrix": sparse.csc_matrix,
    "coo array": sparse.coo_array,
    "pandas": pd.DataFrame,
}


@both
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("store", STORAGES.values(), ids=STORAGES)
def test_storage_does_not_matter(X, y, estimator, store, standardize):
    X[np.abs(X) < 0.7] = 0.0
    expected = estimator(tol=1e-8, standardize=standardize, **SINGLE).fit(X, y)
    model = estimator(tol=1e-8, standardize=standardize, **SINGLE).fit(store(X), y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(store(X)), expected.predict_proba(X), rtol=1e-6)
    np.testing.assert_allclose(
        model.predict_observed_proba(store(X)), expected.predict_observed_proba(X), rtol=1e-6
    )


@both
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(X, y, estimator, frame):
    data = frame(dict(zip(NAMES, X.T, strict=True)))
    model = estimator(**SINGLE).fit(data, y)
    assert model.feature_names_in_.tolist() == NAMES
    np.testing.assert_allclose(model.coef_, estimator(**SINGLE).fit(X, y).coef_, rtol=1e-6, atol=1e-9)
    assert model.predict(data).shape == (120,)


@both
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_groups_by_name(X, y, estimator, frame):
    data = frame(dict(zip(NAMES, X.T, strict=True)))
    sets = {"weather": ["rain", "frost"], "ground": ["slope", "iron"]}
    by_name = estimator(groups=Groups.from_columns(sets), **SINGLE).fit(data, y)
    by_index = estimator(groups=Groups.from_columns([[0, 1], [2, 3]]), **SINGLE).fit(X, y)
    np.testing.assert_allclose(by_name.coef_, by_index.coef_, rtol=1e-6, atol=1e-9)
    assert list(by_name.groups_.names) == ["weather", "ground"]
    assert by_name.group_norms_.shape == (2,)


@both
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_single_precision_stays_single(X, y, estimator, store):
    model = estimator(**SINGLE).fit(store(X.astype(np.float32)), y)
    double = estimator(**SINGLE).fit(X, y)
    assert model.coef_.dtype == np.float32
    new = store(X.astype(np.float32))
    for method in ("predict_proba", "predict_log_proba", "decision_function", "predict_observed_proba"):
        assert getattr(model, method)(new).dtype == np.float32
    np.testing.assert_allclose(model.predict_proba(new), double.predict_proba(X), atol=1e-4)


@both
def test_integer_features(X, y, estimator):
    counts = np.round(3 * X).astype(int)
    model = estimator(**SINGLE).fit(counts, y)
    np.testing.assert_array_equal(model.coef_, estimator(**SINGLE).fit(counts.astype(float), y).coef_)


@both
@pytest.mark.parametrize("order", ["C", "F"])
def test_read_only_and_memory_mapped_features(X, y, estimator, order, tmp_path):
    expected = estimator(**SINGLE).fit(np.array(X, order=order), y)
    frozen, labels = np.array(X, order=order), y.copy()
    frozen.flags.writeable = labels.flags.writeable = False
    np.testing.assert_array_equal(estimator(**SINGLE).fit(frozen, labels).coef_, expected.coef_)
    np.save(tmp_path / "X.npy", frozen)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(estimator(**SINGLE).fit(mapped, labels).coef_, expected.coef_)


@both
@pytest.mark.parametrize("store", [np.array, sparse.csr_array, pd.DataFrame])
def test_nothing_is_changed(X, y, estimator, store):
    data, weight = store(X), np.linspace(0.5, 1.5, 120)
    copies = [each.copy() for each in (data, y, weight)]
    model = estimator(**SINGLE)
    parameters = model.get_params()
    model.fit(data, y, sample_weight=weight)
    model.predict(data)
    for copy, now in zip(copies, (data, y, weight), strict=True):
        difference = np.asarray((now != copy).sum())
        assert not difference.any()
    assert model.get_params() == parameters


# --- weights ------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    "settings", [SINGLE, {**CASE_CONTROL, "prevalence": [0.3, 0.2]}], ids=["single", "case"]
)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_weight_two_is_the_row_twice_and_zero_is_no_row(X, y, estimator, settings, store):
    weight = np.random.default_rng(1).integers(0, 4, 120)
    weighted = estimator(tol=1e-9, **settings).fit(store(X), y, sample_weight=weight)
    repeated = estimator(tol=1e-9, **settings).fit(store(np.repeat(X, weight, axis=0)), np.repeat(y, weight))
    assert weighted.lam_max_ == pytest.approx(repeated.lam_max_)
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(weighted.label_counts_.n_labeled, repeated.label_counts_.n_labeled)


@both
@pytest.mark.parametrize("scale", [1e-3, 5, 10.0])
def test_the_scale_of_the_weights_does_not_matter(X, y, estimator, scale):
    expected = estimator(**SINGLE).fit(X, y)
    np.testing.assert_allclose(estimator(**SINGLE).fit(X, y, scale).coef_, expected.coef_, rtol=1e-5)
    weight = pd.Series(np.full(120, scale))
    np.testing.assert_allclose(estimator(**SINGLE).fit(X, y, weight).coef_, expected.coef_, rtol=1e-5)
