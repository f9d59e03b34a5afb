"""Which source column each output column of a fitted scikit-learn transformer is made from.

Names are never split to find out: column ``a`` with category ``b_c`` and column ``a_b`` with category ``c``
both give an output called ``a_b_c``. What decides is the number of outputs per input, read from the fitted
public attributes.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    SplineTransformer,
    TargetEncoder,
)
from sklearn.utils.validation import check_is_fitted

from pulasso.exceptions import GroupError

__all__ = ["source_names"]

Sources = NDArray[np.intp]


def source_names(transformer: Any) -> list[str]:
    """Name the source column of every output column of a fitted transformer.

    Parameters
    ----------
    transformer : ColumnTransformer, OneHotEncoder, Pipeline, ...
        Fitted. Columns that were fitted without names are called ``x0``, ``x1``, ...

    Returns
    -------
    list of str, one per output column
    """
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        raise GroupError(f"{_kind(transformer)} is not fitted: fit it before asking for groups.") from None
    except TypeError:
        raise GroupError(f"{transformer!r} is no transformer; fit one, or use Groups.from_columns.") from None
    first = _first_step(transformer)
    n_inputs = getattr(first, "n_features_in_", None)
    if n_inputs is None:
        raise _unknown(transformer, "it does not say how many columns it was fitted on (n_features_in_)")
    names = _input_names(first, n_inputs)
    return [names[source] for source in _sources(transformer, n_inputs)]


def _sources(transformer: Any, n_inputs: int, n_outputs: int | None = None) -> Sources:
    """Position of the input column that each output column is made from."""
    if transformer is None or isinstance(transformer, str):  # "passthrough" or "drop"
        return np.arange(0 if transformer == "drop" else n_inputs)
    if n_outputs is None:
        n_outputs = _count_outputs(transformer)
    if n_inputs == 1 and n_outputs is not None:
        return np.zeros(n_outputs, dtype=np.intp)  # whatever it does, there is only one column to do it with
    rule = next((rule for kind, rule in _RULES.items() if isinstance(transformer, kind)), _by_equal_names)
    sources = rule(transformer, n_inputs)
    if n_outputs is not None and len(sources) != n_outputs:
        raise _unknown(transformer, f"it makes {n_outputs} columns where {len(sources)} were expected")
    return sources


def _from_column_transformer(transformer: ColumnTransformer, n_inputs: int) -> Sources:
    names = _input_names(transformer, n_inputs)
    spans = transformer.output_indices_
    sources = np.zeros(max((span.stop for span in spans.values()), default=0), dtype=np.intp)
    for name, part, columns in transformer.transformers_:
        span = spans[name]
        if span.stop > span.start:  # a dropped part or one without columns makes nothing, and may be unfitted
            positions = _positions(columns, names)
            sources[span] = positions[_sources(part, len(positions), span.stop - span.start)]
    return sources


def _from_pipeline(pipeline: Pipeline, n_inputs: int) -> Sources:
    if not hasattr(pipeline, "transform"):
        raise _unknown(pipeline, "its last step does not transform; pass pipeline[:-1]")
    sources = np.arange(n_inputs)
    for _, step in pipeline.steps:
        sources = sources[_sources(step, len(sources))]
    return sources


def _from_union(union: FeatureUnion, n_inputs: int) -> Sources:
    return np.concatenate([_sources(part, n_inputs) for _, part in union.transformer_list])


def _from_one_hot(encoder: OneHotEncoder, n_inputs: int) -> Sources:
    widths = [len(categories) for categories in encoder.categories_]
    # The attribute exists only if the encoder was asked to merge rare categories; they share one column.
    for i, rare in enumerate(getattr(encoder, "infrequent_categories_", None) or []):
        widths[i] -= 0 if rare is None else len(rare) - 1
    if encoder.drop_idx_ is not None:
        widths = [width - (drop is not None) for width, drop in zip(widths, encoder.drop_idx_, strict=True)]
    return np.repeat(np.arange(n_inputs), widths)


def _from_bins(discretizer: KBinsDiscretizer, n_inputs: int) -> Sources:
    return np.repeat(np.arange(n_inputs), 1 if discretizer.encode == "ordinal" else discretizer.n_bins_)


def _from_splines(splines: SplineTransformer, n_inputs: int) -> Sources:
    return np.repeat(np.arange(n_inputs), splines.n_features_out_ // n_inputs)


def _from_target_encoder(encoder: TargetEncoder, n_inputs: int) -> Sources:
    n_encodings = len(encoder.classes_) if encoder.target_type_ == "multiclass" else 1
    return np.repeat(np.arange(n_inputs), n_encodings)


def _from_function(function: FunctionTransformer, n_inputs: int) -> Sources:
    elementwise = function.func is None or (isinstance(function.func, np.ufunc) and function.func.nin == 1)
    if not elementwise and function.feature_names_out != "one-to-one":
        raise _unknown(function, "its function may mix columns; if not, set feature_names_out='one-to-one'")
    return np.arange(n_inputs)


def _by_equal_names(transformer: Any, n_inputs: int) -> Sources:
    """Scalers, imputers and feature selectors: an output bears the whole name of its input."""
    if isinstance(transformer, ClassNamePrefixFeaturesOutMixin):
        # PCA calls its outputs pca0, pca1, ...; inputs of that name would not make them the same columns.
        raise _unknown(transformer, "each of its outputs mixes several columns")
    if not hasattr(transformer, "get_feature_names_out"):
        raise _unknown(transformer, "it has no get_feature_names_out")
    outputs = [str(name) for name in transformer.get_feature_names_out()]
    indicator = getattr(transformer, "indicator_", None)
    flagged = np.arange(0) if indicator is None else indicator.features_  # SimpleImputer(add_indicator=True)
    outputs = outputs[: len(outputs) - len(flagged)]
    position = {name: i for i, name in enumerate(_input_names(transformer, n_inputs))}
    if len(set(outputs)) < len(outputs) or len(position) < n_inputs or not position.keys() >= set(outputs):
        raise _unknown(transformer, "its outputs are not named like its inputs")
    return np.array([position[name] for name in outputs] + list(flagged), dtype=np.intp)


_RULES: dict[type, Callable[[Any, int], Sources]] = {
    ColumnTransformer: _from_column_transformer,
    Pipeline: _from_pipeline,
    FeatureUnion: _from_union,
    OneHotEncoder: _from_one_hot,
    KBinsDiscretizer: _from_bins,
    SplineTransformer: _from_splines,
    TargetEncoder: _from_target_encoder,
    FunctionTransformer: _from_function,
}


def _first_step(transformer: Any) -> Any:
    """The step that saw the source columns: a pipeline that starts with "passthrough" does not tell."""
    while isinstance(transformer, Pipeline):
        steps = [step for _, step in transformer.steps if step is not None and not isinstance(step, str)]
        if not steps:
            raise _unknown(transformer, "it has no step that was fitted on columns")
        transformer = steps[0]
    return transformer


def _input_names(transformer: Any, n_inputs: int) -> list[str]:
    names = getattr(transformer, "feature_names_in_", None)
    return [f"x{i}" for i in range(n_inputs)] if names is None else [str(name) for name in names]


def _count_outputs(transformer: Any) -> int | None:
    try:
        return len(transformer.get_feature_names_out())
    except (AttributeError, ValueError):  # a step inside cannot name its outputs: no reason to give up
        return None


def _positions(columns: Any, names: Sequence[str]) -> Sources:
    """Positions of the columns a ColumnTransformer part was given: names, indices, a slice or a mask."""
    if isinstance(columns, UserList):
        columns = columns.data  # scikit-learn 1.6 warns when the remainder is read in another way
    if isinstance(columns, slice) and (isinstance(columns.start, str) or isinstance(columns.stop, str)):
        start = None if columns.start is None else names.index(columns.start)
        stop = None if columns.stop is None else names.index(columns.stop) + 1  # as in pandas
        columns = slice(start, stop, columns.step)
    if not isinstance(columns, slice):
        columns = [columns] if np.ndim(columns) == 0 else list(columns)
        columns = [names.index(column) if isinstance(column, str) else column for column in columns]
    return np.atleast_1d(np.arange(len(names))[columns])


def _kind(transformer: Any) -> str:
    return type(transformer).__name__


def _unknown(transformer: Any, why: str) -> GroupError:
    return GroupError(
        f"Groups.from_transformer cannot tell which source column each output of {_kind(transformer)} "
        f"comes from: {why}. Write the groups yourself: Groups.from_columns({{'name': [columns], ...}})."
    )
