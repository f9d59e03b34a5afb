"""Random problems with known truth, built from the library's parts without its estimators."""

import numpy as np

from pulasso.build import scale_by_null
from pulasso.design import as_design, standardize
from pulasso.penalties import BlockPenalty, Groups, as_penalty
from pulasso.problem import Problem
from pulasso.responses import RESPONSES
from pulasso.solvers import SOLVERS
from support.cases import LabelSample
from support.simulate import draw_truth, hide_labels


def make_response(name, n_positive, symmetric=False):
    """Return the response model of this name."""
    return RESPONSES[name].build(n_positive, symmetric=symmetric)


def make_problem(x, sample, response, groups, penalty=None):
    """Return the problem at lam_max and its null model."""
    blocks = Groups.of(groups).resolve(x.shape[1], response.n_outputs)
    design = standardize(as_design(x), sample.loss.sample_weight)
    problem = Problem(design, response, sample.loss, BlockPenalty(as_penalty(penalty), blocks))
    problem = scale_by_null(problem, sample.null.log_odds)
    return problem, problem.null


def solve_at_lam(solver, problem, start, **settings):
    """Return what a solver finds at the problem's own lam."""
    settings = {"tol": 1e-6, "max_iter": 10_000, **settings}
    return next(SOLVERS[solver](problem, start, np.array([problem.lam]), **settings))


def random_problem(response_name, case, groups, *, n, p, n_positive, seed, lam_ratio=0.2, penalty=None):
    """Return a problem at ``lam_ratio * lam_max``, with labels hidden at random, and its null model.

    Parameters
    ----------
    response_name : {"multinomial", "ordinal"}
    case : Case
    groups : callable (rng, p, n_outputs) -> Groups
    n, p, n_positive, seed : int
    lam_ratio : float
    """
    rng = np.random.default_rng(seed)
    x = correlated_features(rng, n, p)
    truth = draw_truth(rng, response_name, p, n_positive)
    codes = hide_labels(rng, case, truth.draw(rng, x), n_positive)
    sample = LabelSample.of(case.make(n_positive), codes, np.ones(n), n_positive)
    spec = groups(rng, p, truth.response.n_outputs)
    response = make_response(response_name, n_positive, spec.symmetric)
    problem, null = make_problem(x, sample, response, spec, penalty)
    return problem.at_lam(lam_ratio * problem.lam_max), null


def correlated_features(rng, n, p, rho=0.4):
    """Rows of an AR(1) process over the columns."""
    x = rng.standard_normal((n, p))
    for j in range(1, p):
        x[:, j] = rho * x[:, j - 1] + np.sqrt(1.0 - rho**2) * x[:, j]
    return x
