"""
Trees of Switzerland: records, background, and a survey to check
================================================================

Places where somebody recorded one of five trees, 10,000 random places, and an independent survey that says
what truly grew at 10,013 others (Elith et al. 2020). The survey is only used to judge.

The data are downloaded, or read from the folder that ``PULASSO_DATA`` names; without either, this page only
says what it would show.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from pulasso import MultinomialPULasso, fit_path
from pulasso.datasets import load_swiss_trees
from pulasso.plots import CoefficientPathDisplay, ResponseCurveDisplay, SelectedFeaturesDisplay

try:
    trees = load_swiss_trees()
    print(trees)
except (ImportError, OSError) as error:
    trees = None
    print(
        "Not shown: which of 13 variables tell five species apart, response curves, and AUC in an independent survey."
    )
    print(str(error).split(". ")[0])

# %%
# One model for five species
# --------------------------
#
# Everything is a case-control sample; the survey gives the shares.
if trees is not None:
    settings = {
        "scenario": "case-control",
        "prevalence": dict(zip(trees.class_names[1:], trees.prevalence, strict=True)),
        "unlabeled": "background",
        "negative": "none of them",
    }
    X = trees.frame
    path = fit_path(X, trees.y, n_lams=20, lam_min_ratio=0.01, tol=1e-4, **settings)
    CoefficientPathDisplay.from_path(path)
    plt.show()

# %%
if trees is not None:
    model = MultinomialPULasso(lam=path.lams[-1], tol=1e-4, **settings).fit(X, trees.y)
    SelectedFeaturesDisplay.from_estimator(model)
    plt.show()

# %%
# Degree days are what separates them: a response curve for each species.
if trees is not None:
    ResponseCurveDisplay.from_estimator(model, X, "ddeg")
    plt.show()

# %%
# The survey
# ----------
if trees is not None:
    proba = model.predict_proba(trees.test.frame)
    for k, name in enumerate(trees.test.class_names):
        column = list(model.classes_).index(name)
        auc = roc_auc_score(trees.test.y[:, k], proba[:, column])
        print(f"{name}: AUC {auc:.2f}, {np.sum(trees.y == name)} records")
