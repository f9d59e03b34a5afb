"""What a comparison found, and a verdict in plain words on whether a flexible learner is worth it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pulasso._messages import listed
from pulasso.model_selection.learners import LEARNERS
from pulasso.tables import make_frame, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["LINEAR", "SCORES", "Comparison"]

SCORES = ("accuracy", "balanced accuracy", "log-loss", "AUC")
LINEAR = "pulasso"  # the model that others are compared with
# Standard errors beyond which a difference is hardly chance, and those below which it looks like nothing else.
SURE, NOTHING = 2.0, 1.0
LITTLE = 0.01  # of the linear model's loss: less changes no decision
KEEP = "Keep the linear model, which can be read."


@dataclass(frozen=True)
class Comparison:
    """Scores of several models, each from predictions of rows that its fits did not see.

    Attributes
    ----------
    lines : sequence of dict
        One for each model: "model", the scores of the true classes ("accuracy", "balanced accuracy", "log-loss",
        "AUC"), their standard errors ("accuracy se", ...), and "seconds" of computing. Where "pulasso" is among the
        models also "difference", the log-loss less that of "pulasso", and "difference se": of the same rows, so that
        it is known far better than the two losses.
    """

    lines: Sequence[Mapping[str, Any]]

    @property
    def verdict(self) -> str:
        """Whether boosted trees or a network are worth it; empty unless compared with "pulasso"."""
        return verdict_on(self.lines)

    def to_frame(self) -> "DataFrame":
        """Return one row for each model."""
        return make_frame(list(self.lines))

    def __repr__(self) -> str:
        lines = sorted(self.lines, key=lambda line: line["log-loss"])
        paired = (
            {f"log-loss - {LINEAR}'s": "difference"} if any("difference" in line for line in lines) else {}
        )
        rows = [
            [
                line["model"],
                *(_with_error(line, name) for name in SCORES),
                *(
                    _with_error(line, name, "+") if line["model"] != LINEAR else ""
                    for name in paired.values()
                ),
                f"{line['seconds']:.1f}",
            ]
            for line in lines
        ]
        title = "Scores of the true classes, estimated from observed labels (± standard error)"
        shown = [title, *text_table(["model", *SCORES, *paired, "seconds"], rows)]
        infinite = [line["model"] for line in self.lines if np.isinf(line["log-loss"])]
        if infinite:
            why = "Infinite: it gives probability 0 to a class that some row has."
            shown.append(f"  {why} Affected: {listed(infinite, show=str)}.")
        return "\n".join([*shown, *([self.verdict] if self.verdict else [])])


def _with_error(line: Mapping[str, Any], name: str, sign: str = "") -> str:
    if not np.isfinite(line[name]):
        return "infinite" if np.isinf(line[name]) else "unknown"
    return f"{line[name]:{sign}.3f} ± {line[f'{name} se']:.3f}"


def verdict_on(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return a verdict on every flexible learner among the compared models; nothing without the linear one."""
    by_name = {line["model"]: line for line in lines}
    if LINEAR not in by_name:
        return ""
    found = [
        _judge(LEARNERS[name].called, by_name[name], by_name[LINEAR]) for name in by_name if name in LEARNERS
    ]
    return " ".join(found)


def _judge(called: str, flexible: Mapping[str, Any], linear: Mapping[str, Any]) -> str:
    gain, error = -flexible["difference"], flexible["difference se"]
    losses = flexible["log-loss"], linear["log-loss"]
    if not np.isfinite([gain, error, *losses]).all():
        return f"{called} not comparable with the linear model: a loss is infinite. {KEEP}"
    shown = f"log-loss {losses[0]:.3f} against {losses[1]:.3f} (difference {abs(gain):.3f} ± {error:.3f})"
    if gain < -SURE * error:
        return f"{called} worse than the linear model: {shown}. {KEEP}"
    if gain <= NOTHING * error:
        return f"{called} no better than the linear model: {shown}. {KEEP}"
    if gain <= SURE * error:
        more = "Compare again with more rows, or keep the linear model, which can be read."
        return f"{called} perhaps better than the linear model, perhaps not: {shown}. {more}"
    if gain < LITTLE * losses[1]:
        return f"{called} better than the linear model, but by less than 1 %: {shown}. {KEEP}"
    return f"{called} better than the linear model: {shown}. Use the linear model only where it must be read."
