"""Fits, paths and cross-validations inside `pulasso.checkpoint`: the same call ends with the same bits."""

import errno
import os
import pickle
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

import pulasso
from pulasso import CaseControl, Groups, MultinomialPULasso, MultinomialPULassoCV, OrdinalPULasso, fit_path
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.exceptions import CheckpointError, CheckpointWarning, ConvergenceWarning
from pulasso.path import SOLVERS
from pulasso.runs import Run
from support.killed import at_every_moment, start, wait_for

# Where the smallest loss lies is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and forks")

KNOWN = {"scenario": "single-training-set", "label_frequency": 0.6, "tol": 1e-4}
CV = {**KNOWN, "n_lams": 3, "lam_min_ratio": 0.1, "cv": 2}


def draw(n=100, p=5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    y = np.digitize(2 * x[:, 0] + x[:, 1] + 0.5 * rng.logistic(size=n), [-0.5, 1.2])
    return x, np.where(rng.random(n) < 0.6, y, 0)


X, Z = draw()


def chunks(x=X):
    return LocalChunks(ArraySource(x, 40))


def fit(x=X, z=Z, weight=None, kind=MultinomialPULasso, **settings):
    return kind(**{"lam": 0.02, **KNOWN, **settings}).fit(x, z, sample_weight=weight)


def cross_validate(x=X, z=Z, weight=None, **settings):
    return MultinomialPULassoCV(**{**CV, "random_state": 0, **settings}).fit(x, z, sample_weight=weight)


def path(x=X, z=Z, **settings):
    return fit_path(x, z, **{**KNOWN, "n_lams": 4, "lam_min_ratio": 0.1, **settings})


WORK = {
    "fit": fit,
    "restarts": partial(fit, n_restarts=1),
    "ordinal": partial(fit, kind=OrdinalPULasso),
    "proximal gradient": partial(fit, solver="proximal-gradient"),
    "path": path,
    "chunked path": lambda **settings: path(chunks(), **settings),
    "cv": cross_validate,
}


def bits(found):
    """Return all that a result says, but for the time it took."""
    names = (
        "coef_",
        "intercept_",
        "thresholds_",
        "cv_loss_",
        "coefs",
        "offsets",
        "objective",
        "kkt",
        "n_iter",
    )
    parts = [getattr(found, name) for name in names if hasattr(found, name)]
    parts += [
        getattr(found, name) for name in ("objective_", "kkt_", "n_iter_", "lam_") if hasattr(found, name)
    ]
    others = getattr(getattr(found, "stationary_points_", None), "models", ())
    return [np.asarray(part).tobytes() for part in parts] + [bits(each) for each in others]


class Counter:
    """Counts the lams and the steps that are computed."""

    def __init__(self, monkeypatch):
        self.n_lams = self.n_folds = self.n_starts = 0
        for name, solver in SOLVERS.items():
            monkeypatch.setitem(SOLVERS, name, self._lams(solver))
        monkeypatch.setattr("pulasso.path.solve_working_set", self._lams(pulasso.path.solve_working_set))
        for target, attribute in (
            ("_cross_validated.fit_fold", "n_folds"),
            ("stationary._solve_from", "n_starts"),
        ):
            self._count(monkeypatch, f"pulasso.estimators.{target}", attribute)

    def _lams(self, solver):
        def counted(*arguments, **settings):
            for solution in solver(*arguments, **settings):
                self.n_lams += 1
                yield solution

        return counted

    def _count(self, monkeypatch, target, attribute):
        module, name = target.rsplit(".", 1)
        function = getattr(__import__(module, fromlist=[name]), name)

        def counted(*arguments):
            setattr(self, attribute, getattr(self, attribute) + 1)
            return function(*arguments)

        monkeypatch.setattr(target, counted)

    def take(self):
        """Return lams, folds and starts since the last time."""
        found = self.n_lams, self.n_folds, self.n_starts
        self.n_lams = self.n_folds = self.n_starts = 0
        return found


@pytest.fixture(name="computed")
def count_what_is_computed(monkeypatch):
    return Counter(monkeypatch)


# -- the same call ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("work", WORK)
def test_a_second_call_computes_nothing(tmp_path, computed, work):
    with pulasso.checkpoint(tmp_path):
        first = WORK[work]()
        assert sum(computed.take()) > 0
        again = WORK[work]()
        assert computed.take() == (0, 0, 0)
    assert bits(again) == bits(first)
    names = ("history_", "warnings_") if hasattr(first, "coef_") else ("_histories", "warnings")
    for name in names:
        assert repr(getattr(again, name)) == repr(getattr(first, name))
    WORK[work]()
    assert sum(computed.take()) > 0, "outside of the block nothing is saved"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("work", ["fit", "path", "chunked path"])
def test_with_and_without_a_checkpoint_the_solutions_agree(tmp_path, work):
    without = WORK[work]()
    with pulasso.checkpoint(tmp_path):
        found = WORK[work]()
    name = "coef_" if work == "fit" else "coefs"
    np.testing.assert_allclose(getattr(found, name), getattr(without, name), atol=1e-3)
    assert np.all(found.converged_ if work == "fit" else found.converged)


def test_fit_path_has_a_folder_of_its_own(tmp_path, computed):
    first = path(checkpoint=tmp_path / "new" / "folder")
    computed.take()
    assert bits(path(checkpoint=tmp_path / "new" / "folder")) == bits(first)
    with pulasso.checkpoint(tmp_path / "new" / "folder"):
        assert bits(path()) == bits(first)
    assert computed.take() == (0, 0, 0)


def test_what_does_not_change_the_folds_does_not_change_the_run(tmp_path, computed):
    with pulasso.checkpoint(tmp_path):
        cross_validate()
        computed.take()
        cross_validate(n_jobs=1, progress=False)
        assert computed.take() == (0, 0, 0)
        cross_validate(select="1se")  # another choice from the same folds
        assert computed.take()[1] == 0
        fit(n_restarts=1, random_state=0)
        assert computed.take()[2] == 3
        fit(n_restarts=2, random_state=0)
        assert computed.take() == (1, 0, 1)


def test_what_is_left_to_chance_survives(tmp_path, monkeypatch):
    with pulasso.checkpoint(tmp_path):
        first = cross_validate(random_state=None, cv=3)
        (file,) = tmp_path.glob("*/fold 2.npz")
        file.unlink()
        assert bits(cross_validate(random_state=None, cv=3)) == bits(first)
        before = bits(fit(n_restarts=1, lam=1e-3))
        (file,) = tmp_path.glob("*/random 1.npz")
        file.unlink()
        assert bits(fit(n_restarts=1, lam=1e-3)) == before


def test_warnings_survive(tmp_path):
    found = []
    for _ in range(2):
        with pytest.warns(ConvergenceWarning) as caught, pulasso.checkpoint(tmp_path):
            found.append(cross_validate(max_iter=1, tol=1e-9).warnings_)
        assert sum("did not reach tol" in str(each.message) for each in caught) >= 2
    assert found[0] == found[1]
    assert [each.template for each in found[0]] == [each.template for each in found[1]]


def test_a_damaged_step_is_computed_again(tmp_path, computed):
    with pulasso.checkpoint(tmp_path):
        first = cross_validate()
        computed.take()
        (file,) = tmp_path.glob("*/fold 2.npz")
        file.write_bytes(file.read_bytes()[:-20])
        with pytest.warns(CheckpointWarning, match=r"fold 2\.npz is damaged"):
            assert bits(cross_validate()) == bits(first)
        assert computed.take() == (3, 1, 0)


@pytest.mark.parametrize("damage", ["removed", "cut short"])
def test_a_chunked_path_without_its_state_is_replayed(tmp_path, computed, damage):
    """What is finished is not given twice, and what follows has the same bits."""
    first = WORK["chunked path"](checkpoint=tmp_path / "undisturbed")
    folder = tmp_path / "damaged"
    WORK["chunked path"](checkpoint=folder, n_lams=4)
    (run,) = folder.iterdir()
    for number in (3, 4):
        (run / f"lam {number}.npz").unlink()
    if damage == "cut short":
        (run / "state 2.npz").write_bytes(b"PK")
    computed.take()
    if damage == "cut short":
        with pytest.warns(CheckpointWarning, match="state 2"):
            again = WORK["chunked path"](checkpoint=folder)
    else:
        again = WORK["chunked path"](checkpoint=folder)
    assert computed.take()[0] == 4
    assert bits(again) == bits(first) and len(again) == 4
    assert sorted(each.name for each in run.iterdir()) == [f"lam {i}.npz" for i in (1, 2, 3, 4)]


# -- other calls ------------------------------------------------------------------------------------------------


def plain_score(model, x, y):
    return model.observed_score(x, y)


def scaled(factor):
    def score(model, x, y):
        return factor * model.observed_score(x, y)

    return score


class Scorer:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, model, x, y):
        return self.factor * model.observed_score(x, y)

    def method(self, model, x, y):
        return self.factor * model.observed_score(x, y)


