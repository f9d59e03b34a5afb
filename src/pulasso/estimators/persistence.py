"""Models as folders of JSON and arrays: written by `save`, read by `load`, and no code in between."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from pulasso._messages import warn
from pulasso._version import __version__
from pulasso.estimators._try_out import try_out
from pulasso.estimators.cv import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.estimators.fit_path import PathResult
from pulasso.estimators.learners import LEARNERS
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.one_vs_rest import OneVsRestPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.estimators.stationary import StationaryPoints
from pulasso.exceptions import NotSavedWarning, SavedModelError
from pulasso.penalties import PENALTIES, Blocks, Groups
from pulasso.scenarios import SCENARIOS, LabelCounts, LabelModel, Propensity, SelectedLabelling, Sources
from pulasso.solvers import Record
from pulasso.storage import (
    CannotBeSavedError,
    Codec,
    Optional,
    as_path,
    read_description,
    read_folder,
    write_folder,
)

__all__ = ["load", "load_notes", "save"]

FORMAT = 2
LINEAR = (MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV)
ESTIMATORS = (*LINEAR, OneVsRestPULasso, *LEARNERS)
# Values of the library that are their fields and nothing else.
VALUES = (
    *SCENARIOS,
    Sources,
    *PENALTIES.values(),
    Groups,
    Blocks,
    LabelModel,
    LabelCounts,
    SelectedLabelling,
    Propensity,
    StationaryPoints,
    PathResult,
)
# The same, from a room that only some models need; by name, as loading it takes long.
LATE = {"PrevalenceEstimate": "pulasso.prevalence.result", "Curve": "pulasso.prevalence.result"}
# Tuples of numbers of which a model may hold many.
ROWS = {Record.__name__: Record}
# Without these a model cannot predict, or say what it is.
NEEDED = (
    "classes_",
    "estimators_",
    "coef_",
    "groups_",
    "label_counts_",
    "scenario_",
    "n_features_in_",
    "weights_",
    "categories_",
)


def save(
    model: Any, path: str | os.PathLike, *, force: bool = False, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a model into a folder of JSON and arrays: see `MultinomialPULasso.save`."""
    if type(model) not in (*ESTIMATORS, PathResult):
        raise TypeError(
            f"{type(model).__name__} is not a model of pulasso that can be saved; use joblib.dump, whose files "
            "can be trusted only as far as their origin."
        )
    codec = Codec(_take_apart, {}, ROWS)
    try:
        tree = codec.encode(model)
    except CannotBeSavedError as error:
        raise TypeError(f"The model cannot be saved: it holds {error}. Use joblib.dump.") from None
    for name in NEEDED:
        if name in codec.left_out:
            raise TypeError(
                f"The model cannot be saved: {name} holds {codec.left_out[name]}. Use joblib.dump."
            )
    try:
        remarks = json.loads(
            json.dumps({} if notes is None else dict(notes), allow_nan=False, ensure_ascii=False).encode()
        )
        _check_depth(remarks)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"notes cannot be saved: {error}.") from None
    description = {"format": FORMAT, "pulasso": __version__, "model": tree, "notes": remarks}
    hint = "Choose another path, or pass force=True."
    write_folder(as_path(path, "path"), description, codec.arrays, force=force, hint=hint)
    for name, why in codec.left_out.items():
        warn(
            f"{name} is not saved: it holds {why}, which could not be read back without running code. The "
            "loaded model has the default, or lacks it.",
            NotSavedWarning,
        )


def _take_apart(value: Any) -> Mapping[str, Any] | None:
    """Return the parts of an object that a saved model may hold."""
    if isinstance(value, Blocks):
        return {**_fields(value), "names": list(value.names)}  # they may be made on the fly
    if isinstance(value, PathResult):
        return {**_fields(value), "_histories": tuple(map(_without_times, value._histories))}
    if type(value) in VALUES or LATE.get(type(value).__name__) == type(value).__module__:
        return _fields(value)
    if type(value) not in ESTIMATORS:
        return None
    fitted = Optional(sorted((name, each) for name, each in vars(value).items() if name.endswith("_")))
    if "label_model_" in fitted and fitted["label_model_"].is_by_row:  # a loaded model may have left it out
        del fitted["label_model_"]  # one row for each row of the fit: new rows have their own
    fitted.pop("cv_proba_", None)  # of the rows of the fit, like which this file shall not grow
    if "history_" in fitted:
        fitted["history_"] = _without_times(fitted["history_"])
    return {"params": Optional(value.get_params(deep=False)), "fitted": fitted}


def _check_depth(notes: Any, most: int = 40) -> None:
    """Refuse notes that are nested so deeply that whoever prints or copies them fails."""
    if most == 0:
        raise ValueError("they are nested too deeply")
    if isinstance(notes, dict | list):
        for each in notes.values() if isinstance(notes, dict) else notes:
            _check_depth(each, most - 1)


