"""
Three species on a map, from records of presence only
=====================================================

Somebody recorded where an alpine plant, a meadow plant and a bog plant grow. Nobody recorded where they do
not. Beside the records there is a background sample: random places, whatever grows there. That is
case-control data, and what one needs to know is the share of places with each species.

The landscape is made up, so that the map can be compared with the truth.
"""

# %%
# A landscape
# -----------
#
# Height, wetness, and the lime of the soil on a grid of 60 x 60 places, smooth as in nature.
import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn.preprocessing import SplineTransformer

from pulasso import Groups, MultinomialPULassoCV
from pulasso.plots import GroupNormsDisplay

rng = np.random.default_rng(7)
SIDE, NAMES = 60, ["height", "wetness", "lime", "noise 1", "noise 2"]


def smooth_field(width):
    field = gaussian_filter(rng.normal(size=(SIDE, SIDE)), width, mode="wrap")
    return (field - field.mean()) / field.std()


climate = np.stack([smooth_field(width) for width in (9, 6, 4, 6, 5)], axis=-1).reshape(-1, len(NAMES))
height, wetness, lime = climate[:, 0], climate[:, 1], climate[:, 2]
SPECIES = ["neither", "alpine", "bog", "meadow"]
log_odds = np.column_stack(
    [
        np.zeros(SIDE**2),
        3.0 * height - 3.5,
        3.0 * wetness - 1.5 * height - 3.5,
        2.5 - 2.5 * (height + 0.3) ** 2 - 2.5 * (wetness + 0.3) ** 2 + 1.5 * lime,  # neither high nor wet
    ]
)
proba = np.exp(log_odds) / np.exp(log_odds).sum(axis=1, keepdims=True)
truth = np.array([rng.choice(4, p=row) for row in proba])
prevalence = {name: float(np.mean(truth == k)) for k, name in enumerate(SPECIES) if k}
print({name: round(share, 2) for name, share in prevalence.items()}, "of the places")

# %%
# Records and background
# ----------------------
#
# 100 records of each species, and 600 random places. Let us say that surveys tell us the shares.
records = [rng.choice(np.flatnonzero(truth == k), 100) for k in (1, 2, 3)]
background = rng.choice(SIDE**2, 600)
rows = np.concatenate([background, *records])
labels = np.repeat(["background", "alpine", "bog", "meadow"], [600, 100, 100, 100])

# %%
# Curves rather than straight lines
# ---------------------------------
#
# A meadow plant likes it neither high nor low, so every variable becomes a few spline columns. One group per
# variable: it is in the model with its whole curve, or not at all.
splines = SplineTransformer(n_knots=5, degree=2, include_bias=False).fit(climate)
groups = Groups.from_labels(np.repeat(NAMES, splines.n_features_out_ // len(NAMES)))
model = MultinomialPULassoCV(
    scenario="case-control",
    prevalence=prevalence,
    unlabeled="background",
    negative="neither",
    groups=groups,
    n_lams=25,
    lam_min_ratio=0.02,
    cv=4,
    tol=1e-5,
    select="1se",
    random_state=0,
)
model.fit(splines.transform(climate[rows]), labels)
GroupNormsDisplay.from_estimator(model)
plt.show()

# %%
# The map
# -------
#
# Top: the true probability of each species. Bottom: as estimated from records and background. Crosses are the
# records.
estimated = model.predict_proba(splines.transform(climate))
figure, axes = plt.subplots(2, 3, figsize=(8.5, 5.8), layout="constrained")
for column, name in enumerate(SPECIES[1:]):
    of_model = list(model.classes_).index(name)
    for ax, values, word in zip(
        axes[:, column], (proba[:, column + 1], estimated[:, of_model]), ("true", "estimated"), strict=True
    ):
        shown = ax.imshow(values.reshape(SIDE, SIDE), cmap="cividis", vmin=0, vmax=1)
        ax.set(title=f"{name}, {word}", xticks=[], yticks=[])
    y_place, x_place = np.divmod(records[column], SIDE)
    axes[1, column].plot(x_place, y_place, "+", color="white", markersize=4, alpha=0.7)
figure.colorbar(shown, ax=axes, label="probability", shrink=0.8)
plt.show()

# %%
# The dominant species of each place, right or wrong:
order = [list(model.classes_).index(name) for name in SPECIES]
best = estimated[:, order].argmax(axis=1)
print(f"the most probable class is right at {np.mean(best == truth):.0%} of the places;")
print(f"with the true probabilities it would be {np.mean(proba.argmax(axis=1) == truth):.0%}")

# sphinx_gallery_thumbnail_number = 2
