"""Models as folders of JSON and arrays: written by `save`, read by `load`, and no code in between."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np

from pulasso._messages import warn
from pulasso._version import __version__
from pulasso.estimators.cv import MultinomialPULassoCV, OrdinalPULassoCV
from pulasso.estimators.fit_path import PathResult
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.ordinal import OrdinalPULasso
from pulasso.estimators.stationary import StationaryPoints
from pulasso.exceptions import NotSavedWarning, SavedModelError
from pulasso.penalties import PENALTIES, Blocks, Groups
from pulasso.scenarios import SCENARIOS, LabelCounts, LabelModel
from pulasso.solvers import Record
from pulasso.storage import CannotBeSavedError, Codec, as_path, read_folder, write_folder

__all__ = ["load", "load_notes", "save"]

FORMAT = 2
ESTIMATORS = (MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV)
# Values of the library that are their fields and nothing else.
VALUES = (
    *SCENARIOS,
    *PENALTIES.values(),
    Groups,
    Blocks,
    LabelModel,
    LabelCounts,
    StationaryPoints,
    PathResult,
)
# The same, from a room that only some models need; by name, as loading it takes long.
LATE = {"PrevalenceEstimate": "pulasso.prevalence.result", "Curve": "pulasso.prevalence.result"}
# Without these a model cannot predict, or say what it is.
NEEDED = ("classes_", "coef_", "groups_", "label_counts_", "scenario_", "n_features_in_")


def save(
    model: Any, path: str | os.PathLike, *, force: bool = False, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a model into a folder of JSON and arrays: see `MultinomialPULasso.save`."""
    if type(model) not in (*ESTIMATORS, PathResult):
        raise TypeError(
            f"{type(model).__name__} is not a model of pulasso that can be saved; use joblib.dump, whose files "
            "can be trusted only as far as their origin."
        )
    left_out: dict[str, str] = {}
    codec = Codec(lambda value: _take_apart(value, codec, left_out), _builders(), {Record.__name__: Record})
    try:
        tree, remarks = codec.encode(model), json.loads(json.dumps(dict(notes or {}), allow_nan=False))
    except CannotBeSavedError as error:
        raise TypeError(f"The model cannot be saved: it holds {error}. Use joblib.dump.") from None
    for name in NEEDED:
        if name in left_out:
            raise TypeError(f"The model cannot be saved: {name} holds {left_out[name]}. Use joblib.dump.")
    description = {"format": FORMAT, "pulasso": __version__, "model": tree, "notes": remarks}
    hint = "Choose another path, or pass force=True."
    write_folder(as_path(path, "path"), description, codec.arrays, force=force, hint=hint)
    for name, why in left_out.items():
        warn(
            f"{name} is not saved: it holds {why}, which could not be read back without running code. The "
            "loaded model has the default, or lacks it.",
            NotSavedWarning,
        )


def _take_apart(value: Any, codec: Codec, left_out: dict[str, str]) -> Mapping[str, Any] | None:
    """Return the parts of an object that a saved model may hold; note what of an estimator cannot be saved."""
    if isinstance(value, Blocks):
        return {**_fields(value), "names": list(value.names)}  # they may be made on the fly
    if isinstance(value, PathResult):
        return {**_fields(value), "_histories": tuple(map(_without_times, value._histories))}
    if type(value) in VALUES or LATE.get(type(value).__name__) == type(value).__module__:
        return _fields(value)
    if type(value) not in ESTIMATORS:
        return None
    fitted = {name: each for name, each in vars(value).items() if name.endswith("_")}
    if fitted["label_model_"].is_by_row:
        del fitted["label_model_"]  # one row for each row of the fit: new rows have their own
    if "history_" in fitted:
        fitted["history_"] = _without_times(fitted["history_"])
    kept: dict[str, dict[str, Any]] = {"params": {}, "fitted": {}}
    for part, entries in (("params", value.get_params(deep=False)), ("fitted", fitted)):
        for name, each in entries.items():
            try:
                codec.encode(each)
                kept[part][name] = each
            except CannotBeSavedError as error:
                left_out[name] = str(error)
    return kept


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
    MultinomialPULasso, OrdinalPULasso, MultinomialPULassoCV, OrdinalPULassoCV or PathResult

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
    version = description.get("format")
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        raise SavedModelError(
            f"{folder} was saved by pulasso {str(description.get('pulasso')):.20} in format {str(version):.20}; this "
            f"version reads format {FORMAT}. "
            + ("Upgrade it: pip install --upgrade pulasso." if newer else "Save the model again.")
        )
    try:
        model = Codec(lambda _: None, _builders(), {Record.__name__: Record}, arrays).decode(
            description.get("model")
        )
        if not isinstance(model, (*ESTIMATORS, PathResult)):
            raise SavedModelError(f"it describes a {type(model).__name__}, not a model.")
        _try_out(model)
    except SavedModelError as error:
        raise SavedModelError(f"{folder} cannot be loaded: {error}") from None
    return model


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
    notes = read_folder(as_path(path, "path"))[0].get("notes")
    if not isinstance(notes, dict):
        raise SavedModelError(f"{path} has notes that are no mapping.")
    return notes


