"""Pictures of fitted models, as scikit-learn's Display objects.

Every class has constructors ``from_...`` that draw, and a method ``plot(ax=None)`` that draws again; the
artists are kept as attributes, so that a picture can be changed afterwards. Colours are those of Okabe
and Ito, and lines also differ in dashes or marks: readable to the colour-blind and in grey print. With many
features or classes only the largest are named, and the picture says how many are not.

Needs matplotlib: ``pip install pulasso[plots]``.
"""

from pulasso.plots.bootstrap_intervals import BootstrapIntervalsDisplay
from pulasso.plots.calibration import PUCalibrationDisplay
from pulasso.plots.class_shares import ClassSharesDisplay, plot_class_shares
from pulasso.plots.coefficient_path import CoefficientPathDisplay
from pulasso.plots.confusion_matrix import PUConfusionMatrixDisplay
from pulasso.plots.convergence import ConvergenceDisplay
from pulasso.plots.cv_curve import CVCurveDisplay
from pulasso.plots.group_norms import GroupNormsDisplay
from pulasso.plots.importances import FeatureImportancesDisplay
from pulasso.plots.prevalence_curve import PrevalenceDisplay
from pulasso.plots.response_curve import ResponseCurveDisplay
from pulasso.plots.selected_features import SelectedFeaturesDisplay
from pulasso.plots.sensitivity import SensitivityDisplay
from pulasso.plots.stability import StabilityPathDisplay
from pulasso.plots.thresholds import ThresholdsDisplay

__all__ = [
    "DISPLAYS",
    "BootstrapIntervalsDisplay",
    "CVCurveDisplay",
    "ClassSharesDisplay",
    "CoefficientPathDisplay",
    "ConvergenceDisplay",
    "FeatureImportancesDisplay",
    "GroupNormsDisplay",
    "PUCalibrationDisplay",
    "PUConfusionMatrixDisplay",
    "PrevalenceDisplay",
    "ResponseCurveDisplay",
    "SelectedFeaturesDisplay",
    "SensitivityDisplay",
    "StabilityPathDisplay",
    "ThresholdsDisplay",
    "plot_class_shares",
]

DISPLAYS = tuple(globals()[name] for name in __all__ if name.endswith("Display"))
