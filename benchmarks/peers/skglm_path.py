"""skglm on the plain logistic lasso, lam after lam, each from the solution before."""

import time
import warnings

from common import arguments, measure

START = time.perf_counter()

import numpy as np  # noqa: E402
import skglm  # noqa: E402
from skglm.datafits import Logistic  # noqa: E402
from skglm.penalties import L1  # noqa: E402
from skglm.solvers import ProxNewton  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    standardized = np.asfortranarray((x - mean) / scale)
    signs = np.where(z > 0, 1.0, -1.0)

    def fit():
        solutions, solution = [], None
        for lam in lams:
            model = skglm.GeneralizedLinearEstimator(
                Logistic(), L1(lam), ProxNewton(tol=options["tol"], max_iter=100, warm_start=True)
            )
            if solution is not None:
                model.coef_, model.intercept_ = solution
            model.fit(standardized, signs)
            solution = model.coef_.copy(), np.copy(model.intercept_)
            solutions.append(solution)
        return solutions

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solutions, facts = measure(fit, options, IMPORT_SECONDS)
    coefs = np.array([np.reshape(coef, (1, -1)) for coef, _ in solutions]) / scale
    intercepts = np.array([np.ravel(free) for _, free in solutions]) - coefs @ mean
    write_result(out, facts | {"version": skglm.__version__}, coefs, intercepts)


main()
