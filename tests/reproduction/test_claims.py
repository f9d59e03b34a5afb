"""Claims are decided by the numbers: tables made by hand on either side of each line."""

import numpy as np
import pandas as pd
import pytest

from reproduction import (
    figure_1,
    figure_2,
    figure_3,
    figure_4,
    table_1,
    table_1_choices,
    table_2,
    table_2_merged,
)
from reproduction.anchored import ANCHORED
from reproduction.claims import standard_error
from reproduction.curves import Trend
from reproduction.masked import NAIVE


def verdicts(experiment, table):
    return [claim.holds for claim in experiment.judge(table)]


def errors_by_rate(bend=1.0, second=1.0):
    """Return a table of figure 1 whose error is the rate to the power `bend`, the second line times `second`."""
    rows = []
    for part, model, _ in figure_1.PARTS:
        for s, p, factor in ((2, 100, 1.0), (3, 200, second)):
            for i, n in enumerate((1000, 2000, 4000, 8000, 16000)):
                error = factor * 10 * figure_1.rate(model, s, p, 2, n) ** bend
                cell = {"part": part, "model": model, "s": s, "p": p, "K": 2, "n": n}
                for repetition in (0, 1):
                    noise = np.exp(0.004 * (i + 1) * (-1) ** repetition)
                    errors = {**cell, "repetition": repetition, **both_errors(error * noise)}
                    rows.append({**errors, "c": 0.1, "stated_c": True})
                    rows.append({**errors, "c": np.inf, "stated_c": False, "error": 5.0})
    return pd.DataFrame(rows)


def both_errors(error, curvature=0.1, of_offsets=0.0):
    numbers = {"size_of_truth": 5.0, "bound": 6.0, "c_of_theorem": 20.0, "n_selected": 3}
    return {
        "error": error,
        "error_with_offsets": error + of_offsets,
        "curvature": curvature,
        **numbers,
    }


def test_figure_1():
    assert verdicts(figure_1, errors_by_rate()) == [True] * 16
    *bent, bounds = verdicts(figure_1, errors_by_rate(bend=3.0))
    assert bent[::3] == bent[1::3] == [False] * 5
    assert bounds
    assert verdicts(figure_1, errors_by_rate(second=1.3)) == [True, True, False] * 5 + [True]


def test_figure_1_sees_a_slope_that_a_straight_line_hides():
    """An error of x to the power 0.9 is nearly straight over these rates, but not proportional to them."""
    straight, proportional, *_ = verdicts(figure_1, errors_by_rate(bend=0.9))
    assert straight
    assert not proportional


def test_figure_1_compares_the_theorem_with_its_bound():
    table = errors_by_rate()
    last = figure_1.judge(table.assign(bound=4.0))[-1]
    assert not last.holds
    assert "2e+02 (multinomial)" in last.evidence  # a c of 20 over one of 0.1
    assert "100% of the truth" in last.evidence


def test_figure_1_names_the_point_that_is_furthest_from_its_line():
    """A point moved up by d leaves the line by 0.8 d or less: the line through five points gives way."""
    table = errors_by_rate()
    moved = table["n"] == 4000
    stated = table["stated_c"]
    spread = table[moved & stated].groupby(["part", "s"])["error"].sem().iloc[0]
    table.loc[moved & stated, "error"] += 5 * spread
    words = figure_1.judge(table)[0].evidence
    assert 3 < float(words.split("than ")[1].split()[0]) < 4.5


def test_repetitions_give_every_rate_the_same_standard_error():
    rates, numbers = [0.02, 0.04, 0.08], figure_1.repetitions_at([0.02, 0.04, 0.08], 1600)
    assert [rate / number**0.5 for rate, number in zip(rates, numbers, strict=True)] == pytest.approx(
        [0.002] * 3
    )
    assert figure_1.repetitions_at([0.001, 0.1], 10) == [2, 10]  # one repetition would have no standard error


