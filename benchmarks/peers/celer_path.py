"""celer on the plain logistic lasso. It fits no intercept: an objective of its own, on centred columns."""

import time
import warnings

from common import arguments, measure

START = time.perf_counter()

import celer  # noqa: E402
import numpy as np  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    standardized = np.asfortranarray((x - mean) / scale)
    signs = np.where(z > 0, 1.0, -1.0)

    def fit():
        # Its loss is a sum over rows, ours a mean.
        return celer.celer_path(standardized, signs, pb="logreg", alphas=lams * len(z), tol=options["tol"])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (_, solutions, _), facts = measure(fit, options, IMPORT_SECONDS)
    coefs = (solutions.T / scale)[:, None]
    write_result(out, facts | {"version": celer.__version__}, coefs, -(coefs @ mean))


main()
