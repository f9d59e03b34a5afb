"""Modules of torch: build them, train them on an objective by skorch, and get raw scores. Torch is imported late."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import arg
from pulasso.estimators.learners._perceptron import in_parts
from pulasso.exceptions import InputError
from pulasso.objectives import PUObjective, torch_loss

__all__ = [
    "Training",
    "build_module",
    "diverged",
    "module_scores",
    "train",
    "undisturbed",
    "weights_of",
    "with_weights",
]

Held = Callable[[Any], float]


@dataclass(frozen=True)
class Training:
    """How a network is trained; words of skorch in `more` win.

    Attributes
    ----------
    learning_rate, weight_decay, batch_size, n_threads, seed, more
    """

    learning_rate: float
    weight_decay: float
    batch_size: int
    n_threads: int
    seed: int
    more: dict[str, Any] = field(default_factory=dict)


def needed(package: str) -> Any:
    """Import torch or skorch, or say how to get them."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f'PUNeuralClassifier needs {package}; install it with `pip install "pulasso[neural]"`.'
        ) from None


@contextmanager
def undisturbed(n_threads: int, seed: int | None = None) -> Iterator[None]:
    """Use so many threads and random numbers of one's own, and leave torch as it was."""
    torch = needed("torch")
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        torch.set_num_threads(n_threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


# -- modules ---------------------------------------------------------------------------------------------------


def build_module(
    module: Any, n_features: int, n_outputs: int, hidden_layers: Sequence[int], dropout: float
) -> Any:
    """Return a new module: the user's, or a perceptron with so many hidden layers."""
    torch = needed("torch")
    if module is None:
        found = _perceptron(torch, [n_features, *hidden_layers, n_outputs], dropout)
    elif isinstance(module, torch.nn.Module):
        found = deepcopy(module)
    elif callable(module):
        found = module(n_features, n_outputs)
    else:
        found = module
    if not isinstance(found, torch.nn.Module):
        raise InputError(
            f"{arg('module')} gave a {type(found).__name__}, not a torch.nn.Module.",
            parameter="module",
            remedy="Give a module, or a class or function that makes one of n_features and n_outputs.",
        )
    with torch.no_grad():
        found.eval()
        shape = tuple(found(torch.zeros((2, n_features), dtype=_dtype_of(found))).shape)
    if shape != (2, n_outputs) and not (n_outputs == 1 and shape == (2,)):
        raise InputError(
            f"{arg('module')} gives the shape {shape} for two rows; it must give {(2, n_outputs)}.",
            parameter="module",
            remedy="It must end with raw scores, one for each positive class, or one for ordered classes.",
        )
    return found


def _perceptron(torch: Any, sizes: Sequence[int], dropout: float) -> Any:
    """Return linear layers with rectifiers in between, in double precision."""
    layers: list[Any] = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [
            torch.nn.Linear(n_in, n_out, dtype=torch.float64),
            torch.nn.ReLU(),
            torch.nn.Dropout(dropout),
        ]
    return torch.nn.Sequential(*layers[:-2])


def _dtype_of(module: Any) -> Any:
    """Return the precision in which a module wants its rows."""
    torch = needed("torch")
    return next(
        (each.dtype for each in module.parameters() if each.is_floating_point()), torch.get_default_dtype()
    )


def weights_of(module: Any) -> dict[str, NDArray]:
    """Return weights and buffers of a module as arrays."""
    return {name: np.array(each.detach().cpu().numpy()) for name, each in module.state_dict().items()}


def with_weights(module: Any, weights: Mapping[str, NDArray]) -> Any:
    """Return the module with these weights."""
    torch = needed("torch")
    state = {name: torch.as_tensor(np.array(each)) for name, each in weights.items()}
    try:
        module.load_state_dict(state)
    except RuntimeError as error:
        raise InputError(
            f"The weights of this model are not those of {arg('module')}: {str(error):.300}",
            parameter="module",
            remedy="Hand back the module that was given at the fit.",
        ) from None
    return module


def module_scores(module: Any, x: NDArray, n_threads: int) -> NDArray:
    """Return what a module gives for rows, shape (n_samples, n_outputs)."""
    torch, dtype = needed("torch"), _dtype_of(module)
    module.eval()
    with torch.no_grad(), undisturbed(n_threads):
        parts = [module(torch.as_tensor(rows, dtype=dtype)).double().numpy() for rows in in_parts(x)]
    found = np.concatenate(parts)
    return found[:, None] if found.ndim == 1 else found


# -- training --------------------------------------------------------------------------------------------------


def train(
    module: Any, x: NDArray, pu: PUObjective, how: Training, n_rounds: int, held: Held | None, patience: int
) -> NDArray | None:
    """Train a module on rows that `pu` knows; given a loss of held-out rows, stop by it and return it by epoch.

    Scores are null scores plus what the module gives, so that training begins near the null model.
    """
    torch, dtype = needed("torch"), _dtype_of(module)
    with undisturbed(how.n_threads, how.seed):
        net = _new_net(module, pu, how, dtype)
        rows = torch.as_tensor(x, dtype=dtype)
        labels = torch.as_tensor(np.column_stack([pu.codes, pu.weight]))
        net.initialize()
        net.notify("on_train_begin", X=rows, y=labels)
        losses: list[float] = []
        for _ in range(n_rounds):
            net.fit_loop(rows, labels, epochs=1)
            if not all(bool(torch.isfinite(each).all()) for each in module.parameters()):
                raise diverged()
            if held is not None:
                pu.offsets_ = net.criterion_.offsets.detach().numpy().copy()
                losses.append(held(module))
                if len(losses) - int(np.argmin(losses)) > patience:
                    break
        net.notify("on_train_end", X=rows, y=labels)
        pu.offsets_ = net.criterion_.offsets.detach().numpy().copy()
    return np.array(losses) if held is not None else None


def _new_net(module: Any, pu: PUObjective, how: Training, dtype: Any) -> Any:
    torch = needed("torch")
    base: Any = needed("skorch").NeuralNet
    start, mean_weight = torch.as_tensor(pu.null_scores_, dtype=dtype), float(pu.weight.mean())

    class Net(base):
        """The loss of a batch: its labels and weights come as two columns."""

        def get_loss(self, y_pred: Any, y_true: Any, *args: Any, **kwargs: Any) -> Any:
            codes, weight = y_true[:, 0], y_true[:, 1]
            scores = start + (y_pred[:, None] if y_pred.ndim == 1 else y_pred)
            if not bool(torch.isfinite(scores).all()):
                raise diverged()
            # The loss is a mean over the batch; a batch of heavy rows counts for more.
            return self.criterion_(scores, codes, weight) * (weight.mean() / mean_weight)

    n_batches = max(1, round(len(pu.codes) / how.batch_size))  # of equal size, so that none is tiny
    settings: dict[str, Any] = {
        "optimizer": torch.optim.AdamW,
        "optimizer__weight_decay": how.weight_decay,
        "optimizer__param_groups": [("raw_offsets", {"weight_decay": 0.0})],
        "iterator_train__shuffle": True,
        "verbose": 0,
        "callbacks": "disable",
    }
    if "optimizer" in how.more:  # which need not know of AdamW's settings
        settings = {name: each for name, each in settings.items() if not name.startswith("optimizer__")}
    return Net(
        module,
        criterion=torch_loss(pu),
        lr=how.learning_rate,
        batch_size=-(-len(pu.codes) // n_batches),
        train_split=None,
        **(settings | how.more),
    )


def diverged() -> InputError:
    """Return the error of a training whose numbers have become too large."""
    return InputError(
        "Weights or scores of the network are no longer finite.",
        parameter="learning_rate",
        remedy="Make it smaller, and keep standardize=True.",
    )
