"""How tasks travel to solvers in other processes and languages, and results come back: plain binary files.

A task is a folder: `meta.json`, `z.bin`, `lams.bin`, and X as `X.bin` (doubles, column after column) or, if
sparse, as `data.bin`, `indices.bin`, `indptr.bin` (compressed columns). A result is a folder: `result.json`
with times and sizes, `coefs.bin` (lams x classes x features, on the scale of X) and `intercepts.bin`.
"""

import json
from pathlib import Path

import numpy as np
from scipy import sparse

__all__ = ["read_result", "read_task", "write_result", "write_task"]


def _write(path: Path, array, dtype) -> None:
    # A transposed Fortran array is contiguous: no copy of X.
    array = np.asarray(array, dtype=dtype)
    (array.T if array.flags.f_contiguous else np.ascontiguousarray(array)).tofile(path)


def write_task(folder: Path, x, z, lams, meta: dict) -> None:
    """Write a task; `meta` says response, penalty, scenario and its numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    n, p = x.shape
    facts = {
        "n": n,
        "p": p,
        "n_classes": int(np.max(z)) + 1,
        "n_lams": len(lams),
        "sparse": sparse.issparse(x),
    }
    if sparse.issparse(x):
        x = sparse.csc_matrix(x)
        _write(folder / "data.bin", x.data, np.float64)
        _write(folder / "indices.bin", x.indices, np.int32)
        _write(folder / "indptr.bin", x.indptr, np.int32)
    else:
        _write(folder / "X.bin", np.asfortranarray(x), np.float64)
    _write(folder / "z.bin", z, np.int32)
    _write(folder / "lams.bin", lams, np.float64)
    (folder / "meta.json").write_text(json.dumps(facts | meta, indent=1))


def read_task(folder: Path):
    """Return x, z, lams and meta."""
    folder = Path(folder)
    meta = json.loads((folder / "meta.json").read_text())
    shape = meta["n"], meta["p"]
    if meta["sparse"]:
        parts = [
            np.fromfile(folder / f"{name}.bin", dtype)
            for name, dtype in (("data", np.float64), ("indices", np.int32), ("indptr", np.int32))
        ]
        x = sparse.csc_matrix(tuple(parts), shape=shape)
    else:
        x = np.fromfile(folder / "X.bin", np.float64).reshape(shape, order="F")
    return x, np.fromfile(folder / "z.bin", np.int32), np.fromfile(folder / "lams.bin", np.float64), meta


def write_result(folder: Path, facts: dict, coefs=None, intercepts=None) -> None:
    """Write what a solver found, and how long it took."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if coefs is not None:
        facts = facts | {"coefs_shape": list(np.shape(coefs))}
        np.ascontiguousarray(coefs, dtype=np.float64).tofile(folder / "coefs.bin")
        np.ascontiguousarray(intercepts, dtype=np.float64).tofile(folder / "intercepts.bin")
    (folder / "result.json").write_text(json.dumps(facts, indent=1))


def read_result(folder: Path):
    """Return facts, coefs (lams, classes, features) and intercepts (lams, classes), or None for these."""
    folder = Path(folder)
    facts = json.loads((folder / "result.json").read_text())
    if "coefs_shape" not in facts:
        return facts, None, None
    coefs = np.fromfile(folder / "coefs.bin").reshape(facts["coefs_shape"])
    return facts, coefs, np.fromfile(folder / "intercepts.bin").reshape(len(coefs), -1)
