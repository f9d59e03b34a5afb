"""
Mutations, site by site
=======================

A library of protein variants is sequenced before and after selection for function. Variants that are read
after selection work; those of the initial library may work or not. So this is case-control data: the library
is the background, what survived is labelled. Here two selections were made, at a moderate and at a high
temperature, which gives ordered classes: does not work, works, works hot.

Data are simulated; :ref:`sphx_glr_auto_examples_plot_9_rocker.py` has a real scan.
"""

# %%
# Variants
# --------
#
# Twelve sites with eight possible residues each; four sites matter. One column for every substitution.
import matplotlib.pyplot as plt
import numpy as np

from pulasso import Groups, OrdinalPULassoCV
from pulasso.plots import CoefficientPathDisplay

N_SITES, RESIDUES, IMPORTANT = 12, list("ACDEFGHK"), (1, 4, 5, 9)
rng = np.random.default_rng(3)
names = [f"{site + 1}{residue}" for site in range(N_SITES) for residue in RESIDUES[1:]]  # A is the wild type
effect = np.zeros((N_SITES, len(RESIDUES)))
effect[list(IMPORTANT), 1:] = rng.normal(-0.5, 1.5, (len(IMPORTANT), len(RESIDUES) - 1))


def draw_variants(n):
    letters = rng.integers(0, len(RESIDUES), (n, N_SITES))
    letters[rng.random((n, N_SITES)) < 0.5] = 0  # half of the sites keep the wild type
    X = (letters[:, :, None] == np.arange(1, len(RESIDUES))).reshape(n, -1).astype(float)
    latent = effect[np.arange(N_SITES), letters].sum(axis=1) + rng.logistic(size=n)
    return X, np.searchsorted([1.0, 2.5], latent)  # 0 does not work, 1 works, 2 works hot


# %%
# The library is a random sample; from a much larger one come those that survived.
X_library, _ = draw_variants(1500)
X_large, y_large = draw_variants(20_000)
prevalence = {1: float(np.mean(y_large == 1)), 2: float(np.mean(y_large == 2))}
kept = [rng.choice(np.flatnonzero(y_large == k), 500, replace=False) for k in (1, 2)]
X = np.vstack([X_library, X_large[kept[0]], X_large[kept[1]]])
z = np.repeat([0, 1, 2], [1500, 500, 500])
print({k: round(v, 3) for k, v in prevalence.items()}, "of the library in truth")

# %%
# Groups: one per site
# --------------------
#
# A site is in the model with all its substitutions, or not at all.
sites = {
    f"site {site + 1}": [name for name in names if name[:-1] == str(site + 1)] for site in range(N_SITES)
}
columns = {site: [names.index(name) for name in members] for site, members in sites.items()}
model = OrdinalPULassoCV(
    scenario="case-control",
    prevalence=prevalence,
    groups=Groups.from_columns(columns),
    n_lams=25,
    cv=4,
    select="1se",
    random_state=0,
)
model.fit(X, z)
CoefficientPathDisplay.from_estimator(model)
plt.show()

# %%
# What each substitution does
# ---------------------------
#
# Orange makes the protein work better. Sites that were not selected are empty; the sites that matter in truth
# are marked.
found = np.zeros((len(RESIDUES), N_SITES))
found[1:] = model.coef_.reshape(N_SITES, -1).T
figure, axes = plt.subplots(2, 1, figsize=(7.5, 5.6), layout="constrained", sharex=True)
for ax, values, word in zip(
    axes, (effect.T, found), ("true effects", "estimated from presence-only data"), strict=True
):
    shown = ax.imshow(np.where(values == 0, np.nan, values), cmap="PuOr_r", vmin=-3, vmax=3)
    ax.set(title=word, yticks=range(len(RESIDUES)), yticklabels=RESIDUES, ylabel="residue")
    for site in IMPORTANT:
        ax.axvspan(site - 0.5, site + 0.5, fill=False, edgecolor="0.4")
axes[1].set(xticks=range(N_SITES), xticklabels=range(1, N_SITES + 1), xlabel="site")
figure.colorbar(shown, ax=axes, label="effect on the log odds")
plt.show()

# %%
corr = np.corrcoef(effect[list(IMPORTANT), 1:].ravel(), found[1:, list(IMPORTANT)].T.ravel())[0, 1]
print(f"correlation of estimated with true effects at the sites that matter: {corr:.2f}")

# sphinx_gallery_thumbnail_number = 2
