"""Figure 1: the estimation error is a straight line in the rate of the theorems."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import linregress

from reproduction.cells import at_scale, repetitions, run_cells
from reproduction.claims import Claim
from reproduction.drawing import LOOKS, band, legend_below, panels
from reproduction.estimation import CASE_CONTROL, SINGLE, estimate, mean_errors, size
from reproduction.slopes import between_points, within_truths

TITLE = "Figure 1: error against the theoretical rate"
PAPER = (
    "K = 2, two pairs of sparsity s and dimension p, several n, case-control data. The mean of ||Theta_hat - "
    "Theta*||_F (multinomial, one group per feature) against sqrt(s(log p + K)/n), and of ||theta_hat - theta*||_2 "
    "(ordinal, single entries) against sqrt(s log p/n): straight lines, close to each other. The paper gives "
    "neither the pairs nor c of lam = c sqrt(log p/n)."
)
NOTES = (
    "Choices: the pairs (s, p) = (2, 100) and (3, 200), n from the rates on the axis, and one c per model "
    "for both pairs: the one with the smallest mean error of a coarse grid in a pilot run, which is what "
    "'appropriately chosen' can mean when the truth is known. The table holds other values of c, and the "
    "thin lines show them. The multinomial model asks for a smaller c and for more rows than the ordinal "
    "one: that all classes 1..K rise together against class 0 is seen through unlabeled rows only, and in "
    "this direction the curvature is small, so a strong penalty keeps the coefficients at zero there. Its rates "
    "end at 0.06 for the same reason: with fewer rows the error nears the size of the truth itself, which it does "
    "not exceed, and the line must bend, as those of the strongest penalties do within the figure.",
    "Repetitions are in proportion to 1/n. Error and spread are both proportional to the rate, so points at large "
    "rates, where rows are few and cheap, need the most; in this way all points have about the same standard "
    "error. Ten repetitions everywhere gave R² of 0.97 and 0.94 for the ordinal lines, which was noise and no bend: "
    "the claims say how many standard errors points are off their lines.",
    "A straight line need not be proportional to the rate, so slopes of logarithms stand beside R². 'On the same "
    "truths' compares the errors of one and the same truth at several rates: rates have different numbers of "
    "repetitions, and so other truths.",
    "One slope is off: .925 ± .032 for the ordinal line with s = 3 and p = 200, through its points, and .921 ± .040 on "
    "the same truths, so other truths at other rates are not the reason. Nor is chance: with --seed 1 it is .907 ± "
    ".030. The error over the rate is 4.0 to 4.1 up to a rate of 0.05 in both runs, and 3.76 to 3.82 beyond: the line "
    "is straight where errors are small against coefficients of 0.5 to 1, as the theorem has it, and bends a little "
    "below beyond. It depends on c: at half of this c the slopes are 1.04 and 1.03, at four times it 1.04 and 1.07.",
    "'Lam of the theorem' is its smallest lam with C = 1, for the truth of each repetition; C_x is the largest entry "
    "of X, which the theorem bounds and a normal distribution does not. It is far above lam_max, so nothing is "
    "selected, and the dotted lines stand at the size of the truth at every n; they fall like the others once n is "
    "larger by the square of how many times that lam is too large. The bounds hold because they are large. The "
    "theorems say how errors shrink with n, s and p; their constants are no guide to lam.",
    "The third panel is the paper's conjecture: the ordinal model in a single training set, half of all positive "
    "labels observed, for which it has no theorem. The same c and rates as in the second panel. Its lines are "
    "straight, too, with slopes a little below one: .81 and .91 with s = 2, 1.00 and .90 with s = 3, in runs with "
    "--seed 0 and 1; they differ by more than their standard errors, as a small rate has only ten truths. At half of "
    "this c they are .97 and .99, so that it is again the larger penalty that bends the line.",
    "The paper's theta of the ordinal model has the first threshold and the gaps between thresholds as entries. "
    "Whether the figure counts them is not said; claims that do are marked.",
    "The text has sqrt((s log p + K)/n) for the multinomial model, the caption and the theorem sqrt(s(log p "
    "+ K)/n). The lines are straight in both, as both are proportional to 1/sqrt(n); how close they are to "
    "each other is given for both.",
)

R2_ASKED = 0.98
GAP_ASKED = 0.15  # lines that differ by less look like one
# The panels: what they are called, model and scenario. The last one is the paper's conjecture.
PARTS = (
    ("multinomial", "multinomial", CASE_CONTROL),
    ("ordinal", "ordinal", CASE_CONTROL),
    ("ordinal, single training set", "ordinal", SINGLE),
)
# What is called the error: words about it, its column, and that of its standard error.
_OF_COEFFICIENTS = ("", "error", "se")
_OF_ALL = (", thresholds counted,", "error_with_offsets", "se_with_offsets")
_COMMON = {
    "lines": ((2, 100), (3, 200)),
    "K": 2,
    "c": {"multinomial": 0.09, "ordinal": 0.2},
    "c_multiples": (4.0, 2.0, 1.0, 0.5),
    "tol": 1e-6,
}
_RATES = {"multinomial": (0.02, 0.03, 0.04, 0.05, 0.06), "ordinal": (0.02, 0.035, 0.05, 0.065, 0.08)}
_TINY = {"multinomial": (0.08, 0.12), "ordinal": (0.1, 0.14)}
# Repetitions are those at the largest rate; see `repetitions_at`.
SETTINGS = {
    "tiny": {**_COMMON, "rates": _TINY, "repetitions": {"multinomial": 2, "ordinal": 2}},
    "quick": {**_COMMON, "rates": _RATES, "repetitions": {"multinomial": 40, "ordinal": 100}},
    "paper": {**_COMMON, "rates": _RATES, "repetitions": {"multinomial": 80, "ordinal": 160}},
}
LEAST_REPETITIONS = 2


def rate(model: str, s: int, p: int, k: int, n: float) -> float:
    """Return the rate of the theorems: for the multinomial model groups of size K count."""
    return float(np.sqrt(s * (np.log(p) + (k if model == "multinomial" else 0)) / n))


def repetitions_at(rates: Sequence[float], most: int) -> list[int]:
    """Return how often each rate is repeated: as 1/n, so that every point costs the same and is as sure as the others.

    An error and its spread are both proportional to the rate x, and n to 1/x^2: repetitions in proportion to x^2 give
    all points the same standard error. That makes R^2 most of what the work can make of it.

    Examples
    --------
    >>> repetitions_at([0.02, 0.04, 0.08], 80)
    [5, 20, 80]
    """
    return [max(LEAST_REPETITIONS, round(most * (x / max(rates)) ** 2)) for x in rates]


def run(scale: str = "quick", seed: int = 0, **how: Any) -> pd.DataFrame:
    """Return the error of every repetition, one row for each c."""
    settings = at_scale(SETTINGS, scale)
    k, tables = settings["K"], []
    for name, model, scenario in PARTS:
        cells = []
        for s, p in settings["lines"]:
            for x in settings["rates"][model]:
                n = size((rate(model, s, p, k, 1) / x) ** 2, k)
                cells.append({"model": model, "scenario": scenario, "s": s, "p": p, "K": k, "n": n})
        cs = [settings["c"][model] * multiple for multiple in settings["c_multiples"]]
        fixed = {"cs": cs, "tol": settings["tol"]}
        numbers = repetitions_at(settings["rates"][model], settings["repetitions"][model])
        all_cells = repetitions(cells, numbers * len(settings["lines"]))
        table = run_cells(f"figure-1 {name}", estimate, all_cells, fixed, seed, **how)
        tables.append(table.assign(part=name, stated_c=np.isclose(table["c"], settings["c"][model])))
    return pd.concat(tables, ignore_index=True)


def with_rate(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the theoretical rate of every row."""
    keys = zip(*(table[name] for name in ("model", "s", "p", "K", "n")), strict=True)
    return table.assign(rate=[rate(*key) for key in keys])


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors beside both readings of the rate, and beside the theorem's lam and bound."""
    means = with_rate(mean_errors(table, ["part", "model", "s", "p", "K", "n", "c", "stated_c"]))
    other = np.sqrt((means["s"] * np.log(means["p"]) + means["K"]) / means["n"])
    return means.assign(rate_of_the_text=other.where(means["model"] == "multinomial", means["rate"]))


