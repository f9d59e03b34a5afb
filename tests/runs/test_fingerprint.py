"""What makes two computations the same: values, and the code of functions; not names, order or memory layout."""

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import partial
from types import FunctionType

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import KFold

from pulasso import CaseControl, Groups
from pulasso.data.chunks import ArraySource, LocalChunks
from pulasso.exceptions import CheckpointError
from pulasso.runs import fingerprint

LIMIT, N_CALLS = 3, 0
LOCK = threading.Lock()
X = np.random.default_rng(0).normal(size=(50, 4))


def assert_distinct(*values):
    assert len({fingerprint(value) for value in values}) == len(values)


def test_data():
    changed = X.copy()
    changed[49, 3] = np.nextafter(changed[49, 3], 9)
    assert fingerprint(X) == fingerprint(X.copy())
    assert_distinct(
        X, changed, X.astype(np.float32), X.T, X.ravel(), X[:, [1, 0, 2, 3]], sparse.csr_array(X), None
    )
    assert fingerprint(np.array(["a", None, 1.0], dtype=object)) != fingerprint(
        np.array(["a", None, 1], dtype=object)
    )


def test_sparse_matrices_may_cache():
    x = sparse.random_array((20, 6), density=0.3, rng=0, format="csc")
    before = fingerprint(x)
    assert x.has_canonical_format and fingerprint(x) == before
    assert_distinct(x, 2 * x, x.tocsr())
    assert fingerprint(x.tocoo()) == fingerprint(x.tocsr())


def test_chunks_are_read():
    def chunks(x, rows):
        return LocalChunks(ArraySource(x, rows))

    assert fingerprint(chunks(X, 20)) == fingerprint(chunks(X.copy(), 20))
    assert_distinct(chunks(X, 20), chunks(X, 25), chunks(X + 1, 20))


def test_settings():
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    assert fingerprint({1: "one", "two": 2}) == fingerprint({"two": 2, 1: "one"})
    assert_distinct(1, 1.0, True, "1", (1,), [1], {1}, frozenset([1]), None)
    assert_distinct(CaseControl([0.2, 0.1]), CaseControl([0.1, 0.2]), Groups.rows(), Groups.entries())
    assert_distinct(KFold(3), KFold(4), LogisticRegression(C=1.0), LogisticRegression(C=2.0))
    assert_distinct(np.random.default_rng(0), np.random.default_rng(1), np.random.RandomState(0))


# -- functions --------------------------------------------------------------------------------------------------


def power(n):
    return lambda x, weight=1.0: x**n in {"a", "b"}


def by_helper(x):
    return helper(x)


def helper(x):
    return x + LIMIT


def counting():
    global N_CALLS
    N_CALLS += 1


def with_lock():
    with LOCK:
        return LIMIT


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n > 0 and even(n - 1)


def test_functions_by_their_code():
    assert_distinct(
        *(lambda x: x, lambda x: x + 1), power(2), power(3), helper, by_helper, even, odd, accuracy_score
    )
    assert_distinct(partial(helper, x=1), partial(helper, x=2), partial(by_helper, x=1))
    assert_distinct(make_scorer(lambda y, p: 1), make_scorer(lambda y, p: 2), make_scorer(accuracy_score))
    assert fingerprint(power(2)) == fingerprint(power(2))


def with_code_of(function, other):
    """Return a function that has its name from one, and does what the other does."""
    changed = FunctionType(other.__code__, function.__globals__, function.__name__, other.__defaults__)
    changed.__qualname__ = function.__qualname__
    return changed


@pytest.mark.parametrize(
    "other", [lambda x: x + LIMIT + 1, lambda x, y=1: x + LIMIT], ids=["code", "defaults"]
)
def test_a_function_that_was_edited_is_another_one(monkeypatch, other):
    before = fingerprint(helper), fingerprint(by_helper)
    monkeypatch.setitem(globals(), "helper", with_code_of(helper, other))
    assert fingerprint(helper) != before[0] and fingerprint(by_helper) != before[1]


def test_what_a_function_uses_counts_but_not_what_it_writes(monkeypatch):
    before = fingerprint(by_helper), fingerprint(counting), fingerprint(with_lock)
    counting()
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert fingerprint(by_helper) != before[0]
    assert fingerprint(counting) == before[1]
    assert fingerprint(with_lock) != before[2]


@dataclass
class Above:
    level: float = 0.5

    def __call__(self, model, x, y):
        return self.level

    def score(self, model, x, y):
        return self.level


class Below(Above):
    def __call__(self, model, x, y):
        return -self.level


def test_objects_by_state_and_code(monkeypatch):
    assert_distinct(
        Above(), Above(0.6), Above().score, Above(0.6).score, Above().__call__, Below(), Above, Below
    )
    before = fingerprint(Above()), fingerprint(Below())
    monkeypatch.setattr(Above, "score", lambda self, model, x, y: 2 * self.level)
    assert fingerprint(Above()) != before[0] and fingerprint(Below()) != before[1]


def test_what_cannot_be_pickled_is_refused():
    scorer = Above()
    scorer.lock = LOCK
    for value in (scorer, scorer.score, (i for i in range(3)), partial(helper, LOCK), {"cv": [LOCK]}):
        with pytest.raises(CheckpointError):
            fingerprint(value)


CODE = """
from pulasso.runs import fingerprint

def limit(words=frozenset(["one", "two"])):
    return words in {"oak", "ash", "fir", "elm"}

class Scorer:
    names = frozenset(["oak", "ash"])
    def __call__(self, model, x, y):
        return limit()

found = fingerprint({"f": limit, "s": Scorer(), 1: {"b", "a"}, "lambda": lambda x: x in {"oak", "ash"}})
"""


def test_another_process_finds_the_same():
    """The order of sets and the lines above a function differ; a run is resumed all the same."""
    names = {"__name__": "__main__"}
    exec(CODE, names)
    code = f"# a comment, and the code further down\n{CODE}\nprint(found)"
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == names["found"]
