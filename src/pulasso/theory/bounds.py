"""The lam that Theorems 3.1 and 3.2 ask for, and the errors that they allow."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_numbers, as_whole, check_kind
from pulasso.exceptions import InputError
from pulasso.theory.constants import MultinomialConstants, OrdinalConstants

__all__ = ["Sample", "error_bound", "theorem_lam"]


@dataclass(frozen=True, eq=False)
class Sample:
    """What the theorems need to know of data and groups, besides the truth.

    Parameters
    ----------
    n_rows : int
    n_groups : int
        J.
    largest_group : int
        m, the number of coefficients in the largest group.
    support_weights : array-like
        The weights of the groups that are not zero in the truth, one number for each.
    smallest_eigenvalue, largest_eigenvalue : float, default=1.0
        Of the covariance matrix of the features.

    Examples
    --------
    >>> sample = Sample(n_rows=1000, n_groups=100, largest_group=2, support_weights=[1.0, 1.0])
    >>> print(f"{sample.rate():.3f}")
    0.081
    """

    n_rows: int
    n_groups: int
    largest_group: int
    support_weights: Any
    smallest_eigenvalue: float = 1.0
    largest_eigenvalue: float = 1.0

    def __post_init__(self) -> None:
        for name in ("n_rows", "n_groups", "largest_group"):
            as_whole(name, getattr(self, name))
        check_number("smallest_eigenvalue", self.smallest_eigenvalue, above=0.0)
        check_number("largest_eigenvalue", self.largest_eigenvalue, least=self.smallest_eigenvalue)
        weights = np.atleast_1d(as_numbers("support_weights", self.support_weights))
        if weights.ndim != 1 or not (weights >= 0).all():
            words = (
                f"{arg('support_weights')} must hold a number for every group of the support, none negative."
            )
            raise InputError(words, parameter="support_weights")
        object.__setattr__(self, "support_weights", weights)

    def rate(self, more: float = 0.0) -> float:
        r"""Return :math:`\sqrt{(\log J + m + \text{more}) / n}`."""
        return float(np.sqrt((np.log(self.n_groups) + self.largest_group + more) / self.n_rows))

    @property
    def support_norm(self) -> float:
        """The norm of the weights of the support."""
        return float(np.linalg.norm(self.support_weights))


def theorem_lam(
    constants: MultinomialConstants | OrdinalConstants,
    sample: Sample,
    *,
    radius: float = 0.0,
    shrink: float = 0.0,
    constant: float = 1.0,
) -> float:
    r"""Return the smallest `lam` that the theorem allows.

    .. math::
        \lambda^{MN} = C \lambda_{\max}^{1/2} (K + C_x R^* \sqrt K) \sqrt{\frac{\log J + m}{n}}, \qquad
        \lambda^{ON} = C L_0 \lambda_{\max}^{1/2} \sqrt{\frac{K (\log J + m)}{n}}

    Parameters
    ----------
    constants : MultinomialConstants or OrdinalConstants
    sample : Sample
    radius, shrink : float, default=0.0
        Where :math:`L_0` of the ordinal model is taken; 0 gives its least value.
    constant : float, default=1.0
        C, of which the theorems say only that there is one.

    Returns
    -------
    float

    Examples
    --------
    >>> from pulasso.theory import MultinomialConstants, Sample, theorem_lam
    >>> sample = Sample(n_rows=1000, n_groups=100, largest_group=2, support_weights=[1.0, 1.0])
    >>> print(f"{theorem_lam(MultinomialConstants(1.0, 1.0, [1.0, 1.0]), sample):.3f}")
    0.277
    """
    check_number("constant", constant, above=0.0)
    _check_kinds(constants, sample)
    _check_neighbourhood(radius, shrink)
    n_positive = len(constants.sampling_ratios)
    if isinstance(constants, MultinomialConstants):
        reach = constants.feature_bound * constants.norm_of_truth
        factor = n_positive + reach * np.sqrt(n_positive)
    else:
        factor = float(constants.L_0(radius, shrink)) * np.sqrt(n_positive)
    return float(constant * np.sqrt(sample.largest_eigenvalue) * factor * sample.rate())


def error_bound(
    constants: MultinomialConstants | OrdinalConstants,
    sample: Sample,
    lam: float,
    *,
    radius: float = 0.0,
    shrink: float = 0.0,
    constant: float = 1.0,
) -> float:
    r"""Return how far from the truth, in the l2 norm, the theorem lets a stationary point lie.

    .. math::
        \frac{3 \|\omega_S\|_2 \lambda}{h^{MN} \lambda_{\min}}, \qquad
        \frac{K \max_k r_k^{-1}}{\gamma_0 \min\{\lambda_{\min}, 1\}}
        \left(3 \|\omega_S\|_2 \lambda + C L_0 K \sqrt{\frac{\log J + m + \log K}{n}}\right)

    for the multinomial and for the ordinal model. Infinite where h is not positive: the theorem then says nothing.

    Parameters
    ----------
    constants : MultinomialConstants or OrdinalConstants
    sample : Sample
    lam : float
        At least `theorem_lam`.
    radius, shrink : float, default=0.0
        :math:`R_0` and :math:`r_0`: the stationary point lies within them. 0 gives the tightest bound.
    constant : float, default=1.0
        C, of which the theorems say only that there is one; that of the multinomial model has none.

    Returns
    -------
    float

    Examples
    --------
    >>> from pulasso.theory import MultinomialConstants, Sample, error_bound, theorem_lam
    >>> sample = Sample(n_rows=1000, n_groups=100, largest_group=2, support_weights=[1.0, 1.0])
    >>> constants = MultinomialConstants(1.0, 1.0, [1.0, 1.0])
    >>> print(f"{error_bound(constants, sample, theorem_lam(constants, sample)):.2g}")
    3.4e+03
    """
    check_number("lam", lam, least=0.0)
    check_number("constant", constant, above=0.0)
    _check_kinds(constants, sample)
    _check_neighbourhood(radius, shrink)
    from_penalty = 3.0 * sample.support_norm * lam
    if isinstance(constants, MultinomialConstants):
        h = float(constants.h(radius)) * sample.smallest_eigenvalue
        return from_penalty / h if h > 0 else float("inf")
    n_positive, ratios = len(constants.sampling_ratios), constants.sampling_ratios
    from_offsets = float(constants.L_0(radius, shrink)) * n_positive * sample.rate(np.log(n_positive))
    gamma = float(constants.gamma_0(radius, shrink)) * min(sample.smallest_eigenvalue, 1.0)
    if gamma == 0.0:  # below all numbers
        return float("inf")
    return n_positive / float(ratios.min()) / gamma * (from_penalty + constant * from_offsets)


def _check_kinds(constants: Any, sample: Any) -> None:
    remedy = "MultinomialConstants(...) and OrdinalConstants(...) make them."
    check_kind("constants", constants, (MultinomialConstants, OrdinalConstants), remedy)
    check_kind("sample", sample, Sample, "Sample(...) makes one.")


def _check_neighbourhood(radius: float, shrink: float) -> None:
    check_number("radius", radius, least=0.0)
    check_number("shrink", shrink, least=0.0)
