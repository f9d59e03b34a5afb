"""Observed labels: read once, for estimators, metrics and everybody else; below there are only codes."""

from pulasso.labels._column import MEANS_UNLABELED
from pulasso.labels._encoding import Labels, encode_labels, encode_with
from pulasso.labels._predictions import encode_predictions

__all__ = ["MEANS_UNLABELED", "Labels", "encode_labels", "encode_predictions", "encode_with"]
