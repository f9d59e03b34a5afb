"""Numerical torture: both models, all scenarios and solvers on data on which numerical code breaks.

    python torture/numerics.py [--seeds 3] [--case scales]

Every answer must be finite, certified or warned about, and its certificate must agree with one that is computed from
the public attributes in extended precision. The last line is the figure.
"""

import argparse
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np

from pulasso.solvers import SOLVERS
from support.hard_cases import CASES
from support.hard_fits import MODELS, fit_case

LAM_RATIOS = (0.7, 0.05)
# Slow solvers get steps enough for easy problems; where they do not arrive they must say so.
MAX_ITER = {"working-set": 300, "proximal-gradient": 100, "em": 5}
GROUPS = {"multinomial": ("rows", "entries"), "ordinal": ("entries",)}


def settings_of(case):
    """Yield every combination of model, scenario, solver and settings that the case allows."""
    scenarios = CASES[case](np.random.default_rng(0)).scenarios
    for model, scenario, solver in product(MODELS, scenarios, SOLVERS):
        ratios = LAM_RATIOS if case != "many_classes" else LAM_RATIOS[:1]  # 50 classes take their time
        for groups, standardize, ratio in product(GROUPS[model], (True, False), ratios):
            yield model, scenario, solver, {"groups": groups, "standardize": standardize, "lam_ratio": ratio}


def main():
    """Run all cases, print one line for each, and say what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--case", choices=CASES)
    arguments = parser.parse_args()
    wrong, n_fits, missed = [], 0, Counter()
    for case in [arguments.case] if arguments.case else CASES:
        started, n_before, missed_here = process_time(), n_fits, Counter()
        for (model, scenario, solver, settings), seed in product(settings_of(case), range(arguments.seeds)):
            where = f"{case} {model} {scenario} {solver} {settings} seed={seed}"
            try:
                verdict = fit_case(
                    case, model, scenario, solver, seed=seed, max_iter=MAX_ITER[solver], **settings
                )
                words = verdict.wrong
                missed_here[solver] += not verdict.converged
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
            n_fits += 1
            if words:
                wrong.append(f"{where}: {words}")
                print(f"WRONG {wrong[-1]}", flush=True)
        missed += missed_here
        not_reached = ", ".join(f"{name} {missed_here[name]}" for name in SOLVERS)
        print(
            f"{case:18s}{n_fits - n_before:5d} fits, {process_time() - started:6.1f} s; warned: {not_reached}",
            flush=True,
        )
    print(f"{n_fits} hard fits: {len(wrong)} wrong; {missed['working-set']} warned of by the default solver")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
