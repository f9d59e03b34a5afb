"""Odd values: what users pass by mistake, and what nobody would."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy import sparse

from pulasso import CaseControl, FullyObserved, Groups, SingleTrainingSet

NAN, INF = float("nan"), float("inf")


def pick(rng, options):
    """Return one of several values, which may be of any type."""
    return options[int(rng.integers(len(options)))]


def anything(rng):
    """Return a value that fits few parameters."""
    return pick(
        rng,
        [
            *(0, 1, -1, 2, 0.5, -0.5, 1e-300, 1e300, 1e-12, 5e-324, 10**30, 10**400, NAN, INF, -INF),
            *(
                None,
                True,
                False,
                "",
                "0.5",
                "rows",
                "estimate",
                "nan",
                "ß",
                "a" * 300,
                b"bytes",
                "\0",
                "%s{}",
            ),
            *(
                [],
                [0.1],
                [0.1, 0.2],
                [0.2, 0.1, 0.3],
                [[0.1]],
                [None],
                ["a"],
                [NAN, 0.1],
                (0.1, 0.2),
                range(3),
            ),
            *(
                {},
                {1: 0.2, 2: 0.1},
                {"1": 0.2},
                {1: None},
                {0: 0.1, 1: 0.1, 2: 0.1},
                {(): 1},
                {1, 2},
                {"a": {}},
            ),
            *(np.array(0.3), np.array([0.1, 0.2]), np.array([]), np.float32(0.2), np.int8(1), np.bool_(True)),
            *(np.array(["a", "b"]), np.array([None, 1], dtype=object), np.datetime64("2020-01-01"), 1 + 2j),
            *(Decimal("0.1"), Fraction(1, 10), object(), int, len, Ellipsis, NotImplemented, slice(3)),
            *(pd.NA, pd.NaT, pd.Series([0.1, 0.2]), pd.Series({1: 0.2, 2: 0.1}), pd.DataFrame({"a": [1]})),
            *(iter([1, 2]), datetime.date(2020, 1, 1), np.ma.masked, sparse.csr_array(np.eye(2))),
            *(CaseControl(0.1), SingleTrainingSet(0.5), FullyObserved(), Groups.rows(), CaseControl, Groups),
        ],
    )


def small_problem(rng):
    """Return features and labels that can be fitted."""
    n, p, n_positive = int(rng.integers(6, 25)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    x = rng.normal(size=(n, p))
    y = rng.integers(0, n_positive + 1, n)
    y[: n_positive + 1] = np.arange(n_positive + 1)
    x[np.arange(n), y % p] += 1.0
    return x, y


def _set_some(x, values, rng):
    x = x.copy()
    for _ in range(int(rng.integers(1, 4))):
        x[tuple(int(rng.integers(size)) for size in x.shape)] = pick(rng, values)
    return x


def odd_features(rng, x):
    """Return X changed into something else, valid or not."""
    n, p = x.shape
    names = [f"c{j}" for j in range(p)]
    changes = [
        lambda: _set_some(x, [NAN, INF, -INF], rng),
        lambda: _set_some(x, [1e308, -1e308, 1e200, 1e154, 5e-324, 1e-200], rng),
        lambda: x * 10.0 ** rng.integers(-320, 308, size=p),
        lambda: _set_some(x.astype(object), [None, "a", "1.5", [], {}, object(), 10**400, 1j, b"1"], rng),
        lambda: x + pick(rng, [1e8, 1e15, -1e100, 1e300]),
        lambda: np.repeat(x[:1], n, axis=0),
        lambda: x.astype(pick(rng, ["f2", "f4", ">f8", "f16", "i4", "u1", "?", "c16", "U8", "S8", "M8[D]"])),
        lambda: pick(rng, [x[0], x[:, 0], x[None], x[:0], x[:, :0], x[:1], x[0, 0], x[:, ::-1], x[::-1]]),
        lambda: pick(rng, [x.tolist(), tuple(map(tuple, x)), [list(row) for row in x][:-1] + [[1.0]]]),
        lambda: pick(rng, [np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], np.matrix(x)]),
        lambda: np.ma.masked_array(x, mask=rng.random(x.shape) < 0.1),
        lambda: pick(rng, [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_array, sparse.dok_array])(
            x * (rng.random(x.shape) < 0.5)
        ),
        lambda: _odd_sparse(rng, x),
        lambda: pd.DataFrame(x, columns=pick(rng, [names, ["a"] * p, range(p), [None] * p, [("a", n) for n in names]])),
        lambda: _odd_frame(rng, x, names),
        lambda: np.zeros(n, dtype=[("a", float), ("b", float)]),
        lambda: anything(rng),
    ]  # fmt: skip
    return pick(rng, changes)()


def _odd_sparse(rng, x):
    """Return a CSR matrix with something wrong inside."""
    matrix = sparse.csr_array(x)
    which = int(rng.integers(4))
    if which == 0:
        matrix.data = _set_some(matrix.data, [NAN, INF, 1e308], rng)
    elif which == 1:
        matrix.data[:] = 0.0
    elif which == 2:
        matrix.indices = matrix.indices.astype(np.int64)
        matrix.indptr = matrix.indptr.astype(np.int64)
    else:
        matrix = sparse.csr_array(matrix.shape)
    return matrix


def _odd_frame(rng, x, names):
    frame = pd.DataFrame(x, columns=names)
    column = pick(
        rng,
        [
            pd.Series(["a"] * len(x)),
            pd.Series(["a", "b"] * len(x))[: len(x)].astype("category"),
            pd.Series(pd.date_range("2020", periods=len(x))),
            pd.Series([pd.NA, *range(len(x) - 1)], dtype="Int64"),
            pd.Series([True] * len(x)),
            pd.Series([None] * len(x)),
            pd.Series([[]] * len(x)),
            pd.Series(range(len(x)), dtype="float32"),
            pd.arrays.SparseArray(np.zeros(len(x))),
        ],
    )
    frame[pick(rng, ["odd", "c0", 3, ""])] = column
    return frame


def odd_labels(rng, y):
    """Return y changed into something else, valid or not."""
    words = np.array(["none", "oak", "fir", "elm"], dtype=object)
    changes = [
        lambda: words[y],
        lambda: words[y].astype(str),
        lambda: pd.Series(words[y], dtype="category"),
        lambda: pd.Categorical(words[y], categories=["fir", "elm", "oak", "none"], ordered=True),
        lambda: np.where(y > 0, y, NAN),
        lambda: np.where(y > 0, y, -1),
        lambda: [None if each == 0 else int(each) for each in y],
        lambda: ["" if each == 0 else f"class {each}" for each in y],
        lambda: y.astype(pick(rng, ["f4", "u1", "?", "i1", "c16", "O", "S3", "M8[D]", ">i4"])),
        lambda: pick(rng, [y * 0, y * 0 + 1, y + 5, -y, y + 0.5, y * 10**18, y * 1e300]),
        lambda: pick(rng, [y[:-1], np.append(y, 1), y[:, None], np.stack([y, y], axis=1), y[:0], y[0]]),
        lambda: pd.Series(y, dtype="Int64").where(y > 0),
        lambda: pd.Series(y, index=range(100, 100 + len(y))),
        lambda: _set_some(
            y.astype(object), ["a", None, NAN, INF, (), [1], {}, object(), 2.5, True, b"x"], rng
        ),
        lambda: _set_some(y.astype(float), [NAN, INF, -INF, 1.5, -0.0], rng),
        lambda: np.arange(len(y)),
        lambda: pd.DataFrame({"y": y}),
        lambda: sparse.csr_array(y[:, None]),
        lambda: np.ma.masked_array(y, mask=y == 1),
        lambda: anything(rng),
    ]
    return pick(rng, changes)()


def odd_weight(rng, n):
    """Return weights, valid or not."""
    weight = rng.uniform(0.5, 2.0, size=n)
    changes = [
        lambda: weight,
        lambda: 10.0 ** rng.uniform(-300, 300, size=n),
        lambda: np.where(rng.random(n) < 0.6, 0.0, weight),
        lambda: _set_some(weight, [NAN, INF, -1.0, 1e308, 5e-324, 0.0], rng),
        lambda: weight[:-1],
        lambda: weight[:, None],
        lambda: weight.tolist(),
        lambda: pd.Series(weight),
        lambda: weight.astype(pick(rng, ["f4", "i4", "?", "O", "U5", "c16"])),
        lambda: np.zeros(n),
        lambda: anything(rng),
    ]
    return pick(rng, changes)()


def odd_groups(rng, p, classes):
    """Build groups from arguments that may be anything; the constructor may refuse them."""
    columns = [int(each) for each in rng.integers(-1, p + 1, size=int(rng.integers(0, p + 1)))]
    names = [f"c{j}" for j in range(p)]
    weights = pick(rng, [None, 1.0, [1.0] * p, {"a": 2.0}, {0: 0}, {"0": INF}, np.ones(p), anything(rng)])
    flags = {"symmetric": bool(rng.random() < 0.2)}
    sets = pick(
        rng,
        [
            {"a": columns, "b": list(range(p))},
            {"a": list(range(p))},
            {"a": names},
            [columns, names],
            [list(range(p))],
            [[j] for j in range(p)],
            {"a": [True]},
            {"a": [0.0]},
            {"": []},
            anything(rng),
        ],
    )
    make = [
        lambda: Groups.rows(weights, **flags),
        lambda: Groups.entries(weights),
        lambda: Groups.from_columns(sets, weights, by_class=pick(rng, [True, False, "x"]), rest=_rest(rng), **flags),
        lambda: Groups.from_labels(pick(rng, [["g"] * p, list(range(p)), columns, anything(rng)]), weights, **flags),
        lambda: Groups.from_blocks(_odd_blocks(rng, p, classes), weights),
        lambda: Groups.from_transformer(anything(rng), weights),
        lambda: anything(rng),
    ]  # fmt: skip
    return pick(rng, make)()


def _rest(rng):
    return pick(rng, ["error", "rows", "entries", None, 3])


def _odd_blocks(rng, p, classes):
    columns = list(range(p))
    return pick(
        rng,
        [
            [(columns, None)],
            [(columns, each) for each in classes[1:]],
            {"a": (columns, classes[1:2]), "b": (columns, classes[2:])},
            {"a": (columns, classes)},
            [(columns,)],
            [(anything(rng), anything(rng))],
            [(columns, [{}])],
            anything(rng),
        ],
    )
