"""Cross-validation in several processes, interrupted and resumed: always the same result, bit for bit."""

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import pulasso
from pulasso import CaseControl, MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.exceptions import CheckpointError, CheckpointWarning, ConvergenceWarning

# Where the smallest loss lies is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")

SOURCE = Path(pulasso.__file__).parents[1]


def draw(n=150, p=8, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    y = np.digitize(2 * x[:, 0] + x[:, 1] + 0.5 * rng.logistic(size=n), [-0.5, 1.2])
    return x, np.where(rng.random(n) < 0.6, y, 0)


SETTINGS = {
    "scenario": "single-training-set",
    "label_frequency": 0.6,
    "n_lams": 5,
    "lam_min_ratio": 0.02,
    "cv": 3,
    "tol": 1e-4,
    "random_state": 0,
}


def bits(model):
    arrays = (model.cv_loss_, model.coef_, model.path_.coefs, model.path_.objective, np.array(model.lam_))
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("cls", [MultinomialPULassoCV, OrdinalPULassoCV])
def test_any_number_of_processes_gives_the_same_bits(cls):
    x, z = draw(n=600, p=250)  # large enough for joblib to map it into the workers' memory
    settings = SETTINGS | {"lam_min_ratio": 0.1}
    alone = cls(**settings).fit(x, z)
    assert bits(cls(**settings, n_jobs=2).fit(x, z)) == bits(alone)
    with threadpool_limits(2):  # as on a machine with more cores
        assert bits(cls(**settings).fit(x, z)) == bits(alone)


# A fit whose scorer waits for ever in the second fold, if asked to.
RUN = """
import os
import sys, time, warnings
sys.path[:0] = [{source!r}, {tests!r}]
warnings.simplefilter("ignore")
from pulasso import MultinomialPULassoCV
from unit_cv_steps import SETTINGS, bits, draw

n_calls = 0

def score(model, x, y):
    global n_calls
    n_calls += 1
    if os.environ["WAIT"] == "yes" and n_calls > 5:  # from outside: the code of the scorer stays the same
        time.sleep(600)
    return model.observed_score(x, y)

x, z = draw()
model = MultinomialPULassoCV(**SETTINGS, scoring=score, checkpoint={folder!r}).fit(x, z)
print(n_calls, [each.hex() for each in bits(model)])
"""


def start(folder, tmp_path, wait):
    (tmp_path / "unit_cv_steps.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    code = RUN.format(source=str(SOURCE), tests=str(tmp_path), folder=str(folder))
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"WAIT": "yes" if wait else "no"},
    )


def finish(folder, tmp_path):
    out, err = start(folder, tmp_path, wait=False).communicate(timeout=120)
    assert not err, err
    n_calls, result = out.split(" ", 1)
    return int(n_calls), result


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_fit_loses_only_the_fold_in_work(tmp_path):
    n_calls, expected = finish(tmp_path / "undisturbed", tmp_path)
    assert n_calls == 15
    process = start(tmp_path / "killed", tmp_path, wait=True)
    deadline = time.monotonic() + 120
    while not (tmp_path / "killed" / "fold 1.npz").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert sorted(file.name for file in (tmp_path / "killed").glob("*.npz")) == ["fold 1.npz", "folds.npz"]
    assert finish(tmp_path / "killed", tmp_path) == (10, expected)


def must_not_be_called(*arguments):
    raise AssertionError("computed again")


def fit(folder, x, z, **changes):
    return MultinomialPULassoCV(**{**SETTINGS, "checkpoint": folder, **changes}).fit(x, z)


def test_what_is_finished_is_not_computed_again(tmp_path, monkeypatch):
    x, z = draw()
    first = fit(tmp_path, x, z)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {
        "settings.json",
        "folds.npz",
        *(f"fold {i}.npz" for i in (1, 2, 3)),
        f"refit {first.best_index_}.npz",
    }
    monkeypatch.setattr("pulasso.estimators._cross_validated.fit_fold", must_not_be_called)
    assert bits(fit(tmp_path, x, z, select="1se")) != bits(first)  # another choice from the same folds
    monkeypatch.setattr("pulasso.estimators._cross_validated.refit", must_not_be_called)
    again = fit(tmp_path, x, z, n_jobs=2, progress=False)
    assert bits(again) == bits(first)
    assert again.history_ == first.history_
    np.testing.assert_array_equal(again.predict_proba(x), first.predict_proba(x))
    assert bits(pickle.loads(pickle.dumps(again))) == bits(first)


def test_unseeded_folds_survive(tmp_path):
    x, z = draw()
    first = fit(tmp_path, x, z, random_state=None)
    (tmp_path / "fold 2.npz").unlink()
    assert bits(fit(tmp_path, x, z, random_state=None)) == bits(first)


def test_warnings_survive(tmp_path):
    x, z = draw()
    for _ in range(2):
        with pytest.warns(ConvergenceWarning) as caught:
            fit(tmp_path, x, z, max_iter=1)
        assert sum("fits did not reach tol=0.0001" in str(each.message) for each in caught) == 4


def test_a_damaged_fold_is_computed_again(tmp_path):
    x, z = draw()
    first = fit(tmp_path, x, z)
    file = tmp_path / "fold 2.npz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.warns(CheckpointWarning, match=r"fold 2\.npz is damaged"):
        assert bits(fit(tmp_path, x, z)) == bits(first)


def test_other_data_or_settings_are_refused_by_name(tmp_path):
    x, z = draw()
    fit(tmp_path, x, z)
    other = x.copy()
    other[3, 4] += 1e-12
    with pytest.raises(CheckpointError, match="another run: X differs. Give"):
        fit(tmp_path, other, z)
    with pytest.raises(CheckpointError, match="another run: y differs"):
        fit(tmp_path, x, np.where(np.arange(len(z)) == np.flatnonzero(z)[0], 0, z))
    with pytest.raises(CheckpointError, match="label_frequency was 0.6 and is 0.7 now"):
        fit(tmp_path, x, z, label_frequency=0.7)
    with pytest.raises(CheckpointError, match="cv differs"):
        fit(tmp_path, x, z, random_state=1)
    with pytest.raises(CheckpointError, match="scenario differs"):
        fit(tmp_path, x, z, scenario=CaseControl([0.2, 0.1]), label_frequency=None)
    with pytest.raises(
        CheckpointError, match='estimator was "MultinomialPULassoCV" and is "OrdinalPULassoCV"'
    ):
        OrdinalPULassoCV(**SETTINGS, checkpoint=tmp_path).fit(x, z)
    with pytest.raises(CheckpointError, match="sample_weight differs"):
        MultinomialPULassoCV(**SETTINGS, checkpoint=tmp_path).fit(x, z, np.full(len(z), 2.0))


def test_progress_is_shown_when_asked_for(capsys):
    x, z = draw()
    MultinomialPULassoCV(**SETTINGS, progress=True).fit(x, z)
    assert capsys.readouterr().err.splitlines() == [*(f"folds: {i} of 3" for i in (1, 2, 3)), "refit: 1 of 1"]
    MultinomialPULassoCV(**SETTINGS).fit(x, z)
    assert capsys.readouterr().err == ""
