"""The objective that all engines share: labels and scenario once, then raw scores in, gradient and curvature out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pulasso._build_warnings import warn_if_no_maximum, warn_if_nothing_told
from pulasso._messages import arg, listed
from pulasso.data.inputs import check_number, check_weight
from pulasso.data.parameters import as_numbers, as_whole, check_choice
from pulasso.exceptions import InputError, LabelError
from pulasso.losses import Anchor, ObservedLoss, PULoss, find_null_model
from pulasso.losses.anchor import anchor_of
from pulasso.objectives.terms import Terms
from pulasso.responses import RESPONSES, Response
from pulasso.scenarios import LabelCounts, LabelModel, Scenario

__all__ = ["PUObjective", "read_codes"]

STEPS_A_ROUND, ACCURACY = 3, 1e-10


class PUObjective:
    """The likelihood of observed labels as an objective for learners that give raw scores.

    Raw scores are class log odds against class 0, shape (n_samples, K); with ``response="ordinal"`` one score u for
    each row, with cutpoints that are learned alongside. Where there is one column, the shape (n_samples,) serves, too.

    Parameters
    ----------
    scenario : str, Scenario or LabelModel
        How labels came to be, as for :class:`pulasso.losses.PULoss`.
    codes : array-like of shape (n_samples,)
        Observed labels of all training rows: 0 unlabeled, k class k, K + 1 confirmed negative.
        ``PUData.read(X, z).codes`` makes them from labels of any kind.
    prevalence, label_frequency : float, array-like of shape (K,) or mapping, optional
        The number that a scenario given by its name asks for.
    classes : array-like of shape (K + 1,), optional
        Names of the classes, class 0 first. By default the numbers up to the largest code, which is right unless there
        are confirmed negatives.
    sample_weight : array-like of shape (n_samples,), optional
        Given here, and not to the engine, which would ignore them.
    response : {"multinomial", "ordinal"}, default="multinomial"
    anchor : float, default=0.0
        How strongly the mean prediction is held to the class shares that the scenario tells.

    Attributes
    ----------
    null_scores_ : array of shape (n_outputs,)
        Scores of the best model without features, where learners should start.
    cutpoints_ : array of shape (K,) or None
        Of the ordinal model; they always increase.
    told_shares_ : array of shape (K + 1,) or None
        Class shares that the scenario tells.
    warnings_ : tuple of str
        What was warned about.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso.objectives import PUObjective
    >>> objective = PUObjective("single-training-set", [0, 0, 1, 0], label_frequency=0.5)
    >>> objective.null_scores_
    array([0.])
    >>> gradient, curvature = objective.gradient_and_curvature(objective.start())
    >>> gradient.round(3), curvature
    (array([ 0.167,  0.167, -0.5  ,  0.167]), array([0.25, 0.25, 0.25, 0.25]))
    """

    def __init__(
        self,
        scenario: str | Scenario | LabelModel,
        codes: ArrayLike,
        *,
        prevalence: Any = None,
        label_frequency: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        response: str = "multinomial",
        anchor: float = 0.0,
    ):
        check_choice("response", response, RESPONSES)
        check_number("anchor", anchor, least=0.0)
        self.codes = read_codes(codes)
        self.classes = _read_classes(classes, self.codes)
        self.weight = check_weight(sample_weight, self.codes)
        counts = LabelCounts.from_codes(self.codes, self.classes, self.weight)
        given = PULoss(scenario, prevalence=prevalence, label_frequency=label_frequency, counts=counts)
        self.scenario = given.scenario
        if getattr(self.scenario, "by_row", False):
            raise InputError(
                f"{arg('scenario')} depends on features, which an objective does not see.",
                parameter="scenario",
                remedy="Give its LabelModel: pulasso.scenarios.label_model_of(scenario, counts, X).",
            )
        self.label_model = given.label_model()
        _check_labels(self.label_model, self.codes, self.weight, self.classes)
        self.response = _head(response, len(self.classes) - 1)
        held, self.told_shares_ = self._hold(float(anchor), counts)
        loss = ObservedLoss(self.label_model, self.codes, self.weight)
        self.terms = Terms(self.response, loss, held)
        null_model = find_null_model(loss, counts, held)
        null = null_model.log_odds
        self.warnings_ = warn_if_no_maximum(null_model, self.label_model, counts, float(anchor))
        self.warnings_ += warn_if_nothing_told(float(anchor), self.told_shares_)
        self.offsets_ = self.response.null_offsets(null)
        self.null_scores_ = np.zeros(self.response.n_outputs) if self.offsets_.size else null

    def _hold(self, rho: float, counts: LabelCounts) -> tuple[Anchor | None, NDArray | None]:
        if isinstance(self.scenario, LabelModel):  # it does not say which rows are a sample of the population
            return None, None
        return anchor_of(rho, self.scenario, self.label_model, counts, self.codes, self.weight)

    @property
    def n_outputs(self) -> int:
        """Number of scores for each row: K, or one for ordered classes."""
        return self.response.n_outputs

    @property
    def cutpoints_(self) -> NDArray | None:
        """Cutpoints of the ordinal model."""
        return np.cumsum(self.offsets_) if self.response.is_ordered else None

    def start(self, n_samples: int | None = None) -> NDArray:
        """Return null scores for so many rows (all training rows): ``init_score`` or ``base_margin``.

        Parameters
        ----------
        n_samples : int, optional
        """
        n_samples = len(self.codes) if n_samples is None else as_whole("n_samples", n_samples, least=0)
        scores = np.tile(self.null_scores_, (n_samples, 1))
        return scores[:, 0] if self.n_outputs == 1 else scores

    # -- all training rows -------------------------------------------------------------------------------------

    def value(self, scores: ArrayLike) -> float:
        """Return the mean loss of observed labels plus the anchor, at the present cutpoints.

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_outputs)
        """
        return float(self.terms.value(self.read_scores(scores, len(self.codes)), self.offsets_))

    def gradient_and_curvature(self, scores: ArrayLike) -> tuple[NDArray, NDArray]:
        """Return gradient and positive curvature of ``sum(weights) * value`` in the scores, of their shape.

        Cutpoints are moved to these scores first, by a few damped Newton steps.

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_outputs)
        """
        u, shape, total = self.read_scores(scores, len(self.codes)), np.shape(scores), self.weight.sum()
        self._move_cutpoints(u, STEPS_A_ROUND)
        grad, curvature = self.terms.grad_and_curvature(u, self.offsets_)
        return (total * grad).reshape(shape), (total * curvature).reshape(shape)

    def fit_cutpoints(self, scores: ArrayLike, max_steps: int = 100) -> "PUObjective":
        """Move cutpoints to what is best for these scores of all training rows; after the last round, for example.

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_outputs)
        max_steps : int, default=100
        """
        self._move_cutpoints(
            self.read_scores(scores, len(self.codes)), as_whole("max_steps", max_steps, least=0)
        )
        return self

    def _move_cutpoints(self, u: NDArray, max_steps: int) -> None:
        if self.offsets_.size:
            self.offsets_ = self.terms.fit_offsets(u, self.offsets_, max_steps, ACCURACY)

    # -- any rows ----------------------------------------------------------------------------------------------

    def predict_proba(self, scores: ArrayLike) -> NDArray:
        """Return P(y | x) of the true classes, shape (n_samples, K + 1).

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_outputs)
            Raw scores with the start in them.
        """
        return np.exp(self.response.log_proba(self.read_scores(scores), self.offsets_))

    def observed_log_loss(
        self, scores: ArrayLike, codes: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the mean loss of observed labels of these rows, held-out ones for example, without the anchor.

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_outputs)
        codes : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        """
        found = read_codes(codes, len(self.classes))
        return float(
            self.terms_of(found, sample_weight).value(self.read_scores(scores, len(found)), self.offsets_)
        )

    def terms_of(
        self, codes: NDArray, sample_weight: ArrayLike | None = None, *, anchored: bool = False
    ) -> Terms:
        """Return the objective of other rows: labelling as in the training rows, the mean over these."""
        if self.label_model.is_by_row and len(codes) != len(self.codes):
            raise InputError(
                "Labelling depends on the row, and is known for the training rows only.", parameter="codes"
            )
        weight, anchor = check_weight(sample_weight, codes), None
        if anchored and self.terms.anchor is not None:
            held = self.terms.anchor
            population = (codes == 0) | np.array(not self.scenario.sampled_by_label)
            if weight[population].sum() > 0:
                anchor = Anchor(held.rho, held.told, held.log_within, population, weight)
        return Terms(self.response, ObservedLoss(self.label_model, codes, weight), anchor)

    def read_scores(self, scores: ArrayLike, n_samples: int | None = None) -> NDArray:
        """Return scores as a matrix."""
        found = as_numbers("scores", scores)
        if found.ndim == 1 and self.n_outputs == 1:
            found = found[:, None]
        wanted = (len(found) if found.ndim and n_samples is None else n_samples, self.n_outputs)
        if found.shape != wanted:
            raise InputError(
                f"{arg('scores')} has the shape {np.shape(scores)}; it must have {wanted}.",
                parameter="scores",
                remedy="An objective belongs to its training rows: make one for each fold.",
            )
        return found


