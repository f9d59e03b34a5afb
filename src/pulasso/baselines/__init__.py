"""Other people's answers to positive and unlabeled data, with one face, to compare with."""

from pulasso.baselines.bagging import PUBagging
from pulasso.baselines.elkan_noto import ElkanNoto
from pulasso.baselines.moment import MomentLasso, OrdinalMomentLasso
from pulasso.baselines.naive import mn_lasso, on_lasso, oracle, ward_em
from pulasso.baselines.one_vs_rest import OneVsRestPU
from pulasso.baselines.registry import BASELINES, Baseline
from pulasso.baselines.risk import NonNegativePU

__all__ = [
    "BASELINES",
    "Baseline",
    "ElkanNoto",
    "MomentLasso",
    "NonNegativePU",
    "OneVsRestPU",
    "OrdinalMomentLasso",
    "PUBagging",
    "mn_lasso",
    "on_lasso",
    "oracle",
    "ward_em",
]
