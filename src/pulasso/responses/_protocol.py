"""What a response model must offer.

Conventions for the whole library:

- ``u = X @ theta`` has shape (n_samples, n_outputs): K outputs for the multinomial model, 1 for the ordinal.
- ``offsets`` are the unpenalised parameters in the solver's variables: intercepts, or the first cutpoint and the gaps
  between cutpoints.
- ``eta`` (n_samples, K) are the log odds of classes 1..K against class 0.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

from numpy.typing import NDArray

from pulasso.curvature import Curvature

__all__ = ["Response", "SecondOrder"]


class SecondOrder(Protocol):
    """Second derivatives of the mean loss in the linear predictor u and in offsets, per sample where needed."""

    @property
    def oo(self) -> NDArray:
        """Derivatives in offsets, summed over samples, shape (n_offsets, n_offsets)."""
        ...

    def uu(self, k: int, l: int) -> NDArray:  # noqa: E741
        """Return the derivatives in outputs k and l of u, shape (n_samples,)."""
        ...

    def uo(self, k: int) -> NDArray:
        """Return the derivatives in output k of u and in offsets, shape (n_samples, n_offsets)."""
        ...


class Response(Protocol):
    """From linear predictor and offsets to class log odds, the chain rule back, and how the model shows itself."""

    name: ClassVar[str]
    is_ordered: ClassVar[bool]  # whether the order of the classes matters
    offsets_name: ClassVar[str]  # fitted attribute that holds the offsets on the scale of X

    @classmethod
    def build(cls, n_positive: int, *, fit_intercept: bool = True, symmetric: bool = False) -> Self:
        """Return the model for K = `n_positive` classes besides class 0, or say why there is none of this kind."""
        ...

    @property
    def n_positive(self) -> int:
        """K, the number of classes besides class 0."""
        ...

    @property
    def n_outputs(self) -> int:
        """Number of columns of theta."""
        ...

    # -- the formula -------------------------------------------------------------------------------------------

    def log_odds(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return eta, shape (n_samples, K)."""
        ...

    def pullback(self, u: NDArray, offsets: NDArray, grad_eta: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradients in u, shape of u, and in offsets, shape of offsets (summed over samples)."""
        ...

    def second_order(
        self, u: NDArray, offsets: NDArray, grad_eta: NDArray, curvature: Curvature, sample_weight: NDArray
    ) -> SecondOrder:
        """Return second derivatives in (u, offsets), given gradient and curvature in eta.

        `grad_eta` carries the sample weights, the curvature does not.
        """
        ...

    def log_proba(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return log P(y | x), shape (n_samples, K + 1)."""
        ...

    def null_offsets(self, log_odds: NDArray) -> NDArray:
        """Return the offsets that give these log odds, shape (K,), when u = 0."""
        ...

    def is_feasible(self, offsets: NDArray, u: NDArray | None = None) -> bool:
        """Say whether the parameters lie in the model's domain; `u` is None where rows are not at hand."""
        ...

    # -- the public face ---------------------------------------------------------------------------------------

    def shift(self, offsets: NDArray, constant: NDArray) -> NDArray:
        """Return offsets such that ``u + constant`` with the new ones equals u with the old ones."""
        ...

    def move_to_shares(self, proba: NDArray, weight: NDArray, shares: NDArray) -> NDArray:
        """Return the change of the public offsets after which the mean of P(y | x) is these shares."""
        ...

    def moved_proba(self, proba: NDArray, change: NDArray) -> NDArray:
        """Return P(y | x) after a change of the public offsets."""
        ...

    def output_names(self, classes: Sequence[Any]) -> list[Any]:
        """Return the names of the columns of theta, given those of the classes."""
        ...

    def to_public(self, theta: NDArray, offsets: NDArray) -> dict[str, NDArray]:
        """Return fitted attributes, ``coef_`` and the offsets by their name, from theta and offsets on X's scale."""
        ...

    @classmethod
    def from_public(cls, fitted: Any) -> tuple[Self, NDArray, NDArray]:
        """Return response, theta and offsets from an object with the fitted attributes."""
        ...
