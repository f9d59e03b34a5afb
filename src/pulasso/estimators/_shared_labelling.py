r"""Labelling of several species, each with classes of its own: the effects of columns are one and the same for all.

With the loss :math:`L_s` of species s, a mean over its rows of total weight :math:`W_s`, what is minimised is

.. math:: \sum_s \frac{W_s}{\sum_t W_t} \left( L_s(\theta_s, \alpha_s, \gamma) + P_s(\theta_s) \right)
          + \lambda \sum |\gamma|,

where only :math:`\gamma` is common: levels :math:`\alpha_s` and coefficients :math:`\theta_s` are each species' own.
Given the labelling species have nothing to do with each other, so that the profile of the sum is the sum of profiles,
and its gradient in :math:`\gamma` adds up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pulasso.estimators._profile import JointObjective, JointPoint, Profile
from pulasso.estimators._row_labelling import RowLabelling
from pulasso.problem import Params

__all__ = ["SharedLabelling", "SharedProfile"]


@dataclass(frozen=True, eq=False)
class SharedLabelling:
    """The levels of all species, and after them the effects that they share, as one flat vector gamma.

    Attributes
    ----------
    parts : tuple of RowLabelling
        One for each species, of one class and without sources.
    share : array of shape (n_species,)
        Of the weight of all rows; a row that counts for several species is several.
    strata : array of shape (n_samples,)
        Which rows of the table were sampled together.
    """

    parts: tuple[RowLabelling, ...]
    share: NDArray
    strata: NDArray

    @cached_property
    def _relative_scale(self) -> NDArray:
        """Return how the columns vary among the rows of each species, relative to all; shape (n_species, n_columns)."""
        scales = np.array([part.parts[0][2].scale for part in self.parts])
        return scales / np.sqrt(self.share @ np.square(scales))

    @cached_property
    def is_penalized(self) -> NDArray:
        """Which entries are effects."""
        n_species, n_columns = self._relative_scale.shape
        return np.repeat([False, True], [n_species, n_columns])

    @cached_property
    def has_effect(self) -> NDArray:
        """Which entries matter; the level of a case-control sample does not."""
        return np.concatenate([[part.has_effect[0] for part in self.parts], self.parts[0].has_effect[1:]])

    def start(self) -> NDArray:
        """Return constant propensities."""
        levels = [part.start()[0] for part in self.parts]
        return np.append(levels, np.zeros(self._relative_scale.shape[1]))

    def own(self, gamma: NDArray) -> list[NDArray]:
        """Return the labelling of each species, per its own standard deviations of the columns."""
        n_species = len(self.parts)
        effects = gamma[n_species:] * self._relative_scale
        return list(np.column_stack([gamma[:n_species], effects]))

    def gradient(self, own: Sequence[NDArray]) -> NDArray:
        """Return the derivative of the sum from the derivatives of each species' loss in its own labelling."""
        weighted = self.share[:, None] * np.array(own)
        return np.append(weighted[:, 0], (weighted[:, 1:] * self._relative_scale).sum(axis=0))

    def fitted(self, gamma: NDArray, steps: NDArray, facts: Sequence[dict[str, Any]]) -> list[Any]:
        """Return the scenario of each species with its propensity; `facts` are those of each."""
        moved = [self.own(step) for step in steps]
        return [
            part.fitted(own, np.array([step[s] for step in moved]).reshape(-1, len(own)), **facts[s])
            for s, (part, own) in enumerate(zip(self.parts, self.own(gamma), strict=True))
        ]


@dataclass(frozen=True, eq=False)
class SharedProfile(JointObjective):
    """The sum of the objectives of all species as a function of their labelling.

    Attributes
    ----------
    profiles : tuple of Profile
        One for each species.
    rows : tuple of array of int
        Which rows of the table are those of each species.
    strata : array of shape (n_samples,)
        Which rows of the table were sampled together.
    """

    profiles: tuple[Profile, ...]
    rows: tuple[NDArray, ...]
    strata: NDArray

    @cached_property
    def labelling(self) -> SharedLabelling:
        """What gamma holds."""
        weights = np.array([each.problem.data.weight.sum() for each in self.profiles])
        parts = tuple(each.labelling for each in self.profiles)
        return SharedLabelling(parts, weights / weights.sum(), self.strata)

    @property
    def kkt_scale(self) -> float:
        """What violations are relative to: what those of each species' classes are, on average."""
        return float(self.labelling.share @ [each.kkt_scale for each in self.profiles])

    @property
    def n_rows(self) -> int:
        """How many rows count, for each species again."""
        return sum(each.n_rows for each in self.profiles)

    def n_selected(self, params: tuple[Params, ...]) -> int:
        """Return how many coefficients of the classes are not zero."""
        return sum(each.n_selected(own) for each, own in zip(self.profiles, params, strict=True))

    def down_the_path(self, gamma: NDArray) -> tuple[Params, ...]:
        """Return the classes of every species as its estimator will find them."""
        own = self.labelling.own(gamma)
        return tuple(each.down_the_path(part) for each, part in zip(self.profiles, own, strict=True))

    def at(self, gamma: NDArray, start: tuple[Params, ...]) -> JointPoint:
        """Fit the classes of every species, and differentiate the sum in the labelling."""
        parts = zip(self.profiles, self.labelling.own(gamma), start, strict=True)
        found = [each.at(own, params) for each, own, params in parts]
        share = self.labelling.share
        return JointPoint(
            gamma,
            tuple(each.params for each in found),
            float(share @ [each.loss for each in found]),
            float(share @ [each.penalty for each in found]),
            self.labelling.gradient([each.grad for each in found]),
        )

    def losses(self, at: JointPoint) -> NDArray:
        """Return what each row of the table adds to the loss, as a row of all the species that it is one of."""
        found, labelling = np.zeros(len(self.strata)), self.labelling
        for each, own, rows, share in zip(
            self.profiles, self._own(at), self.rows, labelling.share, strict=True
        ):
            found[rows] += share * each.losses(own)
        return found

    def levels(self, at: JointPoint) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
        """Yield records, what each adds by chance to the level that they tell, and how the gradient goes with it."""
        own = self._own(at)
        for s, each in enumerate(self.profiles):
            for rows, by_chance, slope in each.levels(own[s]):
                of_all = [slope if t == s else np.zeros_like(slope) for t in range(len(self.profiles))]
                yield self.rows[s][rows], by_chance, self.labelling.gradient(of_all)

    def _own(self, at: JointPoint) -> list[JointPoint]:
        """Return labelling and classes of each species."""
        parts = zip(self.labelling.own(at.gamma), at.params, strict=True)
        return [replace(at, gamma=gamma, params=params) for gamma, params in parts]
