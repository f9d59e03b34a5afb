"""Observed labels: read once, for estimators, metrics and everybody else; below there are only codes."""

from pulasso.data.labels._column import MEANS_UNLABELED
from pulasso.data.labels._encoding import Labels, encode_labels, encode_with
from pulasso.data.labels._predictions import encode_predictions

__all__ = ["MEANS_UNLABELED", "Labels", "encode_labels", "encode_predictions", "encode_with"]
