"""How sure a model is, from the command line: other assumed numbers, and subsamples of the rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.cli.build_estimator import parse_numbers
from pulasso.cli.errors import say
from pulasso.cli.options import RobustnessOptions
from pulasso.exceptions import InputError, ScenarioError
from pulasso.scenarios import LabelCounts, Scenario, Sources

__all__ = ["check_robustness", "examine", "robustness_for_json", "show_robustness"]

# The odds of each class (or of a label) are multiplied by these: from half to twice, whatever was assumed.
FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)


def check_robustness(options: RobustnessOptions, scenario: Scenario, counts: LabelCounts) -> None:
    """Refuse what cannot be examined, before anything is computed."""
    if options.subsamples % 2:
        raise InputError(
            f"--subsamples {options.subsamples} must be even: they come in pairs, each of which shares out the rows.",
            parameter="n_subsamples",
        )
    if options.stability and isinstance(scenario, Sources):
        raise InputError("--stability does not take rows of several sources.", parameter="stability")
    if not options.wants_sweep:
        return
    if scenario.asks_for is None:
        raise InputError(
            f"--sensitivity fits again under other assumed numbers, and --scenario {scenario.name} has none. Leave it "
            "out, or use a scenario with hidden labels.",
            parameter="sensitivity",
        )
    values = _given_values(options, counts.classes[1:].tolist())
    assumed = getattr(scenario, scenario.asks_for)
    if not values and not isinstance(assumed, str):  # an estimate is not known yet
        _refuse_ones(assumed.values() if isinstance(assumed, Mapping) else np.ravel(assumed))
    for value in values:
        try:
            replace(scenario, **{scenario.asks_for: value}).label_model(counts)  # type: ignore[type-var]
        except ScenarioError as error:
            words = error.args[0].template
            raise InputError(f"--sensitivity-values: {words}", parameter="sensitivity_values") from None


def examine(
    model: Any,
    x: Any,
    z: NDArray,
    weight: NDArray | None,
    options: RobustnessOptions,
    *,
    seed: int,
    jobs: int,
    held_out: tuple[Any, NDArray, NDArray | None] | None = None,
) -> dict[str, Any]:
    """Return what was asked for, by the names that `write_report` has for it.

    Parameters
    ----------
    model : fitted estimator
    x, z, weight : rows of the fit
    options : RobustnessOptions
    seed, jobs : int
    held_out : tuple of (X, z, sample_weight), optional
        Rows to judge the models of the sweep by.
    """
    from pulasso.inference import stability_selection
    from pulasso.prevalence import sensitivity_sweep
    from pulasso.report.material import assumed_numbers

    if options.stability and not hasattr(model, "coef_"):
        raise InputError(
            f"--stability is about features that a lasso selects, and a {type(model).__name__} selects none.",
            parameter="stability",
            remedy="Leave it out; --sensitivity shows which findings depend on the assumed numbers.",
        )
    found: dict[str, Any] = {}
    rows: dict[str, Any] = {"X": x, "z": z, "sample_weight": weight}
    if options.wants_sweep:
        assumed = assumed_numbers(model)
        # Of their own rows boosted trees and networks tell nothing.
        judged_by = 0.2 if held_out is None and not hasattr(model, "coef_") else held_out
        found["sensitivity"] = sensitivity_sweep(
            _of_one_lam(model),
            grid=_given_values(options, list(assumed)) or _values_around(assumed, model.scenario_.asks_for),
            reference=_one_if_shared(assumed),
            held_out=judged_by,
            n_jobs=jobs,
            **rows,
        )
    if options.stability:
        found["stability"] = stability_selection(
            _of_one_lam(model),
            n_subsamples=options.subsamples,
            random_state=seed,
            n_jobs=jobs,
            **rows,
        )
    return found


def _of_one_lam(model: Any) -> Any:
    """Return an unfitted estimator with the settings, the lam and the assumed numbers of a fitted one."""
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    kind: Any = OrdinalPULasso if model.response_.is_ordered else MultinomialPULasso
    own = model.get_params(deep=False)
    if hasattr(model, "coef_"):
        settings = {name: own[name] for name in kind().get_params() if name in own}
        settings["lam"] = float(model.lam_ if hasattr(model, "lam_") else model.lam)
        if not isinstance(settings["anchor"], int | float):  # the usual one, or the best of several
            settings["anchor"] = model.anchor_
    else:  # boosted trees and networks have no lam; they stop by themselves
        kind, settings = type(model), own
    for name in ("prevalence", "label_frequency"):
        if isinstance(settings.get(name), str):  # it was estimated once, which is what is varied now
            settings |= {"scenario": model.scenario_, name: None}
    return kind(**settings)


# --- the values of a sweep --------------------------------------------------------------------------------


def _values_around(assumed: dict[Any, float], parameter: str) -> list[Any]:
    """Return the assumed numbers with their odds multiplied by each of the factors."""
    _refuse_ones(assumed.values())
    total, values = sum(assumed.values()), []
    for factor in FACTORS:
        moved = {}
        for name, number in assumed.items():
            # Class 0 makes room for the other classes, or gets it; labels are shown or hidden within each class.
            others = (
                1.0 - total + factor * total if parameter == "prevalence" else 1.0 - number + factor * number
            )
            moved[name] = float(f"{factor * number / others:.3g}")
        values.append(_one_if_shared(assumed if factor == 1 else moved))
    return values


def _refuse_ones(numbers: Iterable[float]) -> None:
    if all(number == 1 for number in numbers):
        raise InputError(
            "--sensitivity: every label frequency is 1, so that there is nothing around it to try. Give the values: "
            "--sensitivity-values 0.8,0.9.",
            parameter="sensitivity_values",
        )


def _one_if_shared(numbers: dict[Any, float]) -> Any:
    """Return one number where all classes share it."""
    return next(iter(numbers.values())) if len(set(numbers.values())) == 1 else numbers


def _given_values(options: RobustnessOptions, classes: Sequence[Any]) -> list[Any]:
    """Read 0.2,0.3,0.4 or oak=0.2,fir=0.1;oak=0.3,fir=0.1."""
    text = options.sensitivity_values or ""
    parts = text.split(";") if "=" in text else text.replace(";", ",").split(",")
    return [parse_numbers(part, "sensitivity_values", classes) for part in parts if part.strip()]


# --- words ------------------------------------------------------------------------------------------------


def show_robustness(found: dict[str, Any]) -> None:
    """Print what was examined."""
    for result in found.values():
        say("\n" + repr(result).replace(" (see .assumptions)", ""))


def robustness_for_json(found: dict[str, Any]) -> dict[str, Any]:
    """Return the same for programs."""
    named: dict[str, Any] = {}
    if "sensitivity" in found:
        sweep = found["sensitivity"]
        lines = zip(sweep.to_frame().to_dict(orient="records"), sweep.values, strict=True)
        named["sensitivity"] = {
            "parameter": sweep.parameter,
            "values": [{**line, sweep.parameter: value} for line, value in lines],
            "always_selected": sweep.always_selected,
            "sometimes_selected": sweep.sometimes_selected,
        }
    if "stability" in found:
        stability = found["stability"]
        named["stability"] = {
            "subsamples": stability.n_subsamples,
            "threshold": stability.threshold,
            "false_selections_expected": stability.bound,
            "stable": stability.stable,
            "probability": dict(zip(stability.groups, stability.probabilities.tolist(), strict=True)),
        }
    return named
