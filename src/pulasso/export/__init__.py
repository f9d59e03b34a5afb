"""Fitted models in the formats of other programs.

Needs the package onnx: ``pip install pulasso[onnx]``.
"""

from pulasso.export.onnx_file import to_onnx

__all__ = ["to_onnx"]
