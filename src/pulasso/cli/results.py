"""What commands leave behind: a model, predictions, a page, and words or JSON about them."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso.cli.errors import command_line, said, say, show_parameter
from pulasso.cli.load_data import LoadedData
from pulasso.exceptions import InputError
from pulasso.storage import new_file

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "INSTALL_REPORT",
    "can_report",
    "describe_model",
    "notes_of",
    "prediction_table",
    "print_json",
    "save_model",
    "show_model",
    "show_written",
    "write_csv",
    "write_page",
]

REPLACE = "Give --force to replace it"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how cells begin that spreadsheets compute
INSTALL_REPORT = "`pip install pulasso[report]`"


# --- files ------------------------------------------------------------------------------------------------


def write_csv(frame: "DataFrame", path: Path, force: bool, digits: int = 6) -> None:
    """Write a table, whole or not at all, numbers with so many digits that count."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path, force=force, hint=f"{REPLACE}.") as part:
        _without_formulas(frame).to_csv(part, index=False, float_format=f"%.{digits}g")


def _without_formulas(frame: "DataFrame") -> "DataFrame":
    """Return a table without text that a spreadsheet would run; numbers, as text too, stay what they are."""
    texts = [name for name in frame.columns if frame[name].dtype.kind not in "biuf"]
    return frame.assign(**{name: frame[name].map(_as_cell) for name in texts}).rename(columns=_as_cell)


def _as_cell(value: Any) -> Any:
    """Return text that begins like a formula behind an apostrophe, as OWASP advises.

    Examples
    --------
    >>> _as_cell("=1+1"), _as_cell("-1"), _as_cell("oak"), _as_cell(-1)
    ("'=1+1", '-1', 'oak', -1)
    """
    if not isinstance(value, str) or not value.startswith(FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def save_model(model: Any, folder: Path, force: bool, notes: dict[str, Any]) -> None:
    """Save a model; names in the table may be such that no file can hold them."""
    try:
        model.save(folder, force=force, notes=notes)
    except TypeError as error:
        raise InputError(str(error)) from None


def notes_of(command: str, data: LoadedData, seed: int) -> dict[str, Any]:
    """Return what a saved model should remember: where it comes from, and how its table is read."""
    return {"command": command, "command_line": command_line(), "seed": seed, "table": data.description}


def can_report() -> bool:
    """Say whether the packages that pages need are installed."""
    return all(find_spec(name) is not None for name in ("jinja2", "matplotlib"))


def write_page(model: Any, path: Path, **about: Any) -> None:
    """Write the report of a model, in the words of the command line."""
    from pulasso.report import write_report

    write_report(model, path, show_parameter=show_parameter, **about)


def prediction_table(
    model: Any,
    x: Any,
    rows: NDArray,
    labels: NDArray | None = None,
    complete: NDArray | None = None,
    prevalence: Any = None,
    rule: str | None = None,
) -> "DataFrame":
    """Return predicted classes and their probabilities, one line for each row of the table.

    Parameters
    ----------
    model : estimator
    x : features
    rows : array of int
        Numbers of the rows in the file.
    labels : array, optional
        Observed labels, shown beside the predictions.
    complete : array of bool, optional
        Rows without missing values; the others stay empty.
    prevalence : number or mapping, optional
        Class shares of the population that the rows come from, if it is another one.
    rule : str, optional
        Of ``OrdinalPULasso.predict``; by default the most probable class.
    """
    import pandas as pd

    chosen = slice(None) if complete is None or complete.all() else np.flatnonzero(complete)
    part = x.iloc[chosen] if hasattr(x, "iloc") else x[chosen]
    proba = np.full((len(rows), len(model.classes_)), np.nan)
    predicted = np.full(len(rows), None, dtype=object)
    if part.shape[0]:
        proba[chosen] = model.predict_proba(part, prevalence)
        by_rule = {} if rule is None else {"rule": rule}
        predicted[chosen] = model.predict(part, prevalence, **by_rule)
    columns = {"row": rows} if labels is None else {"row": rows, "label": labels}
    by_class = {f"P({name})": proba[:, k] for k, name in enumerate(model.classes_)}
    return pd.DataFrame({**columns, "predicted": predicted, **by_class})


# --- words and JSON ---------------------------------------------------------------------------------------


def describe_model(model: Any) -> dict[str, Any]:
    """Return what a fitted model is, for JSON: settings, certificate, and what was selected."""
    return _describe_linear(model) if hasattr(model, "coef_") else _describe_learner(model)


def _describe_learner(model: Any) -> dict[str, Any]:
    """Return the same of boosted trees or a network."""
    summary = model.summary()
    found = {
        "estimator": type(model).__name__,
        "classes": [plain(each) for each in model.classes_],
        "rounds": model.n_iter_,
        "loss": model.loss_,
        "validation_loss": None if model.validation_loss_ is None else model.validation_loss_.min(),
        "told_shares": model.told_shares_,
        "class_shares": model.class_shares_,
        "importances": dict(zip(summary.features, summary.importances.tolist(), strict=True)),
    }
    if hasattr(model, "fold_losses_"):
        found |= {"fold_losses": model.fold_losses_, "fold_rounds": model.fold_rounds_}
    return found


def _describe_linear(model: Any) -> dict[str, Any]:
    summary = model.summary()
    selected = {
        name: dict(zip(summary.columns, map(float, values), strict=True))
        for name, values in zip(summary.features, summary.coefficients, strict=True)
    }
    offsets = model.response_.offsets_name
    found = {
        "estimator": type(model).__name__,
        "classes": [plain(each) for each in model.classes_],
        "lam": float(getattr(model, "lam_", getattr(model, "lam", np.nan))),
        "lam_max": float(model.lam_max_),
        "objective": model.objective_,
        "kkt": model.kkt_,
        "converged": model.converged_,
        offsets.rstrip("_"): [float(each) for each in getattr(model, offsets)],
        "told_shares": getattr(model, "told_shares_", None),
        "class_shares": getattr(model, "class_shares_", None),
        "selected": selected,
    }
    if hasattr(model, "cv_loss_"):
        found |= {
            "lam_min": model.lam_min_,
            "lam_1se": model.lam_1se_,
            "cv_loss": float(model.cv_loss_mean_[model.best_index_]),
            "cv_loss_se": float(model.cv_loss_se_[model.best_index_]),
        }
    if hasattr(model, "refit_loss_"):
        found |= {"refit": model.refit, "refit_loss": model.refit_loss_}
    return found


def print_json(command: str, **result: Any) -> None:
    """Print the result of a command as one JSON object; numbers that JSON cannot hold become null."""
    found = _as_json({"command": command, **result, "warnings": said()})
    typer.echo(json.dumps(found, indent=2, allow_nan=False))


def _as_json(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(plain(name)): _as_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def show_model(model: Any) -> None:
    """Print the summary of a model; its warnings were shown when they were given."""
    words = repr(replace(model.summary(), warnings=[]))
    say(words.replace("(see .to_frame())", "(--json shows all)"))


def show_written(paths: Sequence[Path]) -> None:
    """Say where the results are."""
    say("\nWritten: " + ", ".join(f"{path}/" if path.is_dir() else str(path) for path in paths))
