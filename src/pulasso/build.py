"""From data and what the user knows to a `Problem` with its null model."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._build_warnings import (
    warn_if_no_maximum,
    warn_if_nothing_told,
    warn_of_columns,
    warn_of_few_labels,
    warn_of_indicators,
)
from pulasso._messages import did_you_mean, listed, plain
from pulasso.data.inputs import check_flag, check_number
from pulasso.data.parameters import check_kind
from pulasso.data.pu_data import PUData
from pulasso.design import ChunkedDesign, as_design, standardize
from pulasso.exceptions import InputError, LabelError
from pulasso.losses import ObservedLoss, find_null_model
from pulasso.losses.anchor import Anchor, anchor_of
from pulasso.path import lam_grid, solve_path
from pulasso.penalties import BlockPenalty, GroupLasso, Groups, as_penalty
from pulasso.problem import Params, Problem
from pulasso.responses import RESPONSES, Response
from pulasso.scenarios import LabelModel, Scenario, as_scenario, label_model_of

__all__ = ["as_response", "build_problem", "scale_by_null"]

NULL_TOL, NULL_STEPS, NULL_NOISE = 1e-10, 200, 1e-7
# Gradients below this are looked at: are they small, or the rounding of sums that cancel?
SUSPICIOUS, ROUNDING = 1e-10, 1e-14
# The first fit of an adaptive penalty only has to rank the groups.
FIRST_LAMS, FIRST_TOL, FIRST_STEPS = 30, 1e-3, 200


def as_response(response: Any) -> type[Response]:
    """Return a response model from its name or its class."""
    if isinstance(response, str) and response in RESPONSES:
        return RESPONSES[response]
    if not hasattr(response, "log_odds"):
        raise InputError(
            f"response={response!r} is unknown.{did_you_mean(response, RESPONSES)}",
            parameter="response",
            remedy=f"Use one of {listed(RESPONSES)}.",
        )
    return response


def build_problem(
    data: PUData,
    *,
    response: str | type[Response] = "multinomial",
    scenario: str | Scenario = "case-control",
    prevalence: Any = None,
    label_frequency: Any = None,
    penalty: Any = None,
    anchor: float = 0.0,
    groups: str | Groups | None = None,
    standardized: bool | str = True,
    fit_intercept: bool = True,
) -> Problem:
    """Build the problem that an estimator or a path solves, with its lam_max and its null model.

    Parameters
    ----------
    data : PUData
    response : {"multinomial", "ordinal"} or Response class
    scenario, prevalence, label_frequency
        As for :class:`pulasso.MultinomialPULasso`, but for "estimate".
    penalty : str or Penalty, optional
        The group lasso by default.
    anchor : float, default=0.0
        How strongly the mean prediction is held to the class shares that the scenario implies.
    groups : str or Groups, optional
        By default "rows" for unordered and "entries" for ordered classes.
    standardized : bool or "auto", default=True
        Whether the penalty acts on coefficients of unit-variance columns; "auto" leaves columns of zeros and ones on
        their own scale.
    fit_intercept : bool, default=True
        Without it columns are not centred, as nothing could absorb their means.

    Returns
    -------
    Problem

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import PUData, build_problem
    >>> data = PUData.read(np.arange(12.0).reshape(6, 2) % 5, [0, 1, 1, 0, 1, 0])
    >>> problem = build_problem(data, scenario="single-training-set", label_frequency=0.9)
    >>> problem.shape, problem.null.offsets
    ((2, 1), array([0.22314355]))
    """
    check_kind("data", data, PUData, "Read features and labels by PUData.read(X, z).")
    check_flag("standardized", standardized, word="auto")
    check_flag("fit_intercept", fit_intercept)
    check_number("anchor", anchor, least=0.0)
    scenario = as_scenario(scenario, prevalence=prevalence, label_frequency=label_frequency)
    kind, formula, names = as_response(response), as_penalty(penalty), data.feature_names
    label_model = label_model_of(scenario, data.counts, data.x, names, data.source)
    _refuse_impossible(label_model, data, scenario)
    n_positive = len(data.classes) - 1
    outputs = kind.build(n_positive).output_names(data.classes.tolist())
    cut = Groups.of(groups if groups is not None else "entries" if kind.is_ordered else "rows")
    class_names = None if kind.is_ordered else outputs
    blocks = cut.resolve(data.n_features, len(outputs), names, class_names)
    if hasattr(scenario, "excluded_columns"):
        blocks = blocks.excluding(scenario.excluded_columns(data.n_features, names))
    model = kind.build(n_positive, fit_intercept=fit_intercept, symmetric=blocks.symmetric)
    loss = ObservedLoss(label_model, data.codes, data.weight)
    rows = (data.counts, data.codes, data.weight, data.source)
    held, told = anchor_of(float(anchor), scenario, label_model, *rows)
    base = _chunked(data, label_model, held) if data.is_chunked else as_design(data.x)
    scale = standardized if isinstance(standardized, str) else bool(standardized)
    design = standardize(base, loss.sample_weight, center=fit_intercept, scale=scale, names=names)
    null_model = find_null_model(loss, data.counts, held)
    problem = Problem(
        design,
        model,
        loss,
        BlockPenalty(formula, blocks),
        held,
        told_shares=told,
        data=data,
        scenario=scenario,
    )
    said = warn_of_columns(design.nearly_constant, names, data.x.dtype)
    said += warn_of_indicators(design.rare_indicators, data.n_features)
    said += warn_of_few_labels(data, kind.is_ordered)
    said += warn_if_no_maximum(null_model, label_model, data.counts, float(anchor))
    said += warn_if_nothing_told(float(anchor), told)
    said += tuple(getattr(scenario, "warnings", ()))
    problem = replace(problem, warnings=said)
    if hasattr(formula, "reweigh"):
        problem = _reweighed(problem, null_model.log_odds)
    return scale_by_null(problem, null_model.log_odds)


def _refuse_impossible(label_model: LabelModel, data: PUData, scenario: Scenario) -> None:
    """Refuse rows whose label no class could have given: the likelihood would be zero whatever is fitted."""
    impossible = np.flatnonzero(~label_model.is_possible(data.codes) & (data.weight > 0))
    if len(impossible):
        row = int(impossible[0])
        code = data.codes[row] % len(data.classes)
        what = f"is labelled {plain(data.classes[code])!r}" if data.codes[row] else "is unlabeled"
        more = f", and so are {len(impossible) - 1} more" if impossible[1:].size else ""
        raise LabelError(
            f"Row {row} {what}{more}, which cannot happen under {scenario!r}.",
            parameter="y",
            remedy="Correct the numbers of the scenario, or the labels.",
        )


def _chunked(data: PUData, label_model: LabelModel, anchor: Anchor | None) -> ChunkedDesign:
    codes = data.codes.astype(np.int8) if data.codes.max(initial=0) < 128 else data.codes  # they travel
    arrays = (label_model.log_labeled, label_model.log_hidden) if label_model.is_by_row else (None, None)
    # Which rows are a sample of the population can be seen from their labels, unless sources differ in it.
    population = None if anchor is None or data.source is None else anchor.population
    return ChunkedDesign(data.x, data.weight, codes, *arrays, population)


def _reweighed(problem: Problem, log_odds: NDArray) -> Problem:
    """Return the problem with weights from a first fit: the group lasso with the smallest BIC."""
    first = scale_by_null(replace(problem, penalty=BlockPenalty(GroupLasso(), problem.blocks)), log_odds)
    n = np.count_nonzero(problem.data.weight)
    best, least = np.zeros(problem.shape), np.inf
    lams = lam_grid(first.lam_max, FIRST_LAMS)
    for solution in solve_path(first, lams, tol=FIRST_TOL, max_iter=FIRST_STEPS):
        theta = solution.params.theta
        loss = solution.objective - first.penalty.value(theta, solution.lam)
        bic = 2.0 * n * loss + np.log(n) * np.count_nonzero(theta)
        if bic < least:
            best, least = theta, bic
    weights = problem.penalty.formula.reweigh(problem.blocks, best)  # type: ignore[attr-defined]
    return replace(
        problem, penalty=BlockPenalty(problem.penalty.formula, problem.blocks.with_weights(weights))
    )


def scale_by_null(problem: Problem, null_log_odds: NDArray) -> Problem:
    """Return the problem with its exact lam_max, the scale of its certificate, and the null model.

    Parameters
    ----------
    problem : Problem
        Its lam, lam_max and null model are not used.
    null_log_odds : array of shape (K,)
        Class log odds of the intercept-only maximum likelihood.
    """
    null = Params(np.zeros(problem.shape), problem.response.null_offsets(null_log_odds))
    point = problem.at(null)
    grad = problem.design.rmatmul(point.grad_linear)
    largest = np.abs(grad).max(initial=0.0)
    if problem.penalty.has_unpenalized:
        null = _fit_unpenalized(problem, null)
        point = problem.at(null)
        grad = problem.design.rmatmul(point.grad_linear)
        # Where the unpenalised features explain everything, what is left is rounding.
        is_rounding = np.abs(grad).max(initial=0.0) <= NULL_NOISE * largest
    else:
        is_rounding = _is_rounding(problem, point.grad_linear, largest)
    lam_max = 0.0 if is_rounding else problem.penalty.lam_max(grad)
    scale = 1.0 if lam_max == 0 else _usual_lam_max(problem, grad)
    return replace(problem, lam=lam_max, lam_max=lam_max, kkt_scale=scale, null=null, null_gradient=grad)


def _usual_lam_max(problem: Problem, grad: NDArray) -> float:
    """Return the lam_max of the group lasso with its usual weights, for columns of unit spread."""
    blocks, spread = problem.blocks, getattr(problem.design, "spread", None)
    norms = blocks.norms(grad if spread is None else grad / spread[:, None])
    return float((norms / np.sqrt(blocks.sizes))[blocks.is_penalized].max(initial=0.0))


def _is_rounding(problem: Problem, rows: NDArray, largest: float) -> bool:
    """Say whether a gradient is what is left of sums that cancel: nothing, next to their terms."""
    if largest > SUSPICIOUS or problem.data is not None and problem.data.is_chunked:
        return False
    # With random signs the terms of a sum do not cancel: its size is that of their root mean square.
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(rows), 1))
    return bool(largest <= ROUNDING * np.abs(problem.design.rmatmul(signs * rows)).max(initial=0.0))


def _fit_unpenalized(problem: Problem, start: Params) -> Params:
    """Fit offsets and unpenalised blocks, with every penalised block at zero."""
    # lam only has to be positive: the remaining weights are 0 and infinity.
    free = replace(problem, penalty=problem.penalty.without_penalized(), lam=1.0, lam_max=0.0, kkt_scale=1.0)
    return next(solve_path(free, np.ones(1), start=start, tol=NULL_TOL, max_iter=NULL_STEPS)).params
