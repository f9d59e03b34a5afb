"""Data to try things on: simulators of both models, masking of labels, and loaders of public data sets."""

from pulasso.datasets._dataset import Dataset
from pulasso.datasets._truth import Truth
from pulasso.datasets.mask import mask_labels
from pulasso.datasets.presence_only import load_rocker, load_swiss_trees
from pulasso.datasets.simulate import Simulation, simulate_multinomial, simulate_ordinal
from pulasso.datasets.target_group import target_group_background
from pulasso.datasets.uci import load_colposcopy, load_mfeat, load_wine_quality

__all__ = [
    "Dataset",
    "Simulation",
    "Truth",
    "load_colposcopy",
    "load_mfeat",
    "load_rocker",
    "load_swiss_trees",
    "load_wine_quality",
    "mask_labels",
    "simulate_multinomial",
    "simulate_ordinal",
    "target_group_background",
]
