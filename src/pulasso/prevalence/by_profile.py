"""LabelModel numbers by profile likelihood: the curve, its maximiser and the interval."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2

from pulasso._messages import plain
from pulasso.data.inputs import check_flag, check_number
from pulasso.prevalence.data import PUData, check_response, dense_columns, parameter_of, read_data
from pulasso.prevalence.likelihood import JointLikelihood, make_response
from pulasso.prevalence.profile import Maximum, profile_numbers
from pulasso.prevalence.result import Curve, PrevalenceEstimate, is_narrow, words_if_open
from pulasso.prevalence.selection import choose_features

__all__ = ["METHOD", "estimate_by_profile", "profile_likelihood"]

METHOD = "profile likelihood"


def profile_likelihood(
    X: Any,
    z: ArrayLike,
    *,
    scenario: str,
    response: str = "multinomial",
    common: bool = False,
    features: str | Sequence[Any] = "auto",
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    unlabeled: Any = None,
    negative: Any = None,
    class_order: Sequence[Any] | None = None,
) -> PrevalenceEstimate:
    r"""Estimate label frequencies or prevalences by maximum likelihood, with profile intervals.

    The likelihood of the observed labels depends on the labelling numbers as well as on the coefficients, and
    under the model both can be estimated: :math:`P(z=k|x) = f_k P(y=k|x)` levels off at :math:`f_k`, where a
    logistic curve would go on to 1. For every value of one number all other unknowns are fitted again; what
    remains is the curve

    .. math:: \ell_p(\pi) = \max_{\Theta, b, \text{other numbers}} \sum_i w_i \log P(z_i | x_i; \Theta, b, \pi) .

    The fit is *not* penalised by a lasso, which would shrink curves and so bias the level at which they end.
    It uses all features where there are enough labelled rows, else those that a naive lasso selects, with
    weak normal priors (standard deviation 2.5 for a feature of unit variance) that keep everything finite.

    The interval holds the numbers that a likelihood-ratio test does not reject, or a score test does not
    reject; the second is what makes it wide when features say little, see :mod:`pulasso.prevalence.profile`.
    In case-control data, where the counts n_k are fixed by design, it is a little too wide. All of this rests
    on the model: log odds that are linear in the features. Where they are not, the number absorbs the misfit.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels, with the marker of unlabeled rows.
    scenario : {"case-control", "single-training-set"}
        The first has the prevalence as its number, the second the label frequency.
    response : {"multinomial", "ordinal"}, default="multinomial"
    common : bool, default=False
        One number for all classes instead of one each.
    features : {"auto", "all", "selected"} or list of columns, default="auto"
        "auto" takes all features if there are 20 labelled rows for each coefficient, else "selected": the
        features of the naive lasso (unlabeled means class 0) with the best BIC.
    level : float, default=0.95
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 counts as the row twice.
    unlabeled, negative, class_order : optional
        As for the estimators.

    Returns
    -------
    PrevalenceEstimate

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.prevalence import profile_likelihood
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2))
    >>> y = (4 * X[:, 0] + rng.logistic(size=3000) > 0).astype(int)
    >>> z = np.where(rng.random(3000) < 0.6, y, 0)  # 60 % of the positives got their label
    >>> estimate = profile_likelihood(X, z, scenario="single-training-set")
    >>> print(f"{estimate.values[1]:.2f}", estimate.is_identified)
    0.61 True
    """
    check_response(response)
    data = read_data(
        X,
        z,
        scenario,
        sample_weight=sample_weight,
        unlabeled=unlabeled,
        negative=negative,
        class_order=class_order,
        ordered=response == "ordinal",
    )
    return estimate_by_profile(data, response, common=common, features=features, level=level)


def estimate_by_profile(
    data: PUData,
    response: str,
    *,
    common: bool = False,
    features: str | Sequence[Any] | NDArray = "auto",
    level: float = 0.95,
) -> PrevalenceEstimate:
    """Estimate the numbers of data that are already read; see :func:`profile_likelihood`."""
    check_flag("common", common)
    check_number("level", level, above=0.0, most=1.0)
    model = make_response(response, data.n_positive)
    columns, words = choose_features(data, model, features)
    x = dense_columns(data.x, columns)
    share = data.weight / data.weight.sum()
    x -= share @ x
    spread = np.sqrt(share @ x**2)
    x = x[:, spread > 0] / spread[spread > 0]
    joint = JointLikelihood(x, data.codes, data.weight, model, data.classes, data.scenario, common)
    return _report(joint, profile_numbers(joint, level), level, columns, words)


def _report(
    joint: JointLikelihood, found: Maximum, level: float, columns: NDArray, words: str
) -> PrevalenceEstimate:
    parameter = parameter_of(joint.scenario)
    classes = joint.classes[1:]
    numbers = joint.numbers(joint.split(found.unknowns).t)
    profiles = found.profiles * (len(classes) if joint.common else 1)
    lower, upper = np.array([profile.interval for profile in profiles]).T
    limit = float(chi2.ppf(level, 1) / 2.0)
    curves = {
        plain(name): Curve(
            each.numbers, each.drop, parameter, "log-likelihood below its maximum", "position", limit
        )
        for name, each in zip(classes, profiles, strict=True)
    }
    narrow = is_narrow(lower, upper)
    return PrevalenceEstimate(
        parameter=parameter,
        method=METHOD,
        classes=classes,
        numbers=numbers,
        lower=lower,
        upper=upper,
        level=level,
        doubtful=np.zeros(len(classes), dtype=bool),
        diagnosis=[*_diagnosis(parameter, classes, lower, upper, narrow), *([words] if words else [])],
        curves=curves,
        details={"log_likelihood": joint.log_likelihood(found.unknowns), "features": columns},
    )


def _diagnosis(
    parameter: str, classes: NDArray, lower: NDArray, upper: NDArray, narrow: NDArray
) -> list[str]:
    """Say in words which numbers the data leave open."""
    words = []
    for i in np.flatnonzero(~narrow):
        flat = "the profile likelihood is flat; " if upper[i] - lower[i] > 0.6 else ""
        words.append(words_if_open(parameter, classes[i], lower[i], upper[i], flat))
    if narrow.any():
        words.append("The numbers rest on the model: class log odds that are linear in the features.")
    return words
