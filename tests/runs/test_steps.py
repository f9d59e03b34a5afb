"""Steps in order and in parallel, with progress, seeds and one thread for linear algebra."""

import io
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from pulasso.exceptions import CheckpointWarning
from pulasso.runs import draw_entropy, one_blas_thread, open_run, run_steps, spawn

SMALL = {f"step {i}": (i,) for i in range(5)}


def square(value):
    return {"square": np.array(value) ** 2, "name": np.array(f"the square of {value}")}


def fail_on_two(value):
    if value == 2:
        raise ZeroDivisionError("two is too many")
    return square(value)


def interrupt_at_two(value):
    if value == 2:
        raise KeyboardInterrupt
    return square(value)


def must_not_be_called(*arguments):
    raise AssertionError("computed again")


def squares(*arguments, **settings):
    return [int(each["square"]) for each in run_steps(*arguments, **settings)]


def test_results_come_in_the_order_of_the_steps():
    results = run_steps(square, SMALL)
    assert [int(each["square"]) for each in results] == [0, 1, 4, 9, 16]
    assert str(results[3]["name"]) == "the square of 3"
    assert run_steps(square, {}) == []


def test_any_number_of_processes_gives_the_same_bits(tmp_path):
    rng = np.random.default_rng(0)
    steps = {str(i): (rng.normal(size=(400, 300)),) for i in range(3)}  # large enough to be memory-mapped

    def multiply(x):
        return {"product": x.T @ x}

    alone = run_steps(multiply, steps)
    together = run_steps(multiply, steps, n_jobs=2, run=open_run("test", {}, tmp_path))
    saved = run_steps(must_not_be_called, steps, n_jobs=2, run=open_run("test", {}, tmp_path))
    for one, other, third in zip(alone, together, saved, strict=True):
        assert one["product"].tobytes() == other["product"].tobytes() == third["product"].tobytes()
    with pytest.raises(ZeroDivisionError, match="two is too many"):
        run_steps(fail_on_two, SMALL, n_jobs=2)


def test_objects_are_refused():
    with pytest.raises(TypeError, match="'a' returned 'x' as objects"):
        run_steps(lambda: {"x": [None]}, {"a": ()})


# -- saved steps ------------------------------------------------------------------------------------------------


def test_finished_steps_are_not_computed_again(tmp_path):
    run = open_run("squares", {"seed": 7}, tmp_path)
    with pytest.raises(KeyboardInterrupt, match="after 2 of 5 steps"):
        run_steps(interrupt_at_two, SMALL, run=run)
    assert sorted(each.name for each in run.folder.iterdir()) == ["step 0.npz", "step 1.npz"]
    assert squares(square, SMALL, run=run) == [0, 1, 4, 9, 16]
    assert squares(must_not_be_called, SMALL, run=run) == [0, 1, 4, 9, 16]
    assert squares(square, {**SMALL, "a/../b": (9,)}, run=run)[-1] == 81
    assert len(list(run.folder.iterdir())) == 6 and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(AssertionError, match="computed again"):
        run_steps(must_not_be_called, SMALL, run=open_run("squares", {"seed": 8}, tmp_path))


def test_steps_inside_a_step_are_not_saved(tmp_path):
    from pulasso import checkpoint

    def outer():
        assert open_run("inner", {}) is None
        return {"x": np.zeros(1)}

    with checkpoint(tmp_path):
        run_steps(outer, {"a": ()}, run=open_run("outer", {}))
        assert open_run("inner", {}) is not None


