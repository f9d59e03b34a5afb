r"""A fitted model as an ONNX file, which predicts without Python.

Both responses end in log probabilities, whatever their size, of which the graph takes the largest and the
exponential. Unordered classes are one ``Gemm`` and a ``LogSoftmax``. For ordered classes, with
:math:`t_j = \nu_j - u` and gaps :math:`d_j = \nu_{j+1} - \nu_j`,

.. math::

   \log P(y = j) = \log P(y \ge j) + \log P(y < j + 1) + \log(1 - e^{-d_j}), \qquad
   \log P(y \ge j) = -\mathrm{softplus}(t_j), \quad \log P(y < j) = -\mathrm{softplus}(-t_j),

(the last and the first class have one of these terms only) so that, as in this package, no difference of
nearly equal probabilities is ever taken.
"""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg, plain
from pulasso._version import __version__
from pulasso.data.parameters import shown
from pulasso.exceptions import InputError
from pulasso.export.writing import check_target, write_file
from pulasso.numerics import log1mexp

__all__ = ["to_onnx"]

# Opset 17 and IR version 8 are both of 2022: new enough for every operator, old enough for runtimes in use. In between,
# numbers have double precision: a sum over many features in single precision loses digits.
MODEL = """
<ir_version: 8, opset_import: ["" : 17], producer_name: "pulasso", producer_version: "{version}",
 doc_string: "Most probable true class and probabilities of the true classes, from positive and unlabeled data.">
{name} ({number}[n_samples, {n_features}] X)
=> ({label}[n_samples] label, {number}[n_samples, {n_classes}] probabilities)
{{
    x = Cast<to = {double}>(X)
    {log_proba}
    best = ArgMax<axis = 1, keepdims = 0>(log_proba)
    label = Gather<axis = 0>(classes, best)
    exact = Exp(log_proba)
    probabilities = Cast<to = {to}>(exact)
}}
"""
UNORDERED = """
    log_odds = Gemm<transB = 1>(x, weight, bias)
    log_proba = LogSoftmax<axis = 1>(log_odds)
"""
# The operator Softplus has no double precision in onnxruntime: max(t, 0) + log(1 + exp(-|t|)) it is. Nothing is below
# class 0, nothing above the last: log 1 = 0 is padded before the first column, or after the last one.
ORDERED = """
    u = MatMul(x, weight)
    t = Sub(thresholds, u)
    minus_t = Neg(t)
    size = Abs(t)
    minus_size = Neg(size)
    decay = Exp(minus_size)
    one_and_decay = Add(decay, one)
    small = Log(one_and_decay)
    positive_t = Relu(t)
    positive_minus_t = Relu(minus_t)
    softplus_t = Add(positive_t, small)
    softplus_minus_t = Add(positive_minus_t, small)
    not_at_least = Pad(softplus_t, pad_first)
    not_below = Pad(softplus_minus_t, pad_last)
    minus_log_both = Add(not_at_least, not_below)
    log_proba = Sub(log_gaps, minus_log_both)
"""


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
    try:
        asked = np.dtype(dtype)
    except (TypeError, ValueError):
        asked = np.dtype(object)
    if dtype is None or asked not in (np.float32, np.float64):
        problem = f"{arg('dtype', shown(dtype))} is no type of rows here; use 'float32' or 'float64'."
        raise InputError(problem, parameter="dtype")
    target = check_target(path, force, "model.onnx")
    return write_file(target, _serialize(model, asked), force)


def _serialize(model: Any, dtype: np.dtype) -> bytes:
    """Return the file's content, checked by ONNX's own rules."""
    try:
        from onnx import TensorProto, checker, helper, numpy_helper, parser
    except ImportError:
        raise ImportError("An ONNX file needs onnx; install it with `pip install pulasso[onnx]`.") from None
    classes, is_ordered = _label_values(model.classes_), model.response_.is_ordered
    number, label = (helper.np_dtype_to_tensor_dtype(each) for each in (dtype, classes.dtype))
    written = parser.parse_model(
        MODEL.format(
            version=__version__,
            name=type(model).__name__,
            number=TensorProto.DataType.Name(number).lower(),
            label=TensorProto.DataType.Name(label).lower(),
            n_features=model.n_features_in_,
            n_classes=len(classes),
            double=TensorProto.DOUBLE,
            to=number,
            log_proba=ORDERED if is_ordered else UNORDERED,
        )
    )
    constants = {"classes": classes, **(_ordered(model) if is_ordered else _unordered(model))}
    for name, values in constants.items():
        written.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
    helper.set_model_props(written, _metadata(model))
    checker.check_model(written, full_check=True)
    return written.SerializeToString()


def _label_values(classes: NDArray) -> NDArray:
    """Return class labels of a type that ONNX has: integers of 64 bits, text as objects."""
    if classes.dtype.kind == "i":
        return classes.astype(np.int64)
    if classes.dtype.kind in "UO":
        return np.array([str(name) for name in classes], dtype=object)
    return classes


def _unordered(model: Any) -> dict[str, NDArray]:
    """Return the constants of the multinomial model; class 0 has the log odds 0."""
    weight = np.vstack([np.zeros(model.n_features_in_), model.coef_]).astype(np.float64)
    return {"weight": weight, "bias": np.concatenate([[0.0], model.intercept_]).astype(np.float64)}


def _ordered(model: Any) -> dict[str, NDArray]:
    """Return the constants of the cumulative logit model."""
    thresholds = model.thresholds_.astype(np.float64)
    return {
        "weight": model.coef_.astype(np.float64)[:, None],
        "thresholds": thresholds[None, :],
        "log_gaps": np.concatenate([[0.0], log1mexp(np.diff(thresholds)), [0.0]])[None, :],
        "one": np.array(1.0),
        "pad_first": np.array([0, 1, 0, 0], dtype=np.int64),
        "pad_last": np.array([0, 0, 0, 1], dtype=np.int64),
    }


def _metadata(model: Any) -> dict[str, str]:
    """Return what a reader of the file should know."""
    about = {"classes": [plain(name) for name in model.classes_]}
    if hasattr(model, "feature_names_in_"):
        about["feature_names"] = [str(name) for name in model.feature_names_in_]
    texts = {name: json.dumps(values, default=str) for name, values in about.items()}
    return {**texts, "scenario": model.scenario_.name}
