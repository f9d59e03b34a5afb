"""The contract of all pictures: they draw, keep their artists, use given axes, and stay readable at both extremes."""

import re
from contextlib import contextmanager

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.base import clone

from pulasso import plots
from pulasso.exceptions import InputError
from pulasso.plots import DISPLAYS
from pulasso.plots.names import literals


class Sweep:
    """What a picture asks of a sensitivity sweep."""

    parameter, reference = "prevalence", 1

    def positions(self):
        return np.array([0.1, 0.2, 0.3]), None

    def columns(self):
        return {"selected features": np.array([3, 4, 6]), "changed predictions": np.array([0.1, 0, 0.2])}


class Stability:
    """What a picture asks of a stability selection."""

    def __init__(self, fitted):
        norms = fitted.chosen.path_.group_norms
        self.lams, self.threshold = fitted.chosen.path_.lams, 0.75
        self.groups = tuple(fitted.chosen.groups_.names)
        self.candidates = np.ones(len(self.groups), dtype=bool)
        self.paths = norms / (norms + norms.mean() + 1e-12)


class Estimated:
    """What a picture asks of an estimated prevalence."""

    class Curve:
        positions, heights = np.linspace(0.1, 0.9, 30), np.linspace(-2, 2, 30) ** 2
        position_label, height_label, number_is, limit = "prevalence", "statistic", "position", 3.84

    parameter, method = "prevalence", "profile"

    def __init__(self, n_classes):
        self.curves = {f"class {k}": self.Curve for k in range(n_classes)}
        self.numbers, self.lower, self.upper = (np.full(n_classes, value) for value in (0.5, 0.3, 0.7))


def make_stability(fitted, ax):
    return plots.StabilityPathDisplay.from_result(Stability(fitted), ax=ax)


def make_intervals(fitted, ax):
    """A bootstrap as a picture sees it: one row for each coefficient, more of them than are shown."""
    names = list(fitted.chosen.groups_.names)
    spread, coef = np.linspace(0.1, 1.0, len(names)), np.linspace(2.0, -1.0, len(names))
    ends = coef - spread, coef + spread
    frequency = np.linspace(1.0, 0.0, len(names))
    return plots.BootstrapIntervalsDisplay(coef, *ends, frequency, names).plot(ax=ax)


def make_importances(fitted, ax):
    names = list(fitted.chosen.groups_.names)
    return plots.FeatureImportancesDisplay(np.linspace(1.0, 0.0, len(names)), names).plot(ax=ax)


# One way to make each display; a new one has to join.
MAKE = {
    plots.CoefficientPathDisplay: lambda f, ax: plots.CoefficientPathDisplay.from_estimator(f.chosen, ax=ax),
    plots.CVCurveDisplay: lambda f, ax: plots.CVCurveDisplay.from_estimator(f.chosen, ax=ax),
    plots.SelectedFeaturesDisplay: lambda f, ax: plots.SelectedFeaturesDisplay.from_estimator(f.plain, ax=ax),
    plots.ClassSharesDisplay: lambda f, ax: plots.plot_class_shares(f.plain, ax),
    plots.GroupNormsDisplay: lambda f, ax: plots.GroupNormsDisplay.from_estimator(f.plain, ax=ax),
    plots.FeatureImportancesDisplay: make_importances,
    plots.ResponseCurveDisplay: lambda f, ax: plots.ResponseCurveDisplay.from_estimator(
        f.plain, f.X, 0, ax=ax
    ),
    plots.ThresholdsDisplay: lambda f, ax: plots.ThresholdsDisplay.from_estimator(f.ordinal, f.X, ax=ax),
    plots.PUConfusionMatrixDisplay: lambda f, ax: plots.PUConfusionMatrixDisplay.from_estimator(
        f.plain, f.X, f.z, ax=ax
    ),
    plots.PUCalibrationDisplay: lambda f, ax: plots.PUCalibrationDisplay.from_estimator(
        f.plain, f.X, f.z, ax=ax
    ),
    plots.ConvergenceDisplay: lambda f, ax: plots.ConvergenceDisplay.from_estimator(f.plain, ax=ax),
    plots.StabilityPathDisplay: make_stability,
    plots.BootstrapIntervalsDisplay: make_intervals,
    plots.SensitivityDisplay: lambda f, ax: plots.SensitivityDisplay.from_sweep(Sweep(), ax=ax),
    plots.PrevalenceDisplay: lambda f, ax: plots.PrevalenceDisplay.from_estimate(
        Estimated(len(f.plain.classes_) - 1), ax=ax
    ),
}

