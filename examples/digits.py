"""Handwritten digits with half of the labels lost: from a table to a report, by the command line.

Every image of scikit-learn's digits is a row of 8 x 8 grey values. Of the images of 1, 2, ... 9 only half keep
their label; the others join the images of 0 among the unlabeled. Two thirds of the rows go to `pulasso cv`,
which does not know the rest:

    pulasso cv labels.csv --label digit --scenario single-training-set --label-frequency 0.5 ...

The other third then tells how good the model really is, and what treating unlabeled as 0 would have cost.

    python examples/digits.py --out runs/digits
"""

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import pulasso
from pulasso import MultinomialPULassoCV
from pulasso.datasets import mask_labels
from pulasso.metrics import pu_accuracy

LABEL_FREQUENCY = 0.5
ASSUMED = {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY}
PATH = {"n_lams": 20}


def make_tables(n_images, seed):
    """Return a table of masked labels to learn from, one to judge by, and the true digits of the second."""
    images, digits = load_digits(return_X_y=True)
    names = [f"row {i // 8 + 1} column {i % 8 + 1}" for i in range(images.shape[1])]
    table = pd.DataFrame(images[:n_images].astype(int), columns=names)
    table.insert(0, "digit", mask_labels(digits[:n_images], LABEL_FREQUENCY, random_state=seed))
    learn, judge, _, truth = train_test_split(
        table, digits[:n_images], test_size=1 / 3, random_state=seed, stratify=digits[:n_images]
    )
    return learn, judge, truth


def run_cv(table, out):
    """Run `pulasso cv` as a user would; its own words go to the terminal."""
    options = {"--label": "digit", "--unlabeled": 0, "--scenario": ASSUMED["scenario"]}
    options |= {"--label-frequency": LABEL_FREQUENCY, "--n-lams": PATH["n_lams"]}
    options |= {"--jobs": 2, "--out": out}
    words = ["cv", table, *(word for pair in options.items() for word in pair), "--force"]
    words = [str(word) for word in words]
    print(f"$ pulasso {shlex.join(words)}\n", flush=True)
    subprocess.run([sys.executable, "-m", "pulasso.cli.main", *words], check=True)


def findings(model, learn, judge, truth):
    """Return three sentences about the model, judged by rows that it has not seen."""
    x, z = judge.drop(columns="digit"), judge["digit"]
    predicted = model.predict(x)
    estimate = pu_accuracy(z, predicted, unlabeled=0, **ASSUMED)
    # Estimates from labels alone may lie a little outside of what a share can be.
    share, low, high = np.clip([estimate.value, *estimate.interval()], 0.0, 1.0)
    naive = MultinomialPULassoCV(scenario="fully-observed", unlabeled=0, random_state=0, n_jobs=2, **PATH)
    naive.fit(learn.drop(columns="digit"), learn["digit"])
    n_selected = int(model.coef_.any(axis=0).sum())
    return (
        f"{n_selected} of {x.shape[1]} pixels tell the digits apart.",
        f"{len(z)} new images: {100 * (predicted == truth).mean():.1f} % are read correctly; estimated from their "
        f"labels, half of which are lost, {100 * share:.1f} % ({100 * low:.0f} to {100 * high:.0f} %).",
        f"A model that takes unlabeled for 0 reads {100 * (naive.predict(x) == truth).mean():.1f} %.",
    )


def main():
    """Write the tables, run the command, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/digits"))
    parser.add_argument("--images", type=int, default=1797, help="how many images to use")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    learn, judge, truth = make_tables(options.images, options.seed)
    learn.to_csv(options.out / "labels.csv", index=False)
    run_cv(options.out / "labels.csv", options.out)
    print("\nFindings:")
    for sentence in findings(pulasso.load(options.out / "model"), learn, judge, truth):
        print(f"- {sentence}")
    print(f"Report: {options.out / 'report.html'}")


if __name__ == "__main__":
    main()