@pytest.mark.parametrize(
    ("multinomial", "ordinal", "expected"),
    [
        ((1, 2, 3), (1, 1.1, 1), [True] * 6),
        ((1, 2, 1.9), (1, 1.1, 1), [True, False, True, True, True, True]),
        ((1, 2, 3), (2, 1.1, 1), [True, True, False, True, False, False]),
        ((1, 2, 3), (1, 1, 2), [True, True, False, False, False, False]),
    ],
)
def test_figure_2(multinomial, ordinal, expected):
    assert verdicts(figure_2, errors_by_classes(multinomial, ordinal)) == expected


def errors_by_classes(multinomial, ordinal, curvatures=(1, 1, 1), offsets=(0, 0, 0)):
    rows = []
    for model, errors in (("multinomial", multinomial), ("ordinal", ordinal)):
        for k, (error, curvature, off) in enumerate(zip(errors, curvatures, offsets, strict=True), start=1):
            for c, worse in ((0.05, 5.0), (0.1, 0.0), (0.2, 5.0)):  # another c is worse, and does not count
                cell = {"model": model, "s": 2, "p": 100, "K": k, "n": 100, "c": c}
                rows += [
                    {**cell, **both_errors(error + worse + noise, curvature, off)} for noise in (-0.01, 0.01)
                ]
    return pd.DataFrame(rows)


def test_figure_2_names_a_best_c_at_the_end_of_its_grid():
    table = errors_by_classes((1, 2, 3), (1, 1.1, 1))
    edge = figure_2.judge(table[(table["c"] > 0.05) | (table["model"] == "ordinal")])[0]
    assert not edge.holds
    assert "at an end: multinomial, s = 2, K = 1: 0.1" in edge.evidence


def test_figure_2_takes_curvature_and_thresholds_into_account():
    steep = errors_by_classes((1, 2, 3), (2, 1, 1), curvatures=(0.25, 1, 1))
    assert verdicts(figure_2, steep) == [True, True, False, True, True, False]
    more = errors_by_classes((1, 2, 3), (2, 1, 1), offsets=(0, 1, 1))
    assert verdicts(figure_2, more) == [True, True, False, True, False, True]


def comparison(x, values, gains, more=0.0, base=lambda value: 0.3 + 0.1 * value):
    """Return a table of figure 3 or 4 in which Lasso errs more by `gains`, and the anchored estimator by `more`."""
    rows = []
    for model in ("multinomial", "ordinal"):
        for value, gain in zip(values, gains, strict=True):
            for repetition in range(4):
                noise = 0.02 * (-1) ** repetition
                least = base(value)
                errors = {
                    "PULasso": least,
                    ANCHORED: least + more + noise,
                    "Lasso": least + gain + noise,
                    "constant": 0.9 + noise,
                    "oracle": least,
                }
                for method, error in errors.items():
                    cell = {"model": model, "n": 200, x: value, "repetition": repetition, "method": method}
                    numbers = dict.fromkeys(("error", "error_of_median", "error_of_mean", "rps"), error)
                    numbers |= {"error_small_test": error, "n_selected": 2, "log_loss": 1.0}
                    share = value if x == "unlabeled_share" else 1 - value
                    rows.append({**cell, **numbers, "positive_share": share})
    return pd.DataFrame(rows)


def verdict_of(experiment, table, *words):
    """Return the verdicts on all claims whose text has these words."""
    found = [claim for claim in experiment.judge(table) if all(word in claim.text for word in words)]
    assert found
    return [claim.holds for claim in found]


def test_figures_3_and_4_ask_for_two_standard_errors_at_every_point():
    for figure, x in ((figure_3, "pi_0"), (figure_4, "unlabeled_share")):
        clear = comparison(x, (0.3, 0.6, 0.9), (0.2, 0.2, 0.2))
        assert (
            verdict_of(figure, clear, "beats Lasso") == [True] * 5
        )  # one yardstick, and four of ordered classes
        once = comparison(x, (0.3, 0.6, 0.9), (0.2, 0.02, 0.2))  # 1.7 standard errors
        assert verdict_of(figure, once, "beats Lasso") == [False] * 5
        lost = next(claim for claim in figure.judge(once) if "beats Lasso" in claim.text)
        assert (
            lost.evidence
            == f"2 of 3 points; not at {'pi_0' if x == 'pi_0' else 'n_u/n'} = 0.6 (+0.020 ± 0.012)"
        )