def test_what_is_left_to_chance_is_drawn_once(tmp_path):
    run = open_run("test", {}, tmp_path)
    drawn = draw_entropy(None, run)
    assert np.array_equal(draw_entropy(None, run), drawn) and not np.array_equal(draw_entropy(None), drawn)
    np.testing.assert_array_equal(draw_entropy(2**40 + 3), [3, 256, 0, 0])
    assert np.array_equal(draw_entropy(np.random.default_rng(1)), draw_entropy(np.random.default_rng(1)))
    assert draw_entropy(np.random.RandomState(1)).shape == (4,)
    for bad in (-1, 2**128, "seed", True, 1.5):
        with pytest.raises(ValueError, match="random_state"):
            draw_entropy(bad)
    first, both = spawn(drawn, 1)[0], spawn(drawn, 2)
    assert first.generate_state(4).tolist() == both[0].generate_state(4).tolist()
    assert both[0].generate_state(4).tolist() != both[1].generate_state(4).tolist()


DAMAGES = {
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "one byte": lambda data: data.replace(np.int64(4).tobytes(), np.int64(5).tobytes()),
    "huge": lambda data: data.replace(b"(), }" + b" " * 12, b"(99999999999,), }"),
    "an array": lambda data: b"\x93NUMPY\x01\x00" + data[8:],
    "a pickle": lambda data: b"\x80\x04N.",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_step_is_named_and_computed_again(tmp_path, damage):
    run = open_run("squares", {}, tmp_path)
    run_steps(square, SMALL, run=run)
    file = run.folder / "step 2.npz"
    whole = file.read_bytes()
    file.write_bytes(DAMAGES[damage](whole))
    assert file.read_bytes() != whole
    with pytest.warns(CheckpointWarning, match=r"step 2\.npz is damaged"):
        assert squares(square, SMALL, run=run) == [0, 1, 4, 9, 16]
    assert squares(must_not_be_called, SMALL, run=run) == [0, 1, 4, 9, 16]


def test_the_first_result_of_a_step_stays(tmp_path):
    """Two processes may compute the same step; folds that one of them drew are then those of both."""
    run, other = (open_run("test", {}, tmp_path) for _ in range(2))
    assert run.save("folds", {"x": np.arange(3)})["x"].tolist() == [0, 1, 2]
    assert other.save("folds", {"x": np.zeros(3)})["x"].tolist() == [0, 1, 2]
    assert run.load("folds")["x"].tolist() == [0, 1, 2]
    run.remove("folds")
    run.remove("folds")
    assert run.load("folds") is None


# -- progress ---------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_where_there_is_no_terminal(capsys):
    run_steps(square, SMALL, title="squares")
    assert capsys.readouterr().err == ""
    run_steps(square, SMALL, progress=True, title="squares")
    assert capsys.readouterr().err.splitlines() == [f"squares: {i} of 5" for i in range(1, 6)]
    run_steps(square, {str(i): (i,) for i in range(1000)}, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 20 and lines[-1] == "steps: 1000 of 1000"


@pytest.mark.parametrize(("progress", "shown"), [(None, True), (True, True), (False, False)])
def test_a_bar_on_a_terminal(monkeypatch, progress, shown):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    run_steps(square, SMALL, progress=progress, title="squares")
    assert ("squares" in sys.stderr.getvalue()) is shown


def test_no_bar_inside_a_bar_and_lines_without_rich(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("pulasso.runs._progress.find_spec", lambda name: None)
    run_steps(lambda: run_steps(square, SMALL, title="inner")[0], {"one": ()}, title="outer")
    assert sys.stderr.getvalue() == "outer: 1 of 1\n"


# -- threads of linear algebra ----------------------------------------------------------------------------------


def n_threads():
    return {pool["num_threads"] for pool in ThreadpoolController().info() if pool["user_api"] == "blas"}


def test_limits_on_threads_last_as_long_as_somebody_needs_them():
    with threadpool_limits(2):
        before = n_threads()
        entered, left = threading.Event(), threading.Event()

        def other():
            with one_blas_thread():
                entered.set()
                left.wait(10)

        thread = threading.Thread(target=other)
        with one_blas_thread():
            with one_blas_thread():
                assert n_threads() == {1}
            assert n_threads() == {1}
            thread.start()
            entered.wait(10)
        assert n_threads() == {1}  # the other one is still at work
        left.set()
        thread.join()
        assert n_threads() == before
