"""Random calls of estimators and paths: mostly what works, with a few arguments replaced."""

import tempfile
from pathlib import Path

import numpy as np

from pulasso import (
    CaseControl,
    FullyObserved,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OneVsRestPULasso,
    OrdinalPULasso,
    OrdinalPULassoCV,
    SelectedLabelling,
    SingleTrainingSet,
    fit_path,
)
from pulasso.data.chunks import ArraySource, LocalChunks
from support.fuzz.odd import (
    NAN,
    anything,
    odd_features,
    odd_groups,
    odd_labels,
    odd_weight,
    pick,
    small_problem,
)
from support.fuzz.odd_chunks import odd_chunks, odd_numbers

MODELS = (MultinomialPULasso, OrdinalPULasso)
SOLVERS = (*["working-set"] * 6, "proximal-gradient", "em")  # the last two are slow


def _scenario(rng):
    """Return scenario arguments, right or almost."""
    number = pick(
        rng,
        [0.2, 0.5, 1.0, 1e-6, 0.0, -0.1, 1.5, NAN, [0.2, 0.1], {1: 0.2, 2: 0.1}, {"oak": 0.3, "fir": 0.2}],
    )
    return pick(
        rng,
        [
            {"scenario": "case-control", "prevalence": 0.2},
            {"scenario": "case-control", "prevalence": number},
            {"scenario": "single-training-set", "label_frequency": 0.6},
            {"scenario": "single-training-set", "label_frequency": number},
            {"scenario": "fully-observed"},
            {"scenario": CaseControl(number, always_labeled=pick(rng, [(), 1, [2], "oak", None, [[]]]))},
            {"scenario": SingleTrainingSet(number, negative_label_frequency=pick(rng, [None, 0.3, 2.0, "x", NAN]))},
            {"scenario": FullyObserved(), "prevalence": number},
            {"scenario": SelectedLabelling([0], label_frequency=pick(rng, [None, number]), allow_unidentified=True)},
            {"scenario": SelectedLabelling(pick(rng, [[0], [0, 1], [-1], [99], ["x"]]), lam=0.01)},
            {"scenario": anything(rng), "prevalence": anything(rng)},
            {"scenario": "case-control", "prevalence": anything(rng)},
            {"scenario": "single-training-set", "label_frequency": anything(rng)},
            {},
        ],
    )  # fmt: skip


def _settings(rng, known, p, classes):
    """Return constructor arguments of which one or two may be odd."""
    settings = pick(rng, [{"scenario": "fully-observed"}, _scenario(rng)]) | {"max_iter": 30}
    settings["solver"] = pick(rng, SOLVERS)
    if "lam" in known:
        settings["lam"] = pick(rng, [0.01, 0.1, 1.0, 0.0, 1e-8, 1e8])
    for name in rng.choice([*known], size=int(rng.integers(0, 2)), replace=False).tolist():
        settings[name] = odd_groups(rng, p, classes) if name == "groups" else anything(rng)
    if rng.random() < 0.2:
        settings["unlabeled"] = pick(rng, [0, -1, NAN, "", "none", 1, None, "0"])
    if rng.random() < 0.1:
        settings["negative"] = pick(rng, [0, -1, 1, "none", NAN, "x"])
    # A long search is not what is tested here.
    for name, most in (("max_iter", 30), ("n_restarts", 2), ("n_lams", 20)):
        if isinstance(settings.get(name), int | float) and settings[name] > most:
            settings[name] = most
    return settings


def _check_model(model, x):
    """Assert that a fitted model is one."""
    free = model.thresholds_ if hasattr(model, "thresholds_") else model.intercept_
    for name, value in (
        ("coef_", model.coef_),
        ("free", free),
        ("kkt_", model.kkt_),
        ("objective_", model.objective_),
    ):
        assert np.isfinite(value).all(), f"{name} is not finite"
    proba = model.predict_proba(x)
    assert np.isfinite(proba).all() and np.abs(proba.sum(axis=1) - 1).max() < 1e-3, "no probabilities"
    assert np.isin(model.predict(x), model.classes_).all()
    assert np.isfinite(model.predict_observed_proba(x)).all()
    assert str(model.summary())