def weighted_score(model, x, y, factor=1.0):
    return factor * model.observed_score(x, y)


WEIGHT = np.where(np.arange(len(Z)) % 2, 1.0, 2.0)
OTHERS = {
    "data": [{}, {"x": np.where(np.arange(5) == 4, X + 1e-9, X)}, {"x": X.astype(np.float32)}],
    "labels": [{}, {"z": np.where(np.arange(len(Z)) == np.flatnonzero(Z)[0], 0, Z)}, {"z": Z * 2}],
    "weights": [{}, {"weight": WEIGHT}, {"weight": WEIGHT[::-1].copy()}],
    "settings": [{}, {"label_frequency": 0.7}, {"groups": "entries"}, {"groups": Groups.rows(weights=2.0)}],
    "penalty": [
        {},
        {"penalty": "elastic-net"},
        {"scenario": CaseControl([0.2, 0.1]), "label_frequency": None},
    ],
    "splitters": [
        *({}, {"random_state": 1}, {"cv": 3}, {"cv": StratifiedKFold(2)}, {"cv": KFold(2)}),
        {"cv": [(np.arange(50), np.arange(50, 100))]},
        {"cv": [(np.arange(50, 100), np.arange(50))]},
    ],
    "scorers": [
        *({"scoring": plain_score}, {"scoring": scaled(1.0)}, {"scoring": scaled(2.0)}),
        {"scoring": lambda model, x, y: 3.0 * model.observed_score(x, y)},
        {"scoring": lambda model, x, y: 4.0 * model.observed_score(x, y)},
        *({"scoring": Scorer(5.0)}, {"scoring": Scorer(6.0)}, {"scoring": Scorer(7.0).method}),
        *({"scoring": partial(weighted_score, factor=factor)} for factor in (8.0, 9.0)),
    ],
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_calls_have_their_own_results(tmp_path, what):
    """Each twice, so that the second time all of them lie in the folder."""
    with pulasso.checkpoint(tmp_path):
        found = [[bits(cross_validate(**{"n_lams": 2, **each})) for each in OTHERS[what]] for _ in range(2)]
    assert found[0] == found[1] and len(list(tmp_path.iterdir())) == len(OTHERS[what])


def test_responses_of_a_user_are_told_from_ours(tmp_path):
    """They fit by an estimator of the same name."""

    class Mine(pulasso.responses.Multinomial):
        def null_offsets(self, log_odds):
            return super().null_offsets(log_odds)

    for response in ("multinomial", Mine):
        path(response=response, checkpoint=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_cannot_be_told_from_others_is_refused(tmp_path):
    scorer = Scorer(1.0)
    scorer.lock = threading.Lock()
    with pulasso.checkpoint(tmp_path), pytest.raises(CheckpointError):
        cross_validate(scoring=scorer)
    assert not list(tmp_path.iterdir())


# -- a script with everything in one block ----------------------------------------------------------------------


def test_estimators_inside_the_block_are_estimators(tmp_path, computed):
    model = MultinomialPULasso(**KNOWN)
    with pulasso.checkpoint(tmp_path):
        searches = [GridSearchCV(clone(model), {"lam": [0.1, 0.02]}, cv=2).fit(X, Z) for _ in range(2)]
        assert computed.take()[0] > 0
        GridSearchCV(clone(model), {"lam": [0.1, 0.02]}, cv=2).fit(X, Z)
        assert computed.take() == (0, 0, 0)
        assert bits(pickle.loads(pickle.dumps(searches[0].best_estimator_))) == bits(
            searches[1].best_estimator_
        )
    assert len(list(tmp_path.iterdir())) == 5


def test_a_sweep_inside_the_block(tmp_path, computed):
    from pulasso.prevalence import sensitivity_sweep

    with pulasso.checkpoint(tmp_path):
        first, again = (
            sensitivity_sweep(MultinomialPULasso(lam=0.02, **KNOWN), X, Z, [0.5, 0.6]) for _ in range(2)
        )
    assert computed.take()[0] > 0
    np.testing.assert_array_equal(first.changed, again.changed)
    assert len(list(tmp_path.iterdir())) == 1, "what is saved as a whole is not saved in parts, too"


def test_blocks_inside_one_another(tmp_path):
    with pulasso.checkpoint(tmp_path / "outer"):
        with pulasso.checkpoint(tmp_path / "inner"):
            fit()
        fit(lam=0.1)
    fit(lam=0.2)
    assert [len(list((tmp_path / name).iterdir())) for name in ("outer", "inner")] == [1, 1]


# -- folders that cannot be used --------------------------------------------------------------------------------


def refuse(monkeypatch, name, code):
    def refused(*arguments, **settings):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, name, refused)


@pytest.mark.parametrize("what", ["file", "file inside", "nowhere", "read-only", "full", "became read-only"])
def test_a_folder_that_cannot_be_used_is_named_and_the_model_unchanged(tmp_path, monkeypatch, what):
    folder = tmp_path / "folder"
    model = fit()
    before = bits(model), vars(model).copy()
    if what == "file":
        folder.write_text("")
    elif what == "file inside":
        with pulasso.checkpoint(folder):
            fit(lam=0.01)
        (run,) = folder.iterdir()
        for each in run.iterdir():
            each.unlink()
        run.rmdir()
        run.write_text("")
    elif what == "nowhere":
        folder = Path("/proc/nowhere/folder")
    elif what == "read-only":
        monkeypatch.setattr(os, "access", lambda *_: False)
    else:
        name, code = ("fsync", errno.ENOSPC) if what == "full" else ("link", errno.EROFS)
        refuse(monkeypatch, name, code)
        refuse(monkeypatch, "replace", code)
    with pytest.raises(CheckpointError) as caught, pulasso.checkpoint(folder):
        model.set_params(lam=0.01).fit(X, Z)
    assert str(folder) in str(caught.value) and caught.value.parameter == "checkpoint"
    assert (bits(model), {**vars(model), "lam": 0.02}) == before
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("folder", [3.5, b"folder", ["folder"], "nul\0l"])
def test_what_is_no_folder_is_refused(folder):
    with pytest.raises((TypeError, ValueError), match="checkpoint="), pulasso.checkpoint(folder):
        pass


def test_an_interrupted_path_says_how_it_is_resumed(tmp_path, monkeypatch):
    save = Run.save

    def then_stop(self, name, result):
        found = save(self, name, result)
        if name == "lam 2":
            raise KeyboardInterrupt
        return found

    with monkeypatch.context() as patched, pulasso.checkpoint(tmp_path):
        patched.setattr(Run, "save", then_stop)
        with pytest.raises(
            KeyboardInterrupt, match=r"after 1 of \d+ lams\. What is finished lies in .* resumes"
        ):
            WORK["path"]()


# -- killed, and several at a time ------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize(
    "work", ["fit", *(pytest.param(each, marks=pytest.mark.slow) for each in ("chunked path", "cv"))]
)
def test_killed_at_any_moment(tmp_path, computed, work):
    """The same call ends as if nothing had happened, and computes what was not finished, and no more."""
    call = partial(
        WORK[work], **{"fit": {"lam": 0.03}, "chunked path": {"n_lams": 3}, "cv": {"n_lams": 2}}[work]
    )
    with pulasso.checkpoint(tmp_path / "undisturbed"):
        expected = bits(call())
    n_lams, n_folds, _ = computed.take()

    def killed():
        with pulasso.checkpoint(folder):
            call()

    folder = tmp_path / "0"
    for moment in at_every_moment(killed):
        found = {each.stem for each in folder.glob("*/*.npz")}
        computed.take()
        with pulasso.checkpoint(folder):
            assert bits(call()) == expected
        lams, folds, _ = computed.take()
        if work == "cv":
            assert folds == n_folds - sum(name.startswith("fold ") for name in found)
        else:
            assert lams == n_lams - sum(name.startswith("lam ") for name in found)
        assert len(list(folder.rglob("*.part"))) <= 1
        folder = tmp_path / str(moment + 1)
    assert moment >= 11


