"""Models and baselines on the same folds: each chooses its lam on its training rows, all are judged alike."""

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg, did_you_mean, listed, plain, warn
from pulasso.data.inputs import check_weight
from pulasso.data.labels import encode_labels
from pulasso.data.parameters import as_numbers, check_choice
from pulasso.exceptions import ClassShareWarning, InputError, LabelError, ScenarioError
from pulasso.losses import HELD
from pulasso.model_selection.folds import check_folds, make_splitter, split_rows, take_rows
from pulasso.model_selection.learners import LEARNERS, Learner
from pulasso.model_selection.verdict import LINEAR, SCORES, Comparison
from pulasso.responses import RESPONSES
from pulasso.scenarios import LabelCounts, as_scenario

__all__ = ["Comparison", "compare"]

DEFAULT_MODELS = ("pulasso", "mn-lasso", "elkan-noto", "one-vs-rest", "nnpu", "pu-bagging")
N_LAMS, LAM_MIN_RATIO = 8, 0.02
PARTS_FOR_LAM = 4  # one of four parts of the training rows judges the lams


@dataclass(frozen=True)
class Candidate:
    """A model by name: how to make it for one lam, and whether lam matters."""

    name: str
    make: Callable[[float], Any]
    tuned: bool = True


def compare(
    X: Any,
    z: ArrayLike,
    models: str | Iterable[str] = DEFAULT_MODELS,
    *,
    response: str = "multinomial",
    scenario: Any = "case-control",
    prevalence: Any = None,
    label_frequency: Any = None,
    unlabeled: Any = None,
    negative: Any = None,
    class_order: Sequence[Any] | None = None,
    groups: Any = None,
    penalty: Any = None,
    anchor: float | None = None,
    standardize: bool | str = True,
    cv: Any = 5,
    random_state: Any = 0,
    sample_weight: ArrayLike | None = None,
) -> Comparison:
    """Compare the models of this package with baselines, by scores of the true classes that need no negatives.

    Rows are predicted by a fit without them. Each model chooses its lam (boosted trees and networks: when to stop)
    within its own training rows, by the likelihood of the observed labels of a part that it does not see. Is a flexible
    learner worth it? The verdict says so: it rests on differences between the losses of the same rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, without confirmed negatives, which few of the baselines can use.
    models : "all" or names
        "pulasso", with ordered classes also "multinomial"; "boosting" (:class:`~pulasso.PUBoostingClassifier`) and
        "neural" (``PUNeuralClassifier``), where they are installed; and names in ``pulasso.baselines.BASELINES``. "all"
        takes every one that is made for these classes and installed.
    response : {"multinomial", "ordinal"}
    scenario, prevalence, label_frequency, unlabeled, negative, class_order, groups, penalty, standardize
        As in :class:`~pulasso.MultinomialPULasso`. Numbers cannot be "estimate" here.
    anchor : float, optional
        As there; by default 3 for the linear models, and 0 for flexible learners, which stop early instead.
    cv : int, splitter or iterable of (train, test), default=5
        The folds; a number means folds stratified by observed label.
    random_state : int, RandomState, Generator or None, default=0
        Which row is in which fold.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    Comparison
        It prints as a table, the smallest log-loss first, and the verdict; `to_frame` gives the numbers.

    Examples
    --------
    >>> from pulasso.datasets import simulate_multinomial
    >>> from pulasso.model_selection import compare
    >>> data = simulate_multinomial(300, 5, n_active=2, random_state=0)
    >>> found = compare(data.X, data.z, ["pulasso", "mn-lasso"], cv=2, **data.scenario_params)
    >>> found.to_frame().set_index("model")["log-loss"].idxmin()
    'pulasso'
    >>> found = compare(data.X, data.z, ["pulasso", "boosting"], cv=2, **data.scenario_params)
    >>> found.verdict.split(": ")[0]
    'Boosted trees are worse than the linear model'
    """
    check_choice("response", response, RESPONSES)
    rows = X if getattr(X, "shape", None) else as_numbers("X", X, ndim=2)
    weight = check_weight(sample_weight, rows)
    labels = encode_labels(
        z,
        unlabeled=unlabeled,
        negative=negative,
        class_order=class_order,
        sample_weight=weight,
        ordered=response == "ordinal",
    )
    if labels.has_negatives:
        raise LabelError(
            "A comparison does not take confirmed negatives, which few of the baselines can use.",
            parameter="negative",
        )
    given = {"prevalence": prevalence, "label_frequency": label_frequency}
    numbers = {name: each for name, each in given.items() if each is not None}
    known = _numbers_by_code({"scenario": scenario, **numbers}, labels, weight)
    own = {
        "penalty": penalty,
        "anchor": HELD if anchor is None else anchor,
        "standardize": standardize,
        **known,
    }
    own |= {} if groups is None else {"groups": groups}
    flexible = {"response": response, "random_state": 0, **known} | (
        {} if anchor is None else {"anchor": anchor}
    )
    candidates = _candidates(models, own, flexible, known, len(labels.classes) - 1, response == "ordinal")
    splits = split_rows(make_splitter(cv, random_state), X, labels.codes)
    check_folds(splits, labels, weight)
    return _compare(candidates, X, labels, weight, splits, known)


