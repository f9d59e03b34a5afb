"""Observed labels: read once, for estimators, metrics and everybody else; below there are only codes."""

from pulasso.labels._encoding import Labels, encode_labels, encode_with

__all__ = ["Labels", "encode_labels", "encode_with"]
