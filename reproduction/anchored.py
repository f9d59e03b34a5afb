"""The paper's estimator beside the one that is held to the shares it was told, as figures 3 and 4 and both tables do.

`anchor` is 0 for everything that is the paper's, whatever the library's own defaults are.
"""

from collections.abc import Mapping

import pandas as pd

from reproduction.claims import Claim, standard_error

AS_IN_THE_PAPER = 0.0
ANCHOR = 3.0
ANCHORED = "PULasso, anchored"
NOTE = (
    f"'{ANCHORED}' is no method of the paper: the loss also holds the mean prediction to the class shares that were "
    f"told (anchor={ANCHOR:g}; 0 is the paper's estimator). All claims but those that name it are about anchor=0."
)


def excess(plain: pd.DataFrame, anchored: pd.DataFrame, by: str, column: str) -> pd.DataFrame:
    """Return by how much the anchored estimator has more of `column` than the paper's on the same data.

    One row for each value of `by`, with the mean over repetitions and its standard error.
    """
    key = [by, "repetition"]
    there = anchored.set_index(key)[column]
    more = there - plain.set_index(key)[column].reindex(there.index)
    return more.groupby(level=by, sort=False).agg(mean="mean", se=standard_error)


def no_worse(who: str, symbol: str, losses: Mapping[str, pd.DataFrame]) -> Claim:
    """Claim that no mean excess of any loss is beyond two standard errors of itself.

    Parameters
    ----------
    who, symbol : str
        What is compared, and what the points are called.
    losses : mapping from names of losses to tables
        As `excess` returns them.
    """
    # By product, not by ratio: points at which nothing differs have a standard error of zero.
    holds = {name: table["mean"] <= 2 * table["se"] for name, table in losses.items()}
    evidence = []
    for name, table in losses.items():
        at = table["mean"].idxmax()
        worst = table.loc[at]
        evidence.append(
            f"{name} at {holds[name].sum()} of {len(table)} points, on average {table['mean'].mean():+.3f}, at worst "
            f"{worst['mean']:+.3f} ± {worst['se']:.3f} at {symbol} = {at:g}"
        )
    return Claim(
        f"{who}: {ANCHORED}, is no worse than PULasso within two standard errors at any {symbol} (not in the paper)",
        bool(all(each.all() for each in holds.values())),
        "; ".join(evidence),
    )
