"""Where each true class goes, estimated without negatives."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from pulasso.metrics import Estimate, pu_confusion_matrix
from pulasso.plots.reading import PredictionDisplay
from pulasso.plots.style import SMALL, TINY, draw_cells

__all__ = ["PUConfusionMatrixDisplay"]

CELL = 0.62
# Beyond so many classes standard errors no longer fit into the cells.
WITH_ERRORS = 8
SHOWN_FROM = 0.005
OF = {"all": "share of all rows", "true": "share of the true class", "pred": "share of the predicted class"}


@dataclass(eq=False)
class PUConfusionMatrixDisplay(PredictionDisplay):
    """Confusion matrix of the *true* classes, estimated from observed labels, with standard errors.

    Entries are differences of means and may be a little below 0 or above 1.

    Parameters
    ----------
    matrix : Estimate
        Of :func:`pulasso.metrics.pu_confusion_matrix`.
    normalize : {"all", "true", "pred"}, default="true"

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    mesh_ : QuadMesh

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.plots import PUConfusionMatrixDisplay
    >>> z = np.repeat([0, 1], [400, 100])
    >>> y_pred = np.repeat([0, 1, 0, 1], [280, 120, 20, 80])
    >>> display = PUConfusionMatrixDisplay.from_predictions(z, y_pred, prevalence=0.3)
    >>> display.matrix.value.round(2)
    array([[0.91, 0.09],
           [0.2 , 0.8 ]])
    """

    _predict = "predict"

    matrix: Estimate
    normalize: str = "true"

    @classmethod
    def from_predictions(
        cls,
        z: ArrayLike,
        y_pred: ArrayLike,
        *,
        normalize: str = "true",
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        **label_settings: Any,
    ) -> Self:
        """Draw the matrix of predictions.

        Parameters
        ----------
        z : array-like of shape (n_samples,)
            Observed labels.
        y_pred : array-like of shape (n_samples,)
            Predicted true classes.
        normalize : {"all", "true", "pred"}, default="true"
        sample_weight : array-like of shape (n_samples,), optional
        ax : matplotlib Axes, optional
        **label_settings
            scenario, prevalence, label_frequency, classes, unlabeled, negative: see :mod:`pulasso.metrics`.
        """
        label_settings |= {"normalize": normalize, "sample_weight": sample_weight}
        return cls(pu_confusion_matrix(z, y_pred, **label_settings), normalize).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given matplotlib Axes, or in a new figure that is as large as the classes need."""
        values, errors = np.asarray(self.matrix.value), np.asarray(self.matrix.standard_error)
        n_classes = len(values)
        with_errors = n_classes <= WITH_ERRORS
        cell = CELL * 1.35 if with_errors else CELL

        def words(i: int, j: int) -> str:
            value = values[i, j]
            if not np.isfinite(value):
                return "?"
            if with_errors:
                return f"{value:.2f}\n± {errors[i, j]:.2f}"
            return f"{value:.2f}" if abs(value) >= SHOWN_FROM else ""

        names = list(range(n_classes)) if self.matrix.classes is None else self.matrix.classes.tolist()
        ax, self.mesh_ = draw_cells(
            ax,
            values,
            names,
            names,
            words,
            cell=(cell, 0.75 * cell),
            cmap="Blues",
            limits=(0.0, 1.0 if self.normalize != "all" else float(np.nanmax(values))),
            size=SMALL if with_errors else TINY,
            meaning=OF[self.normalize],
        )
        ax.set_xlabel("predicted class")
        ax.set_ylabel("true class\n(estimated)")
        return self._finish(ax, "" if with_errors else f"empty: below {SHOWN_FROM:g}")
