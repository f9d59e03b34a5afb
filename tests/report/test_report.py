"""What a report says, when it refuses, and how it is written."""

import re
import sys
from html import unescape

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULasso, OrdinalPULasso
from pulasso._messages import Message, arg
from pulasso.exceptions import ClassShareWarning, InputError
from pulasso.metrics import pu_scores
from pulasso.report import write_card, write_report
from support.pages import words_of

SETTINGS = {"scenario": "single-training-set", "label_frequency": 0.6, "tol": 1e-4}


def headings(page):
    return re.findall(r"<h2[^>]*>(.*?)</h2>", page.read_text(encoding="utf-8"))


# -- what it says ------------------------------------------------------------------------------------------------


def test_every_question_has_its_section(page):
    assert [unescape(each) for each in headings(page)] == [
        "In short",
        "The data",
        "What was assumed",
        "Does it keep the class shares it was told?",
        "How the penalty was chosen",
        "Which features matter",
        "From few features to many",
        "How good is it?",
        "How sure is it?",
        "How to do it again",
        "Words",
    ]


def test_numbers_are_those_of_the_model(page, hostile):
    model, X, z = hostile
    words = words_of(page)
    scores = pu_scores(model, X, z)
    accuracy = scores["accuracy"]
    low, high = accuracy.interval()
    assert f"accuracy {accuracy.value:.3f} {low:.3f} to {high:.3f}" in words
    n_selected = np.count_nonzero(model.coef_.any(axis=0))
    assert f"It uses {n_selected} of 8 features" in words
    assert "The model was fitted to 300 rows with 8 features" in words
    counts = model.label_counts_
    assert f"unlabeled {counts.n_unlabeled:.0f}" in words
    assert f"lam = {model.lam_:.3g} decides" in words
    assert "3-fold cross-validation" in words and "the smallest mean loss" in words
    share = counts.n_labeled[1] / counts.total
    assert f"0.6 {100 * share:.1f} % {100 * share / 0.6:.1f} %" in words


def test_it_says_how_to_do_it_again(page, hostile):
    import pulasso

    words = words_of(page)
    assert f"pulasso {pulasso.__version__}" in words and "seed 7" in words
    assert "command pulasso cv 'my table.csv' --label <species>" in words
    assert joblib.hash([*hostile[1:], None], "sha1") in words
    assert "n_lams 12" in words


def test_a_plain_model_has_neither_choice_nor_path(plain, tmp_path):
    model, X, z = plain
    page = write_report(model, tmp_path / "r.html", X=X, z=z)
    words = words_of(page)
    assert "It was given, not chosen by the data" in words and "From few features to many" not in words
    assert "These look like the rows that the model was fitted to" in words
    held = write_report(model, tmp_path / "held.html", X=X[:150], z=z[:150])
    assert "These look like the rows" not in words_of(held)
    # As many rows with each label, but other rows: the model explains them less well.
    other = write_report(model, tmp_path / "other.html", X=X[::-1], z=z)
    assert "These look like the rows" not in words_of(other)


@pytest.mark.parametrize(
    ("standardize", "words"),
    [
        (True, "per standard deviation of the feature, so that"),
        (False, "per unit of the feature. Example: one more of"),
        ("auto", "and for columns of only 0 and 1 those of a 1 against a 0. Example: one more of x0"),
    ],
)
def test_units_of_coefficients(plain, tmp_path, standardize, words):
    _, X, z = plain
    X = np.column_stack([(z > 0) ^ (np.arange(len(z)) % 9 == 0), X[:, 0]]).astype(float)
    model = MultinomialPULasso(lam=0.02, standardize=standardize, **SETTINGS).fit(X, z)
    assert words in words_of(write_report(model, tmp_path / "r.html"))


def test_many_rows_are_written_out(plain, tmp_path):
    _, X, z = plain
    weight = np.full(len(z), 12_345)
    model = MultinomialPULasso(lam=0.02, **SETTINGS).fit(X, z, sample_weight=weight)
    words = words_of(model.report(tmp_path / "r.html", X=X, z=z, sample_weight=weight))
    assert "fitted to 2,469,000 rows" in words and "e+06" not in words
    assert "These look like the rows" in words


def test_without_rows_there_are_no_scores(plain, tmp_path):
    page = plain[0].report(tmp_path / "r.html")
    words = words_of(page)
    assert "without rows to judge the model by" in words and "cannot name their hash" in words
    assert "estimate" not in headings(page)


