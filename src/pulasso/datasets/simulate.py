"""Data drawn from the two models under the labelling scenarios: the designs of the paper's section 5."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso.data.inputs import check_number
from pulasso.datasets._checks import check_inside, check_probabilities
from pulasso.datasets._gaussian import GaussianFeatures
from pulasso.datasets._predictor import draw_from_density, draw_tilted, mean_over_normal
from pulasso.datasets.mask import frequency_of_classes, mask_labels
from pulasso.responses import Multinomial, Ordinal, Response

__all__ = ["Simulation", "Truth", "simulate_multinomial", "simulate_ordinal"]

SCENARIOS = ("case-control", "single-training-set", "fully-observed")


@dataclass(frozen=True, eq=False)
class Truth:
    """A model with known parameters over Gaussian features: predicts, and draws new rows.

    Attributes
    ----------
    response : Response
    theta : array of shape (n_features, n_outputs)
    offsets : array of shape (K,)
        Intercepts, or first threshold and gaps.
    features : GaussianFeatures
    """

    response: Response
    theta: NDArray
    offsets: NDArray
    features: GaussianFeatures

    @property
    def predictor_covariance(self) -> NDArray:
        """Covariance of ``x @ theta`` in the population."""
        return self.theta.T @ self.features.covariance_with(self.theta)

    def log_proba(self, linear: NDArray) -> NDArray:
        """Return log P(y | x) from the linear predictor, classes 0..K."""
        return self.response.log_proba(linear, self.offsets)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Return the true P(y | x), shape (n_samples, K + 1)."""
        return np.exp(self.log_proba(np.asarray(X) @ self.theta))

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class of every row: no rule is right more often."""
        return self.predict_proba(X).argmax(axis=1)

    def prevalence(self) -> NDArray:
        """Return P(y = k) of the classes 0..K."""
        share = mean_over_normal(lambda u: np.exp(self.log_proba(u)), self.predictor_covariance)
        return share / share.sum()

    def draw(self, n_samples: int, random_state: Any = None) -> tuple[NDArray, NDArray]:
        """Return features and true classes of rows drawn from the population."""
        rng = np.random.default_rng(random_state)
        x = self.features.draw(rng, n_samples)
        reached = np.cumsum(self.predict_proba(x), axis=1)[:, :-1]
        return x, (rng.random((n_samples, 1)) > reached).sum(axis=1)

    def draw_class(self, n_samples: int, wanted: int, random_state: Any = None) -> NDArray:
        """Return features of rows drawn from one class; the linear predictor first, then x given it."""
        rng = np.random.default_rng(random_state)
        covariance = self.predictor_covariance

        def log_proba(u: NDArray) -> NDArray:
            return self.log_proba(u)[:, wanted]

        if self.response.n_outputs == 1:
            u = draw_from_density(rng, n_samples, log_proba, float(covariance[0, 0]))
        else:
            u = draw_tilted(rng, n_samples, wanted, log_proba, covariance, self.offsets)
        return self.features.draw_given(rng, self.theta, u)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Simulated data with the truth behind them.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
    z : array of shape (n_samples,)
        Observed labels: 0 for unlabeled rows, 1..K.
    y : array of shape (n_samples,)
        True classes 0..K.
    coef : array of shape (K, n_features), or (n_features,) for the ordinal model
    intercept : array of shape (K,), or None for the ordinal model
    thresholds : array of shape (K,), or None for the multinomial model
    prevalence : array of shape (K,)
        Share of the classes 1..K in the population, by quasi-random integration.
    label_frequency : array of shape (K,), or None in case-control data
    scenario : str
    truth : Truth
        Predicts with the true parameters, and draws test data: ``truth.draw(2000, random_state=1)``.
    """

    X: NDArray
    z: NDArray
    y: NDArray
    coef: NDArray
    intercept: NDArray | None
    thresholds: NDArray | None
    prevalence: NDArray
    label_frequency: NDArray | None
    scenario: str
    truth: Truth = field(repr=False)

    @property
    def scenario_params(self) -> dict[str, Any]:
        """What the estimators need to know: their `scenario` and its number, as keyword arguments."""
        numbers = {"case-control": "prevalence", "single-training-set": "label_frequency"}
        known = {name: getattr(self, name) for name in [numbers.get(self.scenario)] if name}
        return {"scenario": self.scenario, **known}


