"""Selected labelling: the chance of a label depends on named columns as well as on the class."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pulasso._messages import Message, arg, listed, plain
from pulasso.exceptions import ScenarioError
from pulasso.scenarios._per_class import PerClass, check_range, per_class
from pulasso.scenarios._protocol import LabelCounts
from pulasso.scenarios.case_control import CaseControl
from pulasso.scenarios.label_model import LabelModel
from pulasso.scenarios.propensity import Propensity, find_columns, label_rows, take_columns, thin_rows
from pulasso.scenarios.single_training_set import SingleTrainingSet

__all__ = ["Identification", "SelectedLabelling"]


class Identification(NamedTuple):
    """Whether the data can tell who belongs to a class from who was looked at, and why, in words.

    Attributes
    ----------
    holds : bool
    words : str
    """

    holds: bool
    words: str


@dataclass(frozen=True, eq=False)
class SelectedLabelling:
    r"""A member of class k is labelled with a chance that depends on named columns.

    In one sample of the population, with the columns w of a row and its known effort o,

    .. math:: P(\text{labelled} \mid y = k, x) = \text{sigmoid}(\gamma_{k0} + \gamma_k^T w + o),

    and the paper's single-training-set likelihood with these numbers in place of the label frequency. Classes and
    labelling are fitted together; the effects of w are shrunk towards none, which is :class:`SingleTrainingSet`.

    With ``sampling="case-control"`` unlabeled rows are a sample of the population, and labelled rows are records, which
    are denser where w says so: the case-control likelihood with

    .. math:: a_k(x) = \frac{n_k}{\pi_k n_u} \frac{s_k(x)}{E[s_k | y = k]}, \quad s_k = \exp(\gamma_k^T w + o).

    These are bias columns that enter labelled rows only; no effects are :class:`CaseControl`.

    Parameters
    ----------
    columns : sequence of str or int
        The columns of X that labelling may depend on: names, or positions.
    shared : bool, default=True
        Whether all classes share one propensity, intercept and effects. Else every class has its own.
    excluded : bool, default=False
        Keep these columns (and `offset`) out of the model of the classes: they decide who is looked at, and have no
        part in who belongs to a class. Of all that tells the two apart this is the strongest.
    offset : str or int, optional
        A column that is added to the log odds as it is: effort that is known, such as the logarithm of hours.
    lam : float, optional
        Strength of the lasso on the effects, of columns of unit variance. By default the one of five with the smallest
        BIC, from a constant propensity to one that is hardly shrunk.
    label_frequency, prevalence : float, array-like of shape (K,) or mapping, optional
        What is known of totals: the share of labelled rows among all members of a class, or the share of the class
        among all rows. With ``anchor`` above 0 the model is held to it, as :class:`MultinomialPULassoCV` does by
        default; a label frequency is also where the fit begins. Case-control samples need the prevalence.
    negative_label_frequency : float, optional
        ``P(confirmed negative | y = 0)``, a constant; needed when y holds confirmed negatives.
    allow_unidentified : bool, default=False
        Fit even where the data cannot tell labelling from classes, with a warning.
    propensity : Propensity, optional
        Intercepts and effects that are known, or were fitted; by default they are to be fitted.
    sampling : {"single-training-set", "case-control"}, default="single-training-set"
        Whether rows are one sample, or a sample of the population beside records.
    reference : sequence of float, optional
        Of case-control samples: the values of the columns, and after them of the offset, at which records are as dense
        as they are on average over the members of a class. By default that average is estimated from the records, each
        counted by 1 / s: then the prevalence keeps its meaning whatever the effects.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso, SelectedLabelling
    >>> by_road = SelectedLabelling(columns=[0], excluded=True)
    >>> by_road.identification(n_positive=1).holds
    True
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> is_present = X[:, 1] + rng.logistic(size=2000) > 0
    >>> is_seen = X[:, 0] + rng.logistic(size=2000) > 0
    >>> model = MultinomialPULasso(lam=0.005, scenario=by_road).fit(X, is_present & is_seen)
    >>> bool(model.coef_[0, 0] == 0 and model.propensity_.coef[0, 0] > 0.5)
    True
    """

    columns: Sequence[str | int]
    shared: bool = True
    excluded: bool = False
    offset: str | int | None = None
    lam: float | None = None
    label_frequency: PerClass | None = None
    prevalence: PerClass | None = None
    negative_label_frequency: float | None = None
    allow_unidentified: bool = False
    propensity: Propensity | None = None
    sampling: str = SingleTrainingSet.name
    reference: Sequence[float] | None = None

    name: ClassVar[str] = "selected-labelling"
    asks_for: ClassVar[str | None] = None
    by_row: ClassVar[bool] = True
    explanation: ClassVar[Message] = Message(
        f"It takes {arg('columns')}, the columns of X on which the chance of a label depends."
    )

    def __post_init__(self) -> None:
        for name in ("shared", "excluded", "allow_unidentified"):
            value = plain(getattr(self, name))
            if not isinstance(value, bool):
                raise ScenarioError(f"{name}={value!r} must be True or False.", parameter=name)
        is_list = isinstance(self.columns, Sequence) and not isinstance(self.columns, str | bytes)
        is_list |= isinstance(self.columns, np.ndarray) and self.columns.ndim == 1
        if (
            not is_list
            or not len(self.columns)
            or not all(isinstance(each, Hashable) for each in self.columns)
        ):
            raise ScenarioError(
                f"columns={self.columns!r} must be a list of at least one column of X.",
                parameter="columns",
                remedy="Without any, SingleTrainingSet is the scenario.",
            )
        object.__setattr__(self, "columns", tuple(map(plain, self.columns)))
        if len(set(self.columns)) < len(self.columns):
            raise ScenarioError(f"columns={listed(self.columns)} names a column twice.", parameter="columns")
        if self.label_frequency is not None and self.prevalence is not None:
            raise ScenarioError(
                "label_frequency and prevalence say the same in two ways.",
                parameter="prevalence",
                remedy="Give the one that is known better.",
            )
        if self.propensity is not None and not isinstance(self.propensity, Propensity):
            raise ScenarioError(f"propensity={self.propensity!r} is no Propensity.", parameter="propensity")
        lam = plain(self.lam)
        if lam is not None and (
            isinstance(lam, bool) or not isinstance(lam, int | float) or not 0 <= lam < np.inf
        ):
            raise ScenarioError(
                f"lam={self.lam!r} must be a number from 0.",
                parameter="lam",
                remedy="None chooses it by BIC.",
            )
        self._check_sampling()

    def _check_sampling(self) -> None:
        """Refuse numbers that do not belong to the way in which rows were sampled."""
        known = (SingleTrainingSet.name, CaseControl.name)
        if not isinstance(self.sampling, str) or self.sampling not in known:
            raise ScenarioError(
                f"sampling={self.sampling!r} is neither {SingleTrainingSet.name!r} nor {CaseControl.name!r}.",
                parameter="sampling",
            )
        if self.sampled_by_label and self.prevalence is None:
            raise ScenarioError(
                "A case-control sample does not show how frequent a class is.",
                parameter="prevalence",
                remedy="Give prevalence=, the share of each class in the population.",
            )
        unused = ("label_frequency", "negative_label_frequency") if self.sampled_by_label else ("reference",)
        for name in unused:
            if getattr(self, name) is not None:
                raise ScenarioError(f"{name} has no meaning with sampling={self.sampling!r}.", parameter=name)
        n_wanted = len(self.columns) + (self.offset is not None)
        if self.reference is not None and np.shape(self.reference) != (n_wanted,):
            raise ScenarioError(
                f"reference={self.reference!r} must hold {n_wanted} numbers, one for each column"
                + (" and one for the offset." if self.offset is not None else "."),
                parameter="reference",
            )

    # -- what the likelihood needs -------------------------------------------------------------------------

    @property
    def sampled_by_label(self) -> bool:
        """Whether the number of rows with each label was fixed."""
        return self.sampling == CaseControl.name

    @property
    def tells_shares(self) -> bool:
        """Whether the share of each class is told."""
        return self.prevalence is not None or self.label_frequency is not None

    @property
    def warnings(self) -> tuple:
        """What was said about the fit of the propensity."""
        return () if self.propensity is None else tuple(self.propensity.warnings)

    def label_model(
        self, counts: LabelCounts, x: Any = None, feature_names: Sequence[str] | None = None
    ) -> LabelModel:
        """Return the arrays a and c of every row, by the propensity; before it is fitted, by its start."""
        found = self.start(counts) if self.propensity is None else self.propensity
        n_positive = len(counts.classes) - 1
        if found.coef.shape != (n_positive, len(self.columns)):
            raise ScenarioError(
                f"The propensity has coefficients of shape {found.coef.shape}, and there are {n_positive} positive "
                f"classes and {len(self.columns)} columns.",
                parameter="propensity",
            )
        w, effort = self.effort(x, feature_names)
        return self.label_rows(found.intercept + w @ found.coef.T + effort[:, None], counts)

    def label_rows(self, logits: NDArray, counts: LabelCounts) -> LabelModel:
        """Return the arrays a and c of rows, given the log odds or, of records, the log density of labelling."""
        if self.sampled_by_label:
            return thin_rows(CaseControl(self.prevalence).label_model(counts), logits)  # type: ignore[arg-type]
        return label_rows(logits, self.negative_frequency(counts))

    def positions(self, n_features: int, feature_names: Sequence[str] | None = None) -> NDArray[np.intp]:
        """Return where the columns lie in X and, after them, the offset if there is one."""
        if self.propensity is not None and self.propensity.positions:
            return np.array(self.propensity.positions, dtype=np.intp)
        names = None if feature_names is None else list(feature_names)
        found = find_columns(self.columns, "columns", n_features, names)
        if self.offset is None:
            return found
        return np.append(found, find_columns([self.offset], "offset", n_features, names))

    def effort(self, x: Any, feature_names: Sequence[str] | None = None) -> tuple[NDArray, NDArray]:
        """Return the columns w of every row, and what the offset adds to its log odds."""
        taken = take_columns(x, self.positions(x.shape[1], feature_names))
        n_columns = len(self.columns)
        return taken[:, :n_columns], taken[:, n_columns:].sum(axis=1)

    def start(self, counts: LabelCounts) -> Propensity:
        """Return the constant propensity at which the fit begins."""
        positive = counts.classes[1:]
        coef = np.zeros((len(positive), len(self.columns)))
        if self.sampled_by_label:
            return Propensity(self.columns, np.zeros(len(positive)), coef)  # type: ignore[arg-type]
        # Half-way from the least frequency that the labels allow to one.
        least = counts.n_labeled[1:].sum() / counts.total
        given = 0.5 * (1.0 + least) if self.label_frequency is None else self.label_frequency
        frequency = per_class(given, "label_frequency", positive)
        check_range(frequency, "label_frequency", positive, one_allowed=False)
        if self.shared:
            frequency = np.full_like(frequency, frequency.mean())
        return Propensity(self.columns, np.log(frequency) - np.log1p(-frequency), coef)  # type: ignore[arg-type]

    def negative_frequency(self, counts: LabelCounts) -> float:
        """Return how often class 0 is confirmed."""
        checked = SingleTrainingSet(1.0, self.negative_label_frequency).label_model(counts)
        return float(np.exp(checked.log_labeled[0]))

    def told_shares(self, counts: LabelCounts) -> NDArray | None:
        """Return the shares that the user told, class 0 first; a fitted propensity tells none."""
        if not self.tells_shares:
            return None
        classes = counts.classes[1:]
        if self.prevalence is not None:
            positive = per_class(self.prevalence, "prevalence", classes)
            check_range(positive, "prevalence", classes, one_allowed=False)
        else:
            positive = counts.frequencies[1 : len(classes) + 1] / per_class(
                self.label_frequency, "label_frequency", classes
            )
        return np.append(1.0 - positive.sum(), positive)

    def excluded_columns(
        self, n_features: int, feature_names: Sequence[str] | None = None
    ) -> NDArray[np.intp]:
        """Return the positions of the columns that have no part in the model of the classes."""
        return self.positions(n_features, feature_names) if self.excluded else np.empty(0, dtype=np.intp)

    # -- what the data can tell ------------------------------------------------------------------------------

    def identification(
        self,
        n_positive: int,
        *,
        excluded: bool | None = None,
        told_shares: bool = False,
        confirmed_negatives: bool = False,
    ) -> Identification:
        """Say what the data can tell in this case: labelling and classes each explain who has a label.

        Parameters
        ----------
        n_positive : int
            K, the number of positive classes.
        excluded : bool, optional
            Whether a column of labelling is kept out of the model of the classes; by default as the scenario says.
        told_shares : bool, default=False
            Whether the model is held to known totals: `prevalence` or `label_frequency`, and ``anchor``.
        confirmed_negatives : bool, default=False
            Whether some rows are known to be class 0.

        Returns
        -------
        Identification
        """
        kept_out = self.excluded if excluded is None else excluded
        reasons = [
            (kept_out, "columns of labelling have no part in the classes"),
            (
                self.shared and n_positive > 1,
                f"all {n_positive} classes share one propensity, so that contrasts between them do not depend on it",
            ),
            # Of a rare class the prevalence tells the level, and nothing about effects.
            (told_shares and not self.sampled_by_label, "the class shares are known"),
            (confirmed_negatives, "confirmed negatives show class 0"),
        ]
        found = [words for holds, words in reasons if holds]
        if not found:
            classes = "one class" if n_positive == 1 else "a propensity of its own for every class"
            return Identification(
                False,
                f"Not identified: with {classes}, and the same columns in the classes and in the labelling, who "
                "belongs to a class and who was looked at can be swapped, and the labels are just as likely.",
            )
        rests = "effects of labelling beyond them rest"
        if not self.sampled_by_label:
            rests = "the level of labelling rests" if kept_out else f"level and {rests}"
        is_told = confirmed_negatives or (kept_out if self.sampled_by_label else told_shares)
        form = "" if is_told else f"; {rests} on the logistic form"
        return Identification(True, f"Identified: {', and '.join(found)}{form}.")
