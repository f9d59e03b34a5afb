"""Data for the tasks of scale: many rows in a file, or many sparse columns in memory."""

import numpy as np

BLOCK_ROWS = 50_000
INFORMATIVE, LABEL_FREQUENCY = 20, 0.5


def labels_of(score, rng):
    """Draw three classes by their log odds, and lose half of the labels."""
    eta = np.column_stack([np.zeros(len(score)), score])
    y = np.argmax(eta + rng.gumbel(size=eta.shape), axis=1)
    return np.where(rng.random(len(y)) < LABEL_FREQUENCY, y, 0)


def make_tall(folder, n_rows, n_features):
    """Write X and z block by block, unless they are there; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    x_file, z_file = (folder / f"{name}-{n_rows}-{n_features}.npy" for name in "xz")
    if x_file.exists() and z_file.exists():  # z comes last: then X is whole
        return x_file, z_file
    rng = np.random.default_rng(0)
    theta = np.zeros((n_features, 2))
    theta[:INFORMATIVE] = 0.5 * rng.normal(size=(min(INFORMATIVE, n_features), 2))
    z = np.empty(n_rows, dtype=np.int8)
    header = {"descr": "<f8", "fortran_order": False, "shape": (n_rows, n_features)}
    with open(x_file, "wb") as file:
        np.lib.format.write_array_header_2_0(file, header)
        for first in range(0, n_rows, BLOCK_ROWS):
            rows = min(BLOCK_ROWS, n_rows - first)
            x = rng.normal(size=(rows, n_features))
            x[:, 1:] += 0.3 * x[:, :-1]
            x.tofile(file)
            z[first : first + rows] = labels_of(x @ theta - 0.5, rng)
    np.save(z_file, z)
    return x_file, z_file


def make_wide(n_rows, n_features, density):
    """Return a sparse X, column by column, whose informative columns are filled by a tenth, and z."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    lengths = rng.poisson(density * n_rows, n_features)
    lengths[:INFORMATIVE] = n_rows // 10
    rows = rng.integers(0, n_rows, lengths.sum(), dtype=np.int32)
    x = sparse.csc_array(
        (np.ones(len(rows)), rows, np.append(0, np.cumsum(lengths))), shape=(n_rows, n_features)
    )
    x.sum_duplicates()
    theta = rng.normal(size=(INFORMATIVE, 2))
    return x, labels_of(x[:, :INFORMATIVE] @ theta - 0.5, rng)
