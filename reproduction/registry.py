"""All experiments by name, in the order of the paper."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from pulasso._messages import did_you_mean, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from reproduction.claims import Claim

SCALES = ("tiny", "quick", "paper")
NAMES = (
    "figure-1",
    "figure-2",
    "figure-2-wide",
    "figure-3",
    "figure-4",
    "table-1",
    "table-1-early",
    "table-1-lams",
    "table-1-choices",
    "table-2",
    "table-2-merged",
    "table-2-choices",
    "pgd-vs-em",
    "rsc",
)


class Experiment(Protocol):
    """What the file of every experiment offers."""

    TITLE: str
    PAPER: str  # what the paper does and says
    NOTES: tuple[str, ...]  # paragraphs: readings we chose, and where our numbers differ and why
    SETTINGS: Mapping[str, Mapping[str, Any]]  # by scale

    def run(self, scale: str = "quick", seed: int = 0, **how: Any) -> "DataFrame":
        """Return one row for each repetition and setting; `how` goes to `run_cells`."""
        ...

    def summarize(self, table: "DataFrame") -> "DataFrame":
        """Return means and standard errors, with the paper's numbers beside them where it has any."""
        ...

    def judge(self, table: "DataFrame") -> "list[Claim]":
        """Say which of the paper's claims the table supports."""
        ...

    def draw(self, table: "DataFrame") -> "Figure":
        """Draw the table; a saved one can be drawn again."""
        ...


def get_experiment(name: str) -> Experiment:
    """Return the experiment of this name.

    Examples
    --------
    >>> get_experiment("table-1").TITLE
    'Table 1: digits with lost labels'
    """
    if name not in NAMES:
        hint = did_you_mean(name, [*NAMES, "all"])
        raise ValueError(f"There is no experiment {name!r}.{hint} Known are 'all', {listed(NAMES)}.")
    return cast(Experiment, import_module(f"reproduction.{name.replace('-', '_')}"))


def names_wanted(asked: Iterable[str]) -> list[str]:
    """Return the names that a user asked for, each once, with "all" written out."""
    names = [each for name in asked for each in (NAMES if name == "all" else (name,))]
    return list(dict.fromkeys(names))
