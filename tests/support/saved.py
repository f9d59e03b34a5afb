"""One small fitted model of every kind that can be saved."""

import numpy as np

from pulasso import (
    CaseControl,
    Groups,
    MultinomialPULasso,
    MultinomialPULassoCV,
    OrdinalPULasso,
    OrdinalPULassoCV,
    fit_path,
)

KINDS = ("multinomial", "ordinal", "multinomial-cv", "ordinal-cv", "path")
NAMES = np.array(["none", "oak", "fir"], dtype=object)


def make_data():
    """Return features and observed labels; class 1 differs in the first feature, class 2 in the second."""
    rng = np.random.default_rng(0)
    y = rng.permuted(np.repeat([0, 1, 2], 50))
    X = rng.normal(size=(150, 5)) + 2.0 * np.eye(5)[y] * (y > 0)[:, None]
    return X, np.where(rng.random(150) < 0.6, y, 0)


def make_model(kind):
    """Return a fitted model; between them they use every type that a saved file may hold."""
    X, z = make_data()
    if kind == "multinomial":
        import pandas as pd

        groups = Groups.from_columns({"first": ["a", "b"]}, rest="entries", weights={"first": 1.5})
        frequency = {"oak": 0.6, "fir": 0.5}
        settings = {"scenario": "single-training-set", "label_frequency": frequency, "unlabeled": "none"}
        model = MultinomialPULasso(lam=0.02, groups=groups, **settings)
        return model.fit(pd.DataFrame(X, columns=list("abcde")), NAMES[z])
    if kind == "ordinal":
        scenario = CaseControl(prevalence=[0.2, 0.3])
        return OrdinalPULasso(lam=0.02, scenario=scenario, n_restarts=2, random_state=0).fit(X, z)
    if kind == "path":
        return fit_path(X, z, scenario="single-training-set", label_frequency=0.6, n_lams=6)
    cv = {"n_lams": 6, "cv": 3, "random_state": 0, "scenario": "fully-observed"}
    if kind == "multinomial-cv":
        return MultinomialPULassoCV(groups=Groups.rows(symmetric=True), **cv).fit(X.astype(np.float32), z)
    return OrdinalPULassoCV(select="1se", **cv).fit(X, z)


def predictions(model):
    """Return what a model says about its own rows."""
    X, _ = make_data()
    if hasattr(model, "model"):
        return np.stack([model.model(i).predict_proba(X) for i in range(len(model))])
    if hasattr(model, "feature_names_in_"):
        import pandas as pd

        X = pd.DataFrame(X, columns=list(model.feature_names_in_))
    return model.predict_proba(X)
