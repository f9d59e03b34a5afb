"""Stability selection: what subsamples select, what is stable, and what is promised."""

import numpy as np
import pytest
from sklearn.base import clone

from pulasso import Groups, MultinomialPULasso, PUData, fit_path
from pulasso.exceptions import InputError
from pulasso.inference import pairs_bound, selection_bound, stability_selection
from pulasso.inference._drawing import draw_pair
from pulasso.runs import draw_entropy, spawn


@pytest.fixture(scope="module")
def result(single_set):
    model = MultinomialPULasso(**single_set.scenario_params)
    return stability_selection(
        model, single_set.X, single_set.z, n_subsamples=8, q=3, n_lams=25, random_state=0
    )


def test_a_subsample_selects_what_its_path_has_had(case_control):
    lams = [0.2, 0.1, 0.05, 0.03]
    X, z, known = case_control.X, case_control.z, case_control.scenario_params
    found = stability_selection(MultinomialPULasso(**known), X, z, n_subsamples=2, lams=lams, random_state=3)
    stream = np.random.default_rng(spawn(draw_entropy(3), 1)[0])
    (rows, _), _ = draw_pair(PUData.read(X, z), True, stream)
    path = fit_path(X[rows], z[rows], lams=lams, **known)
    ever = np.maximum.accumulate(path.coefs.any(axis=1), axis=0)
    assert (np.where(ever.any(axis=0), ever.argmax(axis=0), 4) == found.entered[0]).all()
    assert found.q is None
    assert found.q_realized == (found.entered < 4).sum() / 2
    assert found.bound == selection_bound(found.q_realized, 0.75, 8)


def test_no_subsample_selects_more_than_q(result):
    n_selected = (result.entered < len(result.lams)).sum(axis=1)
    assert n_selected.max() <= result.q == 3
    assert result.q_realized == n_selected.mean() <= 3
    assert result.bound == selection_bound(3, 0.75, 8)
    assert result.pairs_bound == pytest.approx(pairs_bound(3, 0.75, 8, 4))


def test_probabilities_are_shares_and_grow_along_the_path(result):
    assert result.entered.shape == (8, 8)
    assert result.probabilities == pytest.approx((result.entered < 25).mean(axis=0))
    paths = result.paths
    assert paths.shape == (25, 8)
    assert ((paths >= 0) & (paths <= 1)).all()
    assert (np.diff(paths, axis=0) >= 0).all()
    assert (paths[-1] == result.probabilities).all()
    assert (paths[7] == (result.entered <= 7).mean(axis=0)).all()


def test_only_features_that_matter_are_stable(result, single_set):
    true = {f"x{j}" for j in np.flatnonzero(single_set.coef.any(axis=0))}
    assert result.stable
    assert set(result.stable) <= true
    assert {result.groups[j] for j in np.flatnonzero(result.probabilities >= 0.75)} == set(result.stable)


def test_another_threshold_needs_no_new_fit(result):
    stricter = result.at(1.0)
    assert set(stricter.stable) <= set(result.stable)
    assert stricter.bound == pytest.approx(9 / 8)
    assert stricter.bound < result.bound
    with pytest.raises(ValueError, match="threshold=0.5"):
        result.at(0.5)


def test_the_default_q_keeps_the_bound(single_set):
    model = MultinomialPULasso(groups="entries", **single_set.scenario_params)
    found = stability_selection(
        model, single_set.X, single_set.z, n_subsamples=2, expected_false=2.0, threshold=0.9, random_state=0
    )
    assert found.n_groups == 16
    assert found.q == int(np.sqrt(2 * 0.8 * 16)) == 5
    assert found.bound <= 2


def test_groups_that_are_not_selected_from_are_not_judged(single_set):
    groups = Groups.from_columns(
        {"kept": [0, 1], "out": [2]}, weights={"kept": 0, "out": np.inf}, rest="rows"
    )
    model = MultinomialPULasso(groups=groups, **single_set.scenario_params)
    found = stability_selection(model, single_set.X, single_set.z, n_subsamples=2, q=2, random_state=0)
    judged = [name not in ("kept", "out") for name in found.groups]
    assert found.candidates.tolist() == judged
    assert found.n_groups == 5
    assert (np.isnan(found.probabilities) == ~np.array(judged)).all()
    assert "kept" not in [*found.stable, *found.to_frame()["group"]]
    assert found.q_realized <= 2


