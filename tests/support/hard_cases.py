"""Data on which numerical code breaks: each case is a function (rng) -> HardCase."""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

SCENARIOS = {
    "case-control": {"scenario": "case-control", "prevalence": 0.15},
    "single-training-set": {"scenario": "single-training-set", "label_frequency": 0.6},
    "fully-observed": {"scenario": "fully-observed"},
}


@dataclass(frozen=True, eq=False)
class HardCase:
    """Features, codes of observed labels, weights, and settings that the case insists on."""

    x: object
    codes: np.ndarray
    weight: np.ndarray | None = None
    settings: dict = field(default_factory=dict)
    scenarios: tuple[str, ...] = tuple(SCENARIOS)


def _data(rng, n=60, p=5, n_positive=2, signal=2.0):
    """Rows with a latent order of the classes along the first feature; 40 % of the labels are hidden."""
    x = rng.normal(size=(n, p))
    latent = signal * x[:, 0] + x[:, 1] + rng.logistic(size=n)
    edges = np.quantile(latent, np.linspace(0.55, 0.95, n_positive))
    y = np.digitize(latent, edges)
    codes = np.where(rng.random(n) < 0.6, y, 0)
    codes[: n_positive + 1] = np.arange(n_positive + 1)  # every class occurs
    return x, codes


def separable(rng):
    """Every label can be told from the first two columns without error."""
    x, codes = _data(rng)
    x[:, 0] = 10.0 * codes
    x[:, 1] = codes == 1
    return HardCase(x, codes)


def duplicated(rng):
    """Every column twice, one of them three times."""
    x, codes = _data(rng)
    return HardCase(np.hstack([x, x, x[:, :1]]), codes)


def collinear(rng):
    """Sums and differences of columns beside them, as in colposcopy: rank 5 of 12."""
    x, codes = _data(rng)
    mixed = x @ rng.choice([-1.0, 0.0, 1.0], size=(5, 7))
    return HardCase(np.hstack([x, mixed]), codes)


def scales(rng):
    """Columns from 1e-12 to 1e12."""
    x, codes = _data(rng, p=9)
    return HardCase(x * 10.0 ** np.linspace(-12, 12, 9), codes)


def scales_with_place(rng):
    """The same scales, and means as large as a thousand standard deviations."""
    x, codes = _data(rng, p=9)
    return HardCase((x + 1e3) * 10.0 ** np.linspace(-12, 12, 9), codes)


def far_from_zero(rng):
    """Mean 1e8, standard deviation 1."""
    x, codes = _data(rng)
    return HardCase(x + 1e8, codes)


def rare(rng):
    """A prevalence of one in a million."""
    x, codes = _data(rng)
    return HardCase(x, codes, settings={"prevalence": 1e-6}, scenarios=("case-control",))


def rarely_labeled(rng):
    """A label frequency of one in a million: far below what the labels allow."""
    x, codes = _data(rng)
    return HardCase(x, codes, settings={"label_frequency": 1e-6}, scenarios=("single-training-set",))


def one_label(rng):
    """One labelled row in a class, and no more than that."""
    x, codes = _data(rng)
    codes[np.flatnonzero(codes == 2)[1:]] = 0
    return HardCase(x, codes)


def many_classes(rng):
    """K = 50."""
    x, codes = _data(rng, n=150, p=3, n_positive=50)
    return HardCase(x, codes, settings={"prevalence": 0.015})


def constant(rng):
    """Constant columns, zero and large."""
    x, codes = _data(rng)
    return HardCase(np.hstack([x, np.full((60, 1), 1e8), np.zeros((60, 1)), np.full((60, 1), -3.7)]), codes)


def all_constant(rng):
    """Nothing to learn from."""
    _, codes = _data(rng)
    return HardCase(np.full((60, 3), 2.5), codes)


def weights(rng):
    """Weights from 1e-6 to 1e6."""
    x, codes = _data(rng)
    return HardCase(x, codes, 10.0 ** rng.uniform(-6, 6, size=60))


def tiny_weights(rng):
    """Weights of 1e-300, of which only the ratios count, and zeros."""
    x, codes = _data(rng)
    weight = 1e-300 * rng.uniform(1, 2, size=60)
    weight[-5:] = 0.0
    return HardCase(x, codes, weight)


def outliers(rng):
    """A few values a million standard deviations away."""
    x, codes = _data(rng)
    x[rng.integers(60, size=3), rng.integers(5, size=3)] = 1e6
    return HardCase(x, codes)


def few_rows(rng):
    """Fewer rows than columns, and one row for each label."""
    x = rng.normal(size=(4, 30))
    return HardCase(x, np.array([0, 1, 2, 0]))


def wide_sparse(rng):
    """2,000 columns, almost all of them empty."""
    x, codes = _data(rng)
    wide = sparse.random(60, 2000, density=0.002, random_state=rng, format="lil")
    wide[:, :5] = x
    return HardCase(sparse.csr_array(wide), codes)


def single_precision(rng):
    """float32 with means of a thousand standard deviations."""
    x, codes = _data(rng)
    return HardCase((x + 1e3).astype(np.float32), codes, settings={"tol": 1e-3})


def binary(rng):
    """One positive class, one column."""
    x, codes = _data(rng, p=2, n_positive=1)
    return HardCase(x, codes)


CASES = {
    case.__name__: case
    for case in (
        *(separable, duplicated, collinear, scales, scales_with_place, far_from_zero, rare, rarely_labeled),
        *(one_label, many_classes, constant, all_constant, weights, tiny_weights, outliers, few_rows),
        *(wide_sparse, single_precision, binary),
    )
}
