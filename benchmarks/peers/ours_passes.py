"""Count how often a path of ours reads X: products, moments, and loaded columns as their share of X."""

from common import arguments, measure
from exchange import read_task, write_result

from pulasso import fit_path
from pulasso.design import DenseDesign
from pulasso.design.columns import DenseColumns

COUNTS = {"matmul": 0.0, "rmatmul": 0.0, "moments": 0.0, "columns": 0.0}


def count(owner, method, name, share=lambda *_: 1.0):
    """Make a method of a class add its share of a pass to the counts."""
    original = getattr(owner, method)

    def counted(self, *args):
        COUNTS[name] += share(self, *args)
        return original(self, *args)

    setattr(owner, method, counted)


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    # Products with some of the columns, for the certificate, are that part of a pass.
    count(DenseDesign, "matmul", "matmul", lambda design, _: design.shape[1] / meta["p"])
    count(DenseDesign, "rmatmul", "rmatmul", lambda design, _: design.shape[1] / meta["p"])
    count(DenseDesign, "moments", "moments", lambda *_: 1.0)
    count(DenseColumns, "load", "columns", lambda _, features: len(features) / meta["p"])
    known = {key: meta[key] for key in ("scenario", "prevalence", "label_frequency") if key in meta}

    def fit():
        return fit_path(x, z, response=meta["response"], lams=lams, groups=meta["penalty"], **known)

    path, facts = measure(fit, options | {"repeats": 0}, 0.0)
    facts |= {"passes": COUNTS, "rows": int(path.n_active[-1]), "x_mb": x.nbytes / 2**20}
    write_result(out, facts | {"kkt_claimed": float(path.kkt.max())}, path.coefs, path.intercepts)


main()