each_display = pytest.mark.parametrize("cls", DISPLAYS, ids=lambda cls: cls.__name__)
all_extremes = pytest.mark.parametrize("size", ["few", "many", "long"])


@pytest.fixture
def fitted(request, size):
    return request.getfixturevalue(size)


@contextmanager
def refused(parameter):
    """What a picture cannot use is an InputError that names the parameter."""
    with pytest.raises(InputError) as caught:
        yield caught
    assert caught.value.parameter == parameter


def boxes_of_words(display, renderer):
    """Boxes of the words in the picture and beside its axes, without the lines that lead to them."""
    ax, view = display.ax_, display.ax_.bbox
    ticks = []
    for axis, low, high in ((ax.xaxis, view.x0, view.x1), (ax.yaxis, view.y0, view.y1)):
        along = 0 if axis is ax.xaxis else 1
        for tick in axis.get_major_ticks():  # those outside the view exist, but are not drawn
            place = ax.transData.transform([tick.get_loc(), tick.get_loc()])[along]
            ticks += [tick.label1] if low - 1 <= place <= high + 1 else []
    words = [text for text in [*ax.texts, *ticks] if text.get_text() and not text.get_rotation() % 90]
    return [Text.get_window_extent(text, renderer) for text in words]


def collide(first, second):
    """Whether two boxes share more than a seam."""
    across = min(first.x1, second.x1) - max(first.x0, second.x0)
    upright = min(first.y1, second.y1) - max(first.y0, second.y0)
    return across > 1 and upright > 0.35 * min(first.height, second.height)


def test_every_display_is_made_here():
    assert set(MAKE) == set(DISPLAYS)
    assert {cls.__name__ for cls in DISPLAYS} == set(plots.__all__) - {"DISPLAYS", "plot_class_shares"}


@each_display
@all_extremes
def test_it_draws_inside_its_figure_without_colliding_names(cls, fitted):
    display = MAKE[cls](fitted, None)
    assert type(display) is cls
    figure = display.figure_
    assert display.ax_ in figure.axes
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    whole = figure.bbox
    for ax in figure.axes:
        box = ax.get_tightbbox(renderer)
        if box is not None:
            assert box.x0 >= whole.x0 - 2 and box.x1 <= whole.x1 + 2, "something is cut off at a side"
            assert box.y0 >= whole.y0 - 2 and box.y1 <= whole.y1 + 2, "something is cut off above or below"
    boxes = boxes_of_words(display, renderer)
    assert not [i for i, one in enumerate(boxes) if any(collide(one, other) for other in boxes[i + 1 :])]


@each_display
def test_it_uses_given_axes_and_can_be_drawn_again(cls, few):
    n_panels = len(Sweep().columns()) if cls is plots.SensitivityDisplay else 1
    axes = Figure(figsize=(7, 5), layout="constrained").subplots(n_panels, 1)
    last = np.atleast_1d(axes)[-1]
    display = MAKE[cls](few, axes)
    assert display.ax_ is last and display.figure_ is last.get_figure()
    assert not plt.get_fignums(), "given axes, no new figure is opened"
    again = display.plot()
    assert again is display and display.ax_ is not last


def test_names_are_shown_as_they_are(few):
    names = ["$\\frac{1}", "_hidden", "a\nb\t c", "<b>&", "x" * 200]
    norms = np.arange(1.0, 6.0)
    display = plots.GroupNormsDisplay(norms, names, np.ones(5), np.ones(5, dtype=int)).plot()
    display.figure_.canvas.draw()  # formulas would be an error here
    shown = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert shown[1] == "<b>&" and shown[2] == "a b c" and shown[3] == " _hidden"
    assert len(shown[0]) == 28 and "…" in shown[0]


