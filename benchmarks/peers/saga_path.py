"""scikit-learn's SAGA, lam after lam, each from the solution before: the l1 norm of the coefficients of all classes."""

import time
import warnings

from common import arguments, measure

START = time.perf_counter()

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402


def main():
    task, out, options = arguments()
    x, z, lams, _ = read_task(task)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    standardized = np.ascontiguousarray((x - mean) / scale)

    def fit():
        model = LogisticRegression(
            solver="saga", l1_ratio=1.0, tol=options["tol"], max_iter=10_000, warm_start=True, random_state=0
        )
        solutions = []
        for lam in lams:
            model.set_params(C=1.0 / (lam * len(z))).fit(standardized, z)  # its loss is a sum over rows
            solutions.append((model.coef_.copy(), model.intercept_.copy()))
        return solutions

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solutions, facts = measure(fit, options, IMPORT_SECONDS)
    coefs = np.array([coef for coef, _ in solutions]) / scale
    intercepts = np.array([free for _, free in solutions]) - coefs @ mean
    write_result(out, facts | {"version": sklearn.__version__}, coefs, intercepts)


main()
