"""The strength of the anchor, chosen by the rows that are held out: every one on the same folds."""

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.pu_data import PUData
from pulasso.estimators._folds import folds_from_arrays, split_step
from pulasso.exceptions import InputError
from pulasso.losses import HELD
from pulasso.runs import Run, run_steps
from pulasso.scenarios import FullyObserved

__all__ = ["are_several", "check_strengths", "choose_strength", "usual_strength"]


def usual_strength(scenario: Any) -> float:
    """Return the strength where none was given: 0 where no label is hidden, and where no shares are told."""
    name = scenario if isinstance(scenario, str) else getattr(scenario, "name", None)
    is_plain = name == FullyObserved.name or getattr(scenario, "is_observed", False)
    tells_none = getattr(scenario, "sampled_by_label", False) and not hasattr(scenario, "told_shares")
    return 0.0 if is_plain or tells_none or not getattr(scenario, "tells_shares", True) else HELD


def are_several(anchor: Any) -> bool:
    """Return whether strengths to choose from were given, and not one."""
    is_list = isinstance(anchor, Sequence) and not isinstance(anchor, str | bytes)
    return is_list or (isinstance(anchor, np.ndarray) and anchor.ndim == 1)


def check_strengths(anchor: Any) -> None:
    """Refuse strengths that are none, or that stand there twice."""
    for each in anchor:
        check_number("anchor", each, least=0.0)
    if not len(anchor) or len(set(anchor)) < len(anchor):
        words = f"{arg('anchor', repr(anchor)[:80])} must hold different strengths, at least one."
        raise InputError(words, parameter="anchor")


def choose_strength(estimator: Any, data: PUData, splitter: Any, routed: Bunch, run: Run | None) -> None:
    """Cross-validate with each strength, and make the estimator the one whose held-out rows fit best.

    Held-out rows are judged by their observed labels (or by ``scoring``) and never by the anchor, so that strengths
    compare. Of what the others had to say nothing is told.
    """
    split = {"folds": (splitter, data, routed.splitter.split)}
    folds = folds_from_arrays(run_steps(split_step, split, progress=False, run=run)[0])
    same = check_cv([tuple(fold) for fold in folds])
    metadata = Bunch(splitter=Bunch(split={}), scorer=routed.scorer)
    found = []
    for rho in estimator.anchor:
        attempt = copy(estimator)
        attempt.anchor = rho
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            attempt._cross_validate(data, same, metadata, attempt._open_run(data, same, metadata))
        found.append((attempt, said))
    losses = np.array([each.cv_loss_mean_[each.lams_ == each.lam_min_][0] for each, _ in found])
    best, said = found[int(np.argmin(losses))]
    given = {"anchor": estimator.anchor, "anchors_": np.array(estimator.anchor, dtype=float)}
    estimator.__dict__ = {**vars(best), **given, "anchor_loss_": losses}
    for each in said:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
