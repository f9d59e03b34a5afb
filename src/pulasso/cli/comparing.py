"""Models and baselines on the same folds: each chooses its lam on its training rows, all are judged alike."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.cli.names import suggestion
from pulasso.cli.preparing import Prepared
from pulasso.cli.running import CommandError, in_option_words, warn

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["compare_models", "show_comparison"]

N_LAMS, LAM_MIN_RATIO = 8, 0.02
HELD_FOR_LAM = 4  # one of four parts of the training rows judges the lams


@dataclass(frozen=True)
class Candidate:
    """A model by name: how to make it for one lam, and whether lam matters."""

    name: str
    make: Callable[[float], Any]
    tuned: bool = True


def compare_models(
    prepared: Prepared, settings: dict[str, Any], names: str, folds: int, seed: int, *, ordered: bool
) -> "DataFrame":
    """Return one line of scores for each model, from predictions of rows that its fit did not see."""
    import pandas as pd

    from pulasso.data.inputs import check_weight
    from pulasso.data.labels import encode_labels
    from pulasso.model_selection import check_folds, make_splitter, split_rows

    if prepared.observed.settings.get("negative") in prepared.observed.counts:
        raise CommandError("compare does not take confirmed negatives, which few of the baselines know.")
    labels = encode_labels(prepared.observed.y, ordered=ordered, **prepared.observed.settings)
    weight = check_weight(prepared.weight, prepared.x)
    splits = split_rows(make_splitter(folds, seed), prepared.x, labels.codes)
    check_folds(splits, labels, weight)
    scenario = _scenario_of(settings, labels.classes[1:].tolist())
    candidates = _candidates(names, settings, scenario, len(labels.classes) - 1, ordered)
    lines = []
    for candidate in candidates:
        lines.append(_judge(candidate, prepared.x, labels.codes, weight, splits, scenario, labels.classes))
    return pd.DataFrame(lines)


def _scenario_of(settings: dict[str, Any], classes: list[Any]) -> dict[str, Any]:
    """Return scenario= and its number in the order of the classes, for labels that are codes 0..K."""
    names = ("scenario", "prevalence", "label_frequency")
    known: dict[str, Any] = {name: settings[name] for name in names if name in settings}
    if "estimate" in [value for value in known.values() if isinstance(value, str)]:
        raise CommandError(
            "compare needs numbers: have them estimated by `fit` or `cv` first, then give them here."
        )
    for name, value in known.items():
        if isinstance(value, dict):
            known[name] = [value[each] for each in classes]
    return known


def _candidates(
    names: str, settings: dict[str, Any], scenario: dict[str, Any], n_positive: int, ordered: bool
) -> list[Candidate]:
    from pulasso.baselines import BASELINES

    fitting = {
        name: each
        for name, each in BASELINES.items()
        if not each.needs_true_classes
        and (not each.binary or n_positive == 1)
        and (ordered or not each.ordered)
    }
    known = [*(["pulasso", "multinomial"] if ordered else ["pulasso"]), *fitting]
    installed = [name for name in known if name not in fitting or _is_installed(fitting[name].extra)]
    wanted = (
        installed if names.strip() == "all" else [each.strip() for each in names.split(",") if each.strip()]
    )
    for name in wanted:
        if name not in known:
            raise CommandError(
                f"--models: {name!r} is unknown, or not made for these classes.{suggestion(name, known)} "
                f"There are {listed(known, limit=len(known), show=str)}."
            )
    return [_candidate(name, fitting, settings, scenario, ordered) for name in dict.fromkeys(wanted)]


def _is_installed(extra: str | None) -> bool:
    return extra is None or find_spec("pulearn") is not None


def _candidate(
    name: str, fitting: dict[str, Any], settings: dict[str, Any], scenario: dict[str, Any], ordered: bool
) -> Candidate:
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    if name in fitting:
        return Candidate(name, lambda lam: fitting[name].make(scenario, lam), fitting[name].tuned)
    estimator = OrdinalPULasso if ordered and name != "multinomial" else MultinomialPULasso
    own = {"groups": settings["groups"], "standardize": settings["standardize"], **scenario}
    return Candidate(name, lambda lam: estimator(lam, **own))


def _judge(
    candidate: Candidate,
    x: Any,
    codes: NDArray,
    weight: NDArray,
    splits: Any,
    scenario: dict[str, Any],
    classes: NDArray,
) -> dict[str, Any]:
    """Predict every row by a fit without it, and score all of them together."""
    from pulasso.metrics import pu_accuracy, pu_log_loss, pu_recall, pu_roc_auc

    started = time.process_time()
    proba = np.zeros((len(codes), len(classes)))
    with _one_warning(candidate.name):
        for train, test in splits:
            model = _fit_tuned(candidate, _rows(x, train), codes[train], weight[train])
            proba[test] = model.predict_proba(_rows(x, test))
    seconds = time.process_time() - started
    known = {**scenario, "sample_weight": weight, "classes": np.arange(len(classes))}
    predicted = proba.argmax(axis=1)
    line: dict[str, Any] = {"model": candidate.name}
    scores = {
        "accuracy": pu_accuracy(codes, predicted, **known),
        "balanced accuracy": pu_recall(codes, predicted, average="macro", **known),
        "log-loss": pu_log_loss(codes, proba, **known),
        "AUC": pu_roc_auc(codes, proba, average="macro", **known),
    }
    for name, estimate in scores.items():
        line[name], line[f"{name} se"] = float(estimate.value), float(estimate.standard_error)
    return {**line, "seconds": seconds}


@contextmanager
def _one_warning(name: str) -> Iterator[None]:
    """Sum up what is warned about in the many fits of a comparison."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    words = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    if words:
        more = f" ({len(words)} warnings in all its fits, of which this is the first)" if words[1:] else ""
        warn(f"{name}: {in_option_words(words[0])}{more}")


