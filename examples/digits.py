"""Handwritten digits with half of the labels lost: what the labelling scenario is worth.

Every image of scikit-learn's digits is a sample of 8 x 8 grey values. Of the images of classes 1, 2, ... only
half keep their label; the others join the unlabeled images, as if they were class 0. Two questions are asked:

- Which digit is it? (multinomial, digit 0 is class 0)
- How many closed loops does it have, 0, 1 or 2? (ordinal)

For each, a model that takes unlabeled for class 0 ("naive") is compared with one that knows the label
frequency, and with one that was given all labels, as the best that could be hoped for. The penalty is chosen
without looking at true classes, by the log-likelihood of the observed labels of validation images.

    python examples/digits.py --out runs/digits
"""

import argparse
import base64
import io
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from time import perf_counter

import matplotlib

matplotlib.use("Agg")  # figures go to files; no window is needed

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from pulasso import PathResult, fit_path

LABEL_FREQUENCY = 0.5
LOOPS = np.array([1, 0, 0, 0, 0, 0, 1, 0, 2, 1])  # closed loops of the digits 0..9
# Okabe and Ito's palette keeps apart for all kinds of colour vision.
COLOURS = {"naive": "#E69F00", "pulasso": "#0072B2", "all labels": "#8C8C8C"}
WORDS = {
    "naive": "naive: unlabeled means class 0",
    "pulasso": "pulasso: knows that half of the labels are lost",
    "all labels": "all labels known (the ceiling)",
}


@dataclass(frozen=True)
class Split:
    """Features, true classes and observed labels of one part of the images."""

    features: np.ndarray
    truth: np.ndarray
    observed: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """One fitted model, chosen along its path, with its errors on the test images."""

    name: str
    path: PathResult
    scores: np.ndarray
    best: int
    truth: np.ndarray
    predicted: np.ndarray
    seconds: float

    @property
    def model(self):
        return self.path.model(self.best)

    @property
    def accuracy(self):
        return float(np.mean(self.predicted == self.truth))

    @property
    def mean_error(self):
        return float(np.mean(np.abs(self.predicted - self.truth)))

    @property
    def n_features(self):
        return int(np.count_nonzero(np.atleast_2d(self.model.coef_).any(axis=0)))


# --- data ---------------------------------------------------------------------------------------------


def hide_labels(truth, rng):
    """Keep each positive label with probability LABEL_FREQUENCY; 0 marks the unlabeled."""
    return np.where(rng.random(len(truth)) < LABEL_FREQUENCY, truth, 0)


def make_splits(class_of_digit, seed, n_images):
    """Return training, validation and test images (half, a fifth and the rest)."""
    rng = np.random.default_rng(seed)
    images, digits = load_digits(return_X_y=True)
    chosen = rng.permutation(len(digits))[:n_images]
    train, rest = train_test_split(chosen, test_size=0.5, random_state=seed, stratify=digits[chosen])
    valid, test = train_test_split(rest, test_size=0.6, random_state=seed, stratify=digits[rest])
    splits = []
    for rows in (train, valid, test):
        truth = class_of_digit[digits[rows]]
        splits.append(Split(images[rows], truth, hide_labels(truth, rng)))
    return splits


# --- models -------------------------------------------------------------------------------------------


def fit_and_choose(name, response, splits, n_lams, lam_min_ratio):
    """Follow a path and take the model under which the observed validation labels are most likely."""
    train, valid, test = splits
    scenario = {"scenario": "fully-observed"}
    if name == "pulasso":
        scenario = {"scenario": "single-training-set", "label_frequency": LABEL_FREQUENCY}
    seen = [part.truth if name == "all labels" else part.observed for part in (train, valid)]
    start = perf_counter()
    path = fit_path(
        train.features,
        seen[0],
        response=response,
        n_lams=n_lams,
        lam_min_ratio=lam_min_ratio,
        tol=1e-4,
        **scenario,
    )
    scores = np.array([path.model(i).observed_score(valid.features, seen[1]) for i in range(len(path))])
    best = int(scores.argmax())
    predicted = path.model(best).predict(test.features)
    return Outcome(name, path, scores, best, test.truth, predicted, perf_counter() - start)


