"""Data drawn from the two models under the labelling scenarios: the designs of the paper's section 5."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._messages import arg
from pulasso.data.inputs import check_number
from pulasso.data.parameters import as_generator, as_numbers, as_whole, check_choice, shown
from pulasso.datasets._truth import GaussianFeatures, Truth
from pulasso.datasets.mask import frequency_of_classes, mask_labels
from pulasso.exceptions import InputError
from pulasso.responses import Multinomial, Ordinal

__all__ = ["Simulation", "simulate_multinomial", "simulate_ordinal"]

# The number of every scenario that its estimators must know.
NUMBERS = {"case-control": "prevalence", "single-training-set": "label_frequency", "fully-observed": None}


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
        number = NUMBERS[self.scenario]
        return {"scenario": self.scenario, **({number: getattr(self, number)} if number else {})}


DOCSTRING = """Draw positive and unlabeled data from the {model} model.

    {formula} with Gaussian x.

    Draws are exact. Labelled rows of case-control data are not picked from a large population: first the linear
    predictor of the class is drawn, {how}, then x given
    the predictor, which is Gaussian.

    Parameters
    ----------
    n_samples : int, default=300
        Rows in all; in case-control data those that are not unlabeled are shared equally by the K classes.
    n_features : int, default=100
    n_active : int, default=2
        Features with coefficients other than zero, for all classes; they are chosen at random.
    n_positive : int, default=2
        K, the number of classes besides class 0.
    scenario : {{"case-control", "single-training-set", "fully-observed"}}, default="case-control"
    unlabeled_share : float, default=0.5
        Share of unlabeled rows in case-control data.
    label_frequency : float, array-like of shape (K,) or mapping, default=0.5
        In a single training set, the probability that a member of class k carries its label.
    null_proba : array-like of shape (K + 1,), optional
        Probabilities of the classes 0..K at x = 0, which fix the {offsets}; by default all equal.
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
    {example}
    """


def _simulator(response, **words):  # without types, so that editors infer the signature of what it returns
    """Return the public function that draws from a response model."""

    def simulate(
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
        rng = as_generator(random_state)
        n_positive = as_whole("n_positive", n_positive)
        n_samples = as_whole("n_samples", n_samples, least=n_positive + 1)
        n_features, n_active = as_whole("n_features", n_features), as_whole("n_active", n_active, least=0)
        check_number("variance", variance, above=0.0)
        _check_inside("correlation", correlation, -1.0, 1.0)
        model = response(n_positive)
        null = _check_probabilities(null_proba, n_positive + 1)
        theta = _sparse_coefficients(rng, n_features, n_active, model.n_outputs, signal)
        offsets = model.null_offsets(np.log(null[1:] / null[0]))
        truth = Truth(model, theta, offsets, GaussianFeatures(n_features, float(variance), correlation))
        return _label(rng, truth, n_samples, scenario, unlabeled_share, label_frequency)

    simulate.__name__ = simulate.__qualname__ = f"simulate_{words['model']}"
    simulate.__doc__ = DOCSTRING.format(**words)
    return simulate


simulate_multinomial = _simulator(
    Multinomial,
    model="multinomial",
    formula="``log P(y=k|x) - log P(y=0|x) = x @ coef[k - 1] + intercept[k - 1]``",
    how="by accepting or refusing proposals that are close to it",
    offsets="intercepts",
    example=""">>> from pulasso import MultinomialPULasso
    >>> from pulasso.datasets import simulate_multinomial
    >>> data = simulate_multinomial(400, 50, random_state=0)
    >>> model = MultinomialPULasso(lam=0.1, **data.scenario_params).fit(data.X, data.z)
    >>> X_test, y_test = data.truth.draw(1000, random_state=1)
    >>> bool(model.score(X_test, y_test) > 0.5)
    True""",
)
simulate_ordinal = _simulator(
    Ordinal,
    model="ordinal",
    formula="``P(y < j | x) = sigmoid(thresholds[j - 1] - x @ coef)``",
    how="by inversion of its distribution function",
    offsets="thresholds",
    example=""">>> from pulasso.datasets import simulate_ordinal
    >>> data = simulate_ordinal(90, 10, n_positive=3, random_state=0)
    >>> data.coef.shape, data.thresholds.shape, bool((data.y[data.z > 0] == data.z[data.z > 0]).all())
    ((10,), (3,), True)""",
)


def _check_inside(name: str, value: Any, low: float, high: float) -> None:
    check_number(name, value)
    if not low < value < high:
        words = f"{arg(name)}={value!r} must lie between {low:g} and {high:g}, both excluded."
        raise InputError(words, parameter=name)


def _check_probabilities(null_proba: ArrayLike | None, n_classes: int) -> NDArray:
    """Return one positive probability for each of the classes 0..K, equal ones if none are given."""
    equal = np.full(n_classes, 1.0 / n_classes)
    proba = equal if null_proba is None else as_numbers("null_proba", null_proba)
    if proba.shape != (n_classes,) or not (proba > 0).all() or not np.isclose(proba.sum(), 1.0):
        words = f"{arg('null_proba', shown(null_proba))} must hold positive numbers that sum to 1"
        raise InputError(f"{words}, one for each class 0..{n_classes - 1}.", parameter="null_proba")
    return proba / proba.sum()


def _sparse_coefficients(
    rng: np.random.Generator, n_features: int, n_active: int, n_outputs: int, signal: tuple[float, float]
) -> NDArray:
    if n_active > n_features:
        words = (
            f"{arg('n_active')}={n_active} features cannot be chosen from {arg('n_features')}={n_features}."
        )
        raise InputError(words, parameter="n_active")
    size = as_numbers("signal", signal)
    if size.shape != (2,) or not 0 <= size[0] <= size[1]:
        words = f"{arg('signal', shown(signal))} must be two numbers, the smaller first, neither negative."
        raise InputError(words, parameter="signal")
    theta, shape = np.zeros((n_features, n_outputs)), (n_active, n_outputs)
    chosen = rng.uniform(size[0], size[1], shape)
    theta[rng.choice(n_features, n_active, replace=False)] = chosen * rng.choice([-1.0, 1.0], shape)
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
    check_choice("scenario", scenario, NUMBERS)
    classes = np.arange(truth.response.n_positive + 1)
    frequency = None
    if scenario == "case-control":
        x, y, z = _case_control(rng, truth, n_samples, unlabeled_share)
    else:
        shown = label_frequency if scenario == "single-training-set" else 1.0
        frequency = frequency_of_classes(shown, classes)
        x, y = truth.draw(n_samples, rng)
        z = mask_labels(y, frequency, rng, classes=classes)
    coefficients = truth.public_coefficients()
    prevalence = truth.prevalence()[1:]
    return Simulation(x, z, y, *coefficients, prevalence, frequency, scenario, truth)


def _case_control(
    rng: np.random.Generator, truth: Truth, n_samples: int, unlabeled_share: float
) -> tuple[NDArray, NDArray, NDArray]:
    _check_inside("unlabeled_share", unlabeled_share, 0.0, 1.0)
    n_positive = truth.response.n_positive
    n_unlabeled = round(unlabeled_share * n_samples)
    n_labeled = (n_samples - n_unlabeled + np.arange(n_positive)[::-1]) // n_positive
    if n_unlabeled < 1 or n_labeled.min() < 1:
        raise InputError(
            f"{arg('n_samples')}={n_samples} with {arg('unlabeled_share')}={unlabeled_share:g} gives {n_unlabeled} "
            f"unlabeled rows and {n_labeled.tolist()} of the classes 1..{n_positive}.",
            parameter="unlabeled_share",
            remedy="There must be at least one of each.",
        )
    x, y = truth.draw(n_unlabeled, rng)
    blocks = [truth.draw_class(n, k, rng) for k, n in enumerate(n_labeled.tolist(), start=1)]
    labels = np.repeat(np.arange(1, n_positive + 1), n_labeled)
    # In random order, so that splitting by position is as good as any other way.
    order = rng.permutation(n_samples)
    z = np.concatenate([np.zeros(n_unlabeled, dtype=labels.dtype), labels])
    return np.concatenate([x, *blocks])[order], np.concatenate([y, labels])[order], z[order]