def judge(table: pd.DataFrame) -> list[Claim]:
    """Straight, of slope one in logarithms, and close to each other; ordinal with and without thresholds."""
    means = summarize(table)
    claims = []
    for part in means["part"].unique():
        for words, column, se in (_OF_COEFFICIENTS, _OF_ALL)[: 1 if part == "multinomial" else 2]:
            stated = means[(means["part"] == part) & means["stated_c"]]
            lines = [line for _, line in stated.groupby(["s", "p"], sort=False)]
            r2 = [linregress(line["rate"], line[column]).rvalue ** 2 for line in lines]
            apart = [_deviation(line, column, se) for line in lines]
            straight = Claim(
                f"{part}: the error{words} is a straight line in the rate (R² > {R2_ASKED})",
                bool(min(r2) > R2_ASKED),
                f"R² {_both(r2, '.4f')}; no point is further from its line than {_both(apart, '.1f')} standard errors",
            )
            rows = with_rate(table[(table["part"] == part) & table["stated_c"]])
            claims += [straight, _slope_is_one(part, words, lines, rows, column, se)]
            gap = _gap(lines, "rate", column)
            evidence = f"the two lines differ by at most {gap:.1%} of their height"
            if part == "multinomial":
                evidence += f"; with the rate as in the text by {_gap(lines, 'rate_of_the_text', column):.1%}"
            words = f"{part}: the two lines{words} are close (within {GAP_ASKED:.0%})"
            claims.append(Claim(words, bool(gap < GAP_ASKED), evidence))
    return [*claims, _bounds_hold(means)]