def fit(rng):
    """Fit an estimator with odd settings, data or weights; predict with odd features."""
    x, y = small_problem(rng)
    model_class = pick(rng, MODELS)
    known = model_class().get_params()
    classes = np.unique(y).tolist()

    def call():
        settings = _settings(rng, known, x.shape[1], classes)
        odd_x = odd_features(rng, x) if rng.random() < 0.2 else x
        odd_y = odd_labels(rng, y) if rng.random() < 0.25 else y
        weight = odd_weight(rng, len(y)) if rng.random() < 0.2 else None
        model = model_class(**settings).fit(odd_x, odd_y, weight)
        _check_model(model, odd_x)
        if rng.random() < 0.2:
            model.predict_proba(odd_features(rng, x))
        if rng.random() < 0.2:
            model.observed_score(
                x, odd_labels(rng, y), odd_weight(rng, len(y)) if rng.random() < 0.5 else None
            )

    return call


def features(rng):
    """Fit odd features under settings that are all right."""
    x, y = small_problem(rng)
    model = pick(rng, MODELS)(
        pick(rng, [0.01, 0.1]), scenario="fully-observed", standardize=bool(rng.random() < 0.7)
    )
    model.set_params(solver=pick(rng, SOLVERS), max_iter=30)

    def call():
        odd_x = odd_features(rng, x)
        _check_model(model.fit(odd_x, y), odd_x)

    return call


def labels(rng):
    """Fit odd labels, with whatever is said about them."""
    x, y = small_problem(rng)
    model = pick(rng, MODELS)(
        0.1, scenario="fully-observed", unlabeled=pick(rng, [None, 0, -1, NAN, "", "none", "oak"])
    )
    if rng.random() < 0.3:
        model.set_params(negative=pick(rng, [0, -1, 1, "none", "fir", NAN, anything(rng)]))
    if isinstance(model, OrdinalPULasso) and rng.random() < 0.4:
        model.set_params(
            class_order=pick(rng, [[0, 1, 2], [0, 2, 1], ["none", "oak", "fir"], [], anything(rng)])
        )

    def call():
        _check_model(model.fit(x, odd_labels(rng, y)), x)

    return call


def groups(rng):
    """Fit with odd groups."""
    x, y = small_problem(rng)
    model = pick(rng, MODELS)(0.1, scenario="fully-observed")

    def call():
        model.set_params(groups=odd_groups(rng, x.shape[1], np.unique(y).tolist()))
        _check_model(model.fit(x, y), x)

    return call


def weights(rng):
    """Fit with odd weights under all scenarios."""
    x, y = small_problem(rng)
    model = pick(rng, MODELS)(pick(rng, [0.01, 0.1]), max_iter=30, **_scenario(rng))

    def call():
        _check_model(model.fit(x, y, odd_weight(rng, len(y))), x)

    return call


def path(rng):
    """Follow a path along odd lams."""
    x, y = small_problem(rng)

    def call():
        settings = _settings(rng, MultinomialPULasso().get_params(), x.shape[1], np.unique(y).tolist())
        for name in ("lam", "n_restarts"):
            settings.pop(name, None) if rng.random() < 0.95 else None
        grid = {
            "n_lams": pick(rng, [1, 3, 0, -1, 2.5, "3", None]),
            "lam_min_ratio": pick(rng, [0.1, 1, 0, 2, NAN]),
        }
        if rng.random() < 0.4:
            grid["lams"] = pick(
                rng, [[0.1, 0.01], [0.0], [], [NAN], [[0.1]], 0.1, -1, [1e300, 0], anything(rng)]
            )
        response = pick(rng, ["multinomial", "ordinal", "ordinal", "nominal", None])
        found = fit_path(x, y, response=response, **{"n_lams": 3} | settings | grid)
        assert np.isfinite(found.coefs).all() and np.isfinite(found.objective).all()
        _check_model(found.model(-1), x)

    return call


def cross_validation(rng):
    """Choose lam by odd folds, scores and grids."""
    x, y = small_problem(rng)
    x, y = np.repeat(x, 3, axis=0), np.repeat(y, 3)
    model_class = pick(rng, (MultinomialPULassoCV, OrdinalPULassoCV))
    known = {name: None for name in model_class().get_params() if name not in ("n_jobs", "progress")}

    def call():
        settings = _settings(rng, known, x.shape[1], np.unique(y).tolist())
        settings = {"n_lams": 3, "cv": 2, "random_state": 0, "progress": False} | settings
        model = model_class(**settings).fit(x, odd_labels(rng, y) if rng.random() < 0.2 else y)
        assert np.isfinite(model.cv_loss_mean_).all()
        _check_model(model, x)

    return call


