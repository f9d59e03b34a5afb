"""Some rows of data in chunks, for predictions: scorers see held-out rows only."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pulasso.design import Chunks

__all__ = ["SelectedRows"]


class SelectedRows:
    """Chosen rows of chunks. All chunks are read, and the results of these rows kept.

    Whatever asks a model for predictions can be given them in place of X; the numbers themselves stay where they are.

    Parameters
    ----------
    chunks : Chunks
    rows : array of int
        In the order in which results are wanted.
    """

    def __init__(self, chunks: Chunks, rows: NDArray[np.intp]):
        self.chunks, self.rows = chunks, rows
        self.shape = (len(rows), chunks.shape[1])
        self.dtype, self.feature_names = chunks.dtype, chunks.feature_names

    def __len__(self) -> int:
        return len(self.rows)

    def map_concat(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)``, which has one result for each row, for the chosen rows."""
        return self.chunks.map_concat(function, *shared)[self.rows]

    @property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of the only chunk that these rows are."""
        return np.array([len(self.rows)], dtype=np.intp)

    def scatter(self, own: Sequence[tuple]) -> NoReturn:
        """Refuse: sums over some rows are sums over all of them, the others with weight zero."""
        self._refuse()

    def map_reduce(self, function: Callable[..., Any], placed: Any, *shared: Any) -> NoReturn:
        """Refuse, as `place` does."""
        self._refuse()

    def __array__(self, *how: Any, **more: Any) -> NoReturn:
        self._refuse()

    def __getitem__(self, rows: Any) -> NoReturn:
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    @staticmethod
    def _refuse() -> NoReturn:
        raise TypeError(
            "These rows lie in chunks: a scorer may give them to the model's predict, predict_proba and the like, but "
            "not read them itself. Use scoring=None, a scorer of pulasso.metrics, one of scikit-learn by name, or "
            "data in memory."
        )
