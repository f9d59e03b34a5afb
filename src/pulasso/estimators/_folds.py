"""The steps of a cross-validation: folds, a path without one fold and its losses there, and the path of all rows.

Each step is a function of plain data that returns plain arrays, so that it can run in another process and be
saved in a checkpoint folder.
"""

import builtins
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso import exceptions
from pulasso._messages import Message
from pulasso.data.chunks import SelectedRows
from pulasso.data.pu_data import PUData
from pulasso.design import ChunkedDesign
from pulasso.estimators._base import BasePULasso
from pulasso.estimators.fit_path import PathResult, collect_path
from pulasso.estimators.labelling import labelling_of_rows
from pulasso.exceptions import ScenarioError, TrivialModelWarning
from pulasso.losses import PULoss
from pulasso.model_selection import Fold, split_rows
from pulasso.path import solve_path
from pulasso.problem import Params, Problem
from pulasso.responses import Response
from pulasso.scenarios import LabelCounts, LabelModel, Scenario, Sources, label_model_of
from pulasso.solvers import Solution

__all__ = [
    "Criterion",
    "fit_fold",
    "folds_from_arrays",
    "held_out_label_model",
    "held_out_proba",
    "joined",
    "recorded",
    "recorded_warnings",
    "split_step",
]


@dataclass(frozen=True, eq=False)
class Criterion:
    """How held-out rows judge a model: by the likelihood of their labels, or by a scorer.

    Attributes
    ----------
    scorer : callable or None
        ``scorer(model, X, y, **metadata)``, higher is better.
    metadata : mapping
        Further arguments of the scorer; arrays with one entry for each row are cut to the rows it sees.
    """

    scorer: Callable[..., float] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def losses(
        self, path: PathResult, data: PUData, rows: NDArray[np.intp], label_model: LabelModel
    ) -> NDArray:
        """Return one loss for every model of a path, by some rows of the data."""
        if self.scorer is None:
            return _observed_losses(path, data.take(rows), label_model)
        # A scorer knows nothing of weights zero: of data in chunks, too, it sees held-out rows only.
        x = SelectedRows(data.x, rows) if data.is_chunked else data.take(rows).x
        assert data.y is not None
        metadata = {name: _cut(value, rows, len(data.weight)) for name, value in self.metadata.items()}
        scores = [self.scorer(path.model(i), x, data.y[rows], **metadata) for i in range(len(path))]
        return -np.array([float(score) for score in scores])


def split_step(splitter: Any, data: PUData, metadata: Mapping[str, Any]) -> dict[str, NDArray]:
    """Return the folds as arrays; saved like any step, so that unseeded folds survive an interruption."""
    folds = split_rows(splitter, data.x, _strata(data), **metadata)
    return {f"{part} {i}": rows for i, fold in enumerate(folds) for part, rows in fold._asdict().items()}


def _strata(data: PUData) -> NDArray[np.intp]:
    """Return what folds shall have in equal proportions: observed labels, of each source by itself."""
    if data.source is None:
        return data.codes
    names = {name: i for i, name in enumerate(dict.fromkeys(data.source.tolist()))}
    by_source = np.array([names[name] for name in data.source]) * (len(data.classes) + 1) + data.codes
    return np.unique(by_source, return_inverse=True)[1].reshape(-1)