def compare(response, class_of_digit, args):
    """Fit the three models of one question."""
    splits = make_splits(class_of_digit, args.seed, 600 if args.quick else None)
    n_lams, lam_min_ratio = (10, 0.05) if args.quick else (40, 0.01)
    outcomes = []
    for name in WORDS:
        show_progress(f"fitting {response} model, {name} ...")
        outcomes.append(fit_and_choose(name, response, splits, n_lams, lam_min_ratio))
    show_progress("")
    return outcomes


def show_progress(words):
    """Overwrite one line, and only on a terminal: logs should not fill with it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


# --- figures ------------------------------------------------------------------------------------------


def draw_comparison(digits, loops):
    """Accuracy of the three models for both questions; bars carry their numbers."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    titles = ["Which digit? (10 classes)", "How many loops? (0 < 1 < 2)"]
    for ax, outcomes, title in zip(axes, (digits, loops), titles, strict=True):
        accuracy = np.array([outcome.accuracy for outcome in outcomes])
        error = np.sqrt(accuracy * (1 - accuracy) / len(outcomes[0].truth))
        names = [outcome.name for outcome in outcomes]
        ax.bar(
            names,
            100 * accuracy,
            yerr=100 * error,
            color=[COLOURS[name] for name in names],
            width=0.65,
            capsize=4,
        )
        for x, (value, above) in enumerate(zip(accuracy, error, strict=True)):
            ax.text(x, 100 * (value + above) + 1.5, f"{value:.1%}", ha="center")
        ax.set(title=title, ylim=(0, 112), yticks=range(0, 101, 20))
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("correct test images (%)")
    return figure


def draw_confusion(outcomes, classes, title):
    """Shares of every true class by predicted class, naive beside pulasso."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
    for ax, outcome in zip(axes, outcomes[:2], strict=True):
        share = 100 * confusion_matrix(outcome.truth, outcome.predicted, labels=classes, normalize="true")
        image = ax.imshow(share, cmap="cividis", vmin=0, vmax=100)
        for (row, column), value in np.ndenumerate(share):
            if value >= 0.5:
                colour = "black" if value > 50 else "white"
                size = 8 if len(classes) > 5 else 12
                ax.text(column, row, f"{value:.0f}", ha="center", va="center", color=colour, fontsize=size)
        ax.set(xticks=range(len(classes)), yticks=range(len(classes)), xlabel="predicted")
        ax.set_title(WORDS[outcome.name], fontsize=10)
    axes[0].set_ylabel(f"true {title}")
    figure.colorbar(image, ax=axes, label="% of the true class", shrink=0.8)
    return figure


def draw_coefficients(outcome):
    """The pixels that speak for each digit, against digit 0."""
    coef = outcome.model.coef_ * outcome.model.feature_scale_  # per standard deviation of a pixel
    limit = np.abs(coef).max()
    figure, axes = plt.subplots(2, 5, figsize=(9, 4.2), layout="constrained")
    for ax, digit, row in zip(axes.flat, range(1, 10), coef, strict=False):
        image = ax.imshow(row.reshape(8, 8), cmap="PuOr_r", vmin=-limit, vmax=limit)
        ax.set_title(f"{digit} against 0")
    mean = load_digits().images[load_digits().target == 0].mean(axis=0)
    axes.flat[-1].imshow(mean, cmap="gray_r")
    axes.flat[-1].set_title("mean image of 0")
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
    figure.colorbar(image, ax=axes, label="log odds per standard deviation", shrink=0.8)
    return figure


def draw_loops(outcome):
    """One map for the ordinal model: ink here means more, or fewer, loops."""
    coef = outcome.model.coef_ * outcome.model.feature_scale_
    limit = np.abs(coef).max()
    images = load_digits()
    figure, axes = plt.subplots(1, 4, figsize=(9, 2.7), layout="constrained")
    shown = axes[0].imshow(coef.reshape(8, 8), cmap="PuOr_r", vmin=-limit, vmax=limit)
    axes[0].set_title("coefficients")
    for ax, digit in zip(axes[1:], (1, 0, 8), strict=True):
        ax.imshow(images.images[images.target == digit].mean(axis=0), cmap="gray_r")
        plural = "" if LOOPS[digit] == 1 else "s"
        ax.set_title(f"mean image of {digit}\n({LOOPS[digit]} loop{plural})", fontsize=10)
    for ax in axes:
        ax.set(xticks=[], yticks=[])
    figure.colorbar(shown, ax=axes, label="log odds of more loops\nper standard deviation", shrink=0.9)
    return figure


def draw_choice(digits, loops):
    """The score that chose lam: it needs no true classes."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for ax, outcomes, title in zip(axes, (digits, loops), ("Which digit?", "How many loops?"), strict=True):
        for outcome, marker in zip(outcomes[:2], ("s", "o"), strict=True):
            colour, best = COLOURS[outcome.name], outcome.best
            ax.plot(outcome.path.lams, outcome.scores, color=colour, label=outcome.name)
            ax.plot(outcome.path.lams[best], outcome.scores[best], marker, color=colour, markersize=8)
        ax.set(xscale="log", xlabel="lam (less penalty to the right)", title=title)
        ax.invert_xaxis()
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("mean log-likelihood of\nobserved validation labels")
    axes[0].legend(frameon=False)
    return figure


