"""PyTorch: a loss module whose gradients are those of this library."""

from typing import Any

from pulasso.data.parameters import check_kind
from pulasso.objectives.pu_objective import PUObjective

__all__ = ["torch_loss"]


def torch_loss(objective: PUObjective) -> Any:
    """Return the objective as a `torch.nn.Module`, called with scores and codes of a mini-batch.

    ``module(scores, codes, sample_weight=None)`` is the mean loss of observed labels in the batch plus the anchor on
    its mean prediction. How many labels there are is counted in all training rows, those of `objective`. The cutpoints
    of ordered classes are parameters of the module, a first one and the logs of the gaps: give
    ``module.parameters()`` to the optimiser, too, and predict by ``module.predict_proba(scores)``. There are no second
    derivatives.

    Parameters
    ----------
    objective : PUObjective
        Of all training rows. ``objective.null_scores_`` is a good start for the bias of the last layer.

    Examples
    --------
    >>> import pytest
    >>> torch = pytest.importorskip("torch", reason="hundreds of megabytes")
    >>> from pulasso.objectives import PUObjective, torch_loss
    >>> loss = torch_loss(PUObjective("single-training-set", [0, 0, 1, 0], label_frequency=0.5))
    >>> scores = torch.zeros(2, 1, requires_grad=True)
    >>> loss(scores, torch.tensor([0, 1])).backward()
    >>> scores.grad.round(decimals=3)
    tensor([[ 0.0830],
            [-0.2500]])
    """
    check_kind("objective", objective, PUObjective, "PUObjective(scenario, codes, ...) makes one.")
    try:
        import torch  # noqa: F401
    except ImportError:
        raise ImportError("torch_loss needs torch; install it with `pip install pulasso[neural]`.") from None
    from pulasso.objectives._torch_module import TorchPULoss

    return TorchPULoss(objective)
