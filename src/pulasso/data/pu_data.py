"""Data as everything else in the library sees them: features, codes of labels, weights."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from pulasso._messages import arg, warn
from pulasso.data.chunks import is_chunked
from pulasso.data.containers import unmasked_labels
from pulasso.data.inputs import check_features, check_flag, check_same_length, check_source, check_weight
from pulasso.data.labels import encode_labels
from pulasso.data.parameters import as_numbers, as_rows, check_kind
from pulasso.exceptions import ClassOrderWarning, InputError
from pulasso.scenarios import LabelCounts

__all__ = ["PUData"]


@dataclass(frozen=True, eq=False)
class PUData:
    """Checked data of a fit: read once, taken apart by rows.

    Attributes
    ----------
    x : array, CSR or CSC matrix of shape (n_samples, n_features), or Chunks
    codes : array of shape (n_samples,)
        Observed labels: 0 unlabeled, k class k, K + 1 confirmed negative.
    classes : array of shape (K + 1,)
        Names of the classes, class 0 first.
    weight : array of shape (n_samples,)
    feature_names : array of str or None
    y : array of shape (n_samples,)
        Labels as they were given, for scorers.
    source : array of shape (n_samples,) or None
        Where each row comes from, by name.
    """

    x: Any
    codes: NDArray[np.intp]
    classes: NDArray
    weight: NDArray
    feature_names: Any = None
    y: NDArray | None = None
    source: NDArray | None = None

    @classmethod
    def read(
        cls,
        X: Any,
        z: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        source: ArrayLike | None = None,
        unlabeled: Any = None,
        negative: Any = None,
        class_order: Any = None,
        ordered: bool = False,
        estimator: Any = None,
    ) -> "PUData":
        """Check features, labels and weights.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or anything that :func:`pulasso.data.chunks.as_chunked` takes
        z : array-like of shape (n_samples,)
            Observed labels, with the marker of unlabeled rows.
        sample_weight : array-like of shape (n_samples,), optional
        source : array-like of shape (n_samples,), optional
            Where each row comes from, for :class:`pulasso.Sources`.
        unlabeled, negative, class_order
            As for :class:`pulasso.OrdinalPULasso`.
        ordered : bool, default=False
            Whether the order of the classes matters.
        estimator : estimator, optional
            Gets ``n_features_in_`` and ``feature_names_in_``, as scikit-learn asks.

        Examples
        --------
        >>> from pulasso import PUData
        >>> data = PUData.read([[1.0], [2.0], [0.5]], ["?", "oak", "?"], unlabeled="?", negative="none")
        >>> data.codes, data.classes
        (array([0, 1, 0]), array(['none', 'oak'], dtype='<U4'))
        """
        estimator = BaseEstimator() if estimator is None else estimator
        if z is None:
            raise InputError(
                f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None.",
                parameter="y",
            )
        check_kind("estimator", estimator, BaseEstimator, "Leave it out.")
        if isinstance(getattr(type(estimator), "n_features_in_", None), property):
            raise InputError(
                f"A {type(estimator).__name__} takes the number of features from its parts and cannot be told it.",
                parameter="estimator",
                remedy="Leave it out.",
            )
        check_flag("ordered", ordered)
        x = check_features(estimator, X, reset=True)
        check_same_length(x, z)
        weight = check_weight(sample_weight, x)
        labels = encode_labels(
            z,
            unlabeled=unlabeled,
            negative=negative,
            class_order=class_order,
            sample_weight=weight,
            ordered=ordered,
        )
        if labels.order_was_guessed:
            order = " < ".join(map(str, labels.classes))
            warn(
                f"The classes are text and were put in alphabetical order: {order}. If this is not their "
                f"order, pass {arg('class_order', '[...]')} or an ordered pandas categorical.",
                ClassOrderWarning,
            )
        names = getattr(estimator, "feature_names_in_", None)
        return cls(x, labels.codes, labels.classes, weight, names, _label_array(z), check_source(source, x))

    @property
    def is_chunked(self) -> bool:
        """Whether rows come in chunks."""
        return is_chunked(self.x)

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return self.x.shape[1]

    @cached_property
    def counts(self) -> LabelCounts:
        """Weighted counts of the observed labels."""
        return LabelCounts.from_codes(self.codes, self.classes, self.weight, self.source)

    def take(self, rows: NDArray[np.intp], counts: NDArray | None = None) -> "PUData":
        """Return some of the rows, each counted so many times; of chunks all rows, the others with weight zero.

        A row that is drawn twice is a row of twice the weight, so no row is stored twice.
        """
        rows = as_rows("rows", rows, len(self.weight))
        weight = self.weight[rows]
        if counts is not None:
            weight = weight * as_numbers("counts", counts, shape=weight.shape)
        if self.is_chunked:
            of_all = np.zeros_like(self.weight)
            of_all[rows] = weight
            return replace(self, weight=of_all)
        # Rows of a CSC matrix are slow to take, and the design wants CSC again.
        is_sparse = sparse.issparse(self.x)
        x = self.x.tocsr()[rows].asformat(self.x.format) if is_sparse else self.x[rows]
        y, source = (None if each is None else each[rows] for each in (self.y, self.source))
        return replace(self, x=x, codes=self.codes[rows], weight=weight, y=y, source=source)

    def fingerprint(self) -> dict[str, Any]:
        """Return what tells these data from others, for :mod:`pulasso.runs`."""
        return {
            "X": (self.x, self.feature_names),
            "y": (self.codes, self.classes),
            "sample_weight": self.weight,
            **({} if self.source is None else {"source": self.source}),
        }


def _label_array(y: ArrayLike) -> NDArray:
    """Return labels as an array that can be cut into rows, without turning missing values into text."""
    y = unmasked_labels(y)
    array = np.asarray(y).reshape(-1)
    return np.asarray(y, dtype=object).reshape(-1) if array.dtype.kind in "US" else array
