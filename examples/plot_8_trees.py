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

# %%
# Who was looked at
# -----------------
#
# Records lie where people looked. The places where anybody recorded any of thirty trees, as background in place of
# random ones, are where people looked, too: what looking does to records cancels. "prevalence" is now the share of
# visited places; the share with a record is the least that it can be.
if trees is not None:
    visited = load_swiss_trees(background="target-group")
    n_places = np.sum(visited.y == "background")
    recorded = {
        name: len(np.unique(visited.places[visited.y == name], axis=0)) / n_places
        for name in visited.class_names[1:]
    }
    among_visited = MultinomialPULasso(lam=path.lams[-1], tol=1e-4, **{**settings, "prevalence": recorded})
    among_visited.fit(visited.frame, visited.y)
    judged = among_visited.predict_proba(trees.test.frame, prevalence=settings["prevalence"])
    for k, name in enumerate(trees.test.class_names):
        column = list(among_visited.classes_).index(name)
        before, after = (roc_auc_score(trees.test.y[:, k], each[:, column]) for each in (proba, judged))
        print(f"{name}: AUC {before:.2f} with random places, {after:.2f} with visited ones")

# %%
# Whole blocks of places are held out when lam is chosen: rows beside each other would flatter a model.
if trees is not None:
    from sklearn.model_selection import GroupKFold

    from pulasso import MultinomialPULassoCV
    from pulasso.model_selection import spatial_blocks

    blocks = spatial_blocks(visited.places, size=20_000)
    how = {**settings, "prevalence": recorded, "n_lams": 12, "tol": 1e-3, "progress": False}
    chosen = MultinomialPULassoCV(cv=GroupKFold(4), **how).fit(visited.frame, visited.y, groups=blocks)
    print(
        f"{len(np.unique(blocks))} blocks; lam {chosen.lam_:.4f}, {np.count_nonzero(chosen.group_norms_)} variables"
    )
