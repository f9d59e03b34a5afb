"""Penalised maximum likelihood for presence-only (positive and unlabeled) data with several classes.

The public names load on first use, so that ``import pulasso`` costs next to nothing.
"""

from importlib import import_module

from pulasso._version import __version__

_HOMES = {
    "CaseControl": "pulasso.scenarios",
    "FullyObserved": "pulasso.scenarios",
    "Groups": "pulasso.penalties",
    "MultinomialPULasso": "pulasso.estimators",
    "MultinomialPULassoCV": "pulasso.estimators",
    "OneVsRestPULasso": "pulasso.estimators",
    "OrdinalPULasso": "pulasso.estimators",
    "OrdinalPULassoCV": "pulasso.estimators",
    "PathResult": "pulasso.estimators",
    "PUBoostingClassifier": "pulasso.estimators",
    "PUData": "pulasso.data.pu_data",
    "PUNeuralClassifier": "pulasso.estimators",
    "SelectedLabelling": "pulasso.scenarios",
    "SingleTrainingSet": "pulasso.scenarios",
    "Sources": "pulasso.scenarios",
    "build_problem": "pulasso.build",
    "checkpoint": "pulasso.runs",
    "fit_path": "pulasso.estimators",
    "load": "pulasso.estimators",
    "load_notes": "pulasso.estimators",
    "show_versions": "pulasso._show_versions",
    "solve_path": "pulasso.path",
}

_PACKAGES = (
    "baselines",
    "datasets",
    "export",
    "inference",
    "losses",
    "metrics",
    "objectives",
    "penalties",
    "plots",
    "prevalence",
    "report",
    "theory",
)

__all__ = ["__version__", *sorted([*_HOMES, *_PACKAGES])]


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return import_module(f"pulasso.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'pulasso' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_PACKAGES})
