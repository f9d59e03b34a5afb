"""
Colposcopies: how many experts would approve?
=============================================

287 images of the cervix, each judged by six experts. The number of those who called it good, 0 to 6, is an
ordered class (Fernandes et al. 2017; the paper's Table 2). Suppose that approvals were only recorded for a
part of the images.

The data are downloaded, or read from the folder that ``PULASSO_DATA`` names; without either, this page only
says what it would show.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from pulasso import OrdinalPULasso, OrdinalPULassoCV
from pulasso.datasets import load_colposcopy, mask_labels
from pulasso.plots import SelectedFeaturesDisplay, ThresholdsDisplay

try:
    images = load_colposcopy(drop_redundant=True)
    print(images)
except (ImportError, OSError) as error:
    images = None
    print(
        "Not shown: an ordinal model of 287 images, its thresholds, and its errors beside those of the naive one."
    )
    print(str(error).split(". ")[0])

# %%
# Hide half of the approvals, and fit
# -----------------------------------
#
# Then ask how many experts will approve of images that the fit has not seen. For comparison: somebody who knew
# all approvals, and said the same middle number of every image.
if images is not None:
    rng = np.random.default_rng(0)
    test = rng.permutation(len(images.y))[:87]
    train = np.setdiff1d(np.arange(len(images.y)), test)
    seen = mask_labels(images.y[train], 0.5, random_state=0, classes=range(7))
    X = images.frame
    model = OrdinalPULassoCV(
        scenario="single-training-set",
        label_frequency=0.5,
        n_lams=25,
        lam_min_ratio=0.1,
        tol=1e-5,
        random_state=0,
    ).fit(X.iloc[train], seen)
    naive = OrdinalPULasso(lam=model.lam_, scenario="fully-observed").fit(X.iloc[train], seen)
    guesses = {
        "naive": naive.predict_expected(X.iloc[test]),
        "pulasso": model.predict_expected(X.iloc[test]),
        "the median of all, hidden ones too": np.median(images.y[train]),
    }
    for name, guess in guesses.items():
        print(f"{name}: off by {np.abs(guess - images.y[test]).mean():.2f} experts on average")

# %%
# What makes an image good?
# -------------------------
#
# Per standard deviation of the feature. With 200 images and half of the approvals hidden, effects are small, and
# which of the features stay would change with other images: see :doc:`/guide/certainty`.
if images is not None:
    SelectedFeaturesDisplay.from_estimator(model)
    plt.show()

# %%
if images is not None:
    ThresholdsDisplay.from_estimator(model, X.iloc[test])
    plt.show()
