"""The sensitivity sweep: equal to single fits, resumable, and readable."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import pulasso
from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, SingleTrainingSet
from pulasso.exceptions import InputError, ScenarioError
from pulasso.metrics import pu_accuracy
from pulasso.model_selection import make_splitter, split_rows
from pulasso.prevalence import sensitivity_sweep

GRID = [0.5, 0.7]
CV = {"lams": [0.1, 0.03], "cv": 2, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(300, 4)), columns=["a", "b", "c", "d"])
    eta = np.column_stack([np.zeros(300), 2 * x["a"], 1.5 * x["b"] + 0.3 * x["c"]])
    y = np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
    return x, np.where(rng.random(300) < 0.6, y, 0)


@pytest.fixture
def model():
    return MultinomialPULasso(lam=0.03, scenario="single-training-set", label_frequency=0.6)


@pytest.fixture
def fits(monkeypatch):
    """Count fits of the estimators."""
    calls = []
    for kind in (MultinomialPULasso, MultinomialPULassoCV):

        def fit(self, *args, _fit=kind.fit, **kwargs):
            calls.append(self.label_frequency)
            return _fit(self, *args, **kwargs)

        monkeypatch.setattr(kind, "fit", fit)
    return calls


def same(first, second):
    for name in ("log_likelihood", "coefs", "predictions", "probabilities", "changed", "selected"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for name, values in first.scores.items():
        np.testing.assert_array_equal(values, second.scores[name])


def test_each_value_is_one_fit(data, model):
    x, z = data
    sweep = sensitivity_sweep(model, x, z, GRID)
    assert sweep.values == [0.5, 0.6, 0.7] and sweep.reference == 1
    assert not hasattr(model, "coef_")
    fits = [model.set_params(label_frequency=value).fit(x, z).coef_.copy() for value in sweep.values]
    np.testing.assert_array_equal(sweep.coefs, fits)
    np.testing.assert_array_equal(sweep.selected, np.any(fits, axis=1))
    assert sweep.log_likelihood[2] == pytest.approx(model.observed_score(x, z))
    assert sweep.changed[1] == 0.0 and sweep.changed[2] == np.mean(sweep.predictions[1] != model.predict(x))
    accuracy = pu_accuracy(z, model.predict(x), scenario="single-training-set", label_frequency=0.7)
    assert sweep.scores["accuracy"][2] == pytest.approx(accuracy.value)
    assert sweep.gained[1] == sweep.lost[1] == 0
    together = [*sweep.always_selected, *sweep.sometimes_selected]
    assert sorted(together) == x.columns[sweep.selected.any(axis=0)].tolist()


# -- resumed -------------------------------------------------------------------------------------------------


def in_a_context(folder, *args, **kwargs):
    with pulasso.checkpoint(folder):
        return sensitivity_sweep(*args, **kwargs)


def by_argument(folder, *args, **kwargs):
    return sensitivity_sweep(*args, checkpoint=folder, **kwargs)


@pytest.mark.parametrize("sweep", [in_a_context, by_argument])
def test_a_second_sweep_fits_nothing_that_the_first_has_saved(data, model, fits, sweep, tmp_path):
    x, z = data
    whole = sensitivity_sweep(model, x, z, GRID)
    fits.clear()
    same(whole, sweep(tmp_path, model, x, z, GRID))
    assert fits == [0.5, 0.6, 0.7]
    same(whole, sweep(tmp_path, model, x, z, GRID))
    same(whole, sweep(tmp_path, model.set_params(label_frequency=0.7), x, z, GRID, reference=0.6))
    assert len(fits) == 3
    # One more value is one more fit; other settings, rows or weights are other sweeps.
    sweep(tmp_path, model, x, z, [0.65, *GRID])
    assert fits[3:] == [0.65]
    for change in (
        {"estimator": MultinomialPULasso(lam=0.05, scenario="single-training-set")},
        {"z": np.where(np.arange(300) == 5, 0, z)},
        {"sample_weight": np.arange(300.0)},
        {"held_out": (x[:50], z[:50])},
        {"held_out": (x[:50], z[:50], np.arange(50.0))},
    ):
        fits.clear()
        arguments = {"estimator": model, "X": x, "z": z, "grid": [0.5], "reference": 0.5, **change}
        for _ in range(2):
            sweep(tmp_path, **arguments)
        assert fits == [0.5]


def test_cross_validation_and_pipelines_are_resumed(data, fits, tmp_path):
    def score(model, X, z):  # has no name that pickle finds
        return model.observed_score(X, z)

    for jobs in (1, 2):  # how a search is computed does not matter
        chosen = MultinomialPULassoCV(
            scenario="single-training-set", label_frequency=0.6, scoring=score, n_jobs=jobs, **CV
        )
        in_a_context(tmp_path, make_pipeline(StandardScaler(), chosen), *data, GRID)
    assert fits == [0.5, 0.6, 0.7]


def test_an_interrupted_sweep_resumes_and_ends_the_same(data, model, fits, tmp_path, monkeypatch):
    counted = MultinomialPULasso.fit

    def interrupted(self, *args, **kwargs):
        if self.label_frequency == 0.7:
            raise KeyboardInterrupt
        return counted(self, *args, **kwargs)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt, match="2 of 3 steps"):
        patch.setattr(MultinomialPULasso, "fit", interrupted)
        sensitivity_sweep(model, *data, GRID, checkpoint=tmp_path)
    fits.clear()
    resumed = sensitivity_sweep(model, *data, GRID, checkpoint=tmp_path)
    assert fits == [0.7]
    same(sensitivity_sweep(model, *data, GRID), resumed)


def test_processes_do_not_matter(data, model):
    same(sensitivity_sweep(model, *data, GRID), sensitivity_sweep(model, *data, GRID, n_jobs=2))


# -- what is swept, and what is scored -------------------------------------------------------------------------


def test_pipelines_objects_and_mappings(data, model):
    x, z = data
    plain = sensitivity_sweep(model, x, z, GRID)
    weight = np.ones(len(z))
    inner = make_pipeline(FunctionTransformer(lambda x: 2 * x), model)
    for pipeline in (
        make_pipeline(StandardScaler(), model),
        make_pipeline(StandardScaler(), "passthrough", inner),
    ):
        piped = sensitivity_sweep(pipeline, x, z, GRID, sample_weight=weight)
        np.testing.assert_array_equal(piped.predictions, plain.predictions)
        np.testing.assert_allclose(piped.log_likelihood, plain.log_likelihood, rtol=1e-6)
    as_object = MultinomialPULasso(lam=0.03, scenario=SingleTrainingSet(0.6))
    same(plain, sensitivity_sweep(as_object, x, z, GRID))
    uneven = sensitivity_sweep(model, x, z, [{1: 0.6, 2: 0.6}, {1: 0.5, 2: 0.7}], reference={2: 0.6, 1: 0.6})
    assert uneven.reference == 0 and len(uneven.values) == 2
    np.testing.assert_allclose(uneven.coefs[0], plain.coefs[1])
    assert "1: 0.5, 2: 0.7" in repr(uneven)


def test_held_out_rows_and_renderings(data):
    x, z = data
    ordinal = OrdinalPULasso(lam=0.03, scenario="single-training-set")
    sweep = sensitivity_sweep(ordinal, x[:200], z[:200], [0.2, *GRID], held_out=(x[200:], z[200:]))
    assert sweep.reference == 1 and sweep.predictions.shape == (3, 100)
    text = repr(sweep)
    assert "Sensitivity to label_frequency: 3 fits" in text and "0.5 *" in text
    assert "warning at 0.2: label_frequency is too low" in text and sweep.warnings[0]
    assert "<table>" in sweep._repr_html_()
    frame = sweep.to_frame()
    assert frame["label_frequency"].tolist() == [0.2, 0.5, 0.7]
    assert frame["reference"].tolist() == [False, True, False]
    display = sweep.plot()
    assert set(display.lines_) == {"log-likelihood", "selected features", "changed predictions", "accuracy"}
    with pytest.raises(ValueError, match="1 axes"):
        sweep.plot(ax=display.axes_[0])
    display.figure_.clear()


def test_a_weight_is_a_repeated_row_in_scores_and_changes_as_well(data, model):
    x, z = data
    weight = np.random.default_rng(1).integers(0, 3, len(z))
    weighted = sensitivity_sweep(model, x, z, GRID, sample_weight=weight)
    repeated = sensitivity_sweep(model, x.loc[x.index.repeat(weight)], np.repeat(z, weight), GRID)
    for name in ("log_likelihood", "changed"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-6)
    for values in ("scores", "score_errors"):
        for name, numbers in getattr(weighted, values).items():
            np.testing.assert_allclose(numbers, getattr(repeated, values)[name], rtol=1e-4)


def test_held_out_rows_bring_their_weights(data, model):
    x, z = data
    held = np.random.default_rng(5).integers(0, 4, len(z) - 200)
    more = (x[200:].loc[x.index[200:].repeat(held)], np.repeat(z[200:], held))
    weighted, repeated, alike = (
        sensitivity_sweep(model, x[:200], z[:200], GRID, held_out=rows)
        for rows in [(x[200:], z[200:], held), more, (x[200:], z[200:])]
    )
    for name in ("log_likelihood", "changed"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-9)
    np.testing.assert_allclose(weighted.scores["accuracy"], repeated.scores["accuracy"], rtol=1e-9)
    assert not np.allclose(weighted.scores["accuracy"], alike.scores["accuracy"])


def test_a_chosen_lam_of_zero_is_reported(data):
    model = MultinomialPULassoCV(
        lams=[0.0], cv=2, random_state=0, scenario="single-training-set", label_frequency=0.6
    )
    np.testing.assert_array_equal(sensitivity_sweep(model, *data, [0.6]).lam, [0.0])


# -- wrong turns ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", [{1: [0.5, 0.6]}, 0.5, "0.5", [], ["estimate"], [None], [0.5, 0.5]], ids=str)
def test_a_grid_that_is_no_list_of_values(data, model, grid):
    with pytest.raises(InputError) as caught:
        sensitivity_sweep(model, *data, grid)
    assert caught.value.parameter == "grid"


def test_wrong_turns(data, model):
    x, z = data
    for unsuited in (MultinomialPULasso(scenario="fully-observed"), StandardScaler()):
        with pytest.raises(ScenarioError) as caught:
            sensitivity_sweep(unsuited, x, z, GRID)
        assert caught.value.parameter == "scenario"
    with pytest.raises(InputError) as caught:
        sensitivity_sweep(model, x, z, GRID, held_out=(x, z, z, z))
    assert caught.value.parameter == "held_out"
    with pytest.raises(ScenarioError, match="label_frequency of class 1 is 1.5"):
        sensitivity_sweep(model, x, z, [1.5])


def test_a_share_of_the_rows_can_be_held_out(model, data):
    x, z = data
    weight = 1.0 + np.arange(300) % 3
    sweep = sensitivity_sweep(model, x, z, GRID, held_out=0.25, sample_weight=weight)
    assert sweep.predictions.shape[1] == 75
    folds = make_splitter(4, 0)
    train, test = split_rows(folds, np.empty((300, 1)), z)[0]
    by_hand = (x.iloc[test], z[test], weight[test])
    expected = sensitivity_sweep(
        model, x.iloc[train], z[train], GRID, held_out=by_hand, sample_weight=weight[train]
    )
    np.testing.assert_array_equal(sweep.log_likelihood, expected.log_likelihood)
    np.testing.assert_array_equal(sweep.scores["accuracy"], expected.scores["accuracy"])
    for share in (0.0, 0.7):
        with pytest.raises(InputError) as caught:
            sensitivity_sweep(model, x, z, GRID, held_out=share)
        assert caught.value.parameter == "held_out"
