"""A fitted model as an ONNX file, which predicts without Python."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg, plain
from pulasso._version import __version__
from pulasso.exceptions import InputError
from pulasso.export.onnx_graph import build_graph, label_values
from pulasso.export.writing import check_target, write_file

__all__ = ["to_onnx"]

# Both of 2022: new enough for every operator of the graph, old enough for runtimes in use.
OPSET, IR_VERSION = 17, 8
ROWS, LABEL, PROBABILITIES = "X", "label", "probabilities"


def to_onnx(
    model: Any, path: str | os.PathLike, *, dtype: DTypeLike = np.float32, force: bool = False
) -> Path:
    """Write what a fitted model predicts as an ONNX file, for programs that do not run Python.

    The file takes ``X`` of shape (n_samples, n_features) and gives ``label`` of shape (n_samples,), the most probable
    class, and ``probabilities`` of shape (n_samples, n_classes), class 0 first: those of the *true* classes, as from
    ``predict`` and ``predict_proba``. Names of classes and features, the scenario and the version are in its metadata.

    Parameters
    ----------
    model : fitted MultinomialPULasso or OrdinalPULasso, or one that chose its lam
        Of a pipeline, the last step; other steps are converted by skl2onnx.
    path : str or path
        The file to write; folders on the way are made.
    dtype : float32 or float64, default=float32
        Type of the rows and of the probabilities. In between, the file computes in double precision.
    force : bool, default=False
        Replace a file that is there already.

    Returns
    -------
    Path
        Of the file. It appears complete or not at all.

    Notes
    -----
    Opset 17, IR version 8 (onnxruntime 1.12 or later), no operators besides the standard ones. Rows are not
    checked: where `predict_proba` refuses a missing value, the file gives probabilities NaN and a label that
    means nothing.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from onnxruntime import InferenceSession
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.export import to_onnx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> z = ((X[:, 0] + rng.logistic(size=200) > 0) & (rng.random(200) < 0.5)).astype(int)
    >>> model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency=0.5).fit(X, z)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = to_onnx(model, f"{folder}/model.onnx", dtype=np.float64)
    ...     label, proba = InferenceSession(file).run(None, {"X": X})
    >>> bool(np.allclose(proba, model.predict_proba(X))), bool((label == model.predict(X)).all())
    (True, True)
    """
    check_is_fitted(model)
    if not (hasattr(model, "scenario_") and hasattr(model, "coef_")):
        raise TypeError(
            f"{type(model).__name__} cannot be exported; pass a fitted MultinomialPULasso or OrdinalPULasso. Of a "
            "pipeline, pass the last step (model[-1]) and convert the steps before it with skl2onnx; of a search, pass "
            "best_estimator_."
        )
    asked = np.dtype(dtype)
    if asked not in (np.float32, np.float64):
        problem = f"{arg('dtype', repr(asked.name))} is no type of rows here; use 'float32' or 'float64'."
        raise InputError(problem, parameter="dtype")
    target = check_target(path, force, "model.onnx")
    return write_file(target, _serialize(model, asked), force)


def _serialize(model: Any, dtype: np.dtype) -> bytes:
    """Return the file's content, checked by ONNX's own rules."""
    try:
        from onnx import checker, helper
    except ImportError:
        raise ImportError("An ONNX file needs onnx; install it with `pip install pulasso[onnx]`.") from None
    number = helper.np_dtype_to_tensor_dtype(dtype)
    graph = build_graph(model, rows=ROWS, label=LABEL, probabilities=PROBABILITIES, number=number)
    label = helper.np_dtype_to_tensor_dtype(label_values(model.classes_).dtype)
    written = helper.make_model(
        helper.make_graph(
            graph.nodes,
            type(model).__name__,
            [helper.make_tensor_value_info(ROWS, number, ["n_samples", model.n_features_in_])],
            [
                helper.make_tensor_value_info(LABEL, label, ["n_samples"]),
                helper.make_tensor_value_info(PROBABILITIES, number, ["n_samples", len(model.classes_)]),
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="pulasso",
        producer_version=__version__,
        doc_string="Most probable true class and probabilities of the true classes, from positive and unlabeled data.",
    )
    helper.set_model_props(written, _metadata(model))
    checker.check_model(written, full_check=True)
    return written.SerializeToString()


def _metadata(model: Any) -> dict[str, str]:
    """Return what a reader of the file should know."""
    classes = json.dumps([plain(name) for name in model.classes_], default=str)
    names = json.dumps([str(name) for name in getattr(model, "feature_names_in_", [])])
    known = {"feature_names": names} if hasattr(model, "feature_names_in_") else {}
    return {"classes": classes, "scenario": model.scenario_.name, **known}
