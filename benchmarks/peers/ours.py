"""pulasso itself, run like any other solver."""

import time

from common import arguments, measure

START = time.perf_counter()

import pulasso  # noqa: E402
from pulasso import Groups, fit_path  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402

GROUPS = {
    "entries": lambda: "entries",
    "rows": lambda: "rows",
    "rows-symmetric": lambda: Groups.rows(symmetric=True, weights=1.0),
}


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    settings = {"groups": GROUPS[meta["penalty"]](), "solver": options.get("method", "working-set")}
    settings |= {
        key: meta[key] for key in ("scenario", "prevalence", "label_frequency", "anchor") if key in meta
    }

    def fit():
        return fit_path(x, z, response=meta["response"], lams=lams, tol=options.get("tol", 1e-6), **settings)

    path, facts = measure(fit, options, IMPORT_SECONDS)
    facts |= {"kkt_claimed": float(path.kkt.max()), "version": pulasso.__version__}
    is_ordinal = path.thresholds is not None
    coefs = path.coefs[:, None] if is_ordinal else path.coefs
    write_result(out, facts, coefs, path.thresholds if is_ordinal else path.intercepts)


main()
