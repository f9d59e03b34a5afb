"""
Digits with half of the labels lost
===================================

Images of the digits 0 to 4. Of those that show 1, 2, 3 or 4, half have lost their label and joined the
unlabeled images, as if they were zeros. A classifier that takes *unlabeled* for *zero* believes it; one that
knows how labels were lost does not.
"""

# %%
# The data
# --------
#
# The bundled digits of scikit-learn. ``mask_labels`` hides labels as a single training set does: every member
# of a class keeps its label with probability one half.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from pulasso import MultinomialPULasso, MultinomialPULassoCV
from pulasso.datasets import mask_labels
from pulasso.metrics import pu_scores
from pulasso.plots import CVCurveDisplay, PUConfusionMatrixDisplay

images, digit = load_digits(n_class=5, return_X_y=True)
seen = mask_labels(digit, label_frequency=0.5, random_state=0)
train, test = train_test_split(np.arange(len(digit)), test_size=0.5, random_state=0, stratify=seen)
print({int(k): int(np.sum(seen == k)) for k in np.unique(seen)}, "labels seen; 0 is unlabeled")

# %%
# Choose lam without looking at true classes
# ------------------------------------------
#
# Cross-validation scores the likelihood of *observed* labels. The smallest loss is marked, and the larger lam
# that the one-standard-error rule takes instead.
scenario = {"scenario": "single-training-set", "label_frequency": 0.5}
model = MultinomialPULassoCV(
    **scenario, n_lams=25, lam_min_ratio=0.02, cv=3, tol=1e-4, select="1se", random_state=0
)
model.fit(images[train], seen[train])
CVCurveDisplay.from_estimator(model)
plt.show()

# %%
# How good is it?
# ---------------
#
# Estimated from images and observed labels alone, without a single true class ...
print(pu_scores(model, images[test], seen[test]))

# %%
# ... and, since we do know the truth here, beside it. The naive model sees the same labels.
naive = MultinomialPULasso(lam=model.lam_, scenario="fully-observed").fit(images[train], seen[train])
print(
    f"right: {model.score(images[test], digit[test]):.1%}; naive {naive.score(images[test], digit[test]):.1%}"
)

# %%
# The confusion matrix, too, can be estimated without knowing who is who:
PUConfusionMatrixDisplay.from_estimator(model, images[test], seen[test])
plt.show()

# %%
# Which pixels speak for which digit?
# -----------------------------------
#
# Log odds against digit 0 per standard deviation of a pixel: ink in orange places speaks for the digit, in
# purple places against it.
coef = model.coef_ * model.feature_scale_
reach = np.abs(coef).max()
figure, axes = plt.subplots(1, 4, figsize=(8, 2.4), layout="constrained")
for ax, row, name in zip(axes, coef, model.classes_[1:], strict=True):
    shown = ax.imshow(row.reshape(8, 8), cmap="PuOr_r", vmin=-reach, vmax=reach)
    ax.set(title=f"{name} against 0", xticks=[], yticks=[])
figure.colorbar(shown, ax=axes, label="log odds per\nstandard deviation")
plt.show()

# sphinx_gallery_thumbnail_number = 3
