"""Everything a report is written from, gathered and checked before the first word."""

import platform
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import plain
from pulasso._version import __version__
from pulasso.data.chunks import is_chunked
from pulasso.data.inputs import check_same_length, check_weight
from pulasso.exceptions import ImpossibleScoreWarning, TrivialModelWarning
from pulasso.metrics import Scores, pu_scores
from pulasso.plots.reading import core_of, feature_names, output_names, scaled_coefs
from pulasso.runs import data_hash

__all__ = ["Material", "assumed_numbers"]


def assumed_numbers(model: Any) -> dict[Any, float]:
    """Return the prevalence or label frequency that a fitted model assumes for every class but class 0.

    Empty where the scenario needs no number.
    """
    scenario = model.scenario_
    if scenario.asks_for is None:
        return {}
    value = getattr(scenario, scenario.asks_for)
    positive = [plain(name) for name in model.classes_[1:]]
    if isinstance(value, Mapping):
        named = {plain(name): each for name, each in value.items()}
        values = [named[name] for name in positive]
    else:
        values = np.broadcast_to(np.asarray(value, dtype=float), len(positive)).tolist()
    return {name: float(each) for name, each in zip(positive, values, strict=True)}


@dataclass(frozen=True, eq=False)
class Material:
    """A fitted model, what is known about its data, and how it came about."""

    model: Any
    X: Any = None
    z: Any = None
    sample_weight: Any = None
    cv: Any = None
    sensitivity: Any = None
    stability: Any = None
    command: str | None = None
    seed: Any = None
    given_hash: str | None = None
    reword: Callable[[str], str] = str

    def check(self) -> None:
        """Refuse what no report can be written from."""
        if not hasattr(self.core, "scenario_"):
            raise TypeError(
                f"{type(self.core).__name__} is no fitted model of this package; a report needs one of its estimators, "
                "or a pipeline or search that ends in one."
            )
        if is_chunked(self.X):
            raise TypeError(
                "X comes in chunks, but a report judges by rows in memory. Pass some thousand of them as an array with "
                "their labels, or leave X and z out."
            )
        if self.z is not None and self.X is None:
            raise ValueError("z was given without X; scores need both.")
        if self.X is not None and self.z is not None:
            rows = self.X if hasattr(self.X, "shape") else np.asarray(self.X)
            check_same_length(rows, self.z)
            check_weight(self.sample_weight, rows)
        elif self.sample_weight is not None:
            raise ValueError("sample_weight was given without X and z, the rows whose weights these are.")
        if self.cv is not None and not hasattr(core_of(self.cv), "cv_loss_"):
            raise TypeError(
                f"cv is a {type(self.cv).__name__}, which did not cross-validate; pass a fitted "
                "MultinomialPULassoCV or OrdinalPULassoCV."
            )

    @cached_property
    def core(self) -> Any:
        """The classifier inside searches and pipelines."""
        return core_of(self.model)

    @cached_property
    def chooser(self) -> Any:
        """The estimator that cross-validated, or None."""
        if self.cv is not None:
            return core_of(self.cv)
        return self.core if hasattr(self.core, "cv_loss_") else None

    @property
    def lam(self) -> float:
        """The penalty of the model."""
        return float(self.core.lam_ if hasattr(self.core, "lam_") else self.core.lam)

    @property
    def is_ordinal(self) -> bool:
        """Whether the classes are ordered."""
        return hasattr(self.core, "thresholds_")

    @cached_property
    def features(self) -> list[str]:
        """Names of all features."""
        return feature_names(self.core)

    @cached_property
    def outputs(self) -> list[str]:
        """What the rows of coefficients speak for."""
        return output_names(self.core)

    @cached_property
    def classes(self) -> list[str]:
        """All classes, class 0 first."""
        return [str(plain(name)) for name in self.core.classes_]

    @cached_property
    def coefs(self) -> NDArray:
        """Coefficients per standard deviation, shape (n_outputs, n_features)."""
        return scaled_coefs(self.core)

    @cached_property
    def strength(self) -> NDArray:
        """Norm of the coefficients of every feature."""
        return np.linalg.norm(self.coefs, axis=0)

    @cached_property
    def selected(self) -> NDArray[np.intp]:
        """Positions of the selected features, the strongest first."""
        return np.argsort(-self.strength, kind="stable")[: np.count_nonzero(self.strength)]

    @cached_property
    def scores(self) -> Scores | None:
        """Scores of the true classes, where there are rows to judge by."""
        if self.X is None or self.z is None:
            return None
        with warnings.catch_warnings():
            for kind in (TrivialModelWarning, ImpossibleScoreWarning):
                warnings.simplefilter("ignore", kind)  # the table holds the words
            return pu_scores(self.model, self.X, self.z, sample_weight=self.sample_weight)

    @cached_property
    def same_rows(self) -> bool:
        """Whether the rows to judge by look like those of the fit: as many with each label, or as much weight."""
        if self.scores is None:
            return False
        labels = list(self.core.label_counts_.classes[1:])
        fit = [f"{count:g}" for count in self.core.label_counts_.n_labeled[1:]]
        seen = ", ".join(f"{name}: {count}" for name, count in zip(labels, fit, strict=True))
        facts = self.scores.facts
        rest = facts.get("unlabeled rows", facts.get("rows of class 0"))
        return (seen, f"{self.core.label_counts_.n_unlabeled:g}") == (facts["labelled rows"], rest)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The number that the scenario assumes for every positive class, empty where it needs none."""
        return {str(name): number for name, number in assumed_numbers(self.core).items()}

    @cached_property
    def warnings(self) -> list[str]:
        """Everything that was warned about, once."""
        said = [*self.core.warnings_, *(self.chooser.warnings_ if self.chooser is not None else [])]
        if self.scores is not None:
            said += self.scores.warnings
        return list(dict.fromkeys(map(self.reword, said)))

    @cached_property
    def hash(self) -> str | None:
        """The hash of the data, as given or of X, z and sample_weight."""
        if self.given_hash is not None or self.X is None:
            return self.given_hash
        weight = [] if self.sample_weight is None else [self.sample_weight]
        return data_hash(self.X, self.z, *weight)

    def versions(self) -> dict[str, str]:
        """Return versions of what computed the numbers."""
        import numpy
        import scipy
        import sklearn

        return {
            "pulasso": __version__,
            "Python": platform.python_version(),
            "NumPy": numpy.__version__,
            "SciPy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        }
