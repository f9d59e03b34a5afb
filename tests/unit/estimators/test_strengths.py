"""Several strengths of the anchor: held-out rows choose, on the same folds."""

import warnings

import numpy as np
import pytest

import pulasso
from pulasso import MultinomialPULassoCV, OrdinalPULassoCV, fit_path, load
from pulasso.datasets import simulate_multinomial, simulate_ordinal
from pulasso.exceptions import InputError

DATA = simulate_multinomial(200, 10, n_active=2, scenario="case-control", random_state=0)
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")

FEW = {"n_lams": 6, "lam_min_ratio": 0.1, "cv": 3, "progress": False}


def fit(anchor, data=DATA, made=MultinomialPULassoCV, factor=1.0, random_state=0, **more):
    known = {**data.scenario_params, "prevalence": factor * np.asarray(data.scenario_params["prevalence"])}
    return made(anchor=anchor, random_state=random_state, **FEW, **known, **more).fit(data.X, data.z)


@pytest.fixture(scope="module")
def model():
    return fit((0, 3, 30))


def test_the_best_one_is_what_it_would_be_alone(model):
    alone = [fit(rho) for rho in (0, 3, 30)]
    losses = [each.cv_loss_mean_[each.best_index_] for each in alone]
    np.testing.assert_array_equal(model.anchor_loss_, losses)
    best = alone[int(np.argmin(losses))]
    assert model.anchor_ == best.anchor_ and model.anchor == (0, 3, 30)
    for name in ("coef_", "intercept_", "lams_", "cv_loss_", "cv_proba_", "class_shares_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(best, name))


def test_folds_are_the_same_where_no_seed_makes_them_so():
    twice = fit((1.0, 1.0 + 1e-13), random_state=None)
    assert twice.anchor_loss_[0] == pytest.approx(twice.anchor_loss_[1], rel=1e-9)


def test_wrong_shares_are_let_go():
    """Half of the shares, and data enough to say so: the likelihood of held-out labels is better without them."""
    data = simulate_multinomial(1500, 4, n_active=2, scenario="case-control", random_state=1)
    assert fit((0, 3), data, factor=0.5).anchor_ == 0
    assert fit((3, 100), factor=1.0).anchor_ in (3, 100)


def test_ordinal_models_refits_and_calibration():
    data = simulate_ordinal(200, 10, n_active=2, random_state=0)
    found = fit([0, 3], data, OrdinalPULassoCV, refit="relaxed", calibrate="shares")
    assert found.anchor_ in (0, 3) and found.refit_lam_ > 0 and len(found.calibration_)
    again = found.set_params(anchor=3.0).fit(data.X, data.z)
    assert again.anchor_ == 3 and not hasattr(again, "anchors_")


def test_a_summary_says_that_it_was_chosen(model):
    assert f"{model.anchor_:g}  (chosen from 0, 3, 30 by held-out rows)" in str(model.summary())


def test_a_model_is_saved_with_the_choice(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.anchor == (0, 3, 30) and loaded.anchor_ == model.anchor_
    np.testing.assert_array_equal(loaded.anchor_loss_, model.anchor_loss_)
    np.testing.assert_array_equal(loaded.predict_proba(DATA.X), model.predict_proba(DATA.X))


def test_a_checkpoint_keeps_every_strength(tmp_path):
    with pulasso.checkpoint(tmp_path / "run"):
        first = fit((0, 3), random_state=None)
        again = fit((0, 3), random_state=None)
    np.testing.assert_array_equal(first.cv_loss_, again.cv_loss_)


def test_only_the_chosen_one_is_heard():
    data = simulate_multinomial(60, 150, n_active=2, scenario="single-training-set", random_state=0)
    known = {"lams": [0.02, 0.005], "max_iter": 1, "cv": 3, "random_state": 0, **data.scenario_params}
    said = {}
    for anchor in (0, 30, (0, 30)):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            model = MultinomialPULassoCV(anchor=anchor, **known).fit(data.X, data.z)
        said[anchor] = [str(each.message) for each in heard]
    assert said[0] != said[30], "the test needs a strength with more to say"
    assert said[0, 30] == said[model.anchor_]


@pytest.mark.parametrize("anchor", [(), (0, 0), (0, -1), (0, "3"), (0, None), ((0, 3), 1), (float("nan"), 1)])
def test_what_is_no_strength(anchor):
    with pytest.raises(InputError, match="anchor") as refused:
        fit(anchor)
    assert refused.value.parameter == "anchor"


def test_an_array_is_taken_and_the_rule_does_not_matter(model):
    """Strengths are compared at the least loss of each, whatever rule chooses lam afterwards."""
    other = fit(np.array([0.0, 3.0, 30.0]), select="1se")
    np.testing.assert_array_equal(other.anchor_loss_, model.anchor_loss_)
    assert other.anchor_ == model.anchor_ and other.lam_ == model.lam_1se_


def test_a_fit_at_one_lam_has_nothing_to_choose_by():
    with pytest.raises(InputError, match="only cross-validation can choose"):
        fit_path(DATA.X, DATA.z, anchor=(0, 3), **DATA.scenario_params)


def test_what_fits_again_takes_the_chosen_strength(model):
    assert model._template().anchor == model.anchor_
