"""Cross-validation by pulasso: `MultinomialPULassoCV` on given folds, over two processes."""

import time

from common import arguments, measure

START = time.perf_counter()

import numpy as np  # noqa: E402

import pulasso  # noqa: E402
from pulasso import Groups, MultinomialPULassoCV  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    number = np.fromfile(task / "folds.bin", np.int32)
    folds = [
        (np.flatnonzero(number != fold), np.flatnonzero(number == fold)) for fold in range(meta["n_folds"])
    ]
    # The path on all rows is followed to its end, as the others do, although the model may stop at the chosen lam.
    settings = {"scenario": "fully-observed", "groups": Groups.rows(symmetric=True, weights=1.0)}
    settings |= {"lams": lams, "tol": options["tol"]}

    def fit():
        model = MultinomialPULassoCV(cv=folds, n_jobs=options["n_jobs"], **settings).fit(x, z)
        if options.get("whole", True) and model.best_index_ < len(lams) - 1:
            pulasso.fit_path(x, z, **settings)
        return model

    model, facts = measure(fit, options, IMPORT_SECONDS)
    # The work is done in other processes: neither their CPU seconds nor their memory are known here.
    facts |= {"cpu": None, "peak_mb": None}
    cv_loss = np.mean(model.cv_loss_, axis=0)
    write_result(out, facts | {"cv_loss": cv_loss.tolist(), "version": pulasso.__version__})


main()
