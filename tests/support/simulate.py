"""Data drawn from each scenario itself."""

from dataclasses import dataclass

import numpy as np

from pulasso.responses import Multinomial, Ordinal, Response


@dataclass(frozen=True, eq=False)
class Truth:
    """A response model with true parameters."""

    response: Response
    theta: np.ndarray
    offsets: np.ndarray

    def proba(self, x):
        return np.exp(self.response.log_proba(x @ self.theta, self.offsets))

    def draw(self, rng, x):
        return draw_rows(rng, self.proba(x))


def draw_truth(rng, response_name, p, n_positive, n_active=4, size=1.0):
    """Return a truth with a few features that matter, in which class 0 is common and no class is rare."""
    if response_name == Ordinal.name:
        response, offsets = (
            Ordinal(n_positive),
            np.concatenate([[0.5], np.full(n_positive - 1, 2.0 / n_positive)]),
        )
    else:
        response, offsets = Multinomial(n_positive), np.full(n_positive, -0.5)
    theta = np.zeros((p, response.n_outputs))
    theta[: min(n_active, p)] = size * rng.choice([-1.0, 1.0], (min(n_active, p), response.n_outputs))
    return Truth(response, theta, offsets)


def draw_rows(rng, proba):
    """Draw one column index for every row of probabilities."""
    return (rng.random((len(proba), 1)) > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1)


def hide_labels(rng, case, y, n_positive):
    """Draw observed labels for these true classes; every label that can occur does.

    Case-control data are drawn the other way round, by first sampling classes; for solvers it is enough that
    labels are hidden at random.
    """
    scenario = case.make(n_positive)
    keep = np.append(0.3, np.broadcast_to(getattr(scenario, "label_frequency", 0.6), n_positive))
    if scenario.name == "fully-observed":
        keep[1:] = 1.0
    shown = rng.random(len(y)) < keep[y]
    codes = np.where(shown & (y > 0), y, 0)
    if case.confirmed:
        codes[shown & (y == 0)] = n_positive + 1
    n_labels = n_positive + 1 + case.confirmed
    codes[rng.choice(len(y), n_labels, replace=False)] = np.arange(n_labels)
    return codes


def grid_of_features(p, levels=(-1.0, 0.0, 1.0)):
    """Return every combination of the levels, one per row; all are equally likely in the population."""
    return np.array(np.meshgrid(*[levels] * p)).reshape(p, -1).T


def count_on_grid(rng, scenario_name, truth, grid, n, label_frequency):
    """Draw n observations with features on a grid, as counts of every (row of the grid, observed label).

    Counts serve as sample weights, so that the cost of a fit does not depend on n.

    Parameters
    ----------
    rng : Generator
    scenario_name : str
    truth : Truth
    grid : array of shape (n_grid, p)
    n : int
    label_frequency : array of shape (K,)
        For the single training set.

    Returns
    -------
    counts : array of shape (n_grid, K + 1)
    """
    proba = truth.proba(grid) / len(grid)  # P(x, y)
    n_positive = proba.shape[1] - 1
    if scenario_name == "case-control":
        n_unlabeled, n_labeled = n // 2, n // (2 * n_positive)
        columns = [rng.multinomial(n_unlabeled, proba.sum(axis=1))]
        columns += [
            rng.multinomial(n_labeled, proba[:, k] / proba[:, k].sum()) for k in range(1, n_positive + 1)
        ]
        return np.column_stack(columns)
    shown = label_frequency if scenario_name == "single-training-set" else np.ones(n_positive)
    labeled = proba[:, 1:] * shown
    cells = np.column_stack([proba.sum(axis=1) - labeled.sum(axis=1), labeled])
    return rng.multinomial(n, cells.ravel()).reshape(cells.shape)