def _fit_tuned(candidate: Candidate, x: Any, codes: NDArray, weight: NDArray) -> Any:
    """Fit at the lam under which labels of rows kept back are the most likely."""
    from pulasso.model_selection import make_splitter, split_rows

    if not candidate.tuned:
        return candidate.make(0.0).fit(x, codes, sample_weight=weight)
    train, test = split_rows(make_splitter(HELD_FOR_LAM, 0), x, codes)[0]
    lams = _lam_max(x, codes, weight) * np.geomspace(1.0, LAM_MIN_RATIO, N_LAMS)
    scores = []
    for lam in lams:
        model = candidate.make(float(lam)).fit(_rows(x, train), codes[train], sample_weight=weight[train])
        scores.append(model.observed_score(_rows(x, test), codes[test], sample_weight=weight[test]))
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    return candidate.make(float(lams[best])).fit(x, codes, sample_weight=weight)


def _lam_max(x: Any, codes: NDArray, weight: NDArray) -> float:
    from pulasso.estimators import fit_path

    return float(fit_path(x, codes, scenario="fully-observed", n_lams=1, sample_weight=weight).lam_max)


def _rows(x: Any, rows: NDArray) -> Any:
    if hasattr(x, "iloc"):
        return x.iloc[rows]
    return x.tocsr()[rows] if hasattr(x, "tocsr") else x[rows]


def show_comparison(found: "DataFrame") -> str:
    """Return the table as text, the smallest log-loss first."""
    from pulasso.tables import text_table

    scores = ("accuracy", "balanced accuracy", "log-loss", "AUC")
    lines = []
    for line in found.sort_values("log-loss").to_dict(orient="records"):
        cells = [_with_error(line[name], line[f"{name} se"]) for name in scores]
        lines.append([line["model"], *cells, f"{line['seconds']:.1f}"])
    table = text_table(["model", *scores, "seconds"], lines)
    title = "Scores of the true classes, estimated from observed labels (± standard error)"
    endless = [line["model"] for line in found.to_dict(orient="records") if np.isinf(line["log-loss"])]
    why = "Infinite: it gives probability 0 to a class that some row has. Affected:"
    return "\n".join([title, *table, *([f"  {why} {listed(endless, show=str)}."] if endless else [])])


def _with_error(value: float, error: float) -> str:
    if not np.isfinite(value):
        return "infinite" if np.isinf(value) else "unknown"
    return f"{value:.3f} ± {error:.3f}"
