"""Ways to cut the coefficient matrix, one for each kind that the penalty knows."""

import numpy as np

from pulasso import Groups


def rows(rng, p, n_outputs):
    """One group per feature."""
    return Groups.rows()


def entries(rng, p, n_outputs):
    """Plain l1."""
    return Groups.entries()


def column_sets(rng, p, n_outputs):
    """Sets of one to four columns, scattered over X."""
    order, sets = rng.permutation(p), []
    while len(order):
        size = int(rng.integers(1, 5))
        sets.append(sorted(order[:size].tolist()))
        order = order[size:]
    return Groups.from_columns(sets)


def blocks(rng, p, n_outputs):
    """Sets of columns, each cut once more between the classes; one free, one excluded."""
    spec, weights = [], []
    for _, columns, _ in column_sets(rng, p, n_outputs).spec:
        cut = int(rng.integers(0, n_outputs)) if n_outputs > 1 else 0
        for classes in (range(1, cut + 1), range(cut + 1, n_outputs + 1)):
            if len(classes):
                spec.append((list(columns), list(classes)))
                weights.append(float(rng.uniform(0.5, 2.0)))
    weights[0], weights[-1] = 0.0, np.inf
    return Groups.from_blocks(spec, weights=weights)


def weighted_column_sets(rng, p, n_outputs):
    """Sets of columns of different weight; one free, one excluded."""
    sets = [list(columns) for _, columns, _ in column_sets(rng, p, n_outputs).spec]
    weights = rng.uniform(0.5, 2.0, len(sets))
    weights[0], weights[-1] = 0.0, np.inf
    return Groups.from_columns(sets, weights=weights)


def symmetric_rows(rng, p, n_outputs):
    """One group per feature, measured without regard to which class is class 0."""
    return Groups.rows(symmetric=True)


MULTINOMIAL_GROUPS = (rows, entries, blocks, symmetric_rows)
ORDINAL_GROUPS = (rows, entries, column_sets, weighted_column_sets)
