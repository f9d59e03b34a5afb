"""At the lam that cross-validation chooses, the naive reading is tried as a start, too; the better one is taken."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import pulasso
from pulasso import OrdinalPULasso, OrdinalPULassoCV, fit_path
from pulasso.datasets import simulate_ordinal
from pulasso.exceptions import StationaryPointWarning
from pulasso.path import lams_down_to

pytestmark = [
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning"),
    pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning"),  # of wrong numbers
]
WRONG = {"scenario": "case-control", "prevalence": 0.45}  # there is no separate sample of everybody


@pytest.fixture(scope="module")
def data():
    return simulate_ordinal(
        100, 20, n_active=4, random_state=27, scenario="single-training-set", label_frequency=0.9
    )


def prefer_small_lams(model, X, y):
    return -model.lam


def fit(data, **known):
    lam_max = OrdinalPULasso(1e9, **known).fit(data.X, data.z).lam_max_
    lams = lams_down_to(0.08 * lam_max, lam_max)
    model = OrdinalPULassoCV(lams=lams, cv=2, random_state=0, scoring=prefer_small_lams, anchor=0, **known)
    return model.fit(data.X, data.z)


def test_the_better_of_two_starts_is_taken_and_told(data, tmp_path):
    with pytest.warns(StationaryPointWarning, match="the naive reading .* leads; that one was taken"):
        model = fit(data, **WRONG)
    path = fit_path(data.X, data.z, response="ordinal", lams=model.lams_, **WRONG)
    assert model.objective_ < path.objective[-1] - 1e-3
    assert model.converged_ and model.path_.objective[-1] == model.objective_
    with pulasso.checkpoint(tmp_path):
        for _ in range(2):  # the second time from the folder
            with pytest.warns(StationaryPointWarning):
                again = clone(model).fit(data.X, data.z)
            np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-5)


def test_nothing_is_said_where_both_agree(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error", StationaryPointWarning)
        model = fit(data, **data.scenario_params)
    plain = OrdinalPULasso(model.lam_, **data.scenario_params).fit(data.X, data.z)
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-7)
