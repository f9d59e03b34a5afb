"""Labelling as a function of parameters that are to be fitted: effects of columns, and shifts between sources."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from pulasso.data.pu_data import PUData
from pulasso.losses import PULoss
from pulasso.losses.propensity import labelling_gradient, thinning_gradient
from pulasso.scenarios import LabelModel, Propensity, SelectedLabelling, Sources

__all__ = ["STEP", "RowLabelling", "Selection", "labelling_of", "with_start"]

# Of differences by which the curvature is found, in log odds.
STEP = 0.02


@dataclass(frozen=True, eq=False)
class Selection:
    """Rows whose labelling depends on columns: gamma has one row for each propensity, its intercept first.

    Of a case-control sample the level of labelling is given by the prevalence, and the intercept has no effect.
    """

    scenario: SelectedLabelling
    data: PUData
    weight: NDArray
    # Added to the log density of each class, beside what makes it 1 on average.
    moved: float | NDArray = 0.0

    @cached_property
    def _effort(self) -> tuple[NDArray, NDArray]:
        return self.scenario.effort(self.data.x, self.data.feature_names)

    @cached_property
    def _moments(self) -> tuple[NDArray, NDArray]:
        w, weight = self._effort[0], self.weight / self.weight.sum()
        mean = weight @ w
        return mean, np.sqrt(weight @ np.square(w - mean))

    @cached_property
    def _design(self) -> NDArray:
        """Ones, and the columns with mean zero and unit variance."""
        mean, scale = self._moments
        return np.column_stack([np.ones(len(self.weight)), (self._effort[0] - mean) / scale])

    @property
    def scale(self) -> NDArray:
        """Standard deviations of the columns; effects are per one of them."""
        return self._moments[1]

    @property
    def _n_positive(self) -> int:
        return len(self.data.classes) - 1

    def start(self) -> NDArray:
        """Return a constant propensity."""
        scenario = self.scenario
        level = scenario.start(self.data.counts).intercept[: 1 if scenario.shared else None]
        return np.column_stack([level, np.zeros((len(level), len(scenario.columns)))])

    def model(self, gamma: NDArray) -> LabelModel:
        """Return the arrays a and c of every row."""
        level = self._normalizer(gamma)[0] + self.moved
        return self.scenario.label_rows(self._logits(gamma) + level, self.data.counts)

    def gradient(self, gamma: NDArray, model: LabelModel, eta: NDArray) -> NDArray:
        """Return the derivative of the weighted loss, of the shape of gamma."""
        slope = thinning_gradient if self.scenario.sampled_by_label else labelling_gradient
        by_row = self.weight[:, None] * slope(model, eta, self.data.codes)
        # Of effects that grow, the normaliser takes back what the average row of the class gains.
        own = by_row.T @ self._design - by_row.sum(axis=0)[:, None] * self._normalizer(gamma)[1]
        return own if len(gamma) > 1 else own.sum(axis=0, keepdims=True)

    def fitted(self, gamma: NDArray, **facts: Any) -> SelectedLabelling:
        """Return the scenario with its propensity on the scale of X, one row for each class."""
        mean, scale = self._moments
        coef = np.broadcast_to(gamma[:, 1:] / scale, (self._n_positive, len(scale))).copy()
        intercept = gamma[:, 0] - (gamma[:, 1:] / scale) @ mean + self._normalizer(gamma)[0]
        positions = self.scenario.positions(self.data.n_features, self.data.feature_names)
        found = Propensity(
            self.scenario.columns,  # type: ignore[arg-type]
            intercept,
            coef,
            positions=tuple(positions.tolist()),
            **facts,
        )
        return replace(self.scenario, propensity=found)

    def _logits(self, gamma: NDArray) -> NDArray:
        logits = self._design @ gamma.T + self._effort[1][:, None]
        return np.broadcast_to(logits, (len(logits), self._n_positive))

    def _normalizer(self, gamma: NDArray) -> tuple[NDArray, NDArray]:
        r"""Return what makes labelling 1 on average over a class, in logs, and minus its derivative.

        Labelled rows of class k are members of it, drawn in proportion to s; so that :math:`1 / E[s | y = k]` is
        the mean of :math:`1 / s` over them. Its derivative is the mean of the columns over members of the class.
        """
        shape = (self._n_positive, gamma.shape[1])
        if not self.scenario.sampled_by_label:
            return np.zeros(shape[0]), np.zeros(shape)
        if self.scenario.reference is not None:
            mean, scale = self._moments
            told = np.asarray(self.scenario.reference, dtype=float)
            at = np.append(1.0, (told[: len(mean)] - mean) / scale)
            level = -(gamma @ at) - told[len(mean) :].sum()
            return np.broadcast_to(level, shape[0]).copy(), np.broadcast_to(at, shape)
        level, centre = np.zeros(shape[0]), np.zeros(shape)
        for k, (rows, by_row, level[k]) in self._inverse_density(gamma).items():
            centre[k] = by_row @ self._design[rows]
        return level, centre

    def _inverse_density(self, gamma: NDArray) -> dict[int, tuple[NDArray, NDArray, float]]:
        """Return records of each class, the part that each has in the mean of 1 / s, and the logarithm of the mean."""
        found, log_inverse = {}, -self._logits(gamma)
        for k in range(self._n_positive):
            rows = np.flatnonzero((self.data.codes == k + 1) & (self.weight > 0))
            if len(rows):
                weight = self.weight[rows] / self.weight[rows].sum()
                level = float(logsumexp(log_inverse[rows, k], b=weight))
                found[k] = rows, weight * np.exp(log_inverse[rows, k] - level), level
        return found

    def levels(self, gamma: NDArray) -> dict[int, tuple[NDArray, NDArray]]:
        """Return records of each class, and what each adds by chance to the level that they tell; often nothing."""
        if not self.scenario.sampled_by_label or self.scenario.reference is not None:
            return {}
        return {
            k: (rows, part - self.weight[rows] / self.weight[rows].sum())
            for k, (rows, part, _) in self._inverse_density(gamma).items()
        }


@dataclass(frozen=True, eq=False)
class RowLabelling:
    """Everything about the labelling of all rows that is to be fitted, as one flat vector gamma.

    Attributes
    ----------
    scenario : SelectedLabelling or Sources
    data : PUData
    weight : array of shape (n_samples,)
        With sum one.
    parts : tuple of (name, rows, Selection)
        One for each source whose labelling is to be fitted; without sources a single one.
    known : dict from source to LabelModel
        Labelling of sources that depends on columns, too, and is not to be fitted.
    """

    scenario: Any
    data: PUData
    weight: NDArray
    parts: tuple
    known: Mapping[Any, LabelModel] = field(default_factory=dict)

    @cached_property
    def _shifted(self) -> tuple:
        """Sources whose class log odds differ from those of the reference."""
        return self.scenario.shifted if isinstance(self.scenario, Sources) else ()

    @cached_property
    def _shapes(self) -> list[tuple[int, int]]:
        own = [part.start().shape for _, _, part in self.parts]
        return own + [(1, len(self.data.classes) - 1)] * len(self._shifted)

    @cached_property
    def is_penalized(self) -> NDArray:
        """Which entries are effects, and under the lasso; intercepts and shifts are free."""
        masks = [np.ones(shape, dtype=bool) for shape in self._shapes]
        for i, mask in enumerate(masks):
            mask[:, 0] = False
            mask[:] &= i < len(self.parts)
        return np.concatenate([mask.ravel() for mask in masks])

    @cached_property
    def has_effect(self) -> NDArray:
        """Which entries matter: the level of a case-control sample is told, and its intercept does not."""
        masks = [np.ones(shape, dtype=bool) for shape in self._shapes]
        for mask, (_, _, part) in zip(masks, self.parts, strict=False):
            mask[:, 0] = not part.scenario.sampled_by_label
        return np.concatenate([mask.ravel() for mask in masks])

    def start(self) -> NDArray:
        """Return constant propensities, and no shifts."""
        own = [part.start().ravel() for _, _, part in self.parts]
        return np.concatenate([*own, np.zeros(len(self._shifted) * (len(self.data.classes) - 1))])

    def _split(self, gamma: NDArray) -> list[NDArray]:
        ends = np.cumsum([np.prod(shape) for shape in self._shapes])[:-1]
        return [
            part.reshape(shape)
            for part, shape in zip(np.split(gamma, ends.astype(int)), self._shapes, strict=True)
        ]

    def model(self, gamma: NDArray) -> LabelModel:
        """Return the arrays a and c of every row."""
        split = self._split(gamma)
        if not isinstance(self.scenario, Sources):
            return self.parts[0][2].model(split[0])
        fitted = {name: part.model(own) for (name, _, part), own in zip(self.parts, split, strict=False)}
        shifts = dict(zip(self._shifted, [own[0] for own in split[len(self.parts) :]], strict=True))
        return self.scenario.assembled(self.data.counts, self.data.source, {**self.known, **fitted}, shifts)

    def gradient(self, gamma: NDArray, model: LabelModel, eta: NDArray) -> NDArray:
        """Return the derivative of the loss, the classes held."""
        split, found = self._split(gamma), []
        for (_, rows, part), own in zip(self.parts, split, strict=False):
            found.append(part.gradient(own, model.take(rows), eta[rows]).ravel())
        for name in self._shifted:
            rows = np.flatnonzero(self.data.source == name)
            by_row = PULoss(model.take(rows)).gradient(eta[rows], self.data.codes[rows])
            found.append(self.weight[rows] @ by_row)
        return np.concatenate(found)

    @cached_property
    def strata(self) -> NDArray:
        """Return which rows were sampled together: of case-control samples those of each label."""
        codes = self.data.codes
        if not isinstance(self.scenario, Sources):
            return codes if self.scenario.sampled_by_label else np.zeros_like(codes)
        found = np.zeros_like(codes)
        for i, (name, own) in enumerate(self.scenario.scenarios.items()):
            rows = self.data.source == name
            found[rows] = i * (codes.max() + 1) + (codes[rows] if own.sampled_by_label else 0)
        return found

    def levels(self, gamma: NDArray) -> Iterator[tuple[NDArray, NDArray, "RowLabelling", "RowLabelling"]]:
        """Yield records, what each adds by chance to the level that they tell, and labelling at two others."""
        for i, ((name, rows, part), own) in enumerate(zip(self.parts, self._split(gamma), strict=False)):
            for k, (records, by_chance) in part.levels(own).items():
                ends = []
                for side in (1, -1):
                    moved = replace(part, moved=side * STEP * (np.arange(len(self.data.classes) - 1) == k))
                    parts = (*self.parts[:i], (name, rows, moved), *self.parts[i + 1 :])
                    ends.append(replace(self, parts=parts))
                yield np.arange(len(self.weight))[rows][records], by_chance, *ends

    def fitted(self, gamma: NDArray, steps: NDArray | None = None, **facts: Any) -> Any:
        """Return the scenario with what was fitted; `steps`, of shape (n, n_parameters), are its standard errors."""
        split, found = self._split(gamma), {}
        for i, (name, _, part) in enumerate(self.parts):
            found[name] = own = part.fitted(split[i], **facts)
            if steps is not None:
                directions = np.full((len(steps), *_numbers_of(own.propensity).shape), np.nan)
                for d, step in enumerate(steps):
                    if np.isfinite(step).all():  # else the profile has no minimum, and nobody knows
                        ends = [
                            part.fitted(self._split(gamma + each)[i]).propensity for each in (step, -step)
                        ]
                        directions[d] = 0.5 * (_numbers_of(ends[0]) - _numbers_of(ends[1]))
                found[name] = replace(own, propensity=replace(own.propensity, directions=directions))
        if not isinstance(self.scenario, Sources):
            return found[None]
        shifts = dict(zip(self._shifted, [own[0] for own in split[len(self.parts) :]], strict=True))
        return replace(
            self.scenario,
            scenarios={**self.scenario.scenarios, **found},
            shifts=shifts if self._shifted else None,
        )


def _numbers_of(propensity: Any) -> NDArray:
    """Return intercepts and effects, shape (K, 1 + n_columns)."""
    return np.column_stack([propensity.intercept, propensity.coef])


def labelling_of(scenario: Any, data: PUData, weight: NDArray) -> RowLabelling:
    """Return what is to be fitted of a scenario's labelling; `weight` sums to one."""
    if not isinstance(scenario, Sources):
        return RowLabelling(scenario, data, weight, ((None, slice(None), Selection(scenario, data, weight)),))
    parts = []
    for name, own in scenario.scenarios.items():
        if isinstance(own, SelectedLabelling) and own.propensity is None:
            rows = np.flatnonzero(data.source == name)
            # Classes that a source lacks are classes all the same.
            parts.append((name, rows, Selection(own, replace(data.take(rows), source=None), weight[rows])))
    known = scenario.selected(data.counts, data.x, data.feature_names, data.source)
    return RowLabelling(scenario, data, weight, tuple(parts), known)


def with_start(labelling: RowLabelling) -> Any:
    """Return the scenario with the labelling at which its fit begins, that a problem may be built of it."""
    return labelling.fitted(labelling.start())
