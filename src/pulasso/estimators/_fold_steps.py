"""The steps of a cross-validation: a path without one fold and its losses there, and the path of all rows.

Each step is a function of plain data that returns plain arrays, so that it can run in another process and be
kept in a checkpoint folder.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso.chunked import MeasuredChunks
from pulasso.data.chunks import is_chunked
from pulasso.data.chunks.selected import SelectedRows
from pulasso.data.labels import Labels
from pulasso.estimators._assemble import Assembled, assemble
from pulasso.estimators._base import BasePULasso
from pulasso.estimators.fit_path import PathResult, follow_path
from pulasso.exceptions import ScenarioError, TrivialModelWarning
from pulasso.model_selection import Fold, split_rows
from pulasso.responses import Response
from pulasso.scenarios import LabelCounts, LabelModel, Scenario
from pulasso.solvers import Record

__all__ = [
    "Criterion",
    "Sample",
    "fit_fold",
    "folds_from_arrays",
    "held_out_label_model",
    "path_from_arrays",
    "refit",
    "split_step",
]


@dataclass(frozen=True, eq=False)
class Sample:
    """Checked data; `y` is what the user gave, for scorers."""

    x: Any
    y: NDArray
    labels: Labels
    weight: NDArray

    def rows(self, rows: NDArray[np.intp]) -> "Sample":
        """Return some of the rows; of data in chunks all of them, the others with weight zero."""
        if is_chunked(self.x):
            weight = np.zeros_like(self.weight)
            weight[rows] = self.weight[rows]
            return replace(self, weight=weight)
        labels = replace(self.labels, codes=self.labels.codes[rows])
        # Rows of a CSC matrix are slow to take, and the design wants CSC again.
        x = self.x[rows] if not sparse.issparse(self.x) else self.x.tocsr()[rows].asformat(self.x.format)
        return Sample(x, self.y[rows], labels, self.weight[rows])

    @property
    def counts(self) -> LabelCounts:
        """Weighted counts of the observed labels."""
        return LabelCounts.from_codes(self.labels.codes, self.labels.classes, self.weight)


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
        self, path: PathResult, sample: Sample, rows: NDArray[np.intp], label_model: LabelModel
    ) -> NDArray:
        """Return one loss for every model of a path, by some rows of a sample."""
        if self.scorer is None:
            return _observed_losses(path, sample.rows(rows), label_model)
        # A scorer knows nothing of weights zero: of data in chunks, too, it sees held-out rows only.
        x = SelectedRows(sample.x, rows) if is_chunked(sample.x) else sample.rows(rows).x
        metadata = {name: _cut(value, rows, len(sample.weight)) for name, value in self.metadata.items()}
        scores = [self.scorer(path.model(i), x, sample.y[rows], **metadata) for i in range(len(path))]
        return -np.array([float(score) for score in scores])


def split_step(splitter: Any, sample: Sample, metadata: Mapping[str, Any]) -> dict[str, NDArray]:
    """Return the folds as arrays; kept like any step, so that unseeded folds survive an interruption."""
    folds = split_rows(splitter, sample.x, sample.labels.codes, **metadata)
    return {f"{part} {i}": rows for i, fold in enumerate(folds) for part, rows in fold._asdict().items()}


def folds_from_arrays(arrays: Mapping[str, NDArray]) -> list[Fold]:
    """Return the folds that :func:`split_step` made."""
    return [Fold(arrays[f"train {i}"], arrays[f"test {i}"]) for i in range(len(arrays) // len(Fold._fields))]


def held_out_label_model(scenario: Scenario, held: Sample, number: int) -> LabelModel | None:
    """Return the scenario's vectors for held-out rows; None where those of the training rows serve.

    Where rows were sampled by label (case-control), ``a_k = n_k / (prevalence_k n_u)`` is a fact of the rows at
    hand: a model is judged by the likelihood of a sample of *their* composition.
    """
    if not scenario.sampled_by_label:
        return None
    try:
        return scenario.label_model(held.counts)
    except ScenarioError as error:
        raise ScenarioError(
            f"The rows that fold {number} holds out: {error} Or try fewer folds, or cv=5, which stratifies by "
            "observed label."
        ) from None


def fit_fold(
    template: BasePULasso,
    sample: Sample,
    fold: Fold,
    lams: NDArray,
    scenario: Scenario,
    label_model: LabelModel | None,
    feature_names: Sequence[str] | None,
    criterion: Criterion,
) -> dict[str, NDArray]:
    """Follow the path on the training rows and judge every model of it by the held-out rows.

    Returns
    -------
    dict
        ``loss``, ``n_active`` and ``converged`` along the lams, the ``weight`` of the held-out rows, and
        what was warned about.
    """
    model = copy(template)
    with _recorded() as notes:
        train = sample.rows(fold.train)
        assembled = assemble(
            train.x,
            train.labels,
            train.weight,
            response=model._response_name,
            scenario=scenario,
            groups=model.groups,
            standardized=model.standardize,
            fit_intercept=getattr(model, "fit_intercept", True),
            feature_names=feature_names,
        )
        path = follow_path(model, assembled, lams)
        del train, assembled
        loss = criterion.losses(path, sample, fold.test, label_model or path._template.label_model_)
    return {
        "loss": loss,
        "weight": sample.weight[fold.test].sum(),
        "n_active": path.n_active,
        "converged": path.converged,
        **notes,
    }


def _observed_losses(path: PathResult, held: Sample, label_model: LabelModel) -> NDArray:
    """Return the mean of ``-log P(z | x)`` over held-out rows for every model of a path."""
    models = [path.model(i)._model() for i in range(len(path))]
    active = np.flatnonzero(np.any([theta.any(axis=1) for _, theta, _ in models], axis=0))
    models = [(response, theta[active], offsets) for response, theta, offsets in models]
    data = held.x, held.labels.codes, held.weight
    if is_chunked(held.x):
        measured = MeasuredChunks(*data)
        sums = measured.chunks.map_reduce(_summed_losses, measured.placed, active, models, label_model)
    else:
        sums = _summed_losses(*data, active, models, label_model)
    return sums / held.weight.sum()


def _summed_losses(
    x: Any,
    codes: NDArray,
    weight: NDArray,
    active: NDArray,
    models: Sequence[tuple[Response, NDArray, NDArray]],
    label_model: LabelModel,
) -> NDArray:
    """Return the weighted sum of ``-log P(z | x)`` over rows for every model, given its active features."""
    weight = np.broadcast_to(weight, codes.shape)
    kept = np.flatnonzero(weight > 0)  # a row of weight zero is no row, even if its label is impossible
    x, codes, weight = x[kept][:, active], codes[kept], weight[kept]
    sums = np.empty(len(models))
    for i, (response, theta, offsets) in enumerate(models):
        log_proba = label_model.observed_log_proba(response.log_odds(np.asarray(x @ theta), offsets))
        sums[i] = -weight @ log_proba[np.arange(len(codes)), codes]
    return sums


def _cut(value: Any, rows: NDArray[np.intp], n_samples: int) -> Any:
    """Return some rows of what has one entry for each row, anything else as it is."""
    if not hasattr(value, "__len__") or isinstance(value, str | Mapping) or len(value) != n_samples:
        return value
    return np.asarray(value)[rows]


# -- the path of all rows ----------------------------------------------------------------------------------


def refit(template: BasePULasso, assembled: Assembled, lams: NDArray) -> dict[str, NDArray]:
    """Follow the path on all rows; return it as arrays."""
    with _recorded() as notes:
        path = follow_path(copy(template), assembled, lams)
    nonzero = np.flatnonzero(path.coefs)  # most are zero
    records = [record for history in path._histories for record in history]
    return {
        "nonzero": nonzero,
        "values": path.coefs.ravel()[nonzero],
        "shape": np.array(path.coefs.shape),
        "offsets": np.asarray(path.thresholds if path.intercepts is None else path.intercepts),
        "objective": path.objective,
        "kkt": path.kkt,
        "group_norms": path.group_norms,
        "n_iter": path.n_iter,
        "converged": path.converged,
        "history": np.array(records, dtype=float).reshape(len(records), len(Record._fields)),
        "history_lengths": np.array([len(history) for history in path._histories]),
        **notes,
    }


def path_from_arrays(
    arrays: Mapping[str, NDArray], template: BasePULasso, assembled: Assembled, lams: NDArray
) -> PathResult:
    """Return the path that :func:`refit` followed, with the template as its models."""
    model = copy(template)
    model._store_data(assembled)
    coefs = np.zeros(arrays["shape"], dtype=arrays["values"].dtype)
    coefs.ravel()[arrays["nonzero"]] = arrays["values"]
    is_ordinal = coefs.ndim == 2
    ends = np.cumsum(arrays["history_lengths"])
    records = [Record(int(n), *map(float, rest)) for n, *rest in arrays["history"]]
    return PathResult(
        lams=lams,
        coefs=coefs,
        intercepts=None if is_ordinal else arrays["offsets"],
        thresholds=arrays["offsets"] if is_ordinal else None,
        objective=arrays["objective"],
        kkt=arrays["kkt"],
        group_norms=arrays["group_norms"],
        n_active=np.count_nonzero(arrays["group_norms"], axis=1),
        n_iter=arrays["n_iter"],
        converged=arrays["converged"],
        lam_max=assembled.problem.lam_max,
        classes=assembled.labels.classes,
        feature_names=getattr(model, "feature_names_in_", None),
        warnings=list(assembled.warnings),
        _template=model,
        _histories=tuple(
            tuple(records[end - n : end]) for end, n in zip(ends, arrays["history_lengths"], strict=True)
        ),
    )


# -- warnings ----------------------------------------------------------------------------------------------


@contextmanager
def _recorded() -> Iterator[dict[str, NDArray]]:
    """Give a dict that afterwards holds what was warned about, each warning once, as arrays of text."""
    notes: dict[str, NDArray] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # A path starts at the model without features, which predicts one class: nothing to warn about.
        warnings.simplefilter("ignore", TrivialModelWarning)
        yield notes
    found = dict.fromkeys((each.category.__name__, str(each.message)) for each in caught)
    notes["warning_kinds"] = np.array([kind for kind, _ in found], dtype=np.str_)
    notes["warnings"] = np.array([words for _, words in found], dtype=np.str_)