def test_an_ordinal_model(ordinal, tmp_path):
    model, X, z = ordinal
    page = write_report(model, tmp_path / "r.html", X=X, z=z)
    html, words = page.read_text(encoding="utf-8"), words_of(page)
    assert "4 ordered classes" in words and "the odds of a higher class" in words
    assert 'id="thresholds-' in html and "mean absolute error" in words
    assert "within one standard error of the smallest" in words


def test_case_control_names_what_is_left(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[100:, 0] += 2
    z = np.repeat(["?", "oak", "fir"], [100, 50, 50])
    model = MultinomialPULasso(lam=0.05, prevalence={"oak": 0.25, "fir": 0.1}, unlabeled="?", negative="none")
    with pytest.warns(ClassShareWarning):
        model.fit(X, z)
    words = words_of(write_report(model, tmp_path / "r.html"))
    assert "fir 0.1 oak 0.25 none (what is left) 0.65" in words
    assert "which share of the unlabeled rows" in words
    assert "Here it does not, most of all for none. It takes unlabeled rows for class 0" in words


def test_told_and_predicted_shares_are_side_by_side(plain, page, tmp_path):
    model, X, z = plain
    html = page.read_text(encoding="utf-8")
    assert "Bars of the told and the predicted share of each class" in html
    held = MultinomialPULasso(lam=0.02, anchor=2, **SETTINGS).fit(X, z)
    words = words_of(held.report(tmp_path / "r.html"))
    assert "Here it does, as far as chance allows. An anchor of strength 2 held" in words
    told, says = 100 * held.told_shares_[0], 100 * held.class_shares_[0]
    assert f"0 {told:.1f}\u00a0% {says:.1f}\u00a0%".replace("\u00a0", " ") in words
    naive = MultinomialPULasso(lam=0.02, scenario="fully-observed").fit(X, z)
    assert "class shares" not in words_of(naive.report(tmp_path / "naive.html"))


def test_an_estimated_number_says_that_it_is(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = (2 * X[:, 0] + rng.logistic(size=500) > 0).astype(int)
    z = np.where(rng.random(500) < 0.5, y, 0)
    model = MultinomialPULasso(lam=0.02, scenario="single-training-set", label_frequency="estimate").fit(X, z)
    page = model.report(tmp_path / "r.html")
    words = words_of(page)
    assert "an estimated label frequency" in words and "estimated from the same rows" in words
    low, high = model.prevalence_estimate_.intervals[1]
    assert f"1 {low:.3g} to {high:.3g}" in words
    assert 'id="prevalence-' in page.read_text(encoding="utf-8")


def test_the_naive_reading_says_what_it_is(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    z = (X[:, 0] > 0).astype(int)
    model = MultinomialPULasso(lam=0.05, scenario="fully-observed").fit(X, z)
    assert "describes who got a label, not who belongs where" in words_of(model.report(tmp_path / "r.html"))


def test_warnings_are_passed_on(plain, tmp_path):
    _, X, z = plain
    with pytest.warns(match="label_frequency"):
        model = MultinomialPULasso(lam=0.05, scenario="single-training-set", label_frequency=0.2).fit(X, z)
    page = write_report(model, tmp_path / "r.html")
    assert "Please note" in headings(page)
    assert " ".join(model.warnings_[0].split()) in words_of(page) and "1 warning, see below" in words_of(page)


def test_weights_of_rows_count_in_scores_and_pictures(plain, tmp_path):
    """Weights say the same as rows that are repeated, on the page and on the card."""
    _, X, z = plain
    weight = np.random.default_rng(3).integers(0, 5, len(z))
    model = MultinomialPULasso(lam=0.02, **SETTINGS).fit(X, z, sample_weight=weight)
    page = model.report(tmp_path / "r.html", X=X, z=z, sample_weight=weight)
    card = model.card(tmp_path / "card.md", X=X, z=z, sample_weight=weight).read_text(encoding="utf-8")
    repeated = (np.repeat(X, weight, axis=0), np.repeat(z, weight))
    same = model.report(tmp_path / "same.html", X=repeated[0], z=repeated[1])
    scores = pu_scores(model, X, z, sample_weight=weight)
    words = words_of(page)
    assert f"accuracy {scores['accuracy'].value:.3f} {scores['accuracy'].interval()[0]:.3f}" in words
    assert f"{scores['accuracy'].value:.3f}" in card and "Rows count by their weights." in words
    assert abs(scores["accuracy"].value - pu_scores(model, X, z)["accuracy"].value) > 0.01
    assert "These look like the rows that the model was fitted to" in words
    for name in ("confusion", "calibration"):  # the numbers in the cells, and where the points are
        assert picture(page, name) == picture(same, name)


def picture(page, name):
    """One picture of a page, without the names of its parts."""
    html = page.read_text(encoding="utf-8")
    found = next(each for each in re.findall(r"<svg.*?</svg>", html, re.DOTALL) if f'id="{name}-' in each)
    return re.sub(r'(id|href)="[^"]*"|url\([^)]*\)', "", found)


def test_nothing_selected(plain, tmp_path):
    _, X, z = plain
    model = MultinomialPULasso(lam=10.0, **SETTINGS).fit(X, z)
    words = words_of(write_report(model, tmp_path / "r.html", X=X, z=z))
    assert "No feature was selected" in words and "It uses 0 of 4 features." in words
    assert "Every row is predicted as" in words


def test_many_features_and_classes_are_cut_and_counted(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(64) % 16
    model = MultinomialPULasso(lam=10.0, scenario="fully-observed").fit(rng.normal(size=(64, 5000)), y)
    model.coef_[:, :300] = rng.normal(size=(15, 300))  # as if selected: a real fit would take its time
    page = write_report(model, tmp_path / "r.html")
    words = words_of(page)
    assert "The 100 strongest of 300 are shown" in words and "It uses 300 of 5,000 features" in words
    assert "tells 16 classes apart: 0, 1, 2, 3, 4, 5 and 10 more" in words
    assert page.stat().st_size < 2e6


def test_a_pipeline(plain, tmp_path):
    _, X, z = plain
    pipe = make_pipeline(StandardScaler(), MultinomialPULasso(lam=0.02, **SETTINGS)).fit(X, z)
    words = words_of(write_report(pipe, tmp_path / "r.html", X=X, z=z))
    assert f"accuracy {pu_scores(pipe, X, z)['accuracy'].value:.3f}" in words


def test_the_chooser_may_be_given_apart(hostile, tmp_path):
    chooser, X, _ = hostile
    model = chooser.path_.model(-1)
    words = words_of(write_report(model, tmp_path / "r.html", cv=chooser))
    assert "3-fold cross-validation" in words and "From few features to many" in words


def test_sensitivity_and_stability(plain, tmp_path):
    from pulasso.inference import stability_selection
    from pulasso.prevalence import sensitivity_sweep

    model, X, z = plain
    template = MultinomialPULasso(lam=0.02, **SETTINGS)
    sweep = sensitivity_sweep(template, X, z, [0.6, 0.8])
    stability = stability_selection(template, X, z, n_subsamples=4, random_state=0, progress=False)
    page = write_report(model, tmp_path / "r.html", sensitivity=sweep, stability=stability)
    html, words = page.read_text(encoding="utf-8"), words_of(page)
    assert "Selected whatever is assumed" in words and "0.6 (assumed)" in words
    assert f"{len(stability.stable)} group" in words and "selected in at least 75 % of them" in words
    assert 'id="sensitivity-' in html and 'id="stability-' in html
    assert "Not examined" not in words


# -- how it is written ---------------------------------------------------------------------------------------------


WRITERS = {"report.html": (write_report, "<!doctype html>"), "card.md": (write_card, "# Model card")}
each_writer = pytest.mark.parametrize("name", WRITERS)


@each_writer
def test_nothing_is_overwritten_without_force(plain, tmp_path, name):
    (write, beginning), target = WRITERS[name], tmp_path / name
    target.write_text("precious", encoding="utf-8")
    with pytest.raises(FileExistsError, match="force=True"):
        write(plain[0], target)
    assert target.read_text(encoding="utf-8") == "precious"
    assert write(plain[0], target, force=True) == target
    assert target.read_text(encoding="utf-8").startswith(beginning)


@each_writer
def test_folders_are_made_and_nothing_else_is_left(plain, tmp_path, name):
    write, target = WRITERS[name][0], tmp_path / "a" / "b" / name
    write(plain[0], str(target))
    assert [file.name for file in target.parent.iterdir()] == [name]
    with pytest.raises(IsADirectoryError, match=re.escape(name)):  # an example of what to write
        write(plain[0], tmp_path / "a")


@each_writer
def test_a_file_that_fails_leaves_nothing(plain, tmp_path, monkeypatch, name):
    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.link", full)
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="disk full"):
        WRITERS[name][0](plain[0], tmp_path / name)
    assert not list(tmp_path.iterdir())


@each_writer
def test_other_models_are_refused_by_name(plain, tmp_path, name):
    write, target = WRITERS[name][0], tmp_path / name
    with pytest.raises(NotFittedError):
        write(OrdinalPULasso(), target)
    with pytest.raises(TypeError, match="LogisticRegression"):
        write(LogisticRegression().fit(plain[1], plain[2]), target)
    with pytest.raises(TypeError, match="MultinomialPULassoCV"):
        write(plain[0], target, cv=plain[0])
    assert not list(tmp_path.iterdir())


def test_two_reports_differ_in_the_hour_only(plain, tmp_path):
    texts = [
        re.sub(
            r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", plain[0].report(tmp_path / name).read_text(encoding="utf-8")
        )
        for name in ("a.html", "b.html")
    ]
    assert texts[0] == texts[1]


def test_no_figure_stays_open(plain, tmp_path):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    write_report(plain[0], tmp_path / "r.html", X=plain[1], z=plain[2])
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ({"z": [0, 1]}, InputError),
        ({"X": np.zeros((3, 4)), "z": [0, 1]}, ValueError),
        ({"sample_weight": [1, 2]}, InputError),
        ({"X": np.zeros((2, 4)), "z": [0, 1], "sample_weight": [1]}, ValueError),
        ({"cv": MultinomialPULasso()}, NotFittedError),
    ],
)
def test_wrong_turns(plain, tmp_path, about, error):
    with pytest.raises(error):
        plain[0].report(tmp_path / "r.html", **about)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["sparse", "polars", "list"])
