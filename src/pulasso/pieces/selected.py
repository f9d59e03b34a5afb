"""Some rows of data in pieces, for predictions: scorers see held-out rows only."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pulasso.pieces._protocol import Pieces

__all__ = ["SelectedRows"]


class SelectedRows:
    """Chosen rows of pieces. All pieces are read, and the results of these rows kept.

    Whatever asks a model for predictions can be given them in place of X; the numbers themselves stay where they are.

    Parameters
    ----------
    pieces : Pieces
    rows : array of int
        In the order in which results are wanted.
    """

    def __init__(self, pieces: Pieces, rows: NDArray[np.intp]):
        self.pieces, self.rows = pieces, rows
        self.shape = (len(rows), pieces.shape[1])
        self.dtype, self.feature_names = pieces.dtype, pieces.feature_names

    def __len__(self) -> int:
        return len(self.rows)

    def gather(self, function: Callable[..., NDArray], *shared: Any) -> NDArray:
        """Return ``function(block, *shared)``, which has one result for each row, for the chosen rows."""
        return self.pieces.gather(function, *shared)[self.rows]

    @property
    def lengths(self) -> NDArray[np.intp]:
        """Rows of the only piece that these rows are."""
        return np.array([len(self.rows)], dtype=np.intp)

    def place(self, own: Sequence[tuple]) -> NoReturn:
        """Refuse: sums over some rows are sums over all of them, the others with weight zero."""
        self._refuse()

    def total(self, function: Callable[..., Any], placed: Any, *shared: Any) -> NoReturn:
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
            "These rows lie in pieces: a scorer may give them to the model's predict, predict_proba and the like, but "
            "not read them itself. Use scoring=None, a scorer of pulasso.metrics, one of scikit-learn by name, or "
            "data in memory."
        )