def test_long_names_stay_apart(long):
    """Names that differ in the middle alone are cut around it."""
    display = plots.SelectedFeaturesDisplay.from_estimator(long.plain)
    for axis, expected in (("x", {"1", "2", "3"}), ("y", {str(j) for j in display.shown_})):
        ticks = [tick.get_text() for tick in getattr(display.ax_, f"get_{axis}ticklabels")()]
        assert len(set(ticks)) == len(ticks) and max(map(len, ticks)) <= 28
        assert {re.search(r"(?:station|number) (\d)", tick)[1] for tick in ticks} == expected


def test_names_that_cannot_be_told_apart_are_counted():
    alike = ["a" * 40 + "b" * 40 + "c" * 40, "a" * 40 + "d" * 40 + "c" * 40, "a" * 40 + "d" * 30 + "c" * 50]
    short = literals(alike)
    assert len(set(short)) == 3 and max(map(len, short)) <= 28
    assert literals(["x", "x"]) == ["x", "x"], "one name twice stays one name"


# -- what the pictures say -------------------------------------------------------------------------------------


def test_path_names_the_largest_and_counts_the_rest(many):
    display = plots.CoefficientPathDisplay.from_estimator(many.chosen, max_labels=5)
    norms = many.chosen.path_.group_norms.max(axis=0)
    n_ever = np.count_nonzero(norms)
    assert len(display.lines_) == 5 and len(display.other_lines_) == n_ever - 5
    largest = np.argsort(-norms)[:5]
    written = {text.get_text() for text in display.ax_.texts}
    assert written == {f"x{j}" for j in largest}
    words = " ".join(display.ax_.get_xlabel().split())
    assert f"{n_ever - 5} smaller groups, not named" in words
    assert f"{300 - n_ever} groups never selected" in words
    assert display.chosen_line_.get_xdata()[0] == many.chosen.lam_


def test_path_of_coefficients_is_per_standard_deviation(many):
    display = plots.CoefficientPathDisplay.from_path(many.chosen.path_, by="coefficient", output=2)
    expected = many.chosen.path_.coefs[:, 1, :] * many.chosen.feature_scale_
    np.testing.assert_allclose(display.values, expected)
    for parameter, options in (
        ("output", {"by": "coefficient"}),  # of fifteen classes none is named
        ("output", {"by": "coefficient", "output": "oak"}),
        ("by", {"by": "feature"}),
    ):
        with refused(parameter):
            plots.CoefficientPathDisplay.from_path(many.chosen.path_, **options)
    ordinal = plots.CoefficientPathDisplay.from_estimator(many.ordinal, by="coefficient")
    np.testing.assert_allclose(ordinal.values[-1], many.ordinal.coef_ * many.ordinal.feature_scale_)


def test_models_of_one_lam_say_what_to_do(few):
    for display in (plots.CoefficientPathDisplay, plots.CVCurveDisplay):
        with refused("estimator") as caught:
            display.from_estimator(few.plain)
        assert "MultinomialPULassoCV" in caught.value.remedy
    with refused("estimator"):
        plots.ThresholdsDisplay.from_estimator(few.plain)


def test_cv_curve_shows_both_rules(few):
    display = plots.CVCurveDisplay.from_estimator(few.chosen)
    assert display.choice_lines_["min"].get_xdata()[0] == few.chosen.lam_min_
    assert display.choice_lines_["1se"].get_xdata()[0] == few.chosen.lam_1se_
    np.testing.assert_allclose(display.line_.get_ydata(), few.chosen.cv_loss_mean_)
    assert len(display.fold_lines_) == 3
    legend = " ".join(text.get_text() for text in display.ax_.get_legend().get_texts())
    assert "(chosen)" in legend


def test_cv_curve_leaves_out_lams_without_a_finite_loss():
    losses = np.array([[3.0, 2.1, np.inf], [3.2, 2.3, 2.4]])
    display = plots.CVCurveDisplay.from_cv_results([4.0, 2.0, 1.0], losses)
    assert "1 lam without a finite loss" in display.ax_.get_xlabel()
    assert np.isnan(display.line_.get_ydata()[2]) and display.lam_min == 2.0