def test_figures_3_and_4_compare_with_a_constant_by_every_yardstick():
    table = comparison("pi_0", (0.1, 0.7), (0.2, 0.2))
    assert verdict_of(figure_3, table, "beats a constant") == [True, True]
    worse = (table["model"] == "ordinal") & (table["method"] == "constant") & (table["pi_0"] == 0.7)
    table.loc[worse, "rps"] = 0.1
    assert verdict_of(figure_3, table, "beats a constant") == [True, False]


def test_a_trend_is_judged_on_the_whole_curve():
    """From end to end all of these grow; a clear step down in between decides."""
    straight = comparison("unlabeled_share", (0.3, 0.6, 0.9), (0.0, 0.3, 0.5))
    assert verdict_of(figure_4, straight, "grow with") == [True, True]
    assert verdict_of(figure_4, straight, "grows faster") == [True, True]
    bent = comparison("unlabeled_share", (0.3, 0.6, 0.9), (0.0, 0.6, 0.5))
    bent.loc[(bent["method"] == "Lasso") & (bent["repetition"] == 0), "error"] -= (
        0.02  # some noise in the steps
    )
    assert verdict_of(figure_4, bent, "grows faster") == [False, False]
    claim = next(each for each in figure_4.judge(bent) if "grows faster" in each.text)
    assert "but -0.100 ± 0.000 from 0.6 to 0.9" in claim.evidence
    assert (
        verdict_of(figure_3, comparison("pi_0", (0.1, 0.4, 0.7), (0.5, 0.2, 0.0)), "advantage") == [True] * 2
    )
    assert (
        verdict_of(figure_3, comparison("pi_0", (0.1, 0.4, 0.7), (0.1, 0.2, 0.3)), "advantage") == [False] * 2
    )


def test_a_slope_within_its_noise_is_no_trend():
    values = np.array([[0.0, 1.0], [1.0, 0.1], [0.0, 0.3]])
    assert not Trend(np.array([0.0, 1.0]), values).rises()
    slope, se = Trend(np.array([0.0, 1.0]), values).slope()
    assert slope == pytest.approx(0.4 / 3)
    assert se == pytest.approx(np.std([1.0, -0.9, 0.3], ddof=1) / 3**0.5)


def test_figure_3_looks_for_the_hardest_prevalence():
    shape = {0.1: 0.3, 0.4: 0.5, 0.7: 0.2}
    table = comparison("pi_0", tuple(shape), (0.5, 0.2, 0.0), base=shape.get)
    assert verdict_of(figure_3, table, "extremes") == [True, True]
    assert (
        verdict_of(figure_3, comparison("pi_0", (0.1, 0.4, 0.7), (0.5, 0.2, 0.0)), "extremes") == [False] * 2
    )


def test_the_footnote_of_figure_3_is_neither_judged_nor_drawn():
    table = comparison("pi_0", (0.1, 0.7), (0.2, 0.2))
    both = pd.concat([table, table.assign(n=300)], ignore_index=True)
    assert figure_3.judge(both) == figure_3.judge(table)
    assert len(figure_3.draw(both).axes) == len(figure_3.draw(table).axes)
    assert set(figure_3.summarize(both)["n"]) == {200, 300}


@pytest.mark.parametrize(("figure", "x"), [(figure_3, "pi_0"), (figure_4, "unlabeled_share")])
def test_figures_say_where_the_anchored_curve_is_worse(figure, x):
    """The noise of 0.02 over four repetitions is a standard error of 0.0115."""

    def anchored(table):
        return [claim for claim in figure.judge(table) if ANCHORED in claim.text]

    assert [claim.holds for claim in anchored(comparison(x, (0.3, 0.9), (0.1, 0.4), more=0.02))] == [True] * 2
    worse = comparison(x, (0.3, 0.9), (0.1, 0.4), more=-0.1)
    worse.loc[(worse["method"] == ANCHORED) & (worse[x] == 0.9), "error"] += 0.15
    assert [claim.holds for claim in anchored(worse)] == [False] * 2
    assert "error at 1 of 2 points, on average -0.025, at worst +0.050 ± 0.012" in anchored(worse)[0].evidence
    by_log_loss = comparison(x, (0.3, 0.9), (0.1, 0.4))
    by_log_loss.loc[
        (by_log_loss["method"] == ANCHORED) & (by_log_loss["model"] == "ordinal"), "log_loss"
    ] += 0.1
    assert [claim.holds for claim in anchored(by_log_loss)] == [True, False]


