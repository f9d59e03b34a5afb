"""The bootstrap of boosted trees and networks: how far predictions and importances vary."""

import os
import warnings
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from pulasso._messages import arg
from pulasso.data.inputs import check_weight
from pulasso.data.labels import encode_labels
from pulasso.data.parameters import as_numbers, check_in_memory
from pulasso.exceptions import InputError
from pulasso.inference._bootstrap_result import quantiles
from pulasso.inference._drawing import resample
from pulasso.inference._fitting import open_seeded_run
from pulasso.runs import run_steps, spawn
from pulasso.tables import Printable, Printout, make_frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["LearnerBootstrap", "bootstrap_learner"]

ROWS_SHOWN = 15


@dataclass(frozen=True, eq=False, repr=False)
class LearnerBootstrap(Printable):
    """How far a flexible learner varies over bootstrap replicates.

    Prints as text, renders as HTML in notebooks, and converts by :meth:`to_frame`.

    Attributes
    ----------
    model : estimator
        Fitted to all rows.
    n_replicates : int
    importances : array of shape (n_replicates, n_features)
        Of no features for networks, which have none.
    rounds : array of shape (n_replicates,)
        Rounds of each fit, which stops by itself.
    proba : array of shape (n_replicates, n_rows, K + 1), or None
        Class probabilities of the rows given as `predict_at`.
    by_label : bool
        Whether rows were drawn within every observed label.
    n_redrawn : int
        Draws that missed a label and were repeated.
    """

    model: Any
    n_replicates: int
    importances: NDArray
    rounds: NDArray
    proba: NDArray | None
    by_label: bool
    n_redrawn: int

    def proba_intervals(self, level: float = 0.95) -> tuple[NDArray, NDArray]:
        """Return percentile intervals of P(y | x) for `predict_at`, each end of shape (n_rows, K + 1)."""
        if self.proba is None:
            raise InputError(
                "No predictions were made.",
                parameter="predict_at",
                remedy=f"Call bootstrap with {arg('predict_at', 'rows')}.",
            )
        return quantiles(self.proba, level)

    def importance_intervals(self, level: float = 0.95) -> tuple[NDArray, NDArray]:
        """Return percentile intervals of importances, each end of shape (n_features,)."""
        return quantiles(self.importances, level)

    def to_frame(self, level: float = 0.95) -> "DataFrame":
        """Return one row for each feature that was ever used, the most important first."""
        return make_frame(self._columns(level))

    def _columns(self, level: float) -> dict[str, list[Any]]:
        own = getattr(self.model, "feature_importances_", np.empty(0))
        names = getattr(self.model, "feature_names_in_", [f"x{j}" for j in range(len(own))])
        order = np.argsort(-own, kind="stable")
        ever = [j for j in order.tolist() if own[j] or self.importances[:, j].any()]
        lower, upper = self.importance_intervals(level)
        return {
            "feature": [str(names[j]) for j in ever],
            "importance": own[ever].tolist(),
            "lower": lower[ever].tolist(),
            "upper": upper[ever].tolist(),
        }

    def _printout(self) -> Printout:
        drawn = "within every observed label" if self.by_label else "from all of them"
        rounds = getattr(self.model, "_rounds", "rounds")
        facts = {
            "replicates": f"{self.n_replicates}, rows drawn {drawn}",
            rounds: f"{self.rounds.min()} to {self.rounds.max()}, with all rows {self.model.n_iter_}",
            "intervals": "percentiles of the replicates, not confidence intervals for the truth",
        }
        if self.n_redrawn:
            facts["drawn again"] = f"{self.n_redrawn} times, because a label was missing"
        names, *numbers = self._columns(level=0.95).values()
        rows = [[name, *(f"{each:.3f}" for each in row)] for name, *row in zip(names, *numbers, strict=True)]
        tables = [(["feature", "importance", "95 % from", "to"], rows)]
        return Printout(f"Bootstrap of {type(self.model).__name__}", facts, tables, n_rows=ROWS_SHOWN)


def bootstrap_learner(
    estimator: Any,
    x: Any,
    z: ArrayLike,
    sample_weight: ArrayLike | None,
    n_replicates: int,
    predict_at: Any,
    random_state: Any,
    n_jobs: int | None,
    checkpoint: str | os.PathLike | None,
    progress: bool | None,
) -> LearnerBootstrap:
    """Fit a learner to rows drawn with replacement; see :func:`bootstrap`.

    A row that is drawn k times gets k times its weight, so that copies never judge when a fit is to stop.
    """
    check_in_memory(x, "bootstrap")
    x = x if getattr(x, "shape", None) else as_numbers("X", x, ndim=2)
    weight = check_weight(sample_weight, x)
    model = clone(estimator).fit(x, z, sample_weight=weight)
    if predict_at is not None:
        model.predict_proba(predict_at)  # or refuse it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit gave them
        marks = {name: getattr(model, name) for name in ("unlabeled", "negative", "class_order")}
        labels = encode_labels(z, sample_weight=weight, ordered=model.response == "ordinal", **marks)
    by_label = model.scenario_.sampled_by_label
    settings = {"X": x, "z": z, "weight": weight, "predict_at": predict_at}
    entropy, run = open_seeded_run(
        "bootstrap", clone(estimator), settings, random_state, checkpoint, progress
    )
    rows = SimpleNamespace(codes=labels.codes, weight=weight, classes=labels.classes)
    steps = {
        f"replicate {i}": (estimator, x, z, rows, by_label, seed, predict_at)
        for i, seed in enumerate(spawn(entropy, int(n_replicates)), 1)
    }
    found = run_steps(_replicate, steps, n_jobs=n_jobs, run=run, progress=progress, title="replicates")
    return LearnerBootstrap(
        model=model,
        n_replicates=len(found),
        importances=np.array([each["importances"] for each in found]),
        rounds=np.array([int(each["rounds"]) for each in found]),
        proba=None if predict_at is None else np.array([each["proba"] for each in found]),
        by_label=by_label,
        n_redrawn=int(sum(each["n_redrawn"] for each in found)),
    )


def _replicate(
    estimator: Any,
    x: Any,
    z: ArrayLike,
    rows: Any,
    by_label: bool,
    seed: np.random.SeedSequence,
    predict_at: Any,
) -> dict[str, Any]:
    """Return what a fit to drawn rows says."""
    rng = np.random.default_rng(seed)
    counts, n_redrawn = resample(rows, by_label, rng)
    model = clone(estimator).set_params(random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # hundreds of fits would repeat them
        model.fit(x, z, sample_weight=counts * rows.weight)
        found = {"importances": getattr(model, "feature_importances_", np.empty(0)), "rounds": model.n_iter_}
        found |= {} if predict_at is None else {"proba": model.predict_proba(predict_at)}
        return {**found, "n_redrawn": n_redrawn}