def _compare(
    candidates: Sequence[Candidate],
    x: Any,
    labels: Any,
    weight: NDArray,
    splits: Any,
    known: dict[str, Any],
) -> Comparison:
    """Score the predictions of held-out rows, fold after fold, of every candidate."""
    held_out = np.unique(np.concatenate([test for _, test in splits]))
    codes, about = labels.codes[held_out], {"sample_weight": weight[held_out], **known}
    about["classes"] = np.arange(len(labels.classes))
    proba: dict[str, NDArray] = {}
    lines = []
    for each in candidates:
        proba[each.name], seconds = _predict_held_out(each, x, labels.codes, weight, splits)
        lines.append({"model": each.name, **_scores(codes, proba[each.name], about), "seconds": seconds})
    if LINEAR in proba:
        lines = [_with_difference(each, codes, proba, about) for each in lines]
    return Comparison(lines)


def _numbers_by_code(known: dict[str, Any], labels: Any, weight: NDArray) -> dict[str, Any]:
    """Return scenario= and its number in the order of the classes, for labels that are codes 0..K."""
    if any(isinstance(each, str) and each == "estimate" for each in known.values()):
        raise ScenarioError(
            "A comparison needs numbers, not 'estimate'.",
            parameter="prevalence" if "prevalence" in known else "label_frequency",
            remedy="Have them estimated by a fit first, then give them here.",
        )
    as_scenario(**known).label_model(LabelCounts.from_codes(labels.codes, labels.classes, weight))  # or raise
    for name, value in known.items():
        if isinstance(value, Mapping):
            by_class = {plain(each): number for each, number in value.items()}
            known[name] = [by_class[plain(each)] for each in labels.classes[1:]]
    return known


# --- which models -----------------------------------------------------------------------------------------


def _candidates(
    models: str | Iterable[str],
    own: dict[str, Any],
    flexible: dict[str, Any],
    scenario: dict[str, Any],
    n_positive: int,
    ordered: bool,
) -> list[Candidate]:
    from pulasso.baselines import BASELINES
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    known = [
        Candidate("pulasso", lambda lam: (OrdinalPULasso if ordered else MultinomialPULasso)(lam, **own))
    ]
    if ordered:
        known.append(Candidate("multinomial", lambda lam: MultinomialPULasso(lam, **own)))
    missing = [learner.name for learner in LEARNERS.values() if not learner.is_installed]
    for learner in LEARNERS.values():
        known.append(Candidate(learner.name, partial(_of_no_lam, learner, flexible), tuned=False))
    for name, baseline in BASELINES.items():
        fits = not baseline.needs_true_classes and (ordered or not baseline.ordered)
        if fits and (n_positive == 1 or not baseline.binary):
            known.append(Candidate(name, partial(baseline.make, scenario), baseline.tuned))
            if baseline.extra is not None and find_spec("pulearn") is None:
                missing.append(name)
    by_name = {each.name: each for each in known}
    if isinstance(models, str) and models == "all":
        return [each for each in known if each.name not in missing]
    wanted = [models] if isinstance(models, str) else models
    if not isinstance(wanted, list | tuple) or not wanted:
        raise InputError(f"{arg('models')} must be a list of names.", parameter="models")
    for name in wanted:
        if isinstance(name, str) and name in LEARNERS:
            LEARNERS[name].check_installed()
        if not isinstance(name, str) or name not in by_name:
            raise InputError(
                f"{arg('models')}: {name!r} is unknown, or not made for these classes.{did_you_mean(name, by_name)} "
                f"There are {listed(by_name, limit=len(by_name), show=str)}.",
                parameter="models",
            )
    return [by_name[name] for name in dict.fromkeys(wanted)]