@posix_only
@pytest.mark.parametrize("same", [True, False], ids=["same", "other settings"])
def test_two_processes_and_two_threads_share_a_folder(tmp_path, same):
    """Unseeded folds are drawn by one of them, for all."""
    lost = tmp_path / "folder" / ".fold 1.npz.0123456789abcdef0123456789abcdef.part"
    lost.parent.mkdir()
    lost.write_bytes(b"of another process")

    def work(number, begin):
        lam_min_ratio = 0.1 if same else 0.1 + 0.1 * number
        while time.time() < begin:
            pass
        with pulasso.checkpoint(tmp_path / "folder"):
            found = cross_validate(random_state=None, lam_min_ratio=lam_min_ratio)
        (tmp_path / f"{number}.pickle").write_bytes(pickle.dumps((lam_min_ratio, bits(found))))

    begin = time.time() + 0.3
    children = [start(partial(work, number, begin)) for number in range(2)]
    threads = [threading.Thread(target=work, args=(number, begin)) for number in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(map(wait_for, children))
    found = [pickle.loads((tmp_path / f"{number}.pickle").read_bytes()) for number in range(4)]
    assert len({str(each) for each in found}) == (1 if same else 4)
    assert lost.exists() and len(list(tmp_path.rglob("*.part"))) == 1
    for lam_min_ratio, result in found:
        with pulasso.checkpoint(tmp_path / "folder"):
            assert bits(cross_validate(random_state=None, lam_min_ratio=lam_min_ratio)) == result
