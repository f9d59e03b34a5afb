"""Errors and warnings of the library, in one place because their names are part of its face."""

from sklearn.exceptions import ConvergenceWarning, NotFittedError

from pulasso._messages import Message

__all__ = [
    "CheckpointError",
    "CheckpointWarning",
    "ClassOrderWarning",
    "ClassShareWarning",
    "ClusterError",
    "ConvergenceWarning",
    "DataFileError",
    "DuplicateRowsWarning",
    "FewLabelsWarning",
    "GridEdgeWarning",
    "GroupError",
    "IdentifiabilityWarning",
    "ImpossibleScoreWarning",
    "InputError",
    "LabelError",
    "LabelFrequencyWarning",
    "MarkerWarning",
    "NearlyConstantWarning",
    "NotFittedError",
    "NotSavedWarning",
    "RareIndicatorWarning",
    "SavedModelError",
    "ScenarioError",
    "SmallWeightWarning",
    "StationaryPointWarning",
    "TrivialModelWarning",
]


class InputError(ValueError):
    """Something that was passed cannot be used.

    Attributes
    ----------
    parameter : str or None
        Which one, by the name that it has in Python.
    problem, remedy : Message
        What is wrong with it, and what to try.

    Examples
    --------
    >>> error = InputError("lam is negative.", parameter="lam", remedy="Give a number from 0 on.")
    >>> str(error), error.parameter
    ('lam is negative. Give a number from 0 on.', 'lam')
    """

    def __init__(self, problem: str, *, parameter: str | None = None, remedy: str = ""):
        self.parameter, self.problem, self.remedy = parameter, Message(problem), Message(remedy)
        templates = [each.template for each in (self.problem, self.remedy) if each]
        super().__init__(Message(" ".join(templates)))


class LabelError(InputError):
    """The labels in ``y`` cannot be read as observed labels of presence-only data."""


class ScenarioError(InputError):
    """The labelling scenario lacks a number, has an impossible one, or contradicts the labels."""


class GroupError(InputError):
    """The groups of coefficients overlap, leave something out, or name what is not there."""


class IdentifiabilityWarning(UserWarning):
    """The data leave the prevalence or the label frequency that was to be estimated open."""


class LabelFrequencyWarning(UserWarning):
    """The assumed label frequency is lower than the observed labels allow."""


class StationaryPointWarning(UserWarning):
    """The path led to a stationary point that is not the best one."""


class ClassOrderWarning(UserWarning):
    """The order of the classes of an ordinal model had to be guessed."""


class ClassShareWarning(UserWarning):
    """The mean prediction of a model is far from the class shares that it was told."""


class CheckpointError(InputError):
    """A checkpoint folder cannot be written, or what it shall keep cannot be told from other computations."""


class CheckpointWarning(UserWarning):
    """A file in a checkpoint folder is damaged and was ignored."""


class ClusterError(RuntimeError):
    """A dask cluster lost its scheduler, or the same chunk of data ended its workers again and again."""


class DataFileError(ValueError):
    """A file or chunk of X cannot be read: it is damaged, cut short, or not of a kind that is read in chunks."""


class TrivialModelWarning(UserWarning):
    """A model predicts the same class for every row, or never class 0."""


class ImpossibleScoreWarning(UserWarning):
    """An estimated score lies where none can be, by far more than its standard error."""


class SmallWeightWarning(UserWarning):
    """Sample weights add up to hardly any rows, so that standard errors cannot be told."""


class MarkerWarning(UserWarning):
    """The marker of unlabeled rows was guessed, and another label looks more like one."""


class DuplicateRowsWarning(UserWarning):
    """Rows that cross-validation holds out have exact copies among the rows that it fits to."""


class NearlyConstantWarning(UserWarning):
    """A column of X varies so little next to its mean that its precision does not show how; it is not used."""


class FewLabelsWarning(UserWarning):
    """A positive class has so few labelled rows that its features cannot be told from chance."""


class RareIndicatorWarning(UserWarning):
    """Many columns of zeros and ones are rare, and standardising makes their coefficients nearly free."""


class GridEdgeWarning(UserWarning):
    """Cross-validation found its smallest loss at an end of the grid of lams."""


class SavedModelError(ValueError):
    """A saved model is damaged, is not one, or comes from a newer version."""


class NotSavedWarning(UserWarning):
    """A part of a model cannot be saved without code, and was left out."""
