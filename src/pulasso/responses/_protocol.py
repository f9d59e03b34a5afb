"""What a response model must offer.

Conventions for the whole library:

- ``u = X @ theta`` has shape (n_samples, n_outputs): K outputs for the multinomial model, 1 for the ordinal.
- ``offsets`` holds the free, unpenalised parameters in the solver's variables: intercepts, or the first cutpoint
  and the gaps between cutpoints.
- ``eta`` (n_samples, K) are the log odds of classes 1..K against class 0.
"""

from typing import Protocol

from numpy.typing import NDArray

from pulasso.curvature import Curvature

__all__ = ["Response", "SecondOrder"]


class SecondOrder(Protocol):
    """Second derivatives of the mean loss in the linear predictor u and in offsets, per sample where needed."""

    @property
    def aa(self) -> NDArray:
        """Derivatives in offsets, summed over samples, shape (n_offsets, n_offsets)."""
        ...

    def uu(self, k: int, l: int) -> NDArray:  # noqa: E741
        """Return the derivatives in outputs k and l of u, shape (n_samples,)."""
        ...

    def ua(self, k: int) -> NDArray:
        """Return the derivatives in output k of u and in offsets, shape (n_samples, n_offsets)."""
        ...


class Response(Protocol):
    """From linear predictor and offsets to class log odds, and the chain rule back."""

    @property
    def name(self) -> str:
        """What users call the model."""
        ...

    @property
    def n_positive(self) -> int:
        """K, the number of classes besides class 0."""
        ...

    @property
    def n_outputs(self) -> int:
        """Number of columns of theta."""
        ...

    def log_odds(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return eta, shape (n_samples, K)."""
        ...

    def pullback(self, u: NDArray, offsets: NDArray, grad_eta: NDArray) -> tuple[NDArray, NDArray]:
        """Return the gradients in u, shape of u, and in offsets, shape of offsets (summed over samples)."""
        ...

    def offsets_jacobian(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return d eta / d offsets, shape (n_offsets, n_samples, K)."""
        ...

    def second_order(
        self, u: NDArray, offsets: NDArray, grad_eta: NDArray, curvature: Curvature, share: NDArray
    ) -> SecondOrder:
        """Return second derivatives in (u, offsets), given gradient and curvature in eta.

        `grad_eta` carries the sample weights `share`, the curvature does not.
        """
        ...

    def log_proba(self, u: NDArray, offsets: NDArray) -> NDArray:
        """Return log P(y | x), shape (n_samples, K + 1)."""
        ...

    def null_offsets(self, log_odds: NDArray) -> NDArray:
        """Return the offsets that give these log odds, shape (K,), when u = 0."""
        ...

    def is_feasible(self, offsets: NDArray) -> bool:
        """Say whether offsets lies in the model's domain."""
        ...

    def shift(self, offsets: NDArray, offset: NDArray) -> NDArray:
        """Return offsets such that ``u + offset`` with the new offsets equals u with the old one."""
        ...
