"""What sklearn.inspection says of both models agrees with what their coefficients say."""

import numpy as np
import pytest
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance

from pulasso.metrics import observed_log_likelihood_scorer
from support.small_models import NAMES


def test_permutation_importance_finds_the_features(estimator, data):
    X, z = data
    model = estimator.fit(X, z)
    found = permutation_importance(
        model, X, z, scoring=observed_log_likelihood_scorer, n_repeats=5, random_state=0
    )
    assert np.argmax(found.importances_mean) == 0
    unused = ~np.atleast_2d(model.coef_).any(axis=0)
    assert unused.any()
    assert (found.importances[unused] == 0).all()


def test_partial_dependence_is_the_mean_prediction(estimator, data):
    X, z = data
    model = estimator.fit(X, z)
    found = partial_dependence(
        model, X, [0], grid_resolution=7, response_method="predict_proba", kind="average"
    )
    grid = found["grid_values"][0]
    expected = []
    for value in grid:
        moved = X.copy()
        moved[:, 0] = value
        expected.append(model.predict_proba(moved).mean(axis=0))
    # All classes, class 0 first; and the first feature speaks against class 0.
    np.testing.assert_allclose(found["average"], np.transpose(expected), rtol=1e-12)
    assert (np.diff(found["average"][0]) < 0).all()


def test_partial_dependence_of_a_frame_is_drawn(estimator, data):
    pd = pytest.importorskip("pandas")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, z = pd.DataFrame(data[0], columns=NAMES), data[1]
    drawn = PartialDependenceDisplay.from_estimator(
        estimator.fit(X, z), X, ["feature 0", ("feature 0", "feature 1")], target=2, grid_resolution=5
    )
    assert drawn.axes_.shape == (1, 2)
    assert drawn.axes_[0, 0].get_xlabel() == "feature 0"
    pyplot.close(drawn.figure_)
