"""Checks of the numbers that penalties hold."""

from typing import Any

from pulasso.exceptions import InputError

__all__ = ["check_above", "check_ratio"]


def _number(name: str, value: Any) -> float:
    try:
        return float(value) if not isinstance(value, bool | str) else float("nan")
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def check_ratio(name: str, value: Any, *, zero_allowed: bool) -> None:
    """Refuse what is no share of the penalty."""
    number = _number(name, value)
    if not (number >= 0 if zero_allowed else number > 0) or not number <= 1:
        bounds = "[0, 1]" if zero_allowed else "(0, 1]"
        raise InputError(f"{name}={value!r} is not a number in {bounds}.", parameter=name)


def check_above(name: str, value: Any, bound: float) -> None:
    """Refuse what is no finite number above a bound."""
    if not bound < _number(name, value) < float("inf"):
        raise InputError(f"{name}={value!r} is not a finite number above {bound:g}.", parameter=name)
