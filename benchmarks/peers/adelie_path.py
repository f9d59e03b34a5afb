"""adelie: group lasso paths of GLMs, with a small GLM of our own for binary presence-only labels.

adelie does not standardise a dense X by itself: it is handed standardised columns, made outside the clock.
"""

import time

from common import arguments, measure

START = time.perf_counter()

import adelie as ad  # noqa: E402
import numpy as np  # noqa: E402

IMPORT_SECONDS = time.perf_counter() - START

from exchange import read_task, write_result  # noqa: E402
from scipy.special import expit  # noqa: E402


class CaseControlPU(ad.glm.GlmBase64):
    """-log P(z | x) for n_u draws from the population and n_1 draws from the positives."""

    def __init__(self, z, prevalence):
        self.y = np.ascontiguousarray(z, dtype=np.float64)
        self.weights = np.full(len(z), 1.0 / len(z))
        self.ratio = z.sum() / (prevalence * (len(z) - z.sum()))
        super().__init__("case_control_pu", self.y, self.weights)

    def _posteriors(self, eta):
        """Return P(y=1 | x) in the sampled population, and given z as well."""
        q = expit(eta + np.log1p(self.ratio))
        return q, np.where(self.y > 0, 1.0, expit(eta))

    def gradient(self, eta, grad):
        q, given_z = self._posteriors(eta)
        grad[:] = self.weights * (given_z - q)  # of minus the loss, as adelie asks

    def hessian(self, eta, grad, hess):
        q, given_z = self._posteriors(eta)
        # The true second derivative, kept positive: of all we tried this is what adelie is fastest with.
        hess[:] = self.weights * np.maximum(q * (1 - q) - given_z * (1 - given_z), 1e-8)

    def loss(self, eta):
        scale = np.logaddexp(0, eta + np.log1p(self.ratio))
        log_p = np.where(self.y > 0, np.log(self.ratio) + eta, np.logaddexp(0, eta)) - scale
        return -self.weights @ log_p

    def loss_full(self):
        return 0.0


def standardized(x, meta):
    """Return the matrix that adelie works on, and mean and scale of its columns."""
    if not meta["sparse"]:
        mean, scale = x.mean(axis=0), x.std(axis=0)
        return np.asfortranarray((x - mean) / scale), mean, scale
    mean = np.asarray(x.mean(axis=0)).ravel()
    scale = np.sqrt(np.asarray(x.multiply(x).mean(axis=0)).ravel() - mean**2)
    return ad.matrix.standardize(ad.matrix.sparse(x, method="naive"), mean, scale), mean, scale


def family(z, meta):
    """Return the GLM, and what a lam of ours is called by adelie."""
    if meta["scenario"] == "case-control":
        return CaseControlPU(z, meta["prevalence"]), 1.0
    if meta["n_classes"] == 2:
        return ad.glm.binomial(z.astype(np.float64)), 1.0
    n_classes = meta["n_classes"]
    # Its loss is divided by the number of classes, and its groups weigh the root of their size.
    return ad.glm.multinomial(np.eye(n_classes)[z]), n_classes**-1.5


def main():
    task, out, options = arguments()
    x, z, lams, meta = read_task(task)
    matrix, mean, scale = standardized(x, meta)
    glm, factor = family(z, meta)
    tol, n_threads = options["tol"], options.get("n_threads", 1)

    def fit():
        return ad.grpnet(
            matrix, glm, lmda_path=lams * factor, tol=tol, irls_tol=tol, early_exit=False,
            n_threads=n_threads, progress_bar=False,
        )  # fmt: skip

    state, facts = measure(fit, options, IMPORT_SECONDS)
    betas = state.betas.toarray().reshape(len(state.lmdas), meta["p"], -1)
    coefs = np.swapaxes(betas / scale[:, None], 1, 2)
    intercepts = state.intercepts.reshape(len(coefs), -1) - coefs @ mean
    write_result(out, facts | {"version": ad.__version__}, coefs, intercepts)


main()