def test_containers(ordinal, tmp_path, kind):
    _, X, z = ordinal
    if kind == "sparse":
        from scipy.sparse import csr_array

        x = csr_array(X)
    elif kind == "polars":
        x = pytest.importorskip("polars").DataFrame(X, schema=list("abcde"))
    else:
        x, z = X.tolist(), z.tolist()
    model = OrdinalPULasso(lam=0.03, **SETTINGS).fit(x, z)
    assert "accuracy" in words_of(model.report(tmp_path / "r.html", X=x, z=z))


def test_rows_in_chunks_are_refused(plain, tmp_path):
    from pulasso.data.chunks import as_chunked

    model, X, z = plain
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(TypeError, match="X comes in chunks, but a report judges by rows in memory"):
        model.report(tmp_path / "r.html", X=as_chunked(tmp_path / "x.npy"), z=z)


def test_the_extra_is_named(plain, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install pulasso\[report\]"):
        plain[0].report(tmp_path / "r.html")


def test_tables_of_many_classes_are_marked_for_print(tmp_path):
    rng = np.random.default_rng(0)
    X, z = rng.normal(size=(200, 2)), np.arange(200) % 10
    X[:, 0] += z
    model = MultinomialPULasso(lam=0.01, scenario="fully-observed", tol=1e-3).fit(X, z)
    text = write_report(model, tmp_path / "r.html").read_text(encoding="utf-8")
    assert (
        text.count('<table class="sortable wide">') == 1
    )  # one column for each of nine classes, and three more
    assert '<table class="sortable">' in text


def test_warnings_are_told_in_the_words_of_the_reader(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), np.ones(200)])
    z = (X[:, 0] > 0).astype(int)
    model = MultinomialPULasso(lam=0.01, scenario="fully-observed", tol=1e-3).fit(X, z)
    model.warnings_ = [Message(f"Try {arg('lam_min_ratio', '0.01')}.")]
    in_python = words_of(write_report(model, tmp_path / "r.html"))
    assert "Try lam_min_ratio=0.01." in in_python and "1 feature is constant and cannot help" in in_python
    for write, name in ((write_report, "options.html"), (write_card, "options.md")):
        page = write(model, tmp_path / name, show_parameter=lambda name, value: f"--{name.upper()} {value}")
        text = page.read_text(encoding="utf-8").replace("\\", "")
        assert "Try --LAM_MIN_RATIO 0.01." in text and "lam_min_ratio=" not in text
