"""Flexible learners by name: what each needs, and how it is made."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["LEARNERS", "Learner", "is_learner"]


def is_learner(estimator: Any) -> bool:
    """Say whether an estimator stops early, as those of this package do that have no coefficients."""
    return hasattr(estimator, "scenario") and hasattr(estimator, "early_stopping")


@dataclass(frozen=True)
class Learner:
    """A flexible learner.

    Attributes
    ----------
    name : str
    estimator : str
        Its class in `pulasso`.
    called : str
        What sentences call it, with their verb.
    needs : tuple of str
        Modules without which it cannot be fitted.
    extra : str
        The optional dependencies that bring them.
    """

    name: str
    estimator: str
    called: str
    needs: tuple[str, ...]
    extra: str

    @property
    def is_installed(self) -> bool:
        """Whether it can be fitted here."""
        return all(find_spec(each) is not None for each in self.needs)

    def check_installed(self) -> None:
        """Say what to install where it cannot be fitted."""
        if not self.is_installed:
            raise ImportError(f'The learner {self.name!r} needs `pip install "pulasso[{self.extra}]"`.')

    def make(self, **settings: Any) -> Any:
        """Return an unfitted estimator."""
        self.check_installed()
        return getattr(import_module("pulasso"), self.estimator)(**settings)


LEARNERS = {
    each.name: each
    for each in (
        Learner("boosting", "PUBoostingClassifier", "Boosted trees are", ("lightgbm",), "boosting"),
        Learner("neural", "PUNeuralClassifier", "A neural network is", ("skorch", "torch"), "neural"),
    )
}
