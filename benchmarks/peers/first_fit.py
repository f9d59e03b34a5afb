"""A process that imports one package and fits data of the size of iris: ``first_fit.py pulasso|sklearn``."""

import sys

import numpy as np

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
y = np.argmax(X[:, :3] + rng.gumbel(size=(150, 3)), axis=1)

if sys.argv[1] == "pulasso":
    from pulasso import MultinomialPULasso

    MultinomialPULasso(lam=0.01, scenario="fully-observed").fit(X, y)
else:
    from sklearn.linear_model import LogisticRegression

    LogisticRegression().fit(X, y)