def species(rng):
    """Fit species that share rows by an odd table of labels, odd features or an odd estimator of each."""
    x, y = small_problem(rng)
    x = np.repeat(x, 3, axis=0)
    known = MultinomialPULasso().get_params()
    labelled = rng.random((len(x), 2)) < 0.3 + 0.4 * (np.repeat(y, 3) > 0)[:, None]

    def call():
        settings = {"scenario": "fully-observed", "max_iter": 30}
        if rng.random() < 0.2:
            settings = _settings(rng, known, x.shape[1], [0, 1])
        elif rng.random() < 0.7:
            columns = pick(rng, [[0], [0], [0, 1], ["x"]])
            settings["scenario"] = SelectedLabelling(columns, excluded=True, shared=bool(rng.random() < 0.8))
        kind = pick(rng, [*[MultinomialPULasso] * 9, MultinomialPULassoCV])
        if kind is MultinomialPULassoCV:
            settings = {"n_lams": 3, "cv": 2, "progress": False, "scenario": "fully-observed"}
        estimator = anything(rng) if rng.random() < 0.1 else kind(**settings)
        odd_x = odd_features(rng, x) if rng.random() < 0.2 else x
        odd_y = _odd_table(rng, labelled) if rng.random() < 0.3 else labelled
        weight = odd_weight(rng, len(x)) if rng.random() < 0.2 else None
        groups = anything(rng) if rng.random() < 0.1 else None
        model = OneVsRestPULasso(estimator).fit(odd_x, odd_y, weight, groups)
        proba = model.predict_proba(odd_x, anything(rng) if rng.random() < 0.2 else None)
        assert np.isfinite(proba).all() and np.isfinite(model.coef_).all()

    return call


def _odd_table(rng, labelled):
    """Return a table of labels, or what is none."""
    numbers = labelled.astype(float)
    numbers[rng.integers(len(numbers))] = pick(rng, [NAN, 2.0, -1.0, np.inf])
    ways = [numbers, labelled[:, 0], labelled[:-1], labelled & False, labelled | True, labelled[:, :1]]
    return pick(rng, [*ways, labelled.astype(str), labelled.tolist(), labelled[:, :0], anything(rng)])


def chunks(rng):
    """Fit data in chunks, odd or not, with labels and weights that may be odd; predict, follow a path, choose lam."""
    x, y = small_problem(rng)
    model = pick(rng, MODELS)(pick(rng, [0.01, 0.1]), scenario="fully-observed", max_iter=30)
    model.set_params(standardize=bool(rng.random() < 0.7), solver=pick(rng, [*["working-set"] * 9, "em"]))
    if rng.random() < 0.4:
        model.set_params(
            scenario="single-training-set", label_frequency=pick(rng, [0.3, 0.6, 0.9, "estimate"])
        )

    def call():
        with tempfile.TemporaryDirectory() as folder:
            odd_x = odd_chunks(rng, x, Path(folder))
            odd_y = odd_labels(rng, y) if rng.random() < 0.15 else y
            weight = odd_weight(rng, len(y)) if rng.random() < 0.15 else None
            _check_model(model.fit(odd_x, odd_y, weight), odd_x)
            if rng.random() < 0.2:
                model.predict(LocalChunks(ArraySource(odd_numbers(rng, x), 4)))
            if rng.random() < 0.2:
                fit_path(
                    odd_x,
                    odd_y,
                    n_lams=3,
                    scenario="fully-observed",
                    checkpoint=pick(rng, [None, folder + "/kept"]),
                )
            if rng.random() < 0.05:
                scoring = pick(
                    rng, [None, "pu_accuracy", "accuracy", lambda model, X, y: float(np.sum(X[0]))]
                )
                settings = {"scenario": "fully-observed", "n_lams": 3, "cv": 2, "progress": False}
                MultinomialPULassoCV(scoring=scoring, random_state=0, **settings).fit(odd_x, odd_y, weight)

    return call
