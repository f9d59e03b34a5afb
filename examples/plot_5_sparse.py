"""
A big sparse table
==================

Words in documents, codes in health records, substitutions in sequences: many columns, nearly all entries
zero. A sparse matrix stays sparse: columns are standardised in the formulas, not in memory.
"""

# %%
# 20,000 documents, 5,000 words
# -----------------------------
#
# Two topics to be found among everything else. Half of the documents on topic have been noticed.
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from pulasso import fit_path
from pulasso.datasets import mask_labels
from pulasso.plots import CoefficientPathDisplay

rng = np.random.default_rng(0)
n, p, per_document = 20_000, 5_000, 40
popularity = 1 / np.arange(3, p + 3)
words = rng.choice(p, size=(n, per_document), p=popularity / popularity.sum())
X = sparse.csc_array(
    (np.ones(n * per_document), (np.repeat(np.arange(n), per_document), words.ravel())), shape=(n, p)
)
X.sum_duplicates()
telling = np.zeros((p, 2))
telling[5:13, 0], telling[13:21, 1] = 1.2, 1.2  # eight words speak for each topic
log_odds = np.column_stack([np.zeros(n), X @ telling - 7.0])
chance = np.exp(log_odds) / np.exp(log_odds).sum(axis=1, keepdims=True)
topic = (chance.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
seen = mask_labels(topic, 0.5, random_state=0)
print(
    f"{X.nnz:,} entries, {X.nnz / n / p:.2%} of the table; {np.mean(topic > 0):.0%} of the documents on topic"
)

# %%
# A path
# ------
#
# From no words to many. The certificate covers all 5,000 of them.
start = perf_counter()
path = fit_path(
    X, seen, scenario="single-training-set", label_frequency=0.5, n_lams=20, lam_min_ratio=0.1, tol=1e-5
)
print(path)
print(f"{perf_counter() - start:.1f} s here; a dense table of this size would take {8 * n * p / 1e9:.1f} GB")

# %%
# Words 5 to 20 are the ones that matter.
CoefficientPathDisplay.from_path(path)
plt.show()

# %%
model = path.model(-1)
chosen = np.flatnonzero(model.coef_.any(axis=0))
right = np.isin(chosen, np.arange(5, 21)).sum()
print(f"{len(chosen)} words selected at the smallest lam, among them {right} of the 16 that matter")
