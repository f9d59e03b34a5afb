"""adelie's cv_grpnet. It draws its folds from NumPy's global state; `compare.py` repeats that draw."""

import time

from common import arguments, measure

START = time.perf_counter()

import adelie as ad  # noqa: E402
import numpy as np  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    standardized = np.asfortranarray((x - x.mean(axis=0)) / x.std(axis=0))
    n_classes = meta["n_classes"]
    glm = ad.glm.multinomial(np.eye(n_classes)[z])
    tol = options["tol"]

    def fit():
        return ad.cv_grpnet(
            standardized, glm, n_folds=meta["n_folds"], seed=meta["fold_seed"], lmda_path_size=len(lams),
            min_ratio=lams[-1] / lams[0], tol=tol, irls_tol=tol, n_threads=options["n_jobs"],
            progress_bar=False,
        )  # fmt: skip

    result, facts = measure(fit, options, IMPORT_SECONDS)
    cv_loss = n_classes * result.avg_losses  # its loss is divided by the number of classes
    write_result(out, facts | {"cv_loss": cv_loss.tolist(), "version": ad.__version__})


main()
