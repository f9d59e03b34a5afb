"""Data to try things on: simulators of both models, masking of labels, and loaders of public data sets."""

from pulasso.datasets.mask import mask_labels
from pulasso.datasets.simulate import Simulation, Truth, simulate_multinomial, simulate_ordinal

__all__ = ["Simulation", "Truth", "mask_labels", "simulate_multinomial", "simulate_ordinal"]
