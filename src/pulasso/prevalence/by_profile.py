"""Unknown numbers by profile likelihood: the curve, its maximiser and the interval."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import chi2

from pulasso._messages import plain
from pulasso.build import as_response
from pulasso.data.inputs import check_flag, check_number
from pulasso.data.pu_data import PUData
from pulasso.prevalence.features import choose_features
from pulasso.prevalence.likelihood import JointLikelihood
from pulasso.prevalence.profile import Profile, profile_numbers
from pulasso.prevalence.reading import documented, parameter_of, read_rows, usable_rows
from pulasso.prevalence.result import Curve, PrevalenceEstimate, open_words
from pulasso.prevalence.scales import Scale
from pulasso.scenarios import CaseControl

__all__ = ["estimate_by_profile", "profile_likelihood"]

# The likelihood is called flat where the interval is wider.
FLAT = 0.6


@documented
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

    The likelihood of the observed labels depends on these numbers as well as on the coefficients, and
    under the model both can be estimated: :math:`P(z=k|x) = f_k P(y=k|x)` levels off at :math:`f_k`, where a
    logistic curve would rise to 1. For every value of one number all other unknowns are fitted again; what
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
    <rows>
    response : {"multinomial", "ordinal"}, default="multinomial"
    common : bool, default=False
        One number for all classes instead of one each.
    features : {"auto", "all", "selected"} or list of columns, default="auto"
        "auto" takes all features if there are 20 labelled rows for each coefficient, else "selected": the
        features of the naive lasso (unlabeled means class 0) with the best BIC.
    level : float, default=0.95
        Confidence level of the intervals.
    <labels>

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
    ordered = as_response(response).is_ordered
    data = read_rows(X, z, scenario, sample_weight, unlabeled, negative, class_order, ordered=ordered)
    return estimate_by_profile(data, scenario, response, common=common, features=features, level=level)


def estimate_by_profile(
    data: PUData,
    scenario: str,
    response: str,
    *,
    common: bool = False,
    features: str | Sequence[Any] | NDArray = "auto",
    level: float = 0.95,
) -> PrevalenceEstimate:
    """Estimate the numbers of data that are already read; see :func:`profile_likelihood`."""
    check_flag("common", common)
    check_number("level", level, above=0.0, most=1.0)
    data = usable_rows(data, scenario)
    model = as_response(response).build(len(data.classes) - 1)
    columns, how_chosen = choose_features(data, model, features)
    scale = Scale(data.counts, scenario == CaseControl.name, common)
    joint = JointLikelihood(_standardized(data, columns), data.codes, data.weight, model, scale)
    unknowns, profiles = profile_numbers(joint, level)
    profiles *= scale.n_positive // scale.n_free  # one each, or one for all
    lower, upper = np.array([profile.interval for profile in profiles]).T
    parameter, classes = parameter_of(scenario), data.classes[1:]
    return PrevalenceEstimate(
        parameter=parameter,
        method="profile likelihood",
        classes=classes,
        numbers=scale.numbers(unknowns[joint.n_model :]),
        lower=lower,
        upper=upper,
        level=level,
        doubts=[
            open_words(parameter, *each, "the profile likelihood is flat; ")
            if each[2] - each[1] > FLAT
            else ""
            for each in zip(classes, lower, upper, strict=True)
        ],
        assumption="The numbers rest on the model: class log odds that are linear in the features.",
        curves=_curves(parameter, classes, profiles, level),
        details={"log_likelihood": joint.log_likelihood(unknowns), "features": columns},
        notes=how_chosen,
    )


def _standardized(data: PUData, columns: NDArray) -> NDArray:
    """Return these features as a dense array with mean 0 and variance 1, without constant ones."""
    chosen = data.x[:, columns]
    x = np.array(chosen.toarray() if sparse.issparse(chosen) else chosen, dtype=float)
    share = data.weight / data.weight.sum()
    x -= share @ x
    spread = np.sqrt(share @ x**2)
    return x[:, spread > 0] / spread[spread > 0]


def _curves(parameter: str, classes: NDArray, profiles: list[Profile], level: float) -> dict[Any, Curve]:
    labels = (parameter, "log-likelihood below its maximum", "position")
    limit = float(chi2.ppf(level, 1) / 2.0)
    return {
        plain(name): Curve(profile.numbers, profile.drop, *labels, limit)
        for name, profile in zip(classes, profiles, strict=True)
    }
