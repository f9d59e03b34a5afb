"""What every loader returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
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
    places : array of shape (n_samples, 2) or None
        Coordinates of the rows, in metres.
    test : Dataset or None
        Independent data to judge a model by.
    """

    X: Any
    y: NDArray
    feature_names: tuple[str, ...]
    class_names: tuple[Any, ...]
    description: str
    groups: Mapping[str, Sequence[str]] | None = None
    sample_weight: NDArray | None = None
    prevalence: NDArray | None = None
    places: NDArray | None = None
    test: "Dataset | None" = None

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return f"Dataset({n_samples} samples, {n_features} features, {len(self.class_names)} classes)"

    @property
    def frame(self) -> Any:
        """The features as a pandas data frame with their names; a sparse matrix stays sparse."""
        import pandas as pd

        is_sparse = hasattr(self.X, "tocsr")
        make = pd.DataFrame.sparse.from_spmatrix if is_sparse else pd.DataFrame
        return make(self.X, columns=list(self.feature_names))