def _of_no_lam(learner: Learner, settings: dict[str, Any], lam: float) -> Any:
    return learner.make(**settings)


# --- how good they are ------------------------------------------------------------------------------------


def _predict_held_out(
    candidate: Candidate, x: Any, codes: NDArray, weight: NDArray, splits: Any
) -> tuple[NDArray, float]:
    """Return mean predictions of rows by fits without them, in the order of rows, and the seconds they took."""
    started, total, times = time.process_time(), np.zeros((len(codes), codes.max() + 1)), np.zeros(len(codes))
    with _one_warning(candidate.name):
        for train, test in splits:
            model = _fit_tuned(candidate, take_rows(x, train), codes[train], weight[train])
            total[test] += model.predict_proba(take_rows(x, test))
            times[test] += 1  # more than once, with repeated folds
    seen = times > 0
    return total[seen] / times[seen, None], time.process_time() - started


def _with_difference(
    line: dict[str, Any], codes: NDArray, proba: Mapping[str, NDArray], known: dict[str, Any]
) -> dict[str, Any]:
    """Return a line with its log-loss less that of the linear model, before the seconds."""
    from pulasso.metrics import pu_log_loss_difference

    found = pu_log_loss_difference(codes, proba[line["model"]], proba[LINEAR], **known)
    seconds = line.pop("seconds")
    return {
        **line,
        "difference": float(found.value),
        "difference se": float(found.standard_error),
        "seconds": seconds,
    }


def _scores(codes: NDArray, proba: NDArray, known: dict[str, Any]) -> dict[str, float]:
    from pulasso.metrics import pu_accuracy, pu_log_loss, pu_recall, pu_roc_auc

    predicted = proba.argmax(axis=1)
    estimates = (
        pu_accuracy(codes, predicted, **known),
        pu_recall(codes, predicted, average="macro", **known),
        pu_log_loss(codes, proba, **known),
        pu_roc_auc(codes, proba, average="macro", **known),
    )
    found = {}
    for name, estimate in zip(SCORES, estimates, strict=True):
        found[name], found[f"{name} se"] = float(estimate.value), float(estimate.standard_error)
    return found


def _fit_tuned(candidate: Candidate, x: Any, codes: NDArray, weight: NDArray) -> Any:
    """Fit at the lam under which labels of rows held back are the most likely."""
    from pulasso.estimators import fit_path

    if not candidate.tuned:
        return candidate.make(0.0).fit(x, codes, sample_weight=weight)
    train, test = split_rows(make_splitter(PARTS_FOR_LAM, 0), x, codes)[0]
    lam_max = fit_path(x, codes, scenario="fully-observed", n_lams=1, sample_weight=weight).lam_max
    lams = float(lam_max) * np.geomspace(1.0, LAM_MIN_RATIO, N_LAMS)
    scores = []
    for lam in lams:
        model = candidate.make(float(lam)).fit(take_rows(x, train), codes[train], sample_weight=weight[train])
        scores.append(model.observed_score(take_rows(x, test), codes[test], sample_weight=weight[test]))
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    return candidate.make(float(lams[best])).fit(x, codes, sample_weight=weight)


@contextmanager
def _one_warning(name: str) -> Iterator[None]:
    """Sum up what is warned about in the many fits of a model."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        # Lams that are only tried, and held-out rows judge the one that is taken.
        warnings.simplefilter("ignore", ClassShareWarning)
        yield
    found = [each for each in caught if issubclass(each.category, UserWarning)]
    if found:
        first: Any = found[0].message.args[0] if isinstance(found[0].message, Warning) else found[0].message
        more = f" ({len(found)} warnings in all its fits, of which this is the first)" if found[1:] else ""
        warn(f"{name}: {getattr(first, 'template', first)}{more}", found[0].category)
