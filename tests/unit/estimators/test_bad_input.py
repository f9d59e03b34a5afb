"""Wrong input: every message names the culprit and says what to do, and nothing is changed by it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from pulasso import (
    CaseControl,
    FullyObserved,
    Groups,
    MultinomialPULasso,
    OrdinalPULasso,
    SingleTrainingSet,
    fit_path,
)
from pulasso.exceptions import GroupError, LabelError, NotFittedError, ScenarioError

NAN = float("nan")
NAMES = ["rain", "frost", "slope", "iron"]
SINGLE = {"scenario": "single-training-set", "label_frequency": 0.75}
CASE_CONTROL = {"scenario": "case-control", "prevalence": 0.2}

both = pytest.mark.parametrize("estimator", [MultinomialPULasso, OrdinalPULasso])


def assert_refused(error, words, X, y, sample_weight=None, estimator=MultinomialPULasso, **settings):
    """Assert that a fit is refused in these words, and that it changed neither data nor parameters."""
    model = estimator(lam=0.05).set_params(**(settings or SINGLE))
    before = model.get_params()
    copies = [np.array(each, copy=True) for each in (X, y) if isinstance(each, np.ndarray)]
    with pytest.raises(error, match=words):
        model.fit(X, y, sample_weight)
    assert all(model.get_params()[name] is value for name, value in before.items())
    assert not [name for name in vars(model) if name.endswith("_")], "a failed fit left attributes behind"
    kept = [each for each in (X, y) if isinstance(each, np.ndarray)]
    for copy, now in zip(copies, kept, strict=True):
        np.testing.assert_array_equal(copy, now)


# --- X ------------------------------------------------------------------------------------------------


def with_value(X, value, columns=(2,)):
    X = X.copy()
    X[3, list(columns)] = value
    return X


def as_pandas(X):
    return pd.DataFrame(X, columns=NAMES)


def as_polars(X):
    return pl.DataFrame(X, schema=NAMES)


@both
@pytest.mark.parametrize(
    ("convert", "column"),
    [
        (np.asarray, "2"),
        (np.asfortranarray, "2"),
        (sparse.csr_array, "2"),
        (sparse.csc_matrix, "2"),
        (as_pandas, "'slope'"),
        (as_polars, "'slope'"),
    ],
    ids=["C order", "Fortran order", "csr array", "csc matrix", "pandas", "polars"],
)
@pytest.mark.parametrize(("value", "word"), [(NAN, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_values_that_are_not_finite(X, y, estimator, convert, column, value, word):
    X = convert(with_value(X, value))
    assert_refused(
        ValueError, f"contains {word}.*in column {column}. Impute or drop", X, y, estimator=estimator
    )


def test_several_bad_columns_are_all_named(X, y):
    assert_refused(ValueError, "NaN, in columns 0, 3. Impute", with_value(X, NAN, [0, 3]), y)


def test_many_bad_columns_are_counted(y):
    X = np.full((120, 9), NAN)
    assert_refused(ValueError, "in columns 0, 1, 2, 3, 4 and 4 more", X, y)


def test_missing_values_of_a_polars_column(X, y):
    X = as_polars(X).with_columns(frost=pl.lit(None).cast(pl.Float64))
    assert_refused(ValueError, "in column 'frost'", X, y)


@pytest.mark.parametrize(
    "column",
    [
        "red",
        pd.Series(["red", 1.0] * 60, dtype=object),
        pd.Categorical(["red", "blue"] * 60),
        pd.Timestamp("2024-02-29"),
        pd.Timedelta("1h"),
        pd.Series(pd.period_range("2024", periods=120, freq="M")),
    ],
    ids=["text", "objects", "categorical", "date", "duration", "period"],
)
def test_pandas_columns_that_are_not_numbers(X, y, column):
    assert_refused(ValueError, "column 'slope'. Encode them first", as_pandas(X).assign(slope=column), y)


@pytest.mark.parametrize(
    "column",
    [pl.lit("red"), pl.lit("red").cast(pl.Enum(["red"])), pl.date(2024, 2, 29), pl.duration(hours=1)],
    ids=["text", "enum", "date", "duration"],
)
def test_polars_columns_that_are_not_numbers(X, y, column):
    assert_refused(
        ValueError, "column 'slope'. Encode them first", as_polars(X).with_columns(slope=column), y
    )


def test_text_in_an_array_of_objects(X, y):
    X = X.astype(object)
    X[5, 1] = "red"
    assert_refused(ValueError, "'red', in column 1. Encode them first", X, y)


def test_another_object_in_an_array(X, y):
    X = X.astype(object)
    X[5, 1] = {}
    assert_refused(TypeError, "in column 1. Encode them first", X, y)


def test_duplicate_names(X, y):
    X = as_pandas(X).set_axis(["rain", "frost", "rain", "frost"], axis=1)
    assert_refused(ValueError, "more than one column named 'rain', 'frost'. Rename or drop", X, y)


def test_names_that_are_partly_numbers(X, y):
    X = as_pandas(X).set_axis(["rain", "frost", 2, 3], axis=1)
    assert_refused(TypeError, "only supported if all input features have string names", X, y)


@pytest.mark.parametrize("convert", [np.asarray, pd.DataFrame, pl.DataFrame, sparse.csr_array])
def test_no_features(y, convert):
    assert_refused(ValueError, r"0 feature\(s\)", convert(np.empty((120, 0))), y)


def test_no_rows():
    assert_refused(ValueError, r"0 sample\(s\)", np.empty((0, 4)), [])


def test_one_dimension(X, y):
    assert_refused(ValueError, "Expected 2D array, got 1D array", X[:, 0], y)


def test_one_row(X, y):
    assert_refused(LabelError, "y contains only one class, 1", X[60:61], y[60:61])


# --- y ------------------------------------------------------------------------------------------------


@both
def test_lengths_that_differ(X, y, estimator):
    assert_refused(ValueError, "X has 120 rows but y has 119 labels", X, y[:-1], estimator=estimator)


def test_no_y(X):
    assert_refused(ValueError, "requires y to be passed, but the target y is None", X, None)


def test_two_columns_of_labels(X, y):
    assert_refused(ValueError, r"y should be a 1d array, got an array of shape \(120, 2\)", X, np.c_[y, y])


@both
def test_one_class_only(X, estimator):
    words = "only one class, 1, which is taken as the marker of unlabeled rows.*name the marker by unlabeled"
    assert_refused(LabelError, words, X, np.ones(120, int), estimator=estimator)


@pytest.mark.parametrize(
    ("labels", "marker"), [([-1] * 120, -1), ([NAN] * 120, NAN), ([None] * 120, NAN), ([""] * 120, "")]
)
def test_nothing_labelled(X, labels, marker):
    assert_refused(
        LabelError,
        r"no row carries a label \(all 120 rows are unlabeled\)",
        X,
        labels,
        unlabeled=marker,
        **SINGLE,
    )


def test_a_marker_that_does_not_occur(X, y):
    words = "unlabeled is 7, which does not occur in y. Labels present: 0, 1, 2"
    assert_refused(LabelError, words, X, y, unlabeled=7, **CASE_CONTROL)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (CASE_CONTROL, "y has no unlabeled row, but case-control data need a sample of the population"),
        (
            SINGLE,
            "neither unlabeled rows nor confirmed negatives: nothing tells the positive classes from class 0",
        ),
        ({"scenario": "fully-observed"}, "y has no row of class 0"),
    ],
    ids=["case-control", "single-training-set", "fully-observed"],
)
def test_nothing_unlabeled(X, y, settings, words):
    assert_refused(ScenarioError, words, X, y + 1.0, unlabeled=NAN, negative=0.0, **settings)


def test_missing_labels_that_were_not_declared(X, y):
    y = np.where(y == 0, NAN, y)
    assert_refused(LabelError, r'y has 60 missing values.*unlabeled=float\("nan"\)', X, y)


def test_infinite_labels(X, y):
    assert_refused(LabelError, "Input y contains infinity", X, np.where(y == 2, np.inf, y))


def test_continuous_labels(X):
    assert_refused(ValueError, "Unknown label type: continuous", X, np.linspace(0, 1, 120))


def test_confirmed_negatives_need_their_frequency(X, y):
    words = r"y holds confirmed negatives \(0\).*negative_label_frequency"
    y = np.where(np.arange(120) < 20, -1, y)
    assert_refused(ScenarioError, words, X, y, unlabeled=-1, negative=0, **SINGLE)


def test_negatives_without_a_marker(X, y):
    assert_refused(
        LabelError,
        "negative=0 names class 0, but nothing says which rows are unlabeled",
        X,
        y,
        negative=0,
        **SINGLE,
    )


# --- scenarios and their numbers ------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("prevalence", "words"),
    [
        (None, "scenario='case-control' needs prevalence.*share of each positive class in the population"),
        (0, r"prevalence of class 1 is 0; it must lie in \(0, 1\)"),
        (1, r"prevalence of class 1 is 1; it must lie in \(0, 1\)"),
        (-0.1, "prevalence of class 1 is -0.1"),
        ([0.2, NAN], "prevalence of class 2 is nan"),
        (0.5, "prevalences of 1, 2 sum to 1; they must leave room for class 0"),
        ([0.7, 0.6], "prevalences of 1, 2 sum to 1.3"),
        ([0.2], r"prevalence has shape \(1,\) but there are 2 positive classes: 1, 2"),
        ([0.2, 0.1, 0.1], r"prevalence has shape \(3,\)"),
        ([[0.2, 0.1]], r"prevalence has shape \(1, 2\)"),
        ({1: 0.2, 2: 0.1, 3: 0.1}, "prevalence names 3, which is no class in y. The classes are 1, 2"),
        ({1: 0.2, "2": 0.1}, "prevalence names '2', which is no class in y"),
        ({1: 0.2}, "prevalence has no number for 2. Every positive class needs one"),
        ({}, "prevalence has no number for 1, 2"),
        ({1: 0.2, 2: "rare"}, "holds something that is not a number"),
        ("rare", "prevalence='rare' is not a number, an array of numbers or a mapping"),
        (["a", "b"], "is not a number, an array of numbers or a mapping"),
        (pd.Series({1: 0.2, 3: 0.1}), "prevalence names 3"),
    ],
    ids=str,
)
def test_prevalence(X, y, estimator, prevalence, words):
    assert_refused(
        ScenarioError, words, X, y, estimator=estimator, scenario="case-control", prevalence=prevalence
    )


@both
@pytest.mark.parametrize(
    ("label_frequency", "words"),
    [
        (None, "scenario='single-training-set' needs label_frequency.*probability that a member"),
        (0, r"label_frequency of class 1 is 0; it must lie in \(0, 1\]"),
        (1.5, "label_frequency of class 1 is 1.5"),
        ({1: 0.5, 2: -1}, "label_frequency of class 2 is -1"),
        ("half", "label_frequency='half' is not a number"),
        ([0.5, 0.5, 0.5], r"label_frequency has shape \(3,\)"),
    ],
    ids=str,
)
def test_label_frequency(X, y, estimator, label_frequency, words):
    settings = {"scenario": "single-training-set", "label_frequency": label_frequency}
    assert_refused(ScenarioError, words, X, y, estimator=estimator, **settings)


@pytest.mark.parametrize("frequency", [0, 1.01, NAN])
def test_frequency_of_confirmed_negatives(X, y, frequency):
    scenario = SingleTrainingSet(0.75, negative_label_frequency=frequency)
    y = np.where(np.arange(120) < 20, -1, y)
    words = r"negative_label_frequency of class 0 is .*; it must lie in \(0, 1\]"
    assert_refused(ScenarioError, words, X, y, scenario=scenario, unlabeled=-1, negative=0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"scenario": "case-control", "prevalence": 0.2, "label_frequency": 0.5},
            "scenario='case-control' does not use label_frequency. It takes prevalence",
        ),
        (
            {"scenario": "single-training-set", "label_frequency": 0.5, "prevalence": 0.2},
            "scenario='single-training-set' does not use prevalence. It takes label_frequency",
        ),
        (
            {"scenario": "fully-observed", "prevalence": 0.2, "label_frequency": 0.5},
            "does not use prevalence and label_frequency. It takes no number",
        ),
        (
            {"scenario": CaseControl(0.2), "prevalence": 0.2},
            "scenario is an object and holds its own numbers; do not pass prevalence as well",
        ),
        ({"scenario": FullyObserved(), "label_frequency": 1.0}, "do not pass label_frequency as well"),
        (
            {"scenario": "casecontrol", "prevalence": 0.2},
            "scenario='casecontrol' is unknown; use one of 'case-control', 'single-training-set'",
        ),
        ({"scenario": None}, "scenario=None is neither one of 'case-control'.* nor a scenario object"),
        (
            {"scenario": SingleTrainingSet},
            r"the class SingleTrainingSet; pass an object, SingleTrainingSet\(...\)",
        ),
        (
            {"scenario": CaseControl(0.2, always_labeled=(1, 5))},
            "always_labeled names 5, which is no positive class in y. They are 1, 2",
        ),
    ],
)
def test_scenarios_and_numbers_that_do_not_fit_together(X, y, settings, words):
    assert_refused(ScenarioError, words, X, y, **settings)


# --- groups -------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("columns", "groups must be 'rows', 'entries' or a Groups object, not 'columns'"),
        ([[0, 1], [2, 3]], "For sets of columns write Groups.from_columns"),
        (Groups.from_columns({"soil": [0, 1, 2, 3], "sky": []}), "Group 'sky' is empty"),
        (
            Groups.from_columns({"soil": [0, 1], "sky": [1, 2, 3]}),
            "'soil' and 'sky' overlap: both have column 1",
        ),
        (Groups.from_columns({"soil": [0, 1]}), "In no group: columns 2, 3. Add a group, or pass rest="),
        (Groups.from_columns({"soil": ["rain"]}), "Group 'soil': X has no column names, so no 'rain'"),
        (Groups.from_columns({"soil": [0, 1, 2, 9]}), "Group 'soil': X has no column 9"),
        (Groups.rows(weights=[1, 2]), "Wrong number of weights: got 2, expected 4"),
        (Groups.rows(weights=[1, -2, 1, 1]), "Group 'x1' has weight -2"),
    ],
)
def test_groups(X, y, estimator, groups, words):
    assert_refused(GroupError, words, X, y, estimator=estimator, groups=groups, **SINGLE)


def test_groups_with_an_unknown_name(X, y):
    groups = Groups.from_columns({"soil": ["iron", "slop"]}, rest="rows")
    assert_refused(
        GroupError, "no column 'slop'. Did you mean 'slope'?", as_pandas(X), y, groups=groups, **SINGLE
    )


def test_the_ordinal_model_has_no_symmetric_norm(X, y):
    words = "symmetric=True treats all classes alike, but the ordinal model has one coefficient per feature"
    assert_refused(
        GroupError, words, X, y, estimator=OrdinalPULasso, groups=Groups.rows(symmetric=True), **SINGLE
    )


# --- weights and other parameters -----------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda w: np.where(np.arange(120) == 7, -1, w),
            "sample_weight of row 7 is -1; weights must be finite",
        ),
        (lambda w: np.where(np.arange(120) == 7, NAN, w), "sample_weight of row 7 is nan"),
        (lambda w: np.where(np.arange(120) == 7, np.inf, w), "sample_weight of row 7 is inf"),
        (lambda w: 0 * w, "Sample weights must contain at least one non-zero number"),
        (lambda w: w[:-1], "X has 120 rows but sample_weight has 119 numbers"),
        (lambda w: w[:, None], "Sample weights must be 1D array or scalar, got 2 dimensions"),
        (lambda w: ["heavy"] * 120, "sample_weight must be numbers, one for each row"),
    ],
    ids=["negative", "nan", "infinite", "all zero", "short", "2d", "text"],
)
def test_weights(X, y, estimator, change, words):
    weight = change(np.ones(120))
    before = np.array(weight)
    assert_refused(ValueError, words, X, y, weight, estimator=estimator)
    np.testing.assert_array_equal(np.array(weight), before)


def test_weight_zero_takes_a_class_away(X, y):
    assert_refused(LabelError, "no labelled class is left", X, y, np.where(y == 0, 1.0, 0.0))


@both
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"lam": -0.1}, "lam=-0.1 must be at least 0"),
        ({"lam": NAN}, "lam=nan must be finite"),
        ({"lam": "small"}, "lam='small' is not a number"),
        ({"lam": None}, "lam=None is not a number"),
        ({"tol": 0}, "tol=0 must be greater than 0"),
        ({"max_iter": 0}, "max_iter=0 must be at least 1"),
        ({"max_iter": 2.5}, "max_iter=2.5 must be a whole number"),
        (
            {"solver": "newton"},
            "solver='newton' is unknown. Use one of 'working-set', 'proximal-gradient', 'em'",
        ),
        ({"solver": ["em"]}, r"solver=\['em'\] is unknown"),
        ({"standardize": "no"}, "standardize='no' must be True, False or 'auto'"),
    ],
    ids=str,
)
def test_parameters(X, y, estimator, settings, words):
    assert_refused(ValueError, words, X, y, estimator=estimator, **settings, **SINGLE)


def test_fit_intercept(X, y):
    assert_refused(ValueError, "fit_intercept=0 must be True or False", X, y, fit_intercept=0, **SINGLE)


def test_class_order(X, y):
    words = "class_order names 3, which does not occur in y"
    assert_refused(LabelError, words, X, y, estimator=OrdinalPULasso, class_order=[0, 1, 2, 3], **SINGLE)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        (
            {"response": "binary"},
            ValueError,
            "response='binary' is unknown. Use one of 'multinomial', 'ordinal'",
        ),
        ({"lam": 0.1}, TypeError, "takes no lam=. Give lams"),
        ({"lambdas": 3}, TypeError, "unexpected keyword argument 'lambdas'"),
        ({"lams": []}, ValueError, "lams is empty"),
        ({"lams": [0.1, -0.1]}, ValueError, "lams=-0.1 must be at least 0"),
        ({"lams": "many"}, ValueError, "lams='many' is not a sequence of numbers"),
        ({"n_lams": 0}, ValueError, "n_lams=0 must be at least 1"),
        ({"n_lams": 2.5}, ValueError, "n_lams=2.5 must be a whole number"),
        ({"lam_min_ratio": 0}, ValueError, "lam_min_ratio=0 must be greater than 0"),
        ({"lam_min_ratio": 2}, ValueError, "lam_min_ratio=2 must be at most 1"),
        ({"tol": -1}, ValueError, "tol=-1 must be greater than 0"),
    ],
    ids=str,
)
def test_paths(X, y, settings, error, words):
    with pytest.raises(error, match=words):
        fit_path(X, y, **settings, **SINGLE)


# --- after the fit ------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    "method",
    ["predict", "predict_proba", "predict_log_proba", "decision_function", "predict_observed_proba"],
)
def test_methods_need_a_fit(X, estimator, method):
    with pytest.raises(NotFittedError, match=f"This {estimator.__name__} instance is not fitted yet"):
        getattr(estimator(), method)(X)


@both
def test_summary_and_score_need_a_fit(X, y, estimator):
    with pytest.raises(NotFittedError):
        estimator().summary()
    with pytest.raises(NotFittedError):
        estimator().observed_score(X, y)


@both
def test_new_rows_with_other_columns(X, y, estimator):
    model = estimator(lam=0.05, **SINGLE).fit(as_pandas(X), y)
    with pytest.raises(ValueError, match="yet now missing:\n- iron"):
        model.predict(as_pandas(X)[NAMES[:3]])
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- snow\n[^-]*- frost"):
        model.predict(as_pandas(X).rename(columns={"frost": "snow"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(as_pandas(X)[NAMES[::-1]])
    with pytest.raises(ValueError, match="NaN, in column 'slope'"):
        model.predict(as_pandas(with_value(X, NAN)))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)


@both
def test_scores_of_labels_that_do_not_fit(X, y, estimator):
    model = estimator(lam=0.05, **SINGLE).fit(X, y)
    with pytest.raises(
        LabelError, match="y holds 3, 4, unknown to the fitted model, whose labels are 1, 2, 0"
    ):
        model.observed_score(X, y + 2)
    with pytest.raises(LabelError, match="60 missing values, but unlabeled rows are marked by 0"):
        model.observed_score(X, np.where(y == 0, NAN, y))
    with pytest.raises(ValueError, match="X has 120 rows but y has 3 labels"):
        model.observed_score(X, y[:3])
    with pytest.raises(ValueError, match="sample_weight of row 0 is -1"):
        model.observed_score(X, y, -np.ones(120))


@both
def test_scores_of_confirmed_negatives_the_fit_never_saw(X, y, estimator):
    model = estimator(lam=0.05, unlabeled=-1, negative=0, **SINGLE).fit(X, np.where(y == 0, -1, y))
    assert np.isfinite(model.observed_score(X, np.where(y == 0, -1, y)))
    with pytest.raises(LabelError, match=r"y holds confirmed negatives \(0\), but the fit saw none"):
        model.observed_score(X, y)


@both
@pytest.mark.parametrize(
    "spoil",
    [
        lambda X, y: (X[:, :2], y[:-1]),
        lambda X, y: (X[:, :2], np.zeros(120, int)),
        lambda X, y: (with_value(X, NAN), y),
        lambda X, y: (pd.DataFrame(X, columns=list("abcd")), np.where(y == 2, -5, y)),
    ],
    ids=["lengths", "one class", "nan", "other names and a lost class"],
)
def test_a_failed_refit_keeps_the_model(X, y, estimator, spoil):
    model = estimator(lam=0.05, scenario="single-training-set", label_frequency={1: 0.75, 2: 0.75})
    model.fit(as_pandas(X), y)
    before, proba = vars(model).copy(), model.predict_proba(as_pandas(X))
    with pytest.raises(ValueError):
        model.fit(*spoil(X, y))
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())
    np.testing.assert_array_equal(model.predict_proba(as_pandas(X)), proba)


# --- unusual but right --------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_a_constant_column_gets_the_coefficient_zero(X, y, estimator, standardize, convert):
    X[:, 1] = 7.3
    model = estimator(lam=0.01, standardize=standardize, **SINGLE).fit(convert(X), y)
    assert np.all(np.atleast_2d(model.coef_)[:, 1] == 0.0)
    assert np.any(np.atleast_2d(model.coef_)[:, 0] != 0.0)
    assert model.converged_


@both
def test_only_constant_columns_give_the_null_model(y, estimator):
    model = estimator(lam=0.01, **SINGLE).fit(np.ones((120, 3)), y)
    assert not model.coef_.any()
    np.testing.assert_allclose(model.predict_observed_proba(np.ones((1, 3)))[0], [0.5, 0.25, 0.25], atol=1e-6)


def test_a_constant_column_of_many_rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=100_000), np.full(100_000, 1000.1)])
    model = MultinomialPULasso(lam=0.1, scenario="fully-observed").fit(X, (X[:, 0] > 1).astype(int))
    assert model.coef_[0, 0] > 0
    assert model.coef_[0, 1] == 0


@both
def test_two_rows_are_enough(estimator):
    model = estimator(lam=0.1, scenario="fully-observed").fit([[0.0], [1.0]], [0, 1])
    assert np.isfinite(model.predict_proba([[0.5]])).all()