def test_heat_map_shows_the_strongest_and_counts_the_rest(many):
    display = plots.SelectedFeaturesDisplay.from_estimator(many.plain, max_features=4)
    strength = np.linalg.norm(many.plain.coef_ * many.plain.feature_scale_[None], axis=0)
    np.testing.assert_array_equal(display.shown_, np.argsort(-strength, kind="stable")[:4])
    n_selected = np.count_nonzero(strength)
    words = " ".join(display.ax_.get_xlabel().split())
    assert (
        f"{n_selected - 4} weaker features not shown" in words and f"{300 - n_selected} features not" in words
    )
    signs = [text.get_text()[0] for text in display.ax_.texts]
    coefs = many.plain.coef_[:, display.shown_].T.ravel()
    assert signs == ["+" if value > 0 else "-" for value in coefs[coefs != 0]]


def test_heat_map_of_nothing_says_so():
    display = plots.SelectedFeaturesDisplay(np.zeros((2, 3)), ["a", "b", "c"], ["oak", "fir"]).plot()
    assert display.ax_.texts[0].get_text() == "no feature was selected" and display.mesh_ is None


def test_group_norms_hatch_what_is_not_penalised():
    display = plots.GroupNormsDisplay(
        np.array([1.0, 2.0]), ["a", "b"], np.array([0.0, 1.0]), np.array([1, 3])
    ).plot()
    assert [bar.get_hatch() for bar in display.bars_] == [None, "////"]
    assert "hatched: not penalised" in display.ax_.get_xlabel()
    assert [text.get_text() for text in display.ax_.texts] == ["3 coefficients", "1 coefficient"]


def test_response_curve_is_the_prediction_of_the_mean_row(few):
    display = plots.ResponseCurveDisplay.from_estimator(few.plain, few.X, 1, n_points=7)
    rows = np.tile(few.X.mean(axis=0), (7, 1))
    rows[:, 1] = display.grid
    np.testing.assert_allclose(display.proba, few.plain.predict_proba(rows))
    assert display.feature == "x1" and len(display.lines_) == 2
    low, high = display.ax_.get_ylim()
    assert low < 0 and high == 1
    marks = np.array([each[:, 1] for each in display.ax_.collections[0].get_segments()])
    assert low < marks.min() and marks.max() < 0, "no curve runs over the deciles"


def test_response_curves_of_small_probabilities_fill_the_picture(many):
    display = plots.ResponseCurveDisplay.from_estimator(many.plain, many.X, 0)
    assert display.proba.max() < display.ax_.get_ylim()[1] < 0.5


def test_counts_that_stay_the_same_have_one_tick():
    panels = {"selected features": np.full(3, 1_234_567), "accuracy": np.array([0.5, 0.6, 0.7])}
    display = plots.SensitivityDisplay(np.array([0.1, 0.2, 0.3]), panels, 1, "prevalence").plot()
    display.figure_.draw_without_rendering()
    assert [label.get_text() for label in display.axes_[0].get_yticklabels()] == ["1,234,567"]


def test_numbers_of_groups_are_written_out():
    lams, names = np.array([1.0, 0.1, 0.01]), ["a", "b"]
    display = plots.CoefficientPathDisplay(
        lams, np.ones((3, 2)), names, np.array([0, 1234, 56789]), "norm"
    ).plot()
    (top,) = display.ax_.child_axes
    assert [tick.get_text() for tick in top.get_xticklabels()] == ["0", "1,234", "56,789"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "sparse"])
def test_response_curve_of_every_container(few, kind):
    if kind == "sparse":
        from scipy.sparse import csr_array

        x, feature, model = csr_array(few.X), 2, few.plain
    else:
        frames = pytest.importorskip(kind)
        x = frames.DataFrame({f"f{j}": few.X[:, j] for j in range(3)})
        feature = "f2"
        model = type(few.plain)(**few.plain.get_params()).fit(x, few.z)
    display = plots.ResponseCurveDisplay.from_estimator(model, x, feature, n_points=5)
    expected = plots.ResponseCurveDisplay.from_estimator(few.plain, few.X, 2, n_points=5)
    np.testing.assert_allclose(display.proba, expected.proba, atol=1e-6)


