"""Steps in parallel and in order, with progress; what makes two runs the same."""

import io
import json
import sys
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from pulasso import CaseControl, Groups
from pulasso.runs import data_hash, describe, run_steps


def square(value):
    return {"square": np.array(value) ** 2, "name": np.array(f"the square of {value}")}


def multiply(x):
    return {"product": x.T @ x}


def fail_on_two(value):
    if value == 2:
        raise ZeroDivisionError("two is too many")
    return square(value)


SMALL = {f"step {i}": (i,) for i in range(5)}


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_results_come_in_the_order_of_the_steps(n_jobs):
    results = run_steps(square, SMALL, n_jobs=n_jobs)
    assert [int(result["square"]) for result in results] == [0, 1, 4, 9, 16]
    assert str(results[3]["name"]) == "the square of 3"


def test_no_steps():
    assert run_steps(square, {}) == []


def test_any_number_of_processes_gives_the_same_bits():
    rng = np.random.default_rng(0)
    steps = {str(i): (rng.normal(size=(400, 300)),) for i in range(3)}  # large enough to be memory-mapped
    alone, together = run_steps(multiply, steps), run_steps(multiply, steps, n_jobs=2)
    for one, other in zip(alone, together, strict=True):
        assert one["product"].tobytes() == other["product"].tobytes()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_step_is_raised(n_jobs):
    with pytest.raises(ZeroDivisionError, match="two is too many"):
        run_steps(fail_on_two, SMALL, n_jobs=n_jobs)


def test_objects_are_refused():
    with pytest.raises(TypeError, match="step 'a' returned 'x' as objects"):
        run_steps(lambda: {"x": [None]}, {"a": ()})


# -- progress -------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nothing_is_shown_unless_stderr_is_a_terminal(capsys):
    run_steps(square, SMALL, title="squares")
    assert capsys.readouterr().err == ""


def test_lines_where_there_is_no_terminal(capsys):
    run_steps(square, SMALL, progress=True, title="squares")
    assert capsys.readouterr().err.splitlines() == [f"squares: {i} of 5" for i in range(1, 6)]
    run_steps(square, {str(i): (i,) for i in range(1000)}, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 20
    assert lines[-1] == "steps: 1000 of 1000"


@pytest.mark.parametrize(("progress", "shown"), [(None, True), (True, True), (False, False)])
def test_a_bar_on_a_terminal(monkeypatch, progress, shown):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    run_steps(square, SMALL, progress=progress, title="squares")
    assert ("squares" in sys.stderr.getvalue()) is shown


def test_lines_on_a_terminal_without_rich(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("pulasso.runs._progress.find_spec", lambda name: None)
    run_steps(square, SMALL, title="squares")
    assert sys.stderr.getvalue().splitlines()[-1] == "squares: 5 of 5"


def test_no_bar_inside_a_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("pulasso.runs._progress.find_spec", lambda name: None)

    def outer():
        return run_steps(square, SMALL, title="inner")[0]

    run_steps(outer, {"one": ()}, title="outer")
    assert sys.stderr.getvalue() == "outer: 1 of 1\n"


# -- fingerprints ---------------------------------------------------------------------------------------


def test_the_hash_of_data_depends_on_the_data_alone():
    x = np.random.default_rng(0).normal(size=(50, 4))
    assert data_hash(x) == data_hash(np.asfortranarray(x)) == data_hash(x.copy())
    changed = x.copy()
    changed[49, 3] = np.nextafter(changed[49, 3], 9)
    others = [changed, x.astype(np.float32), x.T, x.ravel(), x[:, [1, 0, 2, 3]], sparse.csr_array(x), None]
    hashes = [data_hash(other) for other in [x, *others]]
    assert len(set(hashes)) == len(hashes)


def test_pieces_of_a_large_array_are_hashed_like_the_whole(monkeypatch):
    x = np.random.default_rng(0).normal(size=(50, 4))
    whole = data_hash(x)
    monkeypatch.setattr("pulasso.runs._fingerprint.CHUNK_BYTES", 100)
    assert data_hash(x) == data_hash(np.asfortranarray(x)) == whole


def test_sparse_labels_and_frames_have_hashes():
    pandas = pytest.importorskip("pandas")
    x = sparse.random_array((20, 6), density=0.3, rng=0, format="csr")
    assert data_hash(x) == data_hash(sparse.csr_matrix(x)) == data_hash(x.tocoo())
    assert data_hash(x) != data_hash(2 * x)
    assert data_hash(["a", None, 1]) != data_hash(["a", None, "1"])
    assert data_hash(["a", float("nan")]) == data_hash(["a", float("nan")])
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert data_hash(frame) != data_hash(frame.rename(columns={"a": "c"}))


def test_descriptions_are_json():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold

    described = describe(
        {
            "scenario": CaseControl([0.2, 0.1]),
            "numbers": np.arange(3),
            "many": np.arange(1000),
            "scalar": np.float32(0.5),
            "splitter": KFold(3, shuffle=True, random_state=1),
            "estimator": LogisticRegression(C=2.0),
            "function": square,
            "generator": np.random.default_rng(0),
            "state": np.random.RandomState(0),
            "groups": Groups.rows(),
            "set": {"b", "a"},
            "other": object,
        }
    )
    assert json.loads(json.dumps(described)) == described
    assert described["scenario"]["prevalence"] == [0.2, 0.1]
    assert described["splitter"]["random_state"] == 1
    assert described["estimator"]["C"] == 2.0
    assert described["set"] == ["'a'", "'b'"]
    assert describe(np.random.default_rng(0)) != describe(np.random.default_rng(1))
    assert describe(np.arange(1000)) != describe(np.arange(1, 1001))


def test_functions_of_one_name_are_told_apart():
    def power(n):
        return lambda x, weight=1.0: x**n in {"a", "b"}

    def double(x):
        return 2 * x

    described = [describe(double), describe(power(2)), describe(power(3)), describe(lambda x: x)]
    described += [describe(lambda x: x + 1), describe(partial(double, x=1)), describe(partial(double, x=2))]
    assert len({json.dumps(each, sort_keys=True) for each in described}) == len(described)
    assert describe(power(2)) == described[1]
    assert describe(data_hash) == "pulasso.runs._fingerprint.data_hash"
