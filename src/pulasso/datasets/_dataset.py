"""What every loader returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set with names and origin.

    Attributes
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels; of a presence-absence survey, an array of shape (n_samples, n_species) with 0 and 1.
    feature_names : tuple of str
    class_names : tuple
        Class 0 first; of a survey, the species.
    description : str
        What it is, licence, and how to cite it.
    groups : mapping from group to names of features, or None
        Natural groups, as ``Groups.from_columns`` takes them.
    sample_weight : array of shape (n_samples,) or None
        How often each row was seen.
    prevalence : array of shape (K,) or None
        Shares of the classes 1..K in the population, where they are known.
    test : Dataset or None
        Independent data to judge a model by.
    """

    X: Any
    y: NDArray
    feature_names: tuple[str, ...]
    class_names: tuple[Any, ...]
    description: str = field(repr=False)
    groups: Mapping[str, Sequence[str]] | None = field(default=None, repr=False)
    sample_weight: NDArray | None = field(default=None, repr=False)
    prevalence: NDArray | None = field(default=None, repr=False)
    test: "Dataset | None" = field(default=None, repr=False)

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return f"Dataset({n_samples} samples, {n_features} features, {len(self.class_names)} classes)"

    @property
    def frame(self) -> Any:
        """The features as a pandas data frame with their names; a sparse matrix stays sparse."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                '.frame needs pandas: pip install "pulasso[frames]"; X holds the same numbers.'
            ) from None
        if hasattr(self.X, "tocsr"):
            return pd.DataFrame.sparse.from_spmatrix(self.X, columns=list(self.feature_names))
        return pd.DataFrame(self.X, columns=list(self.feature_names))
