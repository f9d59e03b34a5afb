"""Other people's numbers for penalties beyond the group lasso: ``python make_penalties.py`` beside the two tables.

MCP and SCAD: skglm 0.5 (``pip install skglm``). Sparse-group lasso and elastic net of several classes: the objective
written in cvxpy 1.9 and solved by Clarabel. None of these is needed by the tests, which read ``penalties.json``.
"""

import csv
import json
from pathlib import Path

import cvxpy as cp
import numpy as np
from skglm.datafits import Logistic
from skglm.penalties import SCAD, MCPenalty
from skglm.solvers import ProxNewton

HERE = Path(__file__).parent
L1_RATIO = 0.4


def read(name):
    """Return standardised features and labels."""
    with open(HERE / name, newline="") as file:
        rows = list(csv.DictReader(file))
    y = np.array([int(float(row.pop("y"))) for row in rows])
    x = np.array([[float(value) for value in row.values()] for row in rows])
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def concave(penalty, gamma):
    """Return coefficients along a path, on standardised columns."""
    x, y = read("glmnet_binomial_data.csv")
    x, signs = np.asfortranarray(x), np.where(y == 1, 1.0, -1.0)
    lam_max = np.abs(x.T @ (y - y.mean())).max() / len(y)
    solver = ProxNewton(tol=1e-8, max_iter=200, fit_intercept=True)
    w = np.append(np.zeros(x.shape[1]), np.log(y.mean() / (1 - y.mean())))
    lams, coefs, intercepts, converged = lam_max * np.geomspace(0.9, 0.2, 12), [], [], []
    for lam in lams:
        w, _, violation = solver.solve(x, signs, Logistic(), penalty(lam, gamma), w, x @ w[:-1] + w[-1])
        coefs.append(w[:-1].tolist())
        intercepts.append(float(w[-1]))
        converged.append(bool(violation <= solver.tol))
    found = {"lambda": lams.tolist(), "coef": coefs, "intercept": intercepts, "converged": converged}
    return {"gamma": gamma, **found}


def convex(sparse):
    """Return the optimum of the grouped multinomial with a second part: entries (sparse-group) or squares."""
    x, y = read("glmnet_multinomial_data.csv")
    k = y.max()
    theta, b = cp.Variable((x.shape[1], k)), cp.Variable(k)
    eta = x @ theta + np.ones((len(x), 1)) @ cp.reshape(b, (1, k), order="C")
    scores = cp.hstack([np.zeros((len(x), 1)), eta])
    hot = np.eye(k + 1)[y][:, 1:]
    loss = cp.sum(cp.log_sum_exp(scores, axis=1)) / len(x) - cp.sum(cp.multiply(hot, eta)) / len(x)
    rows = np.sqrt(k) * cp.sum(cp.norm(theta, 2, axis=1))
    lam, found = cp.Parameter(nonneg=True), []
    if sparse:
        penalty = (1 - L1_RATIO) * rows + L1_RATIO * cp.sum(cp.abs(theta))
    else:
        penalty = L1_RATIO * rows + 0.5 * (1 - L1_RATIO) * cp.sum_squares(theta)
    problem = cp.Problem(cp.Minimize(loss + lam * penalty))
    for lam.value in (0.08, 0.03, 0.01):
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
        part = {"lam": lam.value, "objective": float(problem.value), "coef": theta.value.tolist()}
        found.append({**part, "intercept": b.value.tolist()})
    return {"l1_ratio": L1_RATIO, "solutions": found}


numbers = {
    "group-mcp": concave(MCPenalty, 3.0),
    "group-scad": concave(SCAD, 3.7),
    "sparse-group-lasso": convex(sparse=True),
    "elastic-net": convex(sparse=False),
}
(HERE / "penalties.json").write_text(json.dumps(numbers, indent=1))
