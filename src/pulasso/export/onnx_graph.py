r"""The model as an ONNX graph: rows in, the most probable class and all probabilities out.

Both responses end in log probabilities, whatever their size, of which the graph takes the largest and the
exponential. Unordered classes are one ``Gemm`` and a ``LogSoftmax``. For ordered classes, with
:math:`t_j = \nu_j - u` and gaps :math:`d_j = \nu_{j+1} - \nu_j`,

.. math::

   \log P(y = j) = \log P(y \ge j) + \log P(y < j + 1) + \log(1 - e^{-d_j}), \qquad
   \log P(y \ge j) = -\mathrm{softplus}(t_j), \quad \log P(y < j) = -\mathrm{softplus}(-t_j),

(the last and the first class have one of these terms only) so that, as in this package, no difference of
nearly equal probabilities is ever taken.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.numerics import log1mexp

__all__ = ["Graph", "build_graph"]


@dataclass
class Graph:
    """Nodes and constants of a graph that is being written."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, name: str, values: NDArray) -> str:
        """Add a constant; return its name."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output


def build_graph(model: Any, *, rows: str, label: str, probabilities: str, number: int) -> Graph:
    """Return the graph of a fitted model.

    Parameters
    ----------
    model : fitted estimator
    rows, label, probabilities : str
        Names of the input and of the two outputs.
    number : int
        ONNX's code for the type of the probabilities.
    """
    from onnx import TensorProto

    graph = Graph()
    # In between, numbers have double precision: a sum over many features in single precision loses digits.
    x = graph.node("Cast", [rows], "rows_double", to=TensorProto.DOUBLE)
    log_proba = _ordered(graph, model, x) if model.coef_.ndim == 1 else _unordered(graph, model, x)
    best = graph.node("ArgMax", [log_proba], "best", axis=1, keepdims=0)
    classes = graph.constant("classes", label_values(model.classes_))
    graph.node("Gather", [classes, best], label, axis=0)
    proba = graph.node("Exp", [log_proba], "probabilities_double")
    graph.node("Cast", [proba], probabilities, to=number)
    return graph


def label_values(classes: NDArray) -> NDArray:
    """Return class labels of a type that ONNX has: integers of 64 bits, text as objects."""
    if classes.dtype.kind == "i":
        return classes.astype(np.int64)
    if classes.dtype.kind in "UO":
        return np.array([str(name) for name in classes], dtype=object)
    return classes


def _unordered(graph: Graph, model: Any, x: str) -> str:
    """Add the nodes of the multinomial model; class 0 has the log odds 0."""
    weight = np.vstack([np.zeros(model.n_features_in_), model.coef_]).astype(np.float64)
    bias = np.concatenate([[0.0], model.intercept_]).astype(np.float64)
    inputs = [x, graph.constant("weight", weight), graph.constant("bias", bias)]
    log_odds = graph.node("Gemm", inputs, "log_odds", transB=1)
    return graph.node("LogSoftmax", [log_odds], "log_proba", axis=1)


def _ordered(graph: Graph, model: Any, x: str) -> str:
    """Add the nodes of the cumulative logit model."""
    thresholds = model.thresholds_.astype(np.float64)
    gaps = np.concatenate([[0.0], log1mexp(np.diff(thresholds)), [0.0]])
    u = graph.node("MatMul", [x, graph.constant("weight", model.coef_.astype(np.float64)[:, None])], "u")
    t = graph.node("Sub", [graph.constant("thresholds", thresholds[None, :]), u], "t")
    # The operator Softplus has no double precision in onnxruntime: max(t, 0) + log(1 + exp(-|t|)) it is.
    decay = graph.node("Exp", [graph.node("Neg", [graph.node("Abs", [t], "abs_t")], "minus_abs_t")], "decay")
    one = graph.constant("one", np.array(1.0))
    small = graph.node("Log", [graph.node("Add", [decay, one], "one_and_decay")], "small")
    above = _minus_softplus(graph, t, small, "log_above")
    below = _minus_softplus(graph, graph.node("Neg", [t], "minus_t"), small, "log_below")
    # Nothing is below class 0, nothing above the last: log 1 = 0 before the first column, or after the last one.
    first = graph.constant("pad_first", np.array([0, 1, 0, 0], dtype=np.int64))
    last = graph.constant("pad_last", np.array([0, 0, 0, 1], dtype=np.int64))
    above = graph.node("Pad", [above, first], "log_at_least")
    below = graph.node("Pad", [below, last], "log_at_most")
    both = graph.node("Add", [above, below], "log_both")
    return graph.node("Add", [both, graph.constant("log_gaps", gaps[None, :])], "log_proba")


def _minus_softplus(graph: Graph, t: str, small: str, name: str) -> str:
    """Add ``-(max(t, 0) + small)``."""
    positive = graph.node("Relu", [t], f"positive_part_of_{t}")
    return graph.node("Neg", [graph.node("Add", [positive, small], f"softplus_{t}")], name)