def test_groups_that_an_adaptive_penalty_excludes_are_judged_all_the_same(single_set):
    """Its first fit excludes groups, but other ones in every subsample."""
    model = MultinomialPULasso(penalty="adaptive-group-lasso", **single_set.scenario_params)
    found = stability_selection(
        model, single_set.X, single_set.z, n_subsamples=2, n_lams=10, q=3, random_state=0
    )
    assert found.candidates.all()
    assert found.stable


def test_lam_is_not_used_and_the_estimator_left_alone(single_set, result):
    model = MultinomialPULasso(lam=123.0, n_restarts=5, **single_set.scenario_params)
    before = dict(vars(model))
    found = stability_selection(
        model, single_set.X, single_set.z, n_subsamples=2, q=3, n_lams=25, random_state=0
    )
    assert (found.entered == result.entered[:2]).all()
    assert vars(model) == before


def test_short_paths_are_counted(single_set):
    model = MultinomialPULasso(**single_set.scenario_params)
    found = stability_selection(
        model, single_set.X, single_set.z, n_subsamples=2, q=8, lams=[0.5, 0.05], random_state=0
    )
    assert found.n_short == 2
    assert "2 had fewer than q groups" in repr(found)


def test_processes_and_checkpoints_give_bitwise_identical_results(single_set, result, tmp_path):
    model = MultinomialPULasso(**single_set.scenario_params)
    settings = {"q": 3, "n_lams": 25, "random_state": 0, "checkpoint": tmp_path}
    stability_selection(model, single_set.X, single_set.z, n_subsamples=4, **settings)
    assert len(list(tmp_path.glob("*/pair*"))) == 2
    found = stability_selection(
        clone(model), single_set.X, single_set.z, n_subsamples=8, n_jobs=2, **settings
    )
    assert found.entered.tobytes() == result.entered.tobytes()


def test_renderings(result):
    text, html, frame = repr(result), result._repr_html_(), result.to_frame()
    assert "8, in disjoint pairs of all rows" in text
    assert "half" not in text + html
    assert f"at most {result.bound:.2g} expected" in text
    assert "exchangeable" in html
    assert "exchangeable" in result.assumptions
    assert frame["stable"].sum() == len(result.stable)
    assert frame["probability"].is_monotonic_decreasing


def test_plot(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = result.plot()
    assert {text.get_text() for text in ax.texts} == set(result.stable)
    pyplot.close("all")


@pytest.mark.parametrize(
    "settings",
    [
        {"n_subsamples": 7},
        {"n_subsamples": 0},
        {"threshold": 0.4},
        {"q": 9},
        {"q": 0},
        {"expected_false": 0.01},
        {"lams": []},
        {"lam_min_ratio": 2},
    ],
    ids=str,
)
def test_bad_settings_are_named(single_set, settings):
    model = MultinomialPULasso(**single_set.scenario_params)
    with pytest.raises(ValueError, match=next(iter(settings))):
        stability_selection(model, single_set.X, single_set.z, **settings)


def test_the_advice_about_expected_false_works(single_set):
    model = MultinomialPULasso(**single_set.scenario_params)
    with pytest.raises(InputError, match="expected_false=0.25 or more"):
        stability_selection(model, single_set.X, single_set.z, expected_false=0.01)
    found = stability_selection(
        model, single_set.X, single_set.z, n_subsamples=2, n_lams=5, expected_false=0.25, random_state=0
    )
    assert found.q == 1


def test_a_class_with_one_row_is_named(case_control):
    rows = np.flatnonzero(case_control.z < 2)
    rows = np.append(rows, np.flatnonzero(case_control.z == 2)[0])
    model = MultinomialPULasso(**case_control.scenario_params)
    with pytest.raises(InputError, match="carry the label 2") as caught:
        stability_selection(model, case_control.X[rows], case_control.z[rows])
    assert caught.value.parameter == "z"


def test_nothing_to_select_from(single_set):
    model = MultinomialPULasso(groups=Groups.rows(weights=np.zeros(8)), **single_set.scenario_params)
    with pytest.raises(InputError) as caught:
        stability_selection(model, single_set.X, single_set.z)
    assert caught.value.parameter == "groups"
