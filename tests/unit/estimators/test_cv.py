"""Cross-validated estimators: what is computed, what is chosen, and what is said."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_val_predict

import pulasso
from pulasso import (
    CaseControl,
    FullyObserved,
    Groups,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULassoCV,
    SingleTrainingSet,
    fit_path,
)
from pulasso.exceptions import (
    ConvergenceWarning,
    FewLabelsWarning,
    GridEdgeWarning,
    InputError,
    LabelError,
    LabelFrequencyWarning,
    ScenarioError,
)
from pulasso.metrics import make_pu_scorer, pu_accuracy_scorer
from pulasso.scenarios import LabelCounts
from support.simulate import draw_truth

MODELS = {"multinomial": MultinomialPULassoCV, "ordinal": OrdinalPULassoCV}
SCENARIOS = {
    "case-control": {"prevalence": [0.3, 0.2]},
    "single-training-set": {"label_frequency": [0.7, 0.6]},
    "fully-observed": {},
}
every_model = pytest.mark.parametrize("response", MODELS)
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS)


def draw(response, n=200, p=8, seed=0):
    rng = np.random.default_rng(seed)
    truth = draw_truth(rng, response, p, 2, n_active=3)
    x = rng.normal(size=(n, p))
    y = truth.draw(rng, x)
    return x, np.where(rng.random(n) < np.array([1.0, 0.7, 0.6])[y], y, 0)


def settings_of(scenario, **more):
    return {
        "scenario": scenario,
        **SCENARIOS[scenario],
        "n_lams": 5,
        "cv": 3,
        "tol": 1e-4,
        "random_state": 3,
        "anchor": 0.0,
        **more,
    }


def quiet_fit(model, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GridEdgeWarning)
        return model.fit(*arguments, **keywords)


# -- what is computed -----------------------------------------------------------------------------------------


@every_model
@every_scenario
def test_losses_are_those_of_a_path_per_fold(response, scenario):
    """The same by hand: fit_path on the training rows, P(z | x) of the held-out rows."""
    x, z = draw(response)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(z))
    model = quiet_fit(MODELS[response](**settings_of(scenario, lam_min_ratio=0.05)), x, z, weight)
    folds = StratifiedKFold(3, shuffle=True, random_state=3).split(x, z)
    by_hand = np.empty_like(model.cv_loss_)
    given = {"scenario": scenario, **SCENARIOS[scenario], "tol": 1e-4}
    for f, (train, test) in enumerate(folds):
        path = fit_path(
            x[train], z[train], response=response, lams=model.lams_, sample_weight=weight[train], **given
        )
        for i in range(len(path)):
            fitted = path.model(i)
            if scenario == "case-control":
                counts = LabelCounts.from_codes(z[test], np.arange(3), weight[test])
                fitted.label_model_ = fitted.scenario_.label_model(counts)
            by_hand[f, i] = -fitted.observed_score(x[test], z[test], weight[test])
    np.testing.assert_allclose(model.cv_loss_, by_hand, rtol=1e-9)
    sizes = np.array(
        [weight[test].sum() for _, test in StratifiedKFold(3, shuffle=True, random_state=3).split(x, z)]
    )
    mean = np.average(by_hand, axis=0, weights=sizes)
    np.testing.assert_allclose(model.cv_loss_mean_, mean)
    spread = np.average((by_hand - mean) ** 2, axis=0, weights=sizes)
    np.testing.assert_allclose(model.cv_loss_se_, np.sqrt(spread / 2))
    assert model.lam_min_ == model.lams_[mean.argmin()]


@every_model
def test_the_refit_is_the_path_on_all_rows(response):
    x, z = draw(response)
    model = quiet_fit(MODELS[response](**settings_of("single-training-set")), x, z)
    given = {"scenario": "single-training-set", **SCENARIOS["single-training-set"], "tol": 1e-4}
    path = fit_path(x, z, response=response, lams=model.lams_[: model.best_index_ + 1], **given)
    assert model.lam_ == path.lams[-1] == model.lam_min_
    assert model.path_.coefs.tobytes() == path.coefs.tobytes()
    np.testing.assert_array_equal(model.path_.n_active, path.n_active)
    plain = path.model(-1)
    assert {name for name in vars(plain) if name.endswith("_")} <= set(vars(model))
    for name in ("coef_", "objective_", "kkt_", "converged_", "lam_max_", "classes_", "group_norms_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(plain, name))
    np.testing.assert_array_equal(model.predict_proba(x), plain.predict_proba(x))
    np.testing.assert_array_equal(model.path_.model(-1).predict(x), model.predict(x))
    assert model.n_iter_ == path.n_iter.sum()
    assert [len(each) for each in model.path_._histories] == [len(each) for each in path._histories]


def test_one_grid_for_all_folds():
    x, z = draw("multinomial")
    model = quiet_fit(MultinomialPULassoCV(**settings_of("fully-observed")), x, z)
    assert model.lams_[0] == model.lam_max_
    assert model.lams_[-1] == pytest.approx(0.05 * model.lam_max_)
    given = [0.01, 0.05, 0.02]
    chosen = quiet_fit(MultinomialPULassoCV(given, scenario="fully-observed", random_state=0), x, z)
    np.testing.assert_array_equal(chosen.lams_, [0.05, 0.02, 0.01])
    assert chosen.cv_loss_.shape == chosen.cv_n_active_.shape == (5, 3)


@pytest.mark.parametrize("kind", ["float32", "csr", "csc", "frame", "fortran"])
def test_kinds_of_data(kind):
    from scipy import sparse

    pandas = pytest.importorskip("pandas")
    x, z = draw("multinomial")
    x = np.where(np.abs(x) < 0.5, 0.0, x)
    settings = settings_of("single-training-set", tol=1e-7)
    expected = quiet_fit(MultinomialPULassoCV(**settings), x, z)
    other = {
        "float32": lambda: x.astype(np.float32),
        "csr": lambda: sparse.csr_array(x),
        "csc": lambda: sparse.csc_array(x),
        "frame": lambda: pandas.DataFrame(x, columns=[f"gene {j}" for j in range(x.shape[1])]),
        "fortran": lambda: np.asfortranarray(x),
    }[kind]()
    model = quiet_fit(MultinomialPULassoCV(**settings | {"tol": 1e-6}), other, z)
    np.testing.assert_allclose(model.cv_loss_, expected.cv_loss_, rtol=1e-4 if kind == "float32" else 1e-6)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-3 if kind == "float32" else 1e-5)
    assert model.coef_.dtype == (np.float32 if kind == "float32" else np.float64)
    if kind == "frame":
        assert list(model.path_.feature_names) == list(model.feature_names_in_) == list(other.columns)
        assert model.path_.model(-1).predict(other).shape == (len(z),)


def test_text_labels_missing_labels_and_named_groups():
    pandas = pytest.importorskip("pandas")
    x, z = draw("multinomial")
    frame = pandas.DataFrame(x, columns=[f"gene {j}" for j in range(x.shape[1])])
    groups = Groups.from_columns({"first": ["gene 0", "gene 1"]}, rest="rows")
    expected = quiet_fit(MultinomialPULassoCV(**settings_of("single-training-set", groups=groups)), frame, z)
    names = np.array(["background", "fir", "oak"])
    for marker, missing in (("background", False), (float("nan"), True)):
        labels = names[z].astype(object)
        if missing:
            labels[z == 0] = None
        settings = settings_of("single-training-set", groups=groups, unlabeled=marker)
        model = quiet_fit(MultinomialPULassoCV(**settings), frame, labels.tolist())
        np.testing.assert_array_equal(model.cv_loss_, expected.cv_loss_)
        assert model.classes_.tolist()[1:] == ["fir", "oak"]
        scored = clone(model).set_params(scoring=pu_accuracy_scorer)
        assert np.isfinite(quiet_fit(scored, frame, labels.tolist()).cv_loss_).all()


def test_confirmed_negatives_in_every_scenario():
    x, z = draw("multinomial", n=300)
    rng = np.random.default_rng(5)
    labels = np.where((z == 0) & (rng.random(len(z)) < 0.2), -1, z)
    for scenario in (
        CaseControl([0.3, 0.2]),
        SingleTrainingSet([0.7, 0.6], negative_label_frequency=0.3),
        FullyObserved(),
    ):
        model = MultinomialPULassoCV(scenario=scenario, unlabeled=0, negative=-1, n_lams=5, random_state=0)
        assert np.isfinite(quiet_fit(model, x, labels).cv_loss_).all()


# -- weights, folds, metadata ------------------------------------------------------------------------------


@every_scenario
def test_a_weight_of_two_is_the_row_twice(scenario):
    x, z = draw("multinomial", n=120)
    rng = np.random.default_rng(2)
    weight = rng.integers(1, 3, len(z))
    repeated = np.repeat(np.arange(len(z)), weight)
    fold = rng.permuted(np.arange(len(z)) % 3)
    settings = settings_of(scenario, cv=GroupKFold(3), tol=1e-6)
    weighted = quiet_fit(MultinomialPULassoCV(**settings), x, z, weight, groups=fold)
    counted = quiet_fit(MultinomialPULassoCV(**settings), x[repeated], z[repeated], groups=fold[repeated])
    order = [np.argmin(np.abs(counted.cv_loss_[:, 0] - loss)) for loss in weighted.cv_loss_[:, 0]]
    np.testing.assert_allclose(weighted.cv_loss_, counted.cv_loss_[order], rtol=1e-5)
    np.testing.assert_allclose(weighted.coef_, counted.coef_, atol=1e-4)


def test_weights_reach_a_scorer():
    x, z = draw("multinomial")
    weight = np.random.default_rng(2).uniform(0.1, 3.0, len(z))
    default = quiet_fit(MultinomialPULassoCV(**settings_of("fully-observed")), x, z, weight)
    scored = MultinomialPULassoCV(**settings_of("fully-observed"), scoring=MultinomialPULasso.observed_score)
    np.testing.assert_allclose(quiet_fit(scored, x, z, weight).cv_loss_, default.cv_loss_, rtol=1e-10)
    deaf = MultinomialPULassoCV(**settings_of("fully-observed"), scoring=lambda model, x, y: 0.0)
    with pytest.raises(ValueError, match="takes no sample_weight, but fit was given one"):
        deaf.fit(x, z, weight)


def test_rows_of_a_group_stay_together():
    x, z = draw("multinomial")
    groups = np.arange(len(z)) % 10
    seen = []

    def spy(model, x_held, y_held):
        seen.append(x_held[0, 0])
        return 0.0

    model = MultinomialPULassoCV([0.05], scenario="fully-observed", cv=GroupKFold(5), scoring=spy)
    model.fit(x, z, groups=groups)
    expected = [x[test[0], 0] for _, test in GroupKFold(5).split(x, z, groups)]
    assert seen == expected
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        model.fit(x, z)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        model.fit(x, z, colour=groups)


def test_metadata_routing():
    from sklearn import config_context

    x, z = draw("multinomial")
    rng = np.random.default_rng(0)
    groups, weight = np.arange(len(z)) % 10, rng.uniform(0.5, 2.0, len(z))
    calls = []

    def metric(y_true, y_pred, bonus=None, sample_weight=None):
        calls.append((bonus is not None and len(bonus) == len(y_true), sample_weight is not None))
        return float(np.mean(y_true == y_pred))

    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(metric).set_score_request(bonus=True, sample_weight=False)
        model = MultinomialPULassoCV([0.05], scenario="fully-observed", cv=GroupKFold(5), scoring=scorer)
        model.set_fit_request(sample_weight=True)
        model.fit(x, z, sample_weight=weight, groups=groups, bonus=weight)
        assert calls == [(True, False)] * 5
        asking = make_pu_scorer("accuracy").set_score_request(sample_weight=True)
        quiet_fit(clone(model).set_params(scoring=asking), x, z, sample_weight=weight, groups=groups)
        with pytest.raises(TypeError, match="colour"):
            model.fit(x, z, groups=groups, bonus=weight, colour=weight)
        default = MultinomialPULassoCV([0.05, 0.02], scenario="fully-observed", random_state=0)
        quiet_fit(default, x, z, sample_weight=weight)


def test_splitters_of_every_kind():
    x, z = draw("multinomial")
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(x, z))
    masks = [(np.isin(np.arange(len(z)), train), np.isin(np.arange(len(z)), test)) for train, test in folds]
    losses = [
        quiet_fit(MultinomialPULassoCV(**settings_of("fully-observed", cv=cv)), x, z).cv_loss_
        for cv in (StratifiedKFold(3, shuffle=True, random_state=0), folds, iter(folds), masks)
    ]
    for loss in losses[1:]:
        np.testing.assert_array_equal(loss, losses[0])
    single = MultinomialPULassoCV(**settings_of("fully-observed", cv=ShuffleSplit(1, random_state=0)))
    assert np.isnan(quiet_fit(single, x, z).cv_loss_se_).all()
    assert single.lam_1se_ == single.lam_min_
    with pytest.raises(ValueError, match="select='1se' compares folds, and there is only one"):
        quiet_fit(clone(single).set_params(select="1se"), x, z)


def test_random_states():
    x, z = draw("multinomial")
    one, same, other, generator = (
        quiet_fit(MultinomialPULassoCV(**settings_of("fully-observed", random_state=state)), x, z).cv_loss_
        for state in (1, np.random.RandomState(1), 2, np.random.default_rng(1))
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    assert not np.array_equal(one, generator)


# -- what is chosen ------------------------------------------------------------------------------------------


@every_model
@every_scenario
def test_one_standard_error_gives_a_larger_lam_and_no_denser_model(response, scenario, tmp_path):
    x, z = draw(response, seed=1)
    settings = settings_of(scenario, n_lams=8)
    with pulasso.checkpoint(tmp_path):  # both choose from the same folds
        at_min = quiet_fit(MODELS[response](**settings), x, z)
        within = quiet_fit(MODELS[response](**settings, select="1se"), x, z)
    assert within.lam_ == within.lam_1se_ == at_min.lam_1se_ >= at_min.lam_ == within.lam_min_
    limit = at_min.cv_loss_mean_[at_min.best_index_] + at_min.cv_loss_se_[at_min.best_index_]
    assert within.cv_loss_mean_[within.best_index_] <= limit
    assert (within.cv_loss_mean_[: within.best_index_] > limit).all()
    assert np.count_nonzero(within.group_norms_) <= np.count_nonzero(at_min.group_norms_)


def test_scores_are_negated_losses():
    x, z = draw("multinomial")
    shared = settings_of("single-training-set")
    by_object = quiet_fit(MultinomialPULassoCV(**shared, scoring=pu_accuracy_scorer), x, z)
    by_function = MultinomialPULassoCV(**shared, scoring=lambda model, x, y: pu_accuracy_scorer(model, x, y))
    np.testing.assert_array_equal(by_object.cv_loss_, quiet_fit(by_function, x, z).cv_loss_)
    assert by_object.lam_ == by_object.lams_[np.argmax(-by_object.cv_loss_mean_)]
    by_our_name = quiet_fit(MultinomialPULassoCV(**shared, scoring="pu_accuracy"), x, z)
    np.testing.assert_array_equal(by_object.cv_loss_, by_our_name.cv_loss_)
    by_name = quiet_fit(MultinomialPULassoCV(**shared, scoring="neg_log_loss"), x, z)
    assert (by_name.cv_loss_ > 0).all()


def test_a_scorer_sees_models_that_are_fitted():
    x, z = draw("multinomial")
    seen = []

    def spy(model, x_held, y_held):
        seen.append((type(model), model.lam, model.predict(x_held).shape == y_held.shape))
        return -model.lam

    model = MultinomialPULassoCV([0.1, 0.05], scenario="fully-observed", cv=2, scoring=spy, random_state=0)
    with pytest.warns(GridEdgeWarning):
        model.fit(x, z)
    assert seen == [(MultinomialPULasso, lam, True) for _ in range(2) for lam in (0.1, 0.05)]


# -- what is said ---------------------------------------------------------------------------------------------


def test_the_edges_of_the_grid():
    x, z = draw("multinomial")
    coarse = settings_of("fully-observed", lam_min_ratio=0.5)
    with pytest.warns(GridEdgeWarning, match=r"at the smallest lam of the grid, .* Try lam_min_ratio=0\.1\."):
        model = MultinomialPULassoCV(**coarse).fit(x, z)
    assert any("smallest lam" in words for words in model.warnings_)
    with pytest.warns(GridEdgeWarning, match="Try smaller values in lams"):
        MultinomialPULassoCV([0.1, 0.09], scenario="fully-observed", random_state=0).fit(x, z)
    with pytest.warns(GridEdgeWarning, match="at the largest lam of the grid, .* Try larger values in lams"):
        MultinomialPULassoCV([0.001, 0.0005], scenario="fully-observed", random_state=0).fit(x, z)
    noise = np.random.default_rng(1).normal(size=(60, 30))
    labels = np.random.default_rng(2).integers(0, 3, 60)
    with pytest.warns(GridEdgeWarning, match="where no penalised feature is selected"):
        MultinomialPULassoCV(**settings_of("fully-observed")).fit(noise, labels)
    MultinomialPULassoCV([0.05], scenario="fully-observed", random_state=0).fit(x, z)  # no grid, no edge


def test_folds_that_did_not_converge_are_numbered():
    x, z = draw("multinomial")
    model = MultinomialPULassoCV(**settings_of("fully-observed", max_iter=1))
    with pytest.warns(ConvergenceWarning) as caught:
        quiet_fit(model, x, z)
    words = [str(each.message) for each in caught]
    assert any(each.startswith("Fold 2 of 3: ") and "did not reach tol=0.0001" in each for each in words)
    assert any(each.startswith("All rows: ") for each in words)
    assert all(each.filename == __file__ for each in caught)
    assert set(words) <= set(model.warnings_)


def test_a_loss_that_is_not_finite_is_not_chosen():
    x, z = draw("multinomial")

    def fragile(model, x_held, y_held):
        return float("nan") if model.lam < 0.03 else -abs(model.lam - 0.05)

    model = MultinomialPULassoCV(
        [0.1, 0.05, 0.02, 0.01], scenario="fully-observed", cv=2, scoring=fragile, random_state=0
    )
    with pytest.warns(
        UserWarning, match=r"Folds 1, 2 of 2: the loss .* not finite at 2 of 4 lams, the first 0\.02"
    ):
        model.fit(x, z)
    assert model.lam_ == 0.05
    hopeless = MultinomialPULassoCV([0.1], scenario="fully-observed", scoring=lambda m, x, y: float("nan"))
    with (
        pytest.warns(UserWarning, match="not finite"),
        pytest.raises(ValueError, match="No lam has a finite"),
    ):
        hopeless.fit(x, z)


def test_an_impossible_label_frequency_is_said_once():
    x, z = draw("multinomial")
    model = MultinomialPULassoCV(
        scenario="single-training-set", label_frequency=0.2, n_lams=3, random_state=0
    )
    with pytest.warns(LabelFrequencyWarning) as caught:
        quiet_fit(model, x, z)
    assert sum(each.category is LabelFrequencyWarning for each in caught) == 1
    assert all(each.filename == __file__ for each in caught if each.category is LabelFrequencyWarning)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cv": 1}, "cv=1 must be at least 2"),
        ({"cv": 2.5}, "cv=2.5 must be a whole number"),
        ({"cv": True}, "cv=True is not a number"),
        ({"cv": "many"}, "cv='many' is not a number"),
        ({"cv": 500}, r"cv=500 folds are too many: no observed label has more than \d+ rows"),
        ({"cv": []}, "cv gives no folds"),
        ({"select": "best"}, "select='best' is unknown"),
        ({"progress": "yes"}, "progress='yes' is unknown"),
        ({"scoring": "pu_acuracy"}, "scoring='pu_acuracy' is unknown. Did you mean 'pu_accuracy'?"),
        ({"scoring": ["accuracy"]}, "scoring=.* must be None, the name of a scorer, or a callable"),
        ({"n_lams": 0}, "n_lams=0 must be at least 1"),
        ({"lam_min_ratio": 2}, "lam_min_ratio=2 must be at most 1"),
        ({"lams": [-1]}, "lams=-1.0 must be at least 0"),
        ({"tol": 0}, "tol=0 must be greater than 0"),
        ({"solver": "magic"}, "solver='magic' is unknown"),
    ],
)
def test_bad_settings(changes, words):
    x, z = draw("multinomial")
    with pytest.raises(ValueError, match=words):
        MultinomialPULassoCV(**settings_of("fully-observed", **changes)).fit(x, z)


def test_the_only_row_of_a_class_is_in_every_training_set():
    x, z = draw("multinomial", n=60)
    names = np.array(["background", "fir", "oak"])[z]
    names[names == "oak"] = "fir"
    names[7] = "oak"
    model = MultinomialPULassoCV(unlabeled="background", scenario="fully-observed", cv=3, random_state=0)
    with pytest.warns(FewLabelsWarning, match="'oak' has a single labelled row"):
        model.fit(x, names)
    judged = np.flatnonzero(~np.isnan(model.cv_proba_).any(axis=1))
    np.testing.assert_array_equal(judged, np.delete(np.arange(60), 7))
    assert any("'oak'" in words for words in model.warnings_)


def test_a_fold_without_a_class_names_both():
    x, z = draw("multinomial", n=60)
    ordered = np.sort(z)
    in_order = MultinomialPULassoCV(**settings_of("fully-observed", cv=KFold(3)))
    with pytest.raises(ValueError, match=r"Fold \d of 3 holds out all \d+ rows labelled 2"):
        in_order.fit(x, ordered)
    unlabeled_last = [(np.flatnonzero(ordered > 0), np.flatnonzero(ordered == 0))]
    with pytest.raises(ValueError, match=r"Fold 1 of 1 holds out all \d+ rows without label"):
        in_order.set_params(cv=unlabeled_last).fit(x, ordered)


def test_held_out_rows_must_be_able_to_judge():
    x, z = draw("multinomial")
    labelled = np.flatnonzero(z > 0)[::2]
    rest = np.setdiff1d(np.arange(len(z)), labelled)
    model = MultinomialPULassoCV(**settings_of("case-control", cv=[(rest, labelled)]))
    with pytest.raises(ScenarioError, match="The rows that fold 1 holds out: y has no unlabeled row"):
        model.fit(x, z)
    weight = np.ones(len(z))
    weight[labelled] = 0.0
    with pytest.raises(ValueError, match=r"Fold 1 of 1 holds out no row \(of positive weight\)"):
        model.set_params(scenario="fully-observed", prevalence=None).fit(x, z, weight)


def test_a_fit_that_fails_leaves_the_model():
    x, z = draw("multinomial")
    model = quiet_fit(MultinomialPULassoCV(**settings_of("fully-observed")), x, z)
    before = model.lam_, model.predict(x)
    with pytest.raises(ValueError, match="cv=1 must"):
        model.set_params(cv=1).fit(x, z)
    assert model.lam_ == before[0]
    np.testing.assert_array_equal(model.predict(x), before[1])


def test_summary_says_how_lam_was_chosen():
    x, z = draw("multinomial")
    model = quiet_fit(MultinomialPULassoCV(**settings_of("fully-observed", select="1se")), x, z)
    text = repr(model.summary())
    assert text.startswith("MultinomialPULassoCV: ")
    assert f"{model.lam_:.4g}  (lam_max {model.lam_max_:.4g}; chosen by 3 folds, 1se)" in text


@pytest.mark.parametrize(
    ("scoring", "refused"),
    [("pu_accuracy", True), (pu_accuracy_scorer, True), ("pu_observed_log_likelihood", False), (None, False)],
)
def test_a_score_that_needs_every_class_in_every_fold_is_refused_before_any_fit(
    scoring, refused, monkeypatch
):
    rng = np.random.default_rng(0)
    z = np.repeat([0, 1, 2], [60, 20, 3])  # three rows for five folds
    X = rng.normal(size=(len(z), 3)) + z[:, None]
    model = MultinomialPULassoCV(cv=5, n_lams=3, prevalence=[0.2, 0.1], scoring=scoring, random_state=0)
    if not refused:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GridEdgeWarning)
            assert model.fit(X, z).lam_ > 0
        return
    monkeypatch.setattr("pulasso.estimators._cross_validated.fit_fold", None)
    with pytest.raises(InputError, match=r"none of the 3 rows labelled 2.*cv=3") as error:
        model.fit(X, z)
    assert error.value.parameter == "cv"


def test_the_error_about_text_that_scikit_learn_has_encoded_says_what_works():
    rng = np.random.default_rng(0)
    names = np.array(["none", "oak", "fir"])
    y = names[rng.integers(0, 3, 90)]
    X = rng.normal(size=(90, 2)) + (y == "oak")[:, None]
    model = pulasso.MultinomialPULasso(0.05, scenario="fully-observed", unlabeled="none")
    with pytest.raises(LabelError, match="cross_val_predict turns it into numbers"):
        cross_val_predict(model, X, y, method="predict_proba", cv=2)
    known = ["none", *sorted(set(y) - {"none"})]
    model.set_params(unlabeled=0)
    proba = cross_val_predict(model, X, [known.index(each) for each in y], method="predict_proba", cv=2)
    assert proba.shape == (90, 3)
    assert np.allclose(proba.sum(axis=1), 1)
