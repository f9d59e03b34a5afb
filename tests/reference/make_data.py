"""Draw the data sets on which the R reference numbers are computed.

Run from this directory with ``python make_data.py``.  Each data set has its own
fixed seed.  Features are rounded to 6 decimals before anything else is done with
them, so that the CSV file holds exactly the numbers the fits were made with.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def write_csv(name, header, columns, formats):
    """Write columns (1-d or 2-d arrays) side by side under a header line."""
    table = np.column_stack(columns)
    np.savetxt(
        HERE / name,
        table,
        fmt=formats,
        delimiter=",",
        header=",".join(header),
        comments="",
    )


def correlated_features(rng, n, p, rho, scale_decades):
    """Rows with AR(1) correlation ``rho``; scales and means differ by column."""
    noise = rng.standard_normal((n, p))
    x = np.empty((n, p))
    x[:, 0] = noise[:, 0]
    for j in range(1, p):
        x[:, j] = rho * x[:, j - 1] + np.sqrt(1.0 - rho**2) * noise[:, j]
    scales = 10.0 ** rng.uniform(-scale_decades, scale_decades, size=p)
    shifts = rng.normal(0.0, 2.0, size=p)
    standard = x.copy()
    return standard, np.round((x + shifts) * scales, 6)


def glmnet_binomial():
    """200 rows, 30 correlated columns, a binary response."""
    rng = np.random.default_rng(20261101)
    n, p = 200, 30
    standard, x = correlated_features(rng, n, p, rho=0.5, scale_decades=1.0)
    theta = np.zeros(p)
    theta[[0, 3, 7, 12, 20, 28]] = [1.2, -0.9, 0.8, 0.7, -1.0, 0.5]
    prob = 1.0 / (1.0 + np.exp(-(standard @ theta - 0.4)))
    y = (rng.uniform(size=n) < prob).astype(int)
    header = ["y"] + [f"x{j + 1}" for j in range(p)]
    write_csv("glmnet_binomial_data.csv", header, [y, x], ["%d"] + ["%.6f"] * p)


def glmnet_multinomial():
    """240 rows, 20 correlated columns, a response with classes 0..3."""
    rng = np.random.default_rng(20261102)
    n, p, classes = 240, 20, 4
    standard, x = correlated_features(rng, n, p, rho=0.4, scale_decades=0.8)
    theta = np.zeros((p, classes))
    active = [1, 5, 9, 14]
    theta[active] = rng.normal(0.0, 1.2, size=(len(active), classes))
    eta = standard @ theta + np.array([0.3, 0.0, -0.3, 0.1])
    prob = np.exp(eta - eta.max(axis=1, keepdims=True))
    prob /= prob.sum(axis=1, keepdims=True)
    u = rng.uniform(size=(n, 1))
    y = np.minimum((u > np.cumsum(prob, axis=1)).sum(axis=1), classes - 1)
    header = ["y"] + [f"x{j + 1}" for j in range(p)]
    write_csv("glmnet_multinomial_data.csv", header, [y, x], ["%d"] + ["%.6f"] * p)


def pulasso_case_control():
    """300 labelled positives and 300 unlabelled rows of a two-component mixture.

    x is N(mu, I) or N(-mu, I) with probability 1/2 each, mu = (1.5, 1.5, 0, 0, 0);
    the intercept and the first two coefficients are Uniform(0.5, 1), the others 0.
    The prevalence is the mean of P(y=1|x) over one million population draws,
    rounded to 6 decimals; it is stored in the constant column ``py1``.  The column
    ``y`` is the true response, which the fits do not see.
    """
    rng = np.random.default_rng(20261103)
    n_labelled, n_unlabelled, p = 300, 300, 5
    mu = np.array([1.5, 1.5, 0.0, 0.0, 0.0])
    theta = np.zeros(p)
    draws = rng.uniform(0.5, 1.0, size=3)
    intercept, theta[:2] = draws[0], draws[1:]

    def population(size):
        sign = np.where(rng.uniform(size=size) < 0.5, 1.0, -1.0)
        x = np.round(sign[:, None] * mu + rng.standard_normal((size, p)), 6)
        prob = 1.0 / (1.0 + np.exp(-(x @ theta + intercept)))
        return x, prob, (rng.uniform(size=size) < prob).astype(int)

    prevalence = round(float(population(1_000_000)[1].mean()), 6)
    x_pool, _, y_pool = population(4 * n_labelled)
    x_labelled = x_pool[y_pool == 1][:n_labelled]
    x_unlabelled, _, y_unlabelled = population(n_unlabelled)
    x = np.vstack([x_labelled, x_unlabelled])
    z = np.repeat([1, 0], [n_labelled, n_unlabelled])
    y = np.concatenate([np.ones(n_labelled, dtype=int), y_unlabelled])
    order = rng.permutation(len(z))
    header = ["z", "y", "py1"] + [f"x{j + 1}" for j in range(p)]
    write_csv(
        "pulasso_case_control_data.csv",
        header,
        [z[order], y[order], np.full(len(z), prevalence), x[order]],
        ["%d", "%d", "%.6f"] + ["%.6f"] * p,
    )


def ordinal():
    """250 rows, 12 correlated columns, ordered classes 0..3."""
    rng = np.random.default_rng(20261104)
    n, p = 250, 12
    standard, x = correlated_features(rng, n, p, rho=0.4, scale_decades=0.8)
    beta = np.zeros(p)
    beta[[1, 4, 8]] = [1.1, -0.8, 0.6]
    latent = standard @ beta + rng.logistic(size=n)
    y = np.searchsorted([-1.2, 0.2, 1.5], latent)
    header = ["y"] + [f"x{j + 1}" for j in range(p)]
    write_csv("ordinal_data.csv", header, [y, x], ["%d"] + ["%.6f"] * p)


if __name__ == "__main__":
    glmnet_binomial()
    glmnet_multinomial()
    pulasso_case_control()
    ordinal()
