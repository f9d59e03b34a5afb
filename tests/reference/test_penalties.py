"""Penalties beyond the group lasso: skglm's MCP and SCAD, cvxpy's optima, scikit-learn's elastic net."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pulasso import MultinomialPULasso, PUData, build_problem, solve_path
from pulasso.penalties import ElasticNet, GroupMCP, GroupSCAD, SparseGroupLasso
from pulasso.problem import Params
from support.reference import features, numbers, table


def load(name):
    data = table(f"glmnet_{name}_data.csv")
    return features(data), data["y"].astype(int)


@pytest.mark.parametrize("penalty", [GroupMCP(3.0), GroupSCAD(3.7)], ids=lambda each: each.name)
def test_concave_penalties_along_a_path(penalty):
    reference, (x, y) = numbers("penalties.json")[penalty.name], load("binomial")
    problem = build_problem(PUData.read(x, y), scenario="fully-observed", penalty=penalty)
    n_same = 0
    for i, ours in enumerate(solve_path(problem, reference["lambda"], tol=1e-9)):
        theirs = Params(np.array(reference["coef"][i])[:, None], np.array([reference["intercept"][i]]))
        at_lam = problem.at_lam(ours.lam)
        point = at_lam.at(theirs)
        assert ours.converged
        if reference["converged"][i]:  # whatever stationary point skglm ends in is one by our certificate
            assert at_lam.kkt_violation(theirs, at_lam.gradient(point)) <= 1e-6
        if abs(ours.objective - point.objective) < 1e-9:
            n_same += 1
            np.testing.assert_allclose(ours.params.theta, theirs.theta, atol=1e-6)
    # The others are other stationary points, as the objective is not convex: which one is found depends on the start,
    # and that on how many lams are solved before they are certified together.
    assert n_same >= 3


@pytest.mark.parametrize("penalty", [SparseGroupLasso, ElasticNet], ids=lambda each: each.name)
def test_convex_penalties_of_several_classes(penalty):
    reference, (x, y) = numbers("penalties.json")[penalty.name], load("multinomial")
    for solution in reference["solutions"]:
        model = MultinomialPULasso(
            lam=solution["lam"],
            scenario="fully-observed",
            penalty=penalty(l1_ratio=reference["l1_ratio"]),
            tol=1e-9,
        ).fit(x, y)
        assert model.objective_ == pytest.approx(solution["objective"], abs=1e-9)
        np.testing.assert_allclose((model.coef_ * model.feature_scale_).T, solution["coef"], atol=2e-5)


@pytest.mark.parametrize("l1_ratio", [0.2, 0.7, 1.0])
def test_the_elastic_net_of_one_class_is_that_of_scikit_learn(l1_ratio):
    x, y = load("binomial")
    x, lam = (x - x.mean(axis=0)) / x.std(axis=0), 0.02
    theirs = LogisticRegression(
        C=1.0 / (lam * len(y)), l1_ratio=l1_ratio, solver="saga", tol=1e-10, max_iter=100_000
    ).fit(x, y)
    ours = MultinomialPULasso(lam, scenario="fully-observed", penalty=ElasticNet(l1_ratio), tol=1e-9).fit(
        x, y
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