def test_the_claims_of_the_paper_do_not_ask_the_anchored_estimator():
    same, other = (comparison("pi_0", (0.1, 0.4, 0.7), (0.5, 0.2, 0.0), more=more) for more in (0.0, 0.9))
    of_paper = [
        [claim for claim in figure_3.judge(table) if ANCHORED not in claim.text] for table in (same, other)
    ]
    assert of_paper[0] == of_paper[1]
    published = masked("accuracy", table_1.PUBLISHED)
    low = masked("accuracy", {(0.6, 0.6): 0.1, (0.8, 0.8): 0.1}).assign(anchor=3.0)
    claims = table_1.judge(pd.concat([published, low], ignore_index=True))
    assert claims[:-1] == table_1.judge(published)
    assert not claims[-1].holds
    assert "error at 0 of 2 points" in claims[-1].evidence


def masked(score, values, change=None):
    """Return a table of splits with a little noise from {(pi, assumed): value}."""
    rows = []
    for (pi, assumed), value in values.items():
        for repetition in range(2):
            cell = {"pi": pi, "assumed": assumed, "repetition": repetition, "n_selected": 5, "rule": "min"}
            cell |= {"anchor": 0.0, "class_0": 0.2, "told_class_0": 0.1}
            cell |= {"change": change} if change else {}
            rows.append(
                {
                    **cell,
                    "accuracy": 0.5,
                    "mse": 1.0,
                    "mse_of_mean": 1.0,
                    "mse_of_median": 1.0,
                    "mse_of_constant": 3.5,
                    "rps": 0.5,
                    score: value + 0.001 * repetition,
                }
            )
    return pd.DataFrame(rows)


def test_the_published_numbers_pass_their_own_claims():
    """Except the diagonal at 0.4, which the paper does not have."""
    assert all(verdicts(table_1, masked("accuracy", table_1.PUBLISHED)))
    by_mode = verdict_of(table_2, masked("mse", table_2.PUBLISHED), "most probable", "than Lasso")
    assert by_mode == [True]
    assert table_1.PUBLISHED[0.6, 0.6] == 0.98
    assert table_2.PUBLISHED[0.8, NAIVE] == 7.97


def test_tables_notice_what_does_not_hold():
    worse = {**table_1.PUBLISHED, (0.6, 0.6): 0.95, (0.6, 0.7): 0.96, (0.4, 0.9): 0.2}
    claims = {claim.text: claim.holds for claim in table_1.judge(masked("accuracy", worse))}
    failed = [text for text, holds in claims.items() if not holds]
    expected = ["pi = pi_hat = 0.6, lam of the least loss", "pi = 0.4", "pi = 0.6"]
    assert [text.split(":")[0] for text in failed] == expected
    worse = masked("mse", {**table_2.PUBLISHED, (0.7, 0.6): 9.5})
    claim = next(claim for claim in table_2.judge(worse) if "most probable" in claim.text)
    assert not claim.holds
    assert "-0.14 ± 0.00 at 0.7 told 0.6" in claim.evidence
    assert verdict_of(table_2, worse, "than Lasso", "ranked") == [False]  # equal scores are no gain


def test_table_2_compares_with_a_constant_by_every_error():
    table = masked("mse", {(0.6, NAIVE): 9.0, (0.6, 0.6): 3.4}).assign(mse_of_median=3.6)
    assert verdict_of(table_2, table, "constant", "probable") == [True]
    assert verdict_of(table_2, table, "constant", "median") == [False]
    assert verdict_of(table_2, table, "constant", "expected") == [True]