def _builders() -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Return how every type that a saved model may contain is put together."""
    builders = {each.__name__: _builder(each) for each in VALUES}
    builders |= {name: _late_builder(name) for name in LATE}
    return builders | {each.__name__: _estimator_builder(each) for each in ESTIMATORS}


def _builder(kind: Any) -> Callable[[dict[str, Any]], Any]:
    def build(parts: dict[str, Any]) -> Any:
        if set(parts) != {each.name for each in fields(kind)}:
            raise SavedModelError(f"{kind.__name__} lacks some of its parts, or has others.")
        try:
            return kind(**parts)
        except (TypeError, ValueError, AttributeError) as error:
            raise SavedModelError(f"{kind.__name__}: {error}") from None

    return build


def _late_builder(name: str) -> Callable[[dict[str, Any]], Any]:
    def build(parts: dict[str, Any]) -> Any:
        from pulasso.prevalence import result

        return _builder(getattr(result, name))(parts)

    return build


def _estimator_builder(kind: Any) -> Callable[[dict[str, Any]], Any]:
    def build(parts: dict[str, Any]) -> Any:
        params, fitted = parts.get("params"), parts.get("fitted")
        if not isinstance(params, dict) or not isinstance(fitted, dict):
            raise SavedModelError(f"{kind.__name__} lacks its parameters or its attributes.")
        unknown = [name for name in params if name not in signature(kind).parameters]
        if unknown:
            raise SavedModelError(f"{kind.__name__} has no parameter {unknown[0]!r}.")
        estimator = kind(**params)
        for name, value in fitted.items():
            taken = name.startswith("_") or hasattr(kind, name)
            if taken or not name.isidentifier() or not name.endswith("_"):
                raise SavedModelError(f"{name!r:.60} is no attribute of a fitted {kind.__name__}.")
            setattr(estimator, name, value)
        return estimator

    return build


def _try_out(model: Any) -> None:
    """Use a model as its user will, so that what does not fit together is found now and not later."""
    try:
        if isinstance(model, PathResult):
            shapes = {
                len(getattr(model, name)) for name in ("coefs", "offsets", "group_norms", "kkt", "converged")
            }
            if shapes != {len(model)} or len(model._histories) != len(model) or len(model) == 0:
                raise SavedModelError("the parts of the path differ in length.")
            repr(model)
            models = [model.model(0), model.model(-1)]
        else:
            models = [model, *getattr(getattr(model, "stationary_points_", None), "models", ())]
        for each in models:
            _try_out_estimator(each)
    except SavedModelError:
        raise
    except Exception as error:  # whatever a damaged model may raise
        raise SavedModelError(f"its parts do not fit together ({type(error).__name__}: {error}).") from None


def _try_out_estimator(model: Any) -> None:
    model._check_params()
    n_features, n_classes = model.n_features_in_, len(model.classes_)
    if type(n_features) is not int or len(set(model.classes_.tolist())) != n_classes or n_classes < 2:
        raise SavedModelError("features or classes are not counted as they should be.")
    theta = np.asarray(model._response.from_public(model)[1])
    if theta.shape != model.groups_.shape or theta.shape[0] != n_features:
        raise SavedModelError("coefficients and groups differ in shape.")
    if not isinstance(model.converged_, bool) or not all(isinstance(each, str) for each in model.warnings_):
        raise SavedModelError("converged_ or warnings_ are not what they should be.")
    proba = model._response.from_public(model)[0].log_proba(
        np.zeros((1, theta.shape[1])), model._response.from_public(model)[2]
    )
    if (
        proba.shape != (1, n_classes)
        or not np.isfinite(theta).all()
        or not np.allclose(np.exp(proba).sum(), 1.0)
    ):
        raise SavedModelError("it does not give probabilities.")
    repr(model.summary())
    if not getattr(model.scenario_, "by_row", False):
        zeros = np.zeros((1, n_features))
        names = getattr(model, "feature_names_in_", None)
        if names is not None and len(names) != n_features:
            raise SavedModelError("there is not one name for each feature.")
        model.__dict__.pop("feature_names_in_", None)
        try:
            model.predict_observed_proba(zeros)
        finally:
            if names is not None:
                model.feature_names_in_ = names
    if hasattr(model, "cv_loss_") and not 0 <= model.best_index_ < len(model.lams_):
        raise SavedModelError("best_index_ is outside of lams_.")
