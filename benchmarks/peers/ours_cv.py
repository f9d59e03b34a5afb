"""Cross-validation by pulasso: one path per fold and one on all rows, over two processes."""

import time

from common import arguments, measure

START = time.perf_counter()

import numpy as np  # noqa: E402
from joblib import Parallel, delayed  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402

import pulasso  # noqa: E402
from pulasso import Groups, fit_path  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402


def fold_loss(x, z, lams, held_out, tol):
    """Fit without one fold; return the mean loss on it at every lam, if anything was held out, and CPU s."""
    start = time.process_time()
    groups = Groups.rows(symmetric=True, weights=1.0)
    kept = slice(None) if held_out is None else ~held_out
    with threadpool_limits(1):
        path = fit_path(x[kept], z[kept], lams=lams, scenario="fully-observed", groups=groups, tol=tol)
        if held_out is None:
            return None, time.process_time() - start
        eta = np.einsum("np,lkp->lnk", x[held_out], path.coefs, optimize=True) + path.intercepts[:, None]
    scores = np.concatenate([np.zeros((*eta.shape[:2], 1)), eta], axis=2)
    log_p = scores - np.logaddexp.reduce(scores, axis=2, keepdims=True)
    loss = -log_p[:, np.arange(held_out.sum()), z[held_out]].mean(axis=1)
    return loss, time.process_time() - start


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    folds = np.fromfile(task / "folds.bin", np.int32)
    held_out = [None, *(folds == fold for fold in range(meta["n_folds"]))]

    def fit():
        run = delayed(fold_loss)
        return Parallel(n_jobs=options["n_jobs"])(run(x, z, lams, rows, options["tol"]) for rows in held_out)

    folds, facts = measure(fit, options, IMPORT_SECONDS)
    cv_loss = np.mean([loss for loss, _ in folds[1:]], axis=0)
    # The work is done in other processes: their CPU seconds count, their memory is not known here.
    facts |= {"cpu": facts["cpu"] + sum(cpu for _, cpu in folds), "peak_mb": None}
    write_result(out, facts | {"cv_loss": cv_loss.tolist(), "version": pulasso.__version__})


main()
