"""How estimates and curves present themselves."""

import numpy as np
import pytest

from pulasso import metrics
from pulasso.metrics import Estimate


def test_an_estimate_of_one_number():
    estimate = Estimate(0.84, 0.02)
    low, high = estimate.interval()
    assert (low, high) == pytest.approx((0.84 - 1.96 * 0.02, 0.84 + 1.96 * 0.02), abs=1e-5)
    assert estimate.interval(0.5)[1] < high
    assert float(estimate) == 0.84
    assert f"{estimate:.1f}" == "0.8"
    assert f"{estimate}" == repr(estimate) == "Estimate(0.840 ± 0.020)"
    assert repr(Estimate(0.84123, 0.00021)) == "Estimate(0.84123 ± 0.00021)"
    assert repr(Estimate(0.5, float("nan"))) == "Estimate(0.5 ± nan)"
    with pytest.raises(KeyError, match="this is one number"):
        estimate.of("oak")


def test_an_estimate_by_class():
    estimate = Estimate(np.array([0.5, 0.25]), np.array([0.1, 0.2]), np.array(["none", "oak"]))
    assert float(estimate.of("oak")) == 0.25
    assert repr(estimate).splitlines()[-1].split() == ["oak", "0.250", "±", "0.200"]
    with pytest.raises(TypeError, match="one value for each class"):
        float(estimate)
    with pytest.raises(KeyError, match="'fir' is none of the classes: 'none', 'oak'"):
        estimate.of("fir")
    matrix = Estimate(np.eye(2), np.eye(2), estimate.classes)
    assert matrix.of("none").value.tolist() == [1.0, 0.0]
    assert repr(matrix).splitlines()[1].split() == ["true", "class", "none", "oak"]


def test_a_calibration_curve_prints_and_converts():
    z, proba = np.repeat([0, 1, 2], [60, 20, 20]), np.tile([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], (50, 1))
    curve = metrics.pu_calibration_curve(z, proba, n_bins=2, prevalence=[0.3, 0.1])
    frame = curve.to_frame()
    names = ["class", "above", "up_to", "share", "predicted", "frequency", "standard_error"]
    assert list(frame.columns) == names
    assert len(frame) == 5  # class 2 is never given more than one half
    assert len(repr(curve).splitlines()) == 2 + 5
    np.testing.assert_allclose(frame["predicted"], [0.1, 0.8, 0.1, 0.8, 0.1])
