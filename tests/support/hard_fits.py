"""Fits of hard cases, and whether their answers can be believed."""

import warnings
from dataclasses import dataclass

import numpy as np

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso.exceptions import ClassShareWarning, ConvergenceWarning, FewLabelsWarning, LabelFrequencyWarning
from support.extended import certificate
from support.hard_cases import CASES, SCENARIOS

MODELS = {"multinomial": MultinomialPULasso, "ordinal": OrdinalPULasso}
# Certificates may differ by this share of lam_max, and by so much rounding of the stored coefficients.
ACCURACY, ROUNDING = 1e-7, 30.0


@dataclass(frozen=True)
class Verdict:
    """How a fit ended: `wrong` is empty where everything is as it must be."""

    converged: bool
    kkt: float
    wrong: str


def fit_case(case, model, scenario, solver, *, lam_ratio, seed=0, max_iter=300, **settings):
    """Fit a case at a share of lam_max, and judge the answer."""
    data = CASES[case](np.random.default_rng(seed))
    known = {**SCENARIOS[scenario], **settings}
    known |= {name: value for name, value in data.settings.items() if name in known or name == "tol"}
    make = MODELS[model](lam=1e300, solver=solver, max_iter=max_iter, **known)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LabelFrequencyWarning)
        warnings.simplefilter("ignore", FewLabelsWarning)
        warnings.simplefilter("ignore", ClassShareWarning)
        warnings.simplefilter("always", ConvergenceWarning)
        lam_max = make.fit(data.x, data.codes, data.weight).lam_max_
        caught.clear()
        make.set_params(lam=lam_ratio * lam_max).fit(data.x, data.codes, data.weight)
        return Verdict(make.converged_, make.kkt_, _wrong_with(make, data, bool(caught)))


def _wrong_with(model, data, warned):
    free = model.thresholds_ if hasattr(model, "thresholds_") else model.intercept_
    numbers = {"coef_": model.coef_, "free": free, "lam_max_": model.lam_max_, "objective_": model.objective_}
    numbers |= {"kkt_": model.kkt_, "proba": model.predict_proba(data.x)}
    for name, value in numbers.items():
        if not np.isfinite(value).all():
            return f"{name} is not finite"
    if model.converged_ != (model.kkt_ <= model.tol):
        return "converged_ contradicts kkt_"
    if warned == model.converged_:
        return "converged but warned" if warned else "missed tol without a warning"
    proba = numbers["proba"]
    if np.abs(proba.sum(axis=1) - 1.0).max() > 100 * np.finfo(proba.dtype).eps:
        return "probabilities do not sum to one"
    found, rounding = certificate(model, data.x, data.codes, data.weight)
    if not abs(found - model.kkt_) <= ACCURACY + ROUNDING * rounding + 1e-3 * model.kkt_:
        return f"kkt_ is {model.kkt_:.3g}, but {found:.3g} in extended precision (rounding {rounding:.2g})"
    return ""