def folds_from_arrays(arrays: Mapping[str, NDArray]) -> list[Fold]:
    """Return the folds that :func:`split_step` made."""
    return [Fold(arrays[f"train {i}"], arrays[f"test {i}"]) for i in range(len(arrays) // len(Fold._fields))]


def fit_fold(
    template: BasePULasso,
    data: PUData,
    fold: Fold,
    number: int,
    lams: NDArray,
    scenario: Scenario,
    criterion: Criterion,
    before: Mapping[str, NDArray] | None = None,
) -> dict[str, NDArray]:
    """Follow the path on the training rows and judge every model of it by the held-out rows.

    Parameters
    ----------
    template, data, fold, number, lams, scenario, criterion
        Estimator, all rows, those of this fold, its number, and how it is fitted and judged.
    before : mapping, optional
        What this function returned for larger lams: the path goes on where it ended.

    Returns
    -------
    dict
        ``loss``, ``n_active``, ``converged``, ``offsets`` and ``coefs`` (of the features ``active``) along the lams,
        the ``weight`` of the held-out rows, the ``last`` solution, and what was warned about.
    """
    model = copy(template)
    start = None if before is None else Solution.from_arrays(_unpacked(before, "last")).params
    with recorded() as notes:
        scenario = labelling_of_rows(model, data, fold.train, scenario)
        label_model = held_out_label_model(scenario, data, fold, number)
        path, last = _follow_path(model, model._build(data.take(fold.train), scenario), lams, start)
        loss = criterion.losses(path, data, fold.test, label_model)
    active = np.flatnonzero(path.coefs.any(axis=tuple(range(path.coefs.ndim - 1))))
    return {
        "active": active,
        "coefs": path.coefs[..., active],
        "offsets": path.offsets,
        "loss": loss,
        "weight": data.weight[fold.test].sum(),
        "n_active": path.n_active,
        "converged": path.converged,
        **{f"last {name}": array for name, array in last.to_arrays().items()},
        **notes,
    }


def joined(first: Mapping[str, NDArray], more: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Return one result of a fold, from those of a path and of what follows it."""
    both = dict(more)
    both["active"] = np.union1d(first["active"], more["active"])
    wide = []
    for part in (first, more):
        coefs = np.zeros((*part["coefs"].shape[:-1], len(both["active"])), part["coefs"].dtype)
        coefs[..., np.searchsorted(both["active"], part["active"])] = part["coefs"]
        wide.append(coefs)
    both["coefs"] = np.concatenate(wide)
    for name in ("offsets", "loss", "n_active", "converged", "warning_kinds", "warnings"):
        both[name] = np.concatenate([first[name], more[name]])
    return both


def _unpacked(arrays: Mapping[str, NDArray], prefix: str) -> dict[str, NDArray]:
    """Return the arrays whose names begin with a word, without it."""
    start = f"{prefix} "
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def held_out_proba(
    template: BasePULasso,
    data: PUData,
    folds: Sequence[Fold],
    results: Sequence[Mapping[str, NDArray]],
    index: int,
) -> NDArray:
    """Return P(y | x) of every row by the models that did not see it, at one lam; their mean, nan if there is none."""
    total, times = np.zeros((len(data.codes), len(data.classes))), np.zeros(len(data.codes))
    for fold, found in zip(folds, results, strict=True):
        model, coefs = copy(template), found["coefs"][index]
        model.__dict__.pop("feature_names_in_", None)  # else scikit-learn warns of rows without names
        model.coef_ = np.zeros((*coefs.shape[:-1], data.n_features), coefs.dtype)
        model.coef_[..., found["active"]] = coefs
        setattr(model, model._response.offsets_name, found["offsets"][index])
        rows = SelectedRows(data.x, fold.test) if data.is_chunked else data.x[fold.test]
        total[fold.test] += model.predict_proba(rows)
        times[fold.test] += 1
    return np.divide(total, times[:, None], out=np.full_like(total, np.nan), where=times[:, None] > 0)


def _follow_path(
    model: BasePULasso, problem: Problem, lams: NDArray, start: Params | None
) -> tuple[PathResult, Solution]:
    """Solve a problem down a grid of lams; return the path, whose template the estimator becomes, and its end."""
    settings = {"solver": model.solver, "tol": model.tol, "max_iter": model.max_iter}
    solutions = list(solve_path(problem, lams, start=start, **settings))
    model._store_problem(problem)
    return collect_path(model, problem, solutions), solutions[-1]


def held_out_label_model(scenario: Scenario, data: PUData, fold: Fold, number: int) -> LabelModel:
    """Return the scenario's arrays for held-out rows.

    Where rows were sampled by label (case-control), ``a_k = n_k / (prevalence_k n_u)`` is a fact of the rows at
    hand: a model is judged by the likelihood of a sample of *their* composition.
    """
    train, test = (
        LabelCounts.from_codes(
            data.codes[rows],
            data.classes,
            data.weight[rows],
            None if data.source is None else data.source[rows],
        )
        for rows in fold
    )
    held = data.take(fold.test) if getattr(scenario, "by_row", False) else None
    x, source = (None, None) if held is None else (held.x, held.source)
    try:
        if isinstance(scenario, Sources):
            return label_model_of(scenario, scenario.held_out_counts(train, test), x, source=source)
        counts = test if scenario.sampled_by_label else train
        return label_model_of(scenario, counts, x, data.feature_names)
    except ScenarioError as error:
        raise ScenarioError(
            f"The rows that fold {number} holds out: {error.args[0].template}",
            parameter=error.parameter,
            remedy="Or try fewer folds, or cv=5, which stratifies by observed label.",
        ) from None


def _observed_losses(path: PathResult, held: PUData, label_model: LabelModel) -> NDArray:
    """Return the mean of ``-log P(z | x)`` over held-out rows for every model of a path."""
    models = [path._template._response.from_public(path.model(i)) for i in range(len(path))]
    active = np.flatnonzero(np.any([theta.any(axis=1) for _, theta, _ in models], axis=0))
    models = [(response, theta[active], offsets) for response, theta, offsets in models]
    if held.is_chunked:
        by_row = (label_model.log_labeled, label_model.log_hidden) if label_model.is_by_row else (None, None)
        base = ChunkedDesign(held.x, held.weight, held.codes, *by_row)
        sums = base.map_reduce(
            _summed_losses_of_chunk, active, models, None if label_model.is_by_row else label_model
        )
    else:
        sums = _summed_losses(held.x, held.weight, held.codes, active, models, label_model)
    return sums / held.weight.sum()


def _summed_losses(
    x: Any,
    weight: NDArray,
    codes: NDArray,
    active: NDArray,
    models: Sequence[tuple[Response, NDArray, NDArray]],
    label_model: LabelModel,
) -> NDArray:
    """Return the weighted sum of ``-log P(z | x)`` over rows for every model, given its active features."""
    weight = np.broadcast_to(weight, codes.shape)
    used = np.flatnonzero(weight > 0)  # a row of weight zero is no row, even if its label is impossible
    x, codes, weight = x[used][:, active], codes[used], weight[used]
    likelihood = PULoss(label_model.take(used))
    losses = (
        likelihood.loss(response.log_odds(np.asarray(x @ theta), offsets), codes)
        for response, theta, offsets in models
    )
    return np.array([weight @ each for each in losses])


def _summed_losses_of_chunk(
    x: Any,
    weight: NDArray,
    codes: NDArray,
    log_labeled: NDArray | None,
    log_hidden: NDArray | None,
    active: NDArray,
    models: Sequence[tuple[Response, NDArray, NDArray]],
    label_model: LabelModel | None,
) -> NDArray:
    """Return the same for a chunk of rows, whose own label model travels with it."""
    if label_model is None:
        assert log_labeled is not None and log_hidden is not None
        label_model = LabelModel(log_labeled, log_hidden)
    return _summed_losses(x, weight, codes, active, models, label_model)


def _cut(value: Any, rows: NDArray[np.intp], n_samples: int) -> Any:
    """Return some rows of what has one entry for each row, anything else as it is."""
    if not hasattr(value, "__len__") or isinstance(value, str | Mapping) or len(value) != n_samples:
        return value
    return np.asarray(value)[rows]


# -- warnings ----------------------------------------------------------------------------------------------


@contextmanager
def recorded() -> Iterator[dict[str, NDArray]]:
    """Give a dict that afterwards holds what was warned about, each warning once, as arrays of text."""
    notes: dict[str, NDArray] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # A path starts at the model without features, which predicts one class: nothing to warn about.
        warnings.simplefilter("ignore", TrivialModelWarning)
        yield notes
    found = dict.fromkeys(
        (each.category.__name__, Message(getattr(each.message, "args", [str(each.message)])[0]).template)
        for each in caught
    )
    notes["warning_kinds"] = np.array([kind for kind, _ in found], dtype=np.str_)
    notes["warnings"] = np.array([words for _, words in found], dtype=np.str_)


def recorded_warnings(arrays: Mapping[str, NDArray]) -> list[tuple[type[Warning], str]]:
    """Return kind and words of what a step warned about."""
    kinds = [
        getattr(exceptions, name, getattr(builtins, name, UserWarning)) for name in arrays["warning_kinds"]
    ]
    return list(zip(kinds, map(str, arrays["warnings"]), strict=True))
