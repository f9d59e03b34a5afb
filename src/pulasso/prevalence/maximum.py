"""The maximum of the joint likelihood, which is not concave: several starts, and some unknowns held."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pulasso.prevalence.likelihood import JointLikelihood

__all__ = ["features_matter", "find_maximum", "maximize"]

# Where the search starts: the middle, a low and a high number for all classes.
STARTS = (0.5, 0.25, 0.75)
GRADIENT_TOL, MAX_STEPS = 1e-5, 60
# Features matter if twice the log-likelihood that they add is at least so much for each coefficient.
CLEAR = 10.0


def maximize(
    joint: JointLikelihood, start: NDArray, held: int | slice | None = None
) -> tuple[NDArray, float]:
    """Return the best unknowns near `start` and minus their log-likelihood, some unknowns held where they are.

    A trust region with the Fisher information as curvature: it is positive where the likelihood is not
    concave.
    """
    varied = np.ones(len(start), dtype=bool)
    if held is not None:
        varied[held] = False

    def unknowns(values: NDArray) -> NDArray:
        whole = start.copy()
        whole[varied] = values
        return whole

    found = minimize(
        lambda values: joint.evaluate(unknowns(values)).value,
        start[varied],
        jac=lambda values: joint.evaluate(unknowns(values)).gradient[varied],
        hess=lambda values: joint.evaluate(unknowns(values)).information[np.ix_(varied, varied)],
        method="trust-exact",
        options={"gtol": GRADIENT_TOL * joint.scale.counts.total, "maxiter": MAX_STEPS},
    )
    return unknowns(found.x), float(found.fun)


def find_maximum(joint: JointLikelihood) -> tuple[NDArray, NDArray, float]:
    """Return the best model at the middle number, the best of the maxima that several starts lead to, and its value."""
    scale, found = joint.scale, []
    for number in STARTS:
        start = joint.null(scale.free(np.full(scale.n_positive, number * scale.largest_if_equal)))
        model, _ = maximize(joint, start, held=slice(joint.n_model, None))
        found.append((model, *maximize(joint, model)))
    _, best, value = min(found, key=lambda each: each[2])
    return found[0][0], best, value


def features_matter(joint: JointLikelihood, model: NDArray) -> bool:
    """Say whether features add much to the likelihood of the null model at the same numbers."""
    null = joint.null(model[joint.n_model :])
    added = 2.0 * (joint.log_likelihood(model) - joint.log_likelihood(null))
    return added > CLEAR * joint.n_theta
