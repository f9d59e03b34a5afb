"""Writing a fitted model into a folder; `persistence.py` reads it again."""

import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pulasso._version import __version__
from pulasso.estimators.stationary import StationaryPoints
from pulasso.exceptions import NotSavedWarning
from pulasso.penalties import Blocks, Groups
from pulasso.scenarios import SCENARIOS, LabelCounts, LabelModel
from pulasso.storage import CannotBeSavedError, Dispensable, Encoder, as_path, new_folder, write_arrays

__all__ = [
    "ARRAYS",
    "DESCRIPTION",
    "FORMAT",
    "PREVALENCE_VALUES",
    "VALUES",
    "parts_of_estimator",
    "parts_of_fields",
    "save",
]

FORMAT = 1
DESCRIPTION, ARRAYS = "model.json", "arrays.npz"
# Values of the library that are their fields and nothing else.
VALUES = (*SCENARIOS, Groups, Blocks, LabelModel, LabelCounts, StationaryPoints)
# Without these a model cannot predict, or say what it is.
NEEDED = ("classes_", "coef_", "groups_", "label_model_", "label_counts_", "scenario_")
# The same, from a room that only some models need; by name, as loading it takes long.
PREVALENCE_ROOM, PREVALENCE_VALUES = "pulasso.prevalence.result", ("PrevalenceEstimate", "Curve")
MODELS = ("MultinomialPULasso", "MultinomialPULassoCV", "OrdinalPULasso", "OrdinalPULassoCV", "PathResult")


def save(
    model: Any, path: str | os.PathLike, *, force: bool = False, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a model into a folder of JSON and arrays: see `BasePULasso.save`."""
    if type(model).__name__ not in MODELS or not type(model).__module__.startswith("pulasso.estimators"):
        raise TypeError(
            f"{type(model).__name__} is not a model of pulasso that can be saved; use joblib.dump, whose files "
            "can be trusted only as far as their origin."
        )
    encoder = Encoder(_take_apart)
    try:
        tree, remarks = encoder.encode(model), json.dumps(dict(notes or {}), allow_nan=False)
    except CannotBeSavedError as error:
        raise TypeError(f"The model cannot be saved: it holds {error}.") from None
    for name in NEEDED:
        if name in encoder.left_out:
            raise TypeError(
                f"The model cannot be saved: {name} holds {encoder.left_out[name]}. Use joblib.dump."
            )
    with new_folder(
        as_path(path, "path"),
        marker=DESCRIPTION,
        force=force,
        hint="Choose another path, or pass force=True.",
    ) as folder:
        description = {
            "format": FORMAT,
            "pulasso": __version__,
            "model": tree,
            "arrays": write_arrays(folder / ARRAYS, encoder.arrays),
            "notes": json.loads(remarks),
        }
        text = json.dumps(description, indent=1, allow_nan=False)
        (folder / DESCRIPTION).write_text(text, encoding="utf-8")
    for name, why in encoder.left_out.items():
        warnings.warn(
            f"{name} is not saved: it holds {why}, which could not be read back without running code. The "
            "loaded model has the default, or lacks it.",
            NotSavedWarning,
            stacklevel=3,
        )


def _take_apart(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, Blocks):
        return {**parts_of_fields(value), "names": list(value.names)}  # they may be made on the fly
    late = type(value).__module__ == PREVALENCE_ROOM and type(value).__name__ in PREVALENCE_VALUES
    if late or type(value) in VALUES:
        return parts_of_fields(value)
    return value._saved_parts() if hasattr(type(value), "_saved_parts") else None


def parts_of_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def parts_of_estimator(estimator: Any) -> dict[str, Any]:
    """Return parameters and fitted attributes of an estimator."""
    fitted = {name: value for name, value in vars(estimator).items() if name.endswith("_")}
    return {"params": Dispensable(estimator.get_params(deep=False)), "fitted": Dispensable(fitted)}
