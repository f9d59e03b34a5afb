"""How sure a model is, from the command line: other assumed numbers, and halves of the rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from numpy.typing import NDArray

from pulasso._messages import listed
from pulasso.cli.modelling import parse_shares
from pulasso.cli.options import CertaintyOptions
from pulasso.cli.running import CommandError

__all__ = ["certainty_for_json", "check_certainty", "examine", "show_certainty"]

# The odds of each class (or of a label) are multiplied by these: from half to twice, whatever was assumed.
FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)


def check_certainty(options: CertaintyOptions, scenario: Any, classes: Sequence[Any]) -> None:
    """Refuse what cannot be examined, before anything is computed.

    Parameters
    ----------
    options : CertaintyOptions
    scenario : str or Scenario
    classes : sequence
        All but class 0.
    """
    if options.halves % 2:
        raise CommandError(
            f"--halves {options.halves} must be even: rows are split into two halves each time."
        )
    if not options.asks_for_sweep:
        return
    if (scenario if isinstance(scenario, str) else scenario.name) == "fully-observed":
        raise CommandError(
            "--sensitivity fits again under other assumed numbers, and --scenario fully-observed has none. Leave it "
            "out, or use a scenario with hidden labels."
        )
    if options.sensitivity_values is not None:
        _read_values(options.sensitivity_values, classes)


def examine(
    model: Any,
    x: Any,
    z: NDArray,
    weight: NDArray | None,
    options: CertaintyOptions,
    *,
    seed: int,
    jobs: int,
    checkpoint: Path,
    held_out: tuple[Any, NDArray, NDArray | None] | None = None,
) -> dict[str, Any]:
    """Return what was asked for, by the names that `write_report` has for it.

    Parameters
    ----------
    model : fitted estimator
    x, z, weight : rows of the fit
    options : CertaintyOptions
    seed, jobs : int
    checkpoint : Path
        Folder that keeps finished fits.
    held_out : tuple of (X, z, sample_weight), optional
        Rows to judge the models of the sweep by.
    """
    from pulasso.inference import stability_selection
    from pulasso.prevalence import sensitivity_sweep
    from pulasso.report.material import assumed_numbers

    found: dict[str, Any] = {}
    plain_model = _of_one_lam(model)
    if options.asks_for_sweep:
        found["sensitivity"] = sensitivity_sweep(
            plain_model,
            x,
            z,
            _grid(model, options.sensitivity_values),
            reference=_as_value(assumed_numbers(model)),
            held_out=held_out,
            sample_weight=weight,
            n_jobs=jobs,
            checkpoint=checkpoint / "sensitivity",
        )
    if options.stability:
        found["stability"] = stability_selection(
            plain_model,
            x,
            z,
            sample_weight=weight,
            n_subsamples=options.halves,
            random_state=seed,
            n_jobs=jobs,
            checkpoint=checkpoint / "stability",
        )
    return found


def _of_one_lam(model: Any) -> Any:
    """Return an unfitted estimator with the settings, the lam and the assumed numbers of a fitted one."""
    from pulasso.estimators import MultinomialPULasso, OrdinalPULasso

    kind = OrdinalPULasso if hasattr(model, "thresholds_") else MultinomialPULasso
    own = model.get_params(deep=False)
    settings = {name: own[name] for name in kind().get_params() if name in own}
    settings["lam"] = float(model.lam_ if hasattr(model, "lam_") else model.lam)
    for name in ("prevalence", "label_frequency"):
        if isinstance(settings.get(name), str):  # it was estimated once, which is what is varied now
            settings |= {"scenario": model.scenario_, name: None}
    return kind(**settings)


# --- the values of a sweep --------------------------------------------------------------------------------


def _grid(model: Any, text: str | None) -> list[Any]:
    """Return the values to try: as given, or the odds of the assumed ones times each factor."""
    from pulasso.report.material import assumed_numbers

    assumed = assumed_numbers(model)
    if text is not None:
        return _read_values(text, list(assumed))
    if all(number == 1 for number in assumed.values()):
        raise CommandError(
            "--sensitivity: every label frequency is 1, so that there is nothing around it to try. Give the values: "
            "--sensitivity-values 0.8,0.9."
        )
    shared = 1.0 - sum(assumed.values())
    values = []
    for factor in FACTORS:
        if model.scenario_.asks_for == "prevalence":  # class 0 makes room for the others, or gets it
            total = shared + factor * (1.0 - shared)
            moved = {name: factor * number / total for name, number in assumed.items()}
        else:
            moved = {
                name: factor * number / (1.0 - number + factor * number) for name, number in assumed.items()
            }
        rounded = {name: float(f"{number:.3g}") for name, number in moved.items()}
        values.append(_as_value(assumed if factor == 1 else rounded))
    return values


def _as_value(numbers: dict[Any, float]) -> Any:
    """Return one number where all classes share it."""
    first = next(iter(numbers.values()))
    return first if all(number == first for number in numbers.values()) else numbers


def _read_values(text: str, classes: Sequence[Any]) -> list[Any]:
    """Read 0.2,0.3,0.4 or oak=0.2,fir=0.1;oak=0.3,fir=0.1."""
    if "=" not in text:
        try:
            return [float(each) for each in text.replace(";", ",").split(",") if each.strip()]
        except ValueError:
            example = ",".join(f"{name}=0.{i % 8 + 1}" for i, name in enumerate(classes))
            raise CommandError(
                f"--sensitivity-values {text!r} is no list of numbers. Write 0.2,0.3,0.4 for all classes alike, or "
                f'for each of them, with a semicolon between two values: "{example};{example}".'
            ) from None
    found = [parse_shares(each, "sensitivity_values", classes) for each in text.split(";") if each.strip()]
    lacking = [name for name in classes if any(name not in value for value in found)]
    if lacking:
        raise CommandError(f"--sensitivity-values has no number for {listed(lacking)} in one of its values.")
    return found


# --- words ------------------------------------------------------------------------------------------------


def show_certainty(found: dict[str, Any]) -> None:
    """Print what was examined."""
    for result in found.values():
        typer.echo("\n" + repr(result).replace(" (see .assumptions)", ""))


def certainty_for_json(found: dict[str, Any]) -> dict[str, Any]:
    """Return the same for programs."""
    named: dict[str, Any] = {}
    if "sensitivity" in found:
        sweep = found["sensitivity"]
        named["sensitivity"] = {
            "parameter": sweep.parameter,
            "values": [
                {**line, sweep.parameter: value}
                for line, value in zip(sweep.to_frame().to_dict(orient="records"), sweep.values, strict=True)
            ],
            "always_selected": sweep.always_selected,
            "sometimes_selected": sweep.sometimes_selected,
        }
    if "stability" in found:
        halves = found["stability"]
        named["stability"] = {
            "halves": halves.n_subsamples,
            "threshold": halves.threshold,
            "false_selections_expected": halves.bound,
            "stable": halves.stable,
            "probability": dict(zip(halves.groups, halves.probabilities.tolist(), strict=True)),
        }
    return named