def _slope_is_one(
    part: str, words: str, lines: list[pd.DataFrame], rows: pd.DataFrame, column: str, se: str
) -> Claim:
    by_points = [between_points(line, column, se) for line in lines]
    by_truths = [within_truths(line, column) for _, line in rows.groupby(["s", "p"], sort=False)]
    return Claim(
        f"{part}: the error{words} is proportional to the rate: slopes of logarithms are 1 within two standard errors",
        all(slope.is_one() for slope in by_truths),
        f"on the same truths {_both(by_truths, '')}; through the points of the figure {_both(by_points, '')}",
    )


def _bounds_hold(means: pd.DataFrame) -> Claim:
    """Claim that no error is above the theorem's bound, and say what its lam does."""
    theirs = means[np.isinf(means["c"])]
    share = (theirs["error"] / theirs["size_of_truth"]).min()
    known = means[np.isfinite(means["c"])].groupby("part", sort=False)["c"].max()
    times = (theirs.groupby("part", sort=False)["c_of_theorem"].median() / known).reindex(known.index)
    return Claim(
        "errors at the lam of the theorems stay below their bounds, with C = 1 and the largest entry of X as bound of "
        "X",
        bool((theirs["error"] < theirs["bound"]).all()),
        f"bounds from {theirs['bound'].min():.0e} to {theirs['bound'].max():.0e}; that lam is "
        + ", ".join(f"{times[part]:.0e} ({part})" for part in times.index)
        + f" times the largest one tried, and leaves at least {share:.0%} of the truth to be found",
    )


def _both(values: Sequence[Any], digits: str) -> str:
    return " and ".join(format(value, digits) for value in values)


def _deviation(part: pd.DataFrame, column: str, se: str) -> float:
    """Return by how many standard errors the furthest point lies off the line through all."""
    line = linregress(part["rate"], part[column])
    return float(((part[column] - line.slope * part["rate"] - line.intercept).abs() / part[se]).max())


def _gap(lines: list[pd.DataFrame], rate: str, error: str) -> float:
    """Return the largest difference of two fitted lines over their common range, relative to their mean."""
    ends = [max(part[rate].min() for part in lines), min(part[rate].max() for part in lines)]
    fits = [linregress(part[rate], part[error]) for part in lines]
    at = [[fit.slope * end + fit.intercept for end in ends] for fit in fits]
    return max(abs(a - b) / (0.5 * (a + b)) for a, b in zip(*at, strict=True))


def draw(table: pd.DataFrame) -> Figure:
    """Draw errors against the rate, one panel per part; thin lines are other values of c, and the theorem's."""
    means = summarize(table)
    parts = means["part"].unique().tolist()
    figure, axes = panels(len(parts))
    # No root signs: their bars are lost in an SVG whose text stays text.
    axis = {"multinomial": r"$(s\,(\log p + K)/n)^{1/2}$", "ordinal": r"$(s\,\log p/n)^{1/2}$"}
    for ax, part in zip(axes, parts, strict=True):
        here = means[means["part"] == part]
        for look, ((s, p), line) in zip(LOOKS, here.groupby(["s", "p"], sort=False), strict=False):
            name = f"s = {s}, p = {p}"
            for c, at_c in line.groupby("c"):
                thin = {"color": look["color"], "linewidth": 0.8}
                if at_c["stated_c"].all():
                    band(ax, at_c["rate"], at_c["error"], at_c["se"], look, label=name)
                elif np.isinf(c):
                    ax.plot(
                        at_c["rate"],
                        at_c["error"],
                        **thin,
                        linestyle=":",
                        label=f"{name}, lam of the theorem",
                    )
                else:
                    ax.plot(at_c["rate"], at_c["error"], **thin, alpha=0.3, label=f"{name}, other c")
        c = here.loc[here["stated_c"], "c"].iloc[0]
        ax.set(title=f"{part}, c = {c:g}", xlabel=axis[here["model"].iloc[0]], ylabel="mean estimation error")
        ax.title.set_fontsize(9)
        ax.set(xlim=(0, None), ylim=(0, None))
    legend_below(figure)
    return figure
