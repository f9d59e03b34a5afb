"""The calibration picture shows estimates that lie where none can be, instead of cutting them off."""

import numpy as np
import pytest

from pulasso.metrics import CalibrationCurve
from pulasso.plots import PUCalibrationDisplay

pytest.importorskip("matplotlib")


def curve(frequency, share):
    n_bins = len(frequency)
    middle = (np.arange(n_bins) + 0.5) / n_bins
    both = [np.array([each, each]) for each in (share, middle, frequency, np.full(n_bins, 0.02))]
    return CalibrationCurve(np.array([0, 1]), np.tile(np.linspace(0, 1, n_bins + 1), (2, 1)), *both)


def test_every_estimate_that_rests_on_rows_is_in_the_picture():
    display = PUCalibrationDisplay(curve([-0.4, 0.5, 1.9], [0.3, 0.4, 0.3])).plot()
    low, high = display.ax_.get_ylim()
    assert low < -0.4 and high > 1.9
    assert "outside" not in display.ax_.get_xlabel()


def test_what_rests_on_next_to_nothing_is_counted_instead():
    display = PUCalibrationDisplay(curve([0.2, 0.5, 9.0], [0.5, 0.499, 0.001])).plot()
    assert display.ax_.get_ylim()[1] < 1.5
    assert "2 thin bins outside of the picture" in " ".join(display.ax_.get_xlabel().split())


def test_lines_leave_out_what_rests_on_next_to_nothing():
    display = PUCalibrationDisplay(curve([0.2, 0.9, 0.8], [0.5, 0.001, 0.499])).plot()
    for container in display.containers_:
        np.testing.assert_array_equal(container.lines[0].get_ydata(), [0.2, 0.8])
    hollow = [line for line in display.ax_.lines if line.get_markerfacecolor() == "white"]
    assert [(line.get_ydata().tolist(), line.get_linestyle()) for line in hollow] == 2 * [([0.9], "None")]