def test_response_curve_names_what_is_wrong(few):
    make = plots.ResponseCurveDisplay.from_estimator
    with refused("feature"):
        make(few.plain, few.X, "age")
    with refused("feature"):
        make(few.plain, few.X, 7)
    with refused("X"):
        make(few.plain, np.array([["a", "b", "c"]]), 0)
    frame = pytest.importorskip("pandas").DataFrame(few.X, columns=["age", "dose", "site"])
    with refused("feature") as caught:
        make(few.plain, frame, "does")
    assert "Did you mean 'dose'?" in str(caught.value)


def test_thresholds_name_classes_and_count_the_nameless(many):
    display = plots.ThresholdsDisplay.from_estimator(many.ordinal)
    n_named = len(display.ax_.texts)
    assert len(display.lines_) == 16 and len(display.threshold_lines_) == 15
    if n_named < 16:
        assert f"{16 - n_named} class" in display.ax_.get_xlabel()


def test_confusion_matrix_of_another_classifier_needs_the_scenario(few):
    y_pred = few.plain.predict(few.X)
    display = plots.PUConfusionMatrixDisplay.from_predictions(
        few.z, y_pred, scenario="single-training-set", label_frequency=0.6
    )
    same = plots.PUConfusionMatrixDisplay.from_estimator(few.plain, few.X, few.z)
    np.testing.assert_allclose(display.matrix.value, same.matrix.value)
    other = plots.PUConfusionMatrixDisplay.from_estimator(few.plain, few.X, few.z, label_frequency=0.7,
                                                          scenario="single-training-set")  # fmt: skip
    assert not np.allclose(other.matrix.value, same.matrix.value)


def test_convergence_compares_solvers(few):
    settings = {**few.plain.get_params(), "tol": 1e-6}
    models = {
        solver: type(few.plain)(**{**settings, "solver": solver}).fit(few.X, few.z)
        for solver in ("working-set", "proximal-gradient")
    }
    for show in ("kkt", "objective"):
        for against in ("iterations", "seconds"):
            display = plots.ConvergenceDisplay.from_estimators(models, show=show, against=against)
            assert len(display.lines_) == 2 and against in display.ax_.get_xlabel()
    with refused("show"):
        display.plot(show="loss")
    with refused("against"):
        display.plot(against="time")


def test_sensitivity_needs_as_many_axes_as_panels():
    ax = Figure().subplots()
    with refused("ax"):
        plots.SensitivityDisplay.from_sweep(Sweep(), ax=ax)


def test_lines_differ_without_colours(many):
    """In grey print dashes and marks must tell lines apart."""
    display = plots.ResponseCurveDisplay.from_estimator(many.plain, many.X, 0)
    styles = [
        (line.get_linestyle(), line.get_marker()) for line in display.lines_ if line.get_marker() != "None"
    ]
    assert len(styles) == len(set(styles)) == 12


def test_the_extra_is_named_where_matplotlib_is_missing(few, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install pulasso\[plots\]"):
        plots.GroupNormsDisplay.from_estimator(few.plain)


def test_told_and_predicted_shares(few, many):
    display = plots.plot_class_shares(few.plain)
    model = few.plain
    assert [bar.get_width() for bar in display.told_bars_] == model.told_shares_.tolist()
    assert [bar.get_width() for bar in display.predicted_bars_] == model.class_shares_.tolist()
    assert "how far chance may lead" in display.ax_.get_xlabel()
    cut = plots.ClassSharesDisplay.from_estimator(many.plain, max_classes=5)
    apart = np.abs(many.plain.class_shares_ - many.plain.told_shares_)
    assert len(cut.shown_) == 5 and apart[cut.shown_].min() >= np.delete(apart, cut.shown_).max()
    assert "11 classes" in cut.ax_.get_xlabel()


def test_shares_that_were_not_told_cannot_be_drawn(few):
    naive = clone(few.plain).set_params(scenario="fully-observed", label_frequency=None).fit(few.X, few.z)
    with refused("estimator"):
        plots.plot_class_shares(naive)
