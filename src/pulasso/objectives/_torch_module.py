"""The module behind `torch_loss`; classes that can be saved need a place of their own."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.objectives.pu_objective import PUObjective, read_codes

__all__ = ["TorchPULoss"]

# Without torch this file can be imported all the same, but is used by nobody.
torch: Any = import_module("torch") if find_spec("torch") else None

Module: Any = object if torch is None else torch.nn.Module
Function: Any = object if torch is None else torch.autograd.Function


class Value(Function):
    """Value of an objective, with the gradients of NumPy as its derivatives."""

    @staticmethod
    def forward(ctx: Any, scores: Any, offsets: Any, terms: Any) -> Any:
        """Compute the value, and keep the gradients."""
        u = as_matrix(scores)
        value, grad, grad_offsets = terms.value_and_grads(u, as_numpy(offsets))
        ctx.save_for_backward(
            scores.new_tensor(grad.reshape(tuple(scores.shape))), offsets.new_tensor(grad_offsets.copy())
        )
        return scores.new_tensor(value)

    @staticmethod
    def backward(ctx: Any, *outer: Any) -> Any:
        """Return the gradients."""
        by_scores, by_offsets = ctx.saved_tensors
        return outer[0] * by_scores, outer[0].to(by_offsets) * by_offsets, None


class TorchPULoss(Module):
    """The objective of a mini-batch; see :func:`pulasso.objectives.torch_loss`."""

    def __init__(self, objective: PUObjective):
        super().__init__()
        self.objective = objective
        start, self.is_ordered = objective.offsets_.copy(), objective.response.is_ordered
        if self.is_ordered:
            start[1:] = np.log(start[1:])
        self.raw_offsets = (
            torch.nn.Parameter(torch.tensor(start, dtype=torch.float64)) if len(start) else None
        )

    @property
    def offsets(self) -> Any:
        """What the response has beside scores, as a tensor: of cutpoints the first one and the gaps."""
        if self.raw_offsets is None:
            return torch.empty(0, dtype=torch.float64)
        if not self.is_ordered:
            return self.raw_offsets
        return torch.cat([self.raw_offsets[:1], self.raw_offsets[1:].exp()])

    @property
    def cutpoints_(self) -> NDArray | None:
        """Cutpoints as they are now, or None."""
        return np.cumsum(as_numpy(self.offsets)) if self.is_ordered else None

    def forward(self, scores: Any, codes: Any, sample_weight: Any = None) -> Any:
        """Return the value for a batch, a scalar."""
        weight = None if sample_weight is None else as_numpy(sample_weight)
        found = read_codes(as_numpy(codes), len(self.objective.classes))
        terms = self.objective.terms_of(found, weight, anchored=True)
        self.objective.read_scores(as_matrix(scores), len(found))
        return Value.apply(scores, self.offsets, terms)

    def predict_proba(self, scores: Any) -> NDArray:
        """Return P(y | x) of the true classes at the module's cutpoints, as an array."""
        u = self.objective.read_scores(as_matrix(scores))
        return np.exp(self.objective.response.log_proba(u, as_numpy(self.offsets)))


def as_numpy(tensor: Any) -> NDArray:
    """Return the numbers of a tensor, or of anything else."""
    return np.asarray(tensor.detach().cpu().numpy() if torch.is_tensor(tensor) else tensor)


def as_matrix(scores: Any) -> NDArray:
    """Return scores as a matrix of double precision."""
    found = as_numpy(scores).astype(float)
    return found[:, None] if found.ndim == 1 else found
