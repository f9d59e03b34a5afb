"""Comparators that are the library's own estimators with fixed settings."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from pulasso._messages import arg
from pulasso.data.parameters import kind_of, shape_of
from pulasso.estimators import MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import InputError, ScenarioError
from pulasso.scenarios import CaseControl, PerClass

__all__ = ["mn_lasso", "on_lasso", "oracle", "ward_em"]


def mn_lasso(lam: float = 0.01, **params: Any) -> MultinomialPULasso:
    """Return the paper's MN-Lasso: multinomial regression that takes unlabeled rows for class 0.

    Parameters
    ----------
    lam : float, default=0.01
    **params
        Further parameters of :class:`MultinomialPULasso`, but no scenario.

    Examples
    --------
    >>> from pulasso.baselines import mn_lasso
    >>> mn_lasso(0.1).scenario
    'fully-observed'
    """
    return MultinomialPULasso(lam, scenario="fully-observed", **params)


def on_lasso(lam: float = 0.01, **params: Any) -> OrdinalPULasso:
    """Return the paper's ON-Lasso: ordinal regression that takes unlabeled rows for class 0.

    Parameters
    ----------
    lam : float, default=0.01
    **params
        Further parameters of :class:`OrdinalPULasso`, but no scenario.

    Examples
    --------
    >>> from pulasso.baselines import on_lasso
    >>> on_lasso(0.1).lam
    0.1
    """
    return OrdinalPULasso(lam, scenario="fully-observed", **params)


def ward_em(tol: float = 1e-3, **params: Any) -> MultinomialPULasso:
    """Return the EM algorithm of Ward et al. (2009): presence-only logistic regression without a penalty.

    The E-step guesses the classes of unlabeled rows, the M-step is a logistic regression with the offset of
    case-control data. Made for one positive class and few features; with several classes it is the same
    algorithm for the multinomial model.

    Parameters
    ----------
    tol : float, default=1e-3
        EM takes many steps where labels say little, hence a wide tolerance.
    **params
        Further parameters of :class:`MultinomialPULasso`: `prevalence`, for one.

    References
    ----------
    G. Ward, T. Hastie, S. Barry, J. Elith and J. R. Leathwick (2009), Presence-only data and the EM algorithm,
    Biometrics 65.

    Examples
    --------
    >>> from pulasso.baselines import ward_em
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(1000, 2, n_positive=1, random_state=0)
    >>> model = ward_em(**data.scenario_params).fit(data.X, data.z)
    >>> bool(abs(model.coef_ - data.coef).max() < 0.5)
    True
    """
    return MultinomialPULasso(0.0, solver="em", tol=tol, **params)


def oracle(
    lam: float = 0.01,
    *,
    estimator: type[MultinomialPULasso] | type[OrdinalPULasso] = MultinomialPULasso,
    scenario: str = "fully-observed",
    prevalence: PerClass | None = None,
    label_frequency: PerClass | None = None,
    classes: Sequence[Any] | None = None,
    **params: Any,
) -> MultinomialPULasso | OrdinalPULasso:
    """Return an estimator for *true* classes: what could be had if every label were known.

    Fit it to true classes, not to observed labels. In case-control data members of the positive classes are
    more frequent than in the population, and the model allows for that.

    Parameters
    ----------
    lam : float, default=0.01
    estimator : class, default=MultinomialPULasso
        Or OrdinalPULasso.
    scenario, prevalence, label_frequency
        As for the other methods; only the prevalence of case-control data matters.
    classes : sequence of labels, optional
        The positive classes of case-control data; by default the keys of `prevalence`, or 1..K if it is an
        array.
    **params
        Further parameters of the estimator.

    Examples
    --------
    >>> from pulasso.baselines import oracle
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(300, 5, random_state=0)
    >>> oracle(0.02, **data.scenario_params).fit(data.X, data.y).classes_.tolist()
    [0, 1, 2]
    """
    if not (inspect.isclass(estimator) and issubclass(estimator, (MultinomialPULasso, OrdinalPULasso))):
        raise InputError(
            f"{arg('estimator')} is {kind_of(estimator)}.",
            parameter="estimator",
            remedy="Give the class itself, MultinomialPULasso or OrdinalPULasso.",
        )
    if not isinstance(scenario, str) or scenario != CaseControl.name:
        return estimator(lam, scenario="fully-observed", **params)
    if prevalence is None:
        raise ScenarioError(
            f"scenario='case-control' needs {arg('prevalence')}, the share of each positive class.",
            parameter="prevalence",
        )
    if classes is None:
        if isinstance(prevalence, Mapping):
            classes = list(prevalence)
        elif shape_of("prevalence", prevalence):
            classes = range(1, len(prevalence) + 1)  # type: ignore[arg-type]
        else:
            raise InputError(
                "One prevalence for all classes does not say which they are.",
                parameter="classes",
                remedy=f"Give {arg('classes', '[...]')}.",
            )
    # Nobody of a positive class is among the rows of class 0: the rows marked by its name are class 0 alone.
    known = CaseControl(prevalence, always_labeled=tuple(classes))
    return estimator(lam, scenario=known, **params)