def read_codes(codes: ArrayLike, most: int | None = None) -> NDArray:
    """Return codes of labels as whole numbers, which engines store as floats."""
    found = as_numbers("codes", codes, ndim=1)
    top = np.inf if most is None else most
    if not len(found) or not ((found >= 0) & (found <= top) & (found == np.floor(found))).all():
        upto = "" if most is None else f" to {most}"
        raise InputError(
            f"{arg('codes')} must be whole numbers from 0{upto}, one for each row.",
            parameter="codes",
            remedy="0 stands for unlabeled, k for class k, K + 1 for a confirmed negative.",
        )
    if most is None and found.max() > len(found) + 1:
        raise InputError(f"{arg('codes')} has classes without any row.", parameter="codes")
    return found.astype(np.intp)


def _head(response: str, n_positive: int) -> Response:
    """Return the response on scores that hold the intercepts; one that needs its own learns them like cutpoints."""
    try:
        return RESPONSES[response].build(n_positive, fit_intercept=False)
    except InputError:
        return RESPONSES[response].build(n_positive)


def _read_classes(classes: ArrayLike | None, codes: NDArray) -> NDArray:
    """Return names of the classes; all codes must be among them."""
    if classes is None:
        classes = np.arange(codes.max() + 1)
    try:
        found = np.asarray(classes)
        is_list = found.ndim == 1 and len({*found.tolist()}) == len(found) >= 2
    except (TypeError, ValueError):
        is_list = False
    if not is_list or codes.max() > len(found):
        raise InputError(
            f"{arg('classes')} must name class 0 and all others that {arg('codes')} holds, at least two, each once.",
            parameter="classes",
        )
    return found


def _check_labels(model: LabelModel, codes: NDArray, weight: NDArray, classes: NDArray) -> None:
    if model.n_positive != len(classes) - 1 or (model.is_by_row and len(model.log_labeled) != len(codes)):
        raise InputError(
            f"{arg('scenario')} is of {model.n_positive} positive classes, or of other rows; there are "
            f"{len(classes) - 1} classes and {len(codes)} rows.",
            parameter="scenario",
        )
    present = np.bincount(codes, weights=weight, minlength=len(classes))[1 : len(classes)] > 0
    if not present.all():
        raise LabelError(
            f"No row is labelled {listed(classes[1:][~present].tolist())}.",
            parameter="codes",
            remedy=f"Codes run from 1 to K; name the classes by {arg('classes')} where codes hold confirmed negatives.",
        )
    impossible = np.flatnonzero(~model.is_possible(codes) & (weight > 0))
    if len(impossible):
        raise LabelError(
            f"Row {impossible[0]} has the code {codes[impossible[0]]}, which cannot happen under this scenario.",
            parameter="codes",
        )