def simulate_multinomial(
    n_samples: int = 300,
    n_features: int = 100,
    *,
    n_active: int = 2,
    n_positive: int = 2,
    scenario: Literal["case-control", "single-training-set", "fully-observed"] = "case-control",
    unlabeled_share: float = 0.5,
    label_frequency: Any = 0.5,
    null_proba: ArrayLike | None = None,
    signal: tuple[float, float] = (0.5, 1.0),
    variance: float = 1.0,
    correlation: float = 0.0,
    random_state: Any = None,
) -> Simulation:
    """Draw positive and unlabeled data from the multinomial model.

    ``log P(y=k|x) - log P(y=0|x) = x @ coef[k - 1] + intercept[k - 1]`` with Gaussian x.

    Draws are exact. Labelled rows of case-control data are not picked from a large population: first the K
    linear predictors of the class are drawn, by accepting or refusing proposals that are close to them, then x
    given the predictors, which is Gaussian.

    Parameters
    ----------
    n_samples : int, default=300
        Rows in all; in case-control data those that are not unlabeled are shared equally by the K classes.
    n_features : int, default=100
    n_active : int, default=2
        Features with coefficients other than zero, for all classes; they are chosen at random.
    n_positive : int, default=2
        K, the number of classes besides class 0.
    scenario : {"case-control", "single-training-set", "fully-observed"}, default="case-control"
    unlabeled_share : float, default=0.5
        Share of unlabeled rows in case-control data.
    label_frequency : float, array-like of shape (K,) or mapping, default=0.5
        In a single training set, the probability that a member of class k carries its label.
    null_proba : array-like of shape (K + 1,), optional
        Probabilities of the classes 0..K at x = 0, which fix the intercepts; by default all equal.
    signal : (float, float), default=(0.5, 1.0)
        Absolute values of the coefficients are uniform between these; signs are random.
    variance : float, default=1.0
        Of every feature.
    correlation : float, default=0.0
        Features i and j correlate by ``correlation ** |i - j|``.
    random_state : int, Generator or None, default=None

    Returns
    -------
    Simulation

    Examples
    --------
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(400, 50, random_state=0)
    >>> model = MultinomialPULasso(lam=0.1, **data.scenario_params).fit(data.X, data.z)
    >>> X_test, y_test = data.truth.draw(1000, random_state=1)
    >>> bool(model.score(X_test, y_test) > 0.5)
    True
    """
    rng = np.random.default_rng(random_state)
    check_number("n_positive", n_positive, least=1, whole=True)
    null = check_probabilities("null_proba", null_proba, n_positive + 1)
    theta = _sparse_coefficients(rng, n_features, n_active, n_positive, signal)
    intercept = np.log(null[1:] / null[0])
    features = _features(n_features, variance, correlation)
    truth = Truth(Multinomial(n_positive), theta, intercept, features)
    return _label(rng, truth, n_samples, scenario, unlabeled_share, label_frequency)


def simulate_ordinal(
    n_samples: int = 300,
    n_features: int = 100,
    *,
    n_active: int = 2,
    n_positive: int = 2,
    scenario: Literal["case-control", "single-training-set", "fully-observed"] = "case-control",
    unlabeled_share: float = 0.5,
    label_frequency: Any = 0.5,
    null_proba: ArrayLike | None = None,
    signal: tuple[float, float] = (0.5, 1.0),
    variance: float = 1.0,
    correlation: float = 0.0,
    random_state: Any = None,
) -> Simulation:
    """Draw positive and unlabeled data from the ordinal model.

    ``P(y < j | x) = sigmoid(thresholds[j - 1] - x @ coef)`` with Gaussian x.

    Draws are exact, and nothing is rejected: the labelled rows of case-control data get their linear predictor
    by inversion of its distribution function within the class, then x given the predictor, which is Gaussian.

    Parameters
    ----------
    n_samples, n_features, n_active, n_positive, scenario, unlabeled_share, label_frequency
        As for :func:`simulate_multinomial`.
    null_proba : array-like of shape (K + 1,), optional
        Probabilities of the classes 0..K at x = 0, which fix the thresholds; by default all equal.
    signal, variance, correlation, random_state
        As for :func:`simulate_multinomial`.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> from pulasso.datasets import simulate_ordinal
    >>> data = simulate_ordinal(90, 10, n_positive=3, random_state=0)
    >>> data.coef.shape, data.thresholds.shape, bool((data.y[data.z > 0] == data.z[data.z > 0]).all())
    ((10,), (3,), True)
    """
    rng = np.random.default_rng(random_state)
    check_number("n_positive", n_positive, least=1, whole=True)
    null = check_probabilities("null_proba", null_proba, n_positive + 1)
    theta = _sparse_coefficients(rng, n_features, n_active, 1, signal)
    model = Ordinal(n_positive)
    offsets = model.null_offsets(np.log(null[1:] / null[0]))
    truth = Truth(model, theta, offsets, _features(n_features, variance, correlation))
    return _label(rng, truth, n_samples, scenario, unlabeled_share, label_frequency)