def _fields(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _without_times(history: tuple[Record, ...]) -> tuple[Record, ...]:
    """Return a history without its clock: the same fit gives the same files."""
    return tuple(record._replace(seconds=math.nan) for record in history)


# -- reading ---------------------------------------------------------------------------------------------------


def load(path: str | os.PathLike) -> Any:
    """Return a model that was saved by its `save` method.

    The folder holds ``model.json``, which a person can read, and a file of arrays in the safetensors format. Neither is
    pickled: reading runs no code, takes time and memory in proportion to the size of the files, and a file that is
    damaged, or was made to deceive, gives a `SavedModelError`.

    Models also survive ``pickle`` and ``joblib.dump``, which run code when they load, so that only files of your
    own can be trusted. ``skops.io`` asks for ``trusted=`` the names of types that it shall build; for our models::

        trusted = [name for name in skops.io.get_untrusted_types(file=path) if name.startswith("pulasso.")]

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV, OneVsRestPULasso, \
PUBoostingClassifier, PUNeuralClassifier or PathResult

    Raises
    ------
    SavedModelError
        If the folder holds no model, a damaged one, or one of a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pulasso
    >>> X, y = np.arange(20.0).reshape(-1, 1) % 7, np.arange(20) % 7 > 3
    >>> model = pulasso.MultinomialPULasso(lam=0.01, scenario="fully-observed").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model")
    ...     again = pulasso.load(f"{folder}/model")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    folder = as_path(path, "path")
    description, arrays = read_folder(folder)
    try:
        _check_version(description)
        model = Codec(lambda _: None, _builders(), ROWS, arrays).decode(description.get("model"))
        if not isinstance(model, (*ESTIMATORS, PathResult)):
            raise SavedModelError(f"it describes a {type(model).__name__}, not a model.")
        with np.errstate(all="ignore"):
            try_out(model)
        Codec(_take_apart, {}, ROWS).encode(model)  # what cannot be saved again was not saved by this library
    except SavedModelError as error:
        raise SavedModelError(f"{folder} cannot be loaded: {error}") from None
    except ImportError:  # an engine that is not installed here
        raise
    except Exception as error:  # whatever parts that do not fit together may raise
        raise SavedModelError(
            f"{folder} cannot be loaded: its parts do not fit together ({type(error).__name__}: {str(error):.200})."
        ) from None
    return model


def _check_version(description: Mapping[str, Any]) -> None:
    version = description.get("format")
    if version != FORMAT:
        remedy = "Upgrade it: pip install --upgrade pulasso."
        raise SavedModelError(
            f"it was saved by pulasso {str(description.get('pulasso')):.20} in format {str(version):.20}, and this "
            f"version reads format {FORMAT}. "
            + (remedy if isinstance(version, int) and version > FORMAT else "Save the model again.")
        )


def load_notes(path: str | os.PathLike) -> dict[str, Any]:
    """Return what was saved as `notes` beside a model.

    Parameters
    ----------
    path : str or path
        The folder that the model was saved in.

    Returns
    -------
    dict
        Empty if there are no notes.

    Examples
    --------
    >>> import tempfile
    >>> import pulasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(200, 3, random_state=0)
    >>> model = pulasso.MultinomialPULasso(lam=0.05, **data.scenario_params).fit(data.X, data.z)
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> model.save(folder, notes={"survey": 1987})
    >>> pulasso.load_notes(folder)
    {'survey': 1987}
    """
    notes = read_description(as_path(path, "path")).get("notes")
    if not isinstance(notes, dict):
        raise SavedModelError(f"{path} has notes that are no mapping.")
    try:
        _check_depth(notes)
    except ValueError as error:
        raise SavedModelError(f"{path} has notes that cannot be used: {error}.") from None
    return notes


def _builders() -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Return how every type that a saved model may contain is put together."""
    builders = {each.__name__: partial(_build, each) for each in VALUES}
    builders |= {name: partial(_build_late, name) for name in LATE}
    return builders | {each.__name__: partial(_build_estimator, each) for each in ESTIMATORS}


def _build(kind: Any, parts: dict[str, Any]) -> Any:
    # What has a default was added since the format was first released.
    needed = {
        each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING
    }
    if not needed <= set(parts) <= {each.name for each in fields(kind)}:
        raise SavedModelError(f"{kind.__name__} lacks some of its parts, or has others.")
    return kind(**parts)


def _build_late(name: str, parts: dict[str, Any]) -> Any:
    return _build(getattr(import_module(LATE[name]), name), parts)


def _build_estimator(kind: Any, parts: dict[str, Any]) -> Any:
    params, fitted = parts.get("params"), parts.get("fitted")
    if not isinstance(params, dict) or not isinstance(fitted, dict):
        raise SavedModelError(f"{kind.__name__} lacks its parameters or its attributes.")
    unknown = [name for name in params if name not in signature(kind).parameters]
    if unknown:
        raise SavedModelError(f"{kind.__name__} has no parameter {unknown[0]!r:.60}.")
    estimator = kind(**params)
    for name, value in fitted.items():
        taken = name.startswith("_") or hasattr(kind, name)
        if taken or not name.isidentifier() or not name.endswith("_"):
            raise SavedModelError(f"{name!r:.60} is no attribute of a fitted {kind.__name__}.")
        setattr(estimator, name, value)
    return estimator
