"""Objectives for other learners: boosted trees and networks that know that their labels are incomplete.

:class:`PUObjective` holds labels and scenario, and gives value, gradient and curvature for raw scores. The others hand
it to LightGBM, XGBoost (``pip install pulasso[boosting]``) and PyTorch (``pip install pulasso[neural]``).
"""

from pulasso.objectives.for_boosters import (
    lightgbm_metric,
    lightgbm_objective,
    xgboost_metric,
    xgboost_objective,
)
from pulasso.objectives.for_torch import torch_loss
from pulasso.objectives.pu_objective import PUObjective

__all__ = [
    "PUObjective",
    "lightgbm_metric",
    "lightgbm_objective",
    "torch_loss",
    "xgboost_metric",
    "xgboost_objective",
]