def test_both_readings_of_table_2_are_judged_alike():
    assert table_2_merged.judge is table_2.judge
    settings = table_2_merged.SETTINGS["paper"]
    assert settings["assumed"] == table_2.SETTINGS["paper"]["assumed"]
    assert settings["design"]["data"] != table_2.SETTINGS["paper"]["design"]["data"]


def test_table_1_judges_the_diagonal_by_both_rules():
    first = masked("accuracy", {**table_1.PUBLISHED, (0.6, 0.6): 0.95})
    again = masked("accuracy", {(0.6, 0.6): 0.97, (0.8, 0.8): 0.9}).assign(rule="1se")
    claims = [claim for claim in table_1.judge(pd.concat([first, again])) if "pi_hat = 0" in claim.text]
    assert [claim.holds for claim in claims] == [False, True, True, False]
    assert "one-standard-error" in claims[1].text
    assert "1se" not in table_1.beside_paper(first).columns[-1]


@pytest.mark.parametrize("experiment", [table_1, table_2])
def test_tables_are_drawn_beside_the_paper(experiment):
    score = "accuracy" if experiment is table_1 else "mse"
    figure = experiment.draw(masked(score, experiment.PUBLISHED))
    assert len(figure.axes) == (4 if experiment is table_1 else 6)
    assert "PULasso in the paper" in figure.axes[0].get_legend_handles_labels()[1]


def test_tables_show_the_anchored_estimator_and_the_share_of_class_0():
    plain = masked("mse", table_2.PUBLISHED)
    diagonal = {(pi, pi): 3.0 for pi in (0.6, 0.7, 0.8)}
    table = pd.concat([plain, masked("mse", diagonal).assign(anchor=3.0, class_0=0.11)], ignore_index=True)
    beside = table_2.beside_paper(table).set_index("pi")
    assert beside["pi_hat = pi, anchored"].tolist() == ["3.00 ± 0.00"] * 3
    assert beside.loc["0.6", "told P(class 0)"] == "10.0%"
    assert beside.loc["0.6", "P(class 0), pi_hat = pi"] == "20.0%"
    assert beside.loc["0.6", "P(class 0), anchored"] == "11.0%"
    assert verdicts(table_2, table)[-1] is True
    labels = table_2.draw(table).axes[-1].get_legend_handles_labels()[1]
    assert ANCHORED in labels
    assert ANCHORED not in table_2.draw(plain).axes[-1].get_legend_handles_labels()[1]


def test_choices_are_compared_on_the_same_splits():
    base = masked("accuracy", {(0.6, NAIVE): 0.5, (0.6, 0.6): 0.9}, "as in the table")
    other = masked("accuracy", {(0.6, NAIVE): 0.6, (0.6, 0.6): 0.8}, "groups: entries")
    table = pd.concat([base, other], ignore_index=True)
    summary = table_1_choices.summarize(table).set_index(["method", "change"])
    assert summary.loc[("PULasso", "groups: entries"), "difference"] == pytest.approx(-0.1)
    assert summary.loc[("PULasso", "groups: entries"), "difference_se"] == pytest.approx(0.0, abs=1e-12)
    assert verdicts(table_1_choices, table) == [True]
    noisy = table.copy()
    noisy.loc[(noisy["change"] == "groups: entries") & (noisy["repetition"] == 0), "accuracy"] = 0.6
    assert "not groups: entries at 0.6" in table_1_choices.judge(noisy)[0].evidence


def test_choices_far_off_are_arrows_with_their_difference():
    base = masked("accuracy", {(0.6, NAIVE): 0.5, (0.6, 0.6): 0.9}, "as in the table")
    far = masked("accuracy", {(0.6, NAIVE): 0.5, (0.6, 0.6): 0.4}, "columns as they come")
    ours, _ = table_1_choices.draw(pd.concat([base, far], ignore_index=True)).axes
    assert [text.get_text() for text in ours.texts] == ["-50.0%"]
    assert max(map(abs, ours.get_xlim())) < 0.02


def test_one_repetition_proves_nothing():
    assert standard_error([1.0]) == np.inf
