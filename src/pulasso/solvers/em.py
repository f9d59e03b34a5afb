"""Regularised EM: the paper's Algorithms 1-4, one for each response model and scenario.

The E-step replaces hidden labels by their posterior probabilities; what is left is a multinomial (ordinal)
regression on soft labels with offset ``log(a + c)``, whose loss lies above the observed loss and touches it at
the current point. The M-step minimises it, here by proximal gradient, so F never increases. An anchor holds the M-step
to the told shares as it does the observed loss: it is a term of both.
"""

from dataclasses import replace

import numpy as np

from pulasso.problem import Params, Problem
from pulasso.solvers._solution import Callback, History, Solution
from pulasso.solvers.proximal_gradient import solve_proximal_gradient

__all__ = ["solve_em"]

# The M-step is solved to this share of the violation it starts from: the E-step moves the target anyway.
M_STEP_ACCURACY = 0.1
M_STEP_ITERATIONS = 1_000
# Of all M-steps together, unless max_iter is larger: those of badly scaled data have no end.
M_STEPS_IN_ALL = 10_000
ROUNDING = 1e-12  # changes of F below this share of it are noise


def solve_em(
    problem: Problem,
    start: Params,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    m_step_tol: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Minimise F by alternating E-steps and M-steps.

    ``m_step_tol=tol`` are the paper's own iterations, each with an M-step that is solved as far as F itself.

    Parameters
    ----------
    problem : Problem
        Its loss must offer ``complete(eta)``, the E-step.
    start : Params
    tol : float
        Stop when the KKT violation of F itself, relative to its scale, is at most this.
    max_iter : int
        Number of E-steps. All M-steps together take as many proximal steps, or 10,000 if that is more.
    m_step_tol : float, optional
        The KKT violation, relative to its scale, to which every M-step is solved; by default a tenth of the one that
        it starts from, as the next E-step moves the target anyway.
    callback : callable, optional
        Called with a `Record` after every iteration.
    """
    history = History(callback)
    point = problem.at(start)
    kkt = problem.kkt_violation(point.params, problem.gradient(point))
    history.add(0, point.objective, kkt)
    noise = max(ROUNDING, float(np.finfo(problem.design.dtype).eps))
    budget = max(max_iter, M_STEPS_IN_ALL)
    n_iter, left, stuck = 0, budget, False
    while kkt > tol and n_iter < max_iter and left > 0 and not stuck:
        n_iter += 1
        eta = problem.response.log_odds(point.linear, point.params.offsets)
        m_step = replace(problem, loss=problem.loss.complete(eta))
        accuracy = M_STEP_ACCURACY * kkt if m_step_tol is None else m_step_tol
        most = min(M_STEP_ITERATIONS, left)
        inner = solve_proximal_gradient(m_step, point.params, tol=accuracy, max_iter=most)
        left -= max(inner.n_iter, 1)
        before, point = point.objective, problem.at(inner.params)
        kkt_before, kkt = kkt, problem.kkt_violation(point.params, problem.gradient(point))
        # An M-step that only ran out of iterations has decreased F, and the next one goes on from there.
        goes_on = inner.n_iter == most and before - point.objective > noise * abs(before)
        stuck = not inner.converged and kkt >= kkt_before and not goes_on
        history.add(n_iter, point.objective, kkt)
    converged = kkt <= tol
    within = f" and {budget} proximal steps" if left <= 0 else ""
    stopped = f"stopped after {n_iter} iterations{within}, max_iter={max_iter}"
    limit = "the limit of floating-point accuracy" if stuck else stopped
    message = "converged" if converged else limit
    records, shares = tuple(history.records), problem.class_shares(point)
    return Solution(
        problem.lam, point.params, point.objective, kkt, n_iter, converged, records, message, shares
    )
