"""The bootstrap: replicates are fits to drawn rows, and the summaries are those of the replicates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from pulasso import MultinomialPULasso, OrdinalPULasso, PUData
from pulasso.datasets import simulate_ordinal
from pulasso.exceptions import ConvergenceWarning, FewLabelsWarning, InputError
from pulasso.inference import bootstrap
from pulasso.inference._drawing import resample
from pulasso.runs import draw_entropy, spawn

N = 8


@pytest.fixture(scope="module")
def result(case_control):
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    return bootstrap(
        model, case_control.X, case_control.z, n_replicates=N, random_state=5, predict_at=case_control.X[:3]
    )


def drawn_rows(data, number, seed, by_label):
    """The rows of a replicate, each as often as it was drawn."""
    stream = spawn(draw_entropy(seed), number + 1)[number]
    counts, _ = resample(PUData.read(data.X, data.z), by_label, np.random.default_rng(stream))
    return np.repeat(np.arange(len(counts)), counts)


@pytest.mark.parametrize("name", ["case_control", "single_set"])
def test_a_replicate_is_a_fit_to_the_drawn_rows(name, request):
    data = request.getfixturevalue(name)
    model = MultinomialPULasso(lam=0.05, tol=1e-9, **data.scenario_params)
    result = bootstrap(model, data.X, data.z, n_replicates=2, random_state=7)
    rows = drawn_rows(data, 2, seed=7, by_label=name == "case_control")
    same = np.array_equal(np.bincount(data.z[rows]), np.bincount(data.z))
    assert same == (name == "case_control")
    assert result.by_label == (name == "case_control")
    again = clone(model).fit(data.X[rows], data.z[rows])
    assert result.coefs[1] == pytest.approx(again.coef_, abs=1e-6)
    assert result.offsets[1] == pytest.approx(again.intercept_, abs=1e-6)


def test_weights_travel_with_their_rows(single_set):
    """A weight of two, on every row that is drawn, is the same as a weight of one, on all of them."""
    model = MultinomialPULasso(lam=0.05, **single_set.scenario_params)
    X, z, settings = single_set.X, single_set.z, {"n_replicates": 2, "random_state": 0}
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(z))
    one = bootstrap(model, X, z, sample_weight=weight, **settings)
    two = bootstrap(model, X, z, sample_weight=2 * weight, **settings)
    none = bootstrap(model, X, z, **settings)
    assert one.coefs == pytest.approx(two.coefs, abs=1e-6)
    assert np.abs(one.coefs - none.coefs).max() > 1e-3
    # Rows of weight zero are as if not there.
    chosen = np.arange(len(z)) % 3 > 0
    weighted = bootstrap(model, X, z, sample_weight=chosen.astype(float), **settings)
    dropped = bootstrap(model, X[chosen], z[chosen], **settings)
    assert weighted.coefs == pytest.approx(dropped.coefs, abs=1e-6)


def test_frequencies_are_those_of_the_replicates(result):
    assert result.coefs.shape == (N, 2, 8)
    assert (result.entry_frequency == (result.coefs != 0).mean(axis=0)).all()
    # With groups of rows a feature is selected for both classes or for none.
    assert (result.group_frequency == (result.coefs != 0).any(axis=1).mean(axis=0)).all()
    assert 0 <= result.group_frequency.min() < result.group_frequency.max() == 1


def test_intervals_are_quantiles(result):
    for level in (0.5, 0.9):
        lower, upper = result.intervals(level)
        expected = np.quantile(result.coefs, [(1 - level) / 2, (1 + level) / 2], axis=0)
        assert lower == pytest.approx(expected[0], abs=1e-12)
        assert upper == pytest.approx(expected[1], abs=1e-12)
    assert result.offsets_intervals(1.0)[0] == pytest.approx(result.offsets.min(axis=0))
    lower, upper = result.proba_intervals(0.8)
    assert lower.shape == upper.shape == (3, 3)
    assert result.proba.sum(axis=2) == pytest.approx(np.ones((N, 3)))
    assert (lower <= upper).all()


def test_the_estimator_is_left_alone_and_all_rows_are_fitted(case_control, result):
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    before = dict(vars(model))
    bootstrap(model, case_control.X, case_control.z, n_replicates=2, random_state=0)
    assert vars(model) == before
    assert result.model.coef_ == pytest.approx(model.fit(case_control.X, case_control.z).coef_, abs=1e-10)


def test_sparse_frames_and_ordinal():
    data = simulate_ordinal(90, 6, signal=(2, 2), random_state=0)
    model = OrdinalPULasso(lam=0.03, tol=1e-8, **data.scenario_params)
    dense = bootstrap(model, data.X, data.z, n_replicates=2, random_state=0, predict_at=data.X[:2])
    thin = bootstrap(
        model, sparse.csc_matrix(data.X), data.z, n_replicates=2, random_state=0, predict_at=data.X[:2]
    )
    assert dense.coefs.shape == (2, 6)
    assert thin.coefs == pytest.approx(dense.coefs, abs=1e-5)
    assert thin.proba == pytest.approx(dense.proba, abs=1e-5)
    assert (np.diff(dense.offsets, axis=1) > 0).all()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data.X, columns=list("abcdef"))
    named = bootstrap(model, frame, data.z, n_replicates=2, random_state=0, predict_at=frame[:2])
    assert (named.coefs == dense.coefs).all()
    assert "class" not in named.to_frame()
    assert set(named.to_frame()["feature"]) <= set("abcdef")


def test_starting_from_all_rows_gives_the_same_where_there_is_one_point(case_control, result):
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    warm = bootstrap(model, case_control.X, case_control.z, n_replicates=N, random_state=5, start="all rows")
    assert warm.coefs == pytest.approx(result.coefs, abs=1e-4)
    assert not np.array_equal(warm.coefs, result.coefs)


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.StationaryPointWarning")
def test_replicates_restart_if_the_estimator_does(several_points):
    estimator, X, z = several_points
    restarting = clone(estimator).set_params(n_restarts=2)
    found = bootstrap(restarting, X, z, n_replicates=2, random_state=0)
    plain = bootstrap(estimator, X, z, n_replicates=2, random_state=0)
    assert np.abs(found.coefs - plain.coefs).max() > 0.1


# -- the same whoever computes it, and after an interruption --------------------------------------------------


def are_identical(one, other):
    return all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes()
        for name in ("coefs", "offsets", "group_frequency", "proba")
    )


def test_processes_and_checkpoints_give_bitwise_identical_results(case_control, result, tmp_path):
    """More replicates begin with those that are saved; another run has another subfolder."""
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    settings = {"predict_at": case_control.X[:3], "checkpoint": tmp_path}
    bootstrap(model, case_control.X, case_control.z, n_replicates=3, random_state=5, **settings)
    written = {file: file.stat().st_mtime_ns for file in tmp_path.glob("*/replicate*")}
    assert len(written) == 3
    seed = np.int64(5)
    full = bootstrap(
        model, case_control.X, case_control.z, n_replicates=N, random_state=seed, n_jobs=2, **settings
    )
    assert are_identical(full, result)
    assert all(file.stat().st_mtime_ns == time for file, time in written.items())


def test_seeds_that_nobody_gave_are_saved(case_control, tmp_path):
    model = MultinomialPULasso(lam=0.05, **case_control.scenario_params)
    one = bootstrap(model, case_control.X, case_control.z, n_replicates=2, checkpoint=tmp_path)
    next(tmp_path.glob("*/replicate 2*")).unlink()
    two = bootstrap(model, case_control.X, case_control.z, n_replicates=2, checkpoint=tmp_path)
    other = bootstrap(model, case_control.X, case_control.z, n_replicates=2)
    assert one.coefs.tobytes() == two.coefs.tobytes() != other.coefs.tobytes()


def test_steps_of_another_run_are_not_taken(case_control, tmp_path):
    changes = ({}, {"lam": 0.06}, {"random_state": 1}, {"sample_weight": 2.0}, {"start": "all rows"})
    for n_runs, change in enumerate(changes, 1):
        settings = {"lam": 0.05, "random_state": 0, **change}
        model = MultinomialPULasso(settings.pop("lam"), **case_control.scenario_params)
        bootstrap(model, case_control.X, case_control.z, n_replicates=2, checkpoint=tmp_path, **settings)
        assert len(list(tmp_path.glob("*/replicate*"))) == 2 * n_runs


# -- words and pictures ----------------------------------------------------------------------------------


def test_renderings(result):
    text, html, frame = repr(result), result._repr_html_(), result.to_frame(level=0.5)
    assert "not confidence intervals" in text
    assert "within every observed label" in text
    assert "not confidence intervals" in html
    assert frame["frequency"].is_monotonic_decreasing
    lower, _ = result.intervals(0.5)
    first = frame.iloc[0]
    assert first["lower"] == lower[first["class"] - 1, int(first["feature"][1:])]
    assert "p-value" not in text + html


def test_what_went_wrong_is_counted(single_set):
    model = MultinomialPULasso(lam=0.05, max_iter=1, **single_set.scenario_params)
    with pytest.warns(ConvergenceWarning):  # all rows
        late = bootstrap(model, single_set.X, single_set.z, n_replicates=2, random_state=0)
    assert late.n_not_converged == 2
    assert "not converged" in repr(late)
    z = np.where(single_set.z == 2, 0, single_set.z)
    z[np.flatnonzero(single_set.z == 2)[:1]] = 2
    model = MultinomialPULasso(lam=0.1, scenario="single-training-set", label_frequency=0.6)
    with pytest.warns(FewLabelsWarning):  # all rows
        rare = bootstrap(model, single_set.X, z, n_replicates=8, random_state=0)
    assert rare.n_redrawn > 0
    assert f"{rare.n_redrawn} times, because a label was missing" in repr(rare)


def test_nothing_selected(case_control):
    model = MultinomialPULasso(lam=10.0, **case_control.scenario_params)
    empty = bootstrap(model, case_control.X, case_control.z, n_replicates=2, random_state=0)
    assert "nothing was ever selected" in repr(empty)
    assert not empty.intervals()[1].any()
    assert len(empty.to_frame()) == 0


def test_plot(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = result.plot(n_entries=4)
    assert len(ax.get_yticklabels()) == 4
    assert "percentile interval" in ax.get_xlabel()
    assert result.plot(ax) is ax
    pyplot.close("all")


@pytest.mark.parametrize(
    "settings",
    [
        {"n_replicates": 1},
        {"n_replicates": 2.5},
        {"start": "warm"},
        {"predict_at": np.ones((2, 3))},
        {"sample_weight": [1.0]},
    ],
    ids=str,
)
def test_bad_settings_are_named(model, case_control, settings):
    (name,) = settings
    with pytest.raises(ValueError, match="3 features" if name == "predict_at" else name):
        bootstrap(model, case_control.X, case_control.z, **settings)


def test_bad_levels_and_missing_predictions(result):
    with pytest.raises(ValueError, match="level=1.5"):
        result.intervals(1.5)
    with pytest.raises(InputError) as caught:
        replace(result, proba=None).proba_intervals()
    assert caught.value.parameter == "predict_at"