def _features(n_features: int, variance: float, correlation: float) -> GaussianFeatures:
    return GaussianFeatures(
        n_features,
        check_inside("variance", variance, 0.0, np.inf),
        check_inside("correlation", correlation, -1.0, 1.0),
    )


def _sparse_coefficients(
    rng: np.random.Generator, n_features: int, n_active: int, n_outputs: int, signal: tuple[float, float]
) -> NDArray:
    check_number("n_features", n_features, least=1, whole=True)
    check_number("n_active", n_active, least=0, whole=True)
    if n_active > n_features:
        raise ValueError(f"n_active={n_active} features cannot be chosen from n_features={n_features}.")
    low, high = signal
    if not 0 <= low <= high:
        raise ValueError(f"signal={signal!r} must be two numbers, the smaller first, neither negative.")
    theta = np.zeros((n_features, n_outputs))
    size, shape = rng.uniform(low, high, (n_active, n_outputs)), (n_active, n_outputs)
    theta[rng.choice(n_features, n_active, replace=False)] = size * rng.choice([-1.0, 1.0], shape)
    return theta


def _label(
    rng: np.random.Generator,
    truth: Truth,
    n_samples: int,
    scenario: str,
    unlabeled_share: float,
    label_frequency: Any,
) -> Simulation:
    """Draw rows and observed labels, and put everything together."""
    if scenario not in SCENARIOS:
        raise ValueError(f"scenario={scenario!r} is unknown; use one of {', '.join(map(repr, SCENARIOS))}.")
    n_positive = truth.response.n_positive
    check_number("n_samples", n_samples, least=n_positive + 1, whole=True)
    frequency = None
    if scenario == "case-control":
        x, y, z = _case_control(rng, truth, n_samples, unlabeled_share)
    else:
        classes = np.arange(n_positive + 1)
        shown = label_frequency if scenario == "single-training-set" else 1.0
        frequency = frequency_of_classes(shown, classes)
        x, y = truth.draw(n_samples, rng)
        z = mask_labels(y, frequency, rng, classes=classes)
    multinomial = isinstance(truth.response, Multinomial)
    return Simulation(
        X=x,
        z=z,
        y=y,
        coef=truth.theta.T.copy() if multinomial else truth.theta[:, 0].copy(),
        intercept=truth.offsets.copy() if multinomial else None,
        thresholds=None if multinomial else np.cumsum(truth.offsets),
        prevalence=truth.prevalence()[1:],
        label_frequency=frequency,
        scenario=scenario,
        truth=truth,
    )


def _case_control(
    rng: np.random.Generator, truth: Truth, n_samples: int, unlabeled_share: float
) -> tuple[NDArray, NDArray, NDArray]:
    check_inside("unlabeled_share", unlabeled_share, 0.0, 1.0)
    n_positive = truth.response.n_positive
    n_unlabeled = round(unlabeled_share * n_samples)
    n_labeled = (n_samples - n_unlabeled + np.arange(n_positive)[::-1]) // n_positive
    if n_unlabeled < 1 or n_labeled.min() < 1:
        raise ValueError(
            f"n_samples={n_samples} with unlabeled_share={unlabeled_share:g} gives {n_unlabeled} unlabeled "
            f"rows and {n_labeled.tolist()} of the classes 1..{n_positive}; there must be at least one of each."
        )
    x, y = truth.draw(n_unlabeled, rng)
    blocks = [truth.draw_class(n, k, rng) for k, n in enumerate(n_labeled.tolist(), start=1)]
    labels = np.repeat(np.arange(1, n_positive + 1), n_labeled)
    # In random order, so that splitting by position is as good as any other way.
    order = rng.permutation(n_samples)
    z = np.concatenate([np.zeros(n_unlabeled, dtype=labels.dtype), labels])
    return np.concatenate([x, *blocks])[order], np.concatenate([y, labels])[order], z[order]
