"""
Rocker: a real mutational scan
==============================

Variants of the protein Rocker, read before and after selection for function (Song et al. 2021): 83,778 rows
that stand for many more reads, 490 substitutions at 25 sites, a sparse table. The rows carry weights, the
numbers of reads.

The data are downloaded, or read from the folder that ``PULASSO_DATA`` names; without either, this page only
says what it would show.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from pulasso import Groups, fit_path
from pulasso.datasets import load_rocker
from pulasso.plots import CoefficientPathDisplay

try:
    scan = load_rocker()
    print(scan)
except (ImportError, OSError) as error:
    scan = None
    print("Not shown: the path of 25 sites, and a map of which substitutions are tolerated where.")
    print(str(error).split(". ")[0])

# %%
# Sites enter one by one
# ----------------------
#
# A group per site; reads are weights. The prevalence is the one that the authors chose.
if scan is not None:
    columns = {
        site: [scan.feature_names.index(name) for name in names] for site, names in scan.groups.items()
    }
    path = fit_path(
        scan.X,
        scan.y,
        sample_weight=scan.sample_weight,
        scenario="case-control",
        prevalence=float(scan.prevalence[0]),
        groups=Groups.from_columns(columns),
        n_lams=15,
        lam_min_ratio=0.05,
        tol=1e-4,
    )
    print(path)
    CoefficientPathDisplay.from_path(path)
    plt.show()

# %%
# What is tolerated where
# -----------------------
#
# Orange substitutions keep the protein working, purple ones do not; grey was not seen, or not selected. Deep colours
# of single cells, such as a stop (*) that is tolerated, rest on few reads: a whole site is penalised as one, so
# that rare substitutions at a site that matters are hardly shrunk.
if scan is not None:
    coef = path.model(-1).coef_[0]
    sites = sorted({int(name[1:-1]) for name in scan.feature_names})
    residues = sorted({name[-1] for name in scan.feature_names})
    table = np.full((len(residues), len(sites)), np.nan)
    for name, value in zip(scan.feature_names, coef, strict=True):
        if value != 0:
            table[residues.index(name[-1]), sites.index(int(name[1:-1]))] = value
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    ax.set_facecolor("0.85")
    reach = np.nanquantile(np.abs(table), 0.98)
    shown = ax.imshow(table, cmap="PuOr_r", vmin=-reach, vmax=reach)
    ax.set(
        xticks=range(len(sites)),
        yticks=range(len(residues)),
        yticklabels=residues,
        xlabel="site",
        ylabel="residue",
    )
    ax.set_xticklabels(sites, fontsize=7)
    figure.colorbar(shown, label="log odds of function")
    plt.show()