# --- words and files ----------------------------------------------------------------------------------


def table_rows(question, outcomes):
    """Cells of the comparison: model, accuracy, mean absolute error, selected pixels, lam, seconds."""
    for outcome in outcomes:
        yield [
            question,
            outcome.name,
            f"{outcome.accuracy:.1%}",
            f"{outcome.mean_error:.3f}" if question == "loops" else "",
            f"{outcome.n_features} of {outcome.model.n_features_in_}",
            f"{outcome.path.lams[outcome.best]:.4f}",
            f"{outcome.seconds:.1f}",
        ]


HEADER = ["question", "model", "accuracy", "mean error", "pixels", "lam", "seconds"]


def print_table(rows):
    widths = [max(len(row[i]) for row in [HEADER, *rows]) for i in range(len(HEADER))]
    for row in [HEADER, ["-" * width for width in widths], *rows]:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        print("  ".join([*left, *right]).rstrip())


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Digits with half of the labels lost</title>
<style>
  body {{ max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; }}
  body {{ font: 16px/1.55 system-ui, sans-serif; }}
  h1 {{ font-size: 1.7rem; line-height: 1.2; }}
  h2 {{ font-size: 1.2rem; margin-top: 2.4rem; }}
  figure {{ margin: 1rem 0; }}
  img {{ max-width: 100%; height: auto; }}
  figcaption {{ color: #555; font-size: 0.92rem; }}
  .table {{ overflow-x: auto; }}
  table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }}
  th, td {{ padding: 0.3rem 0.8rem; text-align: right; border-bottom: 1px solid #ddd; }}
  th:nth-child(-n+2), td:nth-child(-n+2) {{ text-align: left; }}
</style>
</head>
<body>
<h1>Digits with half of the labels lost</h1>
{body}
</body>
</html>
"""


def embed(figure, caption, alt):
    """Return a figure as HTML with the picture inside, and as PNG bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=140)
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    html = (
        f'<figure><img src="data:image/png;base64,{data}" alt="{escape(alt)}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
    return html, buffer.getvalue()


def paragraphs(digits, loops):
    """Return the few sentences of the report; every number in them was measured in this run."""
    naive, aware, ceiling = digits
    lost = np.mean((naive.predicted == 0)[naive.truth > 0])
    kept = np.mean((aware.predicted == 0)[aware.truth > 0])
    return {
        "question": (
            "Each image shows a digit in 8 x 8 grey values. Of the digits 1 to 9 only "
            f"{LABEL_FREQUENCY:.0%} kept their label; the other images are unlabeled, together with all "
            "images of digit 0. Can the true digit still be learned? A model that takes unlabeled for "
            "“digit 0” is compared with one that knows the label frequency, and with one that was given "
            f"every label. All are tested on {len(naive.truth)} images whose true digits they never saw."
        ),
        "result": (
            f"The naive model gets {naive.accuracy:.1%} of the digits right: it calls {lost:.0%} of the "
            "digits 1 to 9 a zero. With the label frequency the same kind of model gets "
            f"{aware.accuracy:.1%} right ({kept:.0%} called a zero); with all labels it would be "
            f"{ceiling.accuracy:.1%}."
        ),
        "loops": (
            "The number of closed loops orders the digits: none in 1, 2, 3, 4, 5 and 7, one in 0, 6 and 9, "
            "two in 8. An ordinal model has one coefficient per pixel, so ink at a pixel moves every digit "
            f"towards more or towards fewer loops. Accuracy changes from {loops[0].accuracy:.1%} (naive) to "
            f"{loops[1].accuracy:.1%}, the mean absolute error from {loops[0].mean_error:.2f} to "
            f"{loops[1].mean_error:.2f} loops; with all labels they would be {loops[2].accuracy:.1%} and "
            f"{loops[2].mean_error:.2f}."
        ),
        "choice": (
            "Nobody who lacks labels can choose the penalty by accuracy. It was chosen by how likely the "
            "observed labels of validation images are, which needs no true classes."
        ),
    }


def write_report(out, digits, loops, rows):
    """Write the figures and one self-contained page; return the path of the page."""
    words = paragraphs(digits, loops)
    figures = {
        "comparison": embed(
            draw_comparison(digits, loops),
            "Correct test images; whiskers are one standard error of the test sample.",
            "Bars of accuracy for naive, pulasso and all labels, for both questions",
        ),
        "confusion": embed(
            draw_confusion(digits, range(10), "digit"),
            "Where each true digit went. The naive model empties the other rows into column 0.",
            "Confusion matrices of the digits",
        ),
        "coefficients": embed(
            draw_coefficients(digits[1]),
            "Ink at an orange pixel speaks for the digit, at a purple one for 0. White: no influence.",
            "Maps of coefficients, one per digit",
        ),
        "loops": embed(
            draw_loops(loops[1]),
            "Ordinal model: ink at an orange pixel speaks for more loops, at a purple one for fewer.",
            "Map of the ordinal coefficients beside mean images",
        ),
        "loops_confusion": embed(
            draw_confusion(loops, range(3), "loops"),
            "Where each true number of loops went.",
            "Confusion matrices of the loops",
        ),
        "choice": embed(
            draw_choice(digits, loops),
            "Log-likelihood of observed validation labels along the path; the marker is the chosen model.",
            "Curves of the validation score over lam",
        ),
    }
    for name, (_, png) in figures.items():
        (out / f"{name}.png").write_bytes(png)
    html = {name: figure for name, (figure, _) in figures.items()}
    cells = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADER)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"
    body = [
        f"<p>{escape(words['question'])}</p>",
        f"<h2>What the label frequency is worth</h2><p>{escape(words['result'])}</p>",
        html["comparison"],
        html["confusion"],
        f'<div class="table">{table}</div>',
        f"<h2>What the model looks at</h2>{html['coefficients']}",
        f"<h2>Ordered classes: how many loops?</h2><p>{escape(words['loops'])}</p>",
        html["loops"],
        html["loops_confusion"],
        f"<h2>How the penalty was chosen</h2><p>{escape(words['choice'])}</p>{html['choice']}",
    ]
    page = out / "report.html"
    page.write_text(PAGE.format(body="\n".join(body)), encoding="utf-8")
    return page


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/digits"), help="folder for figures and report")
    parser.add_argument("--seed", type=int, default=0, help="seed of the splits and of the lost labels")
    parser.add_argument("--quick", action="store_true", help="600 images and a short path, for a first look")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    digits = compare("multinomial", np.arange(10), args)
    loops = compare("ordinal", LOOPS, args)
    rows = [*table_rows("digits", digits), *table_rows("loops", loops)]
    print_table(rows)
    page = write_report(args.out, digits, loops, rows)
    print(f"\nReport: {page}")


if __name__ == "__main__":
    main()
