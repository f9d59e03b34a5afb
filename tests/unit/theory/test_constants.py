"""The constants of the theorems: limits, monotony, lemmas, and numbers by hand."""

import numpy as np
import pytest

from pulasso.losses import PULoss
from pulasso.scenarios import CaseControl, LabelCounts
from pulasso.theory import MultinomialConstants, OrdinalConstants

EVEN = np.ones(2)


def test_h_by_hand():
    constants = MultinomialConstants(2.0, 0.5, [0.5, 2.0])
    e = np.exp(2.0 * (0.1 + 0.5))
    expected = 0.5 / e / ((1 + 2.0) ** 2 * (1 + 2 * e) ** 3) - 4 * 2.0 * 0.1
    assert constants.h(0.1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("norm", [0.0, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("ratios", [[1.0], [0.2, 3.0], [1.0] * 6])
def test_h_is_positive_within_the_region_and_negative_far_away(norm, ratios):
    constants = MultinomialConstants(1.5, norm, ratios)
    radius = constants.largest_radius()
    inside = constants.h(np.linspace(0.0, radius, 20))
    assert (inside > 0).all()
    assert (np.diff(inside) < 0).all()
    assert constants.h(1.0) < 0


def test_the_multinomial_region_shrinks_with_truth_classes_features_and_uneven_sampling():
    def radius(bound=1.0, norm=1.0, ratios=EVEN):
        return MultinomialConstants(bound, norm, ratios).largest_radius()

    assert radius(norm=2.0) < radius() < radius(norm=0.5)
    assert radius(bound=2.0) < radius()
    assert radius(ratios=np.ones(3)) < radius() < radius(ratios=np.ones(1))
    assert radius(ratios=[0.5, 2.0]) < radius()


def test_norms_that_overflow_an_exponential_leave_finite_numbers():
    constants = MultinomialConstants(10.0, 1000.0, EVEN)
    assert constants.largest_radius() == 0.0
    assert constants.h(1.0) == -40.0
    ordinal = OrdinalConstants(10.0, 15.0, 1.0, EVEN)
    assert 0 < ordinal.gamma_0(0.0, 0.5) < 1e-200
    assert np.isfinite(ordinal.largest_radius(0.5))


def test_no_row_has_less_information_than_the_lemma_says():
    """Lemma 4.1: the Fisher information in eta has no eigenvalue below h(R) + 4 C_x R."""
    rng = np.random.default_rng(0)
    n_labeled, n_unlabeled, prevalence = np.array([40.0, 90.0]), 150.0, np.array([0.3, 0.2])
    label_model = CaseControl(prevalence).label_model(
        LabelCounts(np.arange(3), n_unlabeled, np.append(0.0, n_labeled))
    )
    for reach in (0.3, 1.0, 3.0):
        eta = rng.uniform(-reach, reach, (500, 2))
        eta[:4] = reach * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        information = PULoss(label_model).curvature(eta, np.zeros(500, dtype=int), "fisher")
        smallest = np.linalg.eigvalsh(information).min()
        bound = MultinomialConstants(1.0, reach, n_labeled / (prevalence * n_unlabeled))
        assert smallest >= bound.smallest_eigenvalue(0.0) > 0


def test_ordinal_constants_by_hand():
    constants = OrdinalConstants(1.0, 0.5, 1.5, [0.5, 200.0])
    e = np.exp(2.0 * (0.5 + 0.1))
    h = max((1 + e) ** 2 / ((1.5 - 0.5) * e), 1 + e)
    assert constants.h(0.1, 0.5) == pytest.approx(h, rel=1e-12)
    assert constants.gamma_0(0.1, 0.5) == pytest.approx(e**2 / (32 * h * (1 + e) ** 4), rel=1e-12)
    assert constants.L_0(0.1, 0.5) == pytest.approx((4 / 3 * 0.2 + 1) * h + 0.05 * h**2, rel=1e-12)
    flat = (1 + np.exp(2.0 * 0.51)) ** -6
    assert constants.largest_radius(0.5) == pytest.approx(0.5 * flat / (512 * 2 * 8 * 27 * 4), rel=1e-12)


def test_ordinal_limits():
    constants = OrdinalConstants(1.0, 1.0, 1.0, EVEN)
    # Without room to move, L_0 is h itself.
    assert constants.L_0(0.0, 0.3) == constants.h(0.0, 0.3)
    radii = np.linspace(0.0, 3.0, 10)
    assert (np.diff(constants.gamma_0(radii, 0.3)) < 0).all()
    assert (np.diff(constants.L_0(radii, 0.3)) > 0).all()
    # As gaps may close, nothing is guaranteed any more.
    assert constants.h(0.0, 1 - 1e-9) > 1e8
    assert constants.largest_radius(1 - 1e-9) < 1e-30
    # More than 80 labelled rows for an unlabeled one do not help further.
    many, more = (OrdinalConstants(1.0, 1.0, 1.0, [ratio]).largest_radius(0.5) for ratio in (80.0, 800.0))
    assert many == more


def test_one_class_has_no_gaps():
    constants = OrdinalConstants(1.0, 1.0, np.inf, [1.0])
    assert constants.h(0.0, 0.0) == pytest.approx(1 + np.exp(2.0))
    assert constants.largest_radius(0.0) > 0


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: MultinomialConstants(0.0, 1.0, EVEN), "feature_bound"),
        (lambda: OrdinalConstants(1.0, -1.0, 1.0, EVEN), "norm_of_truth"),
        (lambda: MultinomialConstants(1.0, 1.0, [1.0, 0.0]), "sampling_ratios"),
        (lambda: OrdinalConstants(1.0, 1.0, 0.0, EVEN), "smallest_gap"),
        (lambda: OrdinalConstants(1.0, 1.0, 1.0, EVEN).h(0.0, 1.0), "shrink"),
    ],
)
def test_impossible_constants_are_named(make, parameter):
    with pytest.raises(ValueError, match=f"^{parameter}="):
        make()


def test_no_reach_and_an_infinite_h_are_no_contradiction():
    assert OrdinalConstants(50.0, 50.0, 1.0, EVEN).L_0(0.0, 0.5) == np.inf
