"""The sensitivity sweep: equal to single fits, resumable, and readable."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pulasso
from pulasso import MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, SingleTrainingSet
from pulasso.exceptions import CheckpointError, ScenarioError
from pulasso.metrics import pu_accuracy
from pulasso.prevalence import sensitivity_sweep

GRID = [0.5, 0.7]


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


def test_it_is_taken_up_again(data, model, tmp_path):
    x, z = data
    folder = tmp_path / "sweep"
    whole = sensitivity_sweep(model, x, z, GRID)
    sensitivity_sweep(model, x, z, GRID[:1], checkpoint=folder)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*.npz")}
    same(whole, sensitivity_sweep(model, x, z, GRID, checkpoint=folder))
    assert len(before) == 2 and all(file.stat().st_mtime_ns == when for file, when in before.items())
    with pytest.raises(CheckpointError, match="lam"):
        sensitivity_sweep(model.set_params(lam=0.05), x, z, GRID, checkpoint=folder)


# The third fit kills the process in which it runs.
KILLED = """
import os, signal, sys
sys.path.insert(0, {source!r})
import numpy as np
from pulasso import MultinomialPULasso
from pulasso.prevalence import sensitivity_sweep

class Deadly(MultinomialPULasso):
    calls = []
    def fit(self, *args, **kwargs):
        self.calls.append(1)
        if len(self.calls) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(*args, **kwargs)

Deadly.__name__ = "MultinomialPULasso"
data = np.load({data!r})
model = Deadly(lam=0.03, scenario="single-training-set", label_frequency=0.6)
sensitivity_sweep(model, data["x"], data["z"], {grid!r}, checkpoint={folder!r})
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_sweep_goes_on_and_ends_the_same(data, model, tmp_path):
    x, z = data[0].to_numpy(), data[1]
    np.savez(tmp_path / "data.npz", x=x, z=z)
    folder = tmp_path / "kept"
    code = KILLED.format(
        source=str(Path(pulasso.__file__).parents[1]),
        data=str(tmp_path / "data.npz"),
        grid=GRID,
        folder=str(folder),
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=300, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    kept = {file: file.stat().st_mtime_ns for file in folder.glob("*.npz")}
    assert len(kept) == 2  # of three values; the one in work is lost
    same(sensitivity_sweep(model, x, z, GRID), sensitivity_sweep(model, x, z, GRID, checkpoint=folder))
    assert all(file.stat().st_mtime_ns == when for file, when in kept.items())


def test_processes_do_not_matter(data, model):
    same(sensitivity_sweep(model, *data, GRID), sensitivity_sweep(model, *data, GRID, n_jobs=2))


def test_pipelines_objects_and_mappings(data, model):
    x, z = data
    plain = sensitivity_sweep(model, x, z, GRID)
    weight = np.ones(len(z))
    piped = sensitivity_sweep(make_pipeline(StandardScaler(), model), x, z, GRID, sample_weight=weight)
    np.testing.assert_array_equal(piped.predictions, plain.predictions)
    np.testing.assert_allclose(piped.log_likelihood, plain.log_likelihood, rtol=1e-6)
    as_object = MultinomialPULasso(lam=0.03, scenario=SingleTrainingSet(0.6))
    same(plain, sensitivity_sweep(as_object, x, z, GRID))
    uneven = sensitivity_sweep(model, x, z, [{1: 0.6, 2: 0.6}, {1: 0.5, 2: 0.7}], reference={2: 0.6, 1: 0.6})
    assert uneven.reference == 0 and len(uneven.values) == 2
    np.testing.assert_allclose(uneven.coefs[0], plain.coefs[1])
    assert "1: 0.5, 2: 0.7" in repr(uneven)


def test_held_out_rows_and_renderings(data, model):
    x, z = data
    ordinal = OrdinalPULasso(lam=0.03, scenario="single-training-set")
    sweep = sensitivity_sweep(ordinal, x[:200], z[:200], [0.2, *GRID], held_out=(x[200:], z[200:]))
    assert sweep.reference == 1 and sweep.predictions.shape == (3, 100)
    text = repr(sweep)
    assert "Sensitivity to label_frequency: 3 fits" in text and "0.5 *" in text
    assert "warning at 0.2: label_frequency is too low" in text and sweep.warnings[0]
    assert "<table>" in sweep._repr_html_()
    frame = sweep.to_frame()
    assert frame["label_frequency"].tolist() == [0.2, 0.5, 0.7] and frame["reference"].tolist() == [
        False,
        True,
        False,
    ]
    display = sweep.plot()
    assert set(display.lines_) == {"log-likelihood", "selected features", "changed predictions", "accuracy"}
    with pytest.raises(ValueError, match="ax holds 1 axes, but 4 panels"):
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


def test_held_out_rows_bring_their_weights(data, model, tmp_path):
    x, z = data
    held = np.random.default_rng(5).integers(0, 4, len(z) - 200)
    more = (x[200:].loc[x.index[200:].repeat(held)], np.repeat(z[200:], held))
    weighted, repeated, alike = (
        sensitivity_sweep(model, x[:200], z[:200], GRID, held_out=rows, checkpoint=tmp_path / str(i))
        for i, rows in enumerate([(x[200:], z[200:], held), more, (x[200:], z[200:])])
    )
    for name in ("log_likelihood", "changed"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-9)
    np.testing.assert_allclose(weighted.scores["accuracy"], repeated.scores["accuracy"], rtol=1e-9)
    assert not np.allclose(weighted.scores["accuracy"], alike.scores["accuracy"])
    with pytest.raises(CheckpointError, match="scored rows"):
        sensitivity_sweep(
            model, x[:200], z[:200], GRID, held_out=(x[200:], z[200:]), checkpoint=tmp_path / "0"
        )
    with pytest.raises(ValueError, match="held_out must be"):
        sensitivity_sweep(model, x, z, GRID, held_out=(x, z, held, held))


def test_a_chosen_lam_of_zero_is_reported(data):
    settings = {"scenario": "single-training-set", "label_frequency": 0.6}
    model = MultinomialPULassoCV(lams=[0.0], cv=2, random_state=0, **settings)
    np.testing.assert_array_equal(sensitivity_sweep(model, *data, [0.6]).lam, [0.0])


@pytest.mark.parametrize(
    ("grid", "words"),
    [({1: [0.5, 0.6], 2: [0.5, 0.6]}, "list of them"), (0.5, "no list"), ("0.5", "no list")],
)
def test_a_grid_that_is_no_list_of_values(data, model, grid, words):
    with pytest.raises(ValueError, match=words):
        sensitivity_sweep(model, *data, grid)


def test_wrong_turns(data, model):
    x, z = data
    with pytest.raises(ScenarioError, match="has no number to vary"):
        sensitivity_sweep(MultinomialPULasso(scenario="fully-observed"), x, z, GRID)
    with pytest.raises(ValueError, match="grid is empty"):
        sensitivity_sweep(model, x, z, [])
    with pytest.raises(ValueError, match="'estimate', which is no number"):
        sensitivity_sweep(model, x, z, ["estimate"])
    with pytest.raises(ValueError, match="more than once"):
        sensitivity_sweep(model, x, z, [0.5, 0.5])
    with pytest.raises(ScenarioError, match="label_frequency of class 1 is 1.5"):
        sensitivity_sweep(model, x, z, [1.5])
