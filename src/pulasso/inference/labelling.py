"""Does labelling depend on the features beyond the class? A statistic, judged by draws in which it does not."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from pulasso._messages import listed
from pulasso.data.inputs import check_number
from pulasso.data.parameters import check_choice
from pulasso.data.pu_data import PUData
from pulasso.estimators.fitting import problem_of, read
from pulasso.estimators.labelling import constant_and_free
from pulasso.exceptions import InputError, ScenarioError
from pulasso.inference._fitting import check_estimator, open_seeded_run, quietly
from pulasso.inference._two_samples import default_classifier, separation
from pulasso.losses import PULoss
from pulasso.runs import one_blas_thread, run_steps, spawn
from pulasso.scenarios import SelectedLabelling, SingleTrainingSet, as_scenario

__all__ = ["LabellingTest", "test_labelling"]

SURE = 0.05
METHODS = ("likelihood-ratio", "classifier")


@dataclass(frozen=True, eq=False)
class LabellingTest:
    """What :func:`test_labelling` found; prints as a sentence.

    Attributes
    ----------
    p_value : float
        Share of the draws with constant labelling whose statistic is at least as large, the data counted among them.
    statistic : float
        "likelihood-ratio": ``2 n (F_constant - F_free)``, twice the gain in penalised log-likelihood if labelling may
        depend on columns. "classifier": the area under the ROC curve of labelled rows against expected ones.
    null_statistics : array of shape (n_replicates,)
        The same of the draws.
    columns : tuple of str or int
        What labelling might depend on.
    method : str
    """

    p_value: float
    statistic: float
    null_statistics: NDArray
    columns: tuple
    method: str = "likelihood-ratio"

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        shown = f"p = {self.p_value:.2g}, {len(self.null_statistics)} draws"
        which = listed(self.columns, limit=5, show=str)
        if self.p_value <= SURE:
            return (
                f"Labelling seems to depend on {which} beyond the class ({shown}): a constant label frequency would "
                "mix up who belongs to a class and who was looked at; SelectedLabelling fits both."
            )
        return (
            f"Nothing shows that labelling depends on {which} beyond the class ({shown}); with few rows a test may "
            "miss it."
        )

    def __str__(self) -> str:
        return self.sentence


def test_labelling(
    estimator: Any,
    X: Any,
    z: ArrayLike,
    columns: Sequence[str | int] | None = None,
    *,
    method: str = "likelihood-ratio",
    classifier: Any = None,
    n_replicates: int = 99,
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> LabellingTest:
    """Test whether the chance of a label depends on columns of X beyond the class.

    A model is fitted in which a member of a class is labelled with a constant chance ("selected completely at random"),
    and either another, in which the chance is a logistic function of the columns, or a classifier that is to tell the
    labelled rows from those that the first model expects. The gain in likelihood, or the area under the ROC curve, is
    compared with those of data drawn from the first model, X as it is: a parametric bootstrap. Both rest on the model
    of the classes: where that is wrong, labelling may seem to depend on what is wrong with it.

    The classifier also sees what bends or interacts. But what is linear in a column the model of the classes takes up,
    if the column is among its features: then the likelihood ratio has more power, or say ``excluded=True`` in the
    scenario. Of one class, and columns that are not excluded, neither can tell anything.

    Parameters
    ----------
    estimator : MultinomialPULasso or OrdinalPULasso
        With its lam, at which all classes are fitted, and with a single training set or :class:`SelectedLabelling` as
        its scenario; it is not fitted, nor changed. A label frequency is where fits begin; it is not held.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    z : array-like of shape (n_samples,)
        Observed labels.
    columns : sequence of str or int, optional
        What labelling might depend on. By default the columns of the scenario, or all of X.
    method : {"likelihood-ratio", "classifier"}, default="likelihood-ratio"
    classifier : scikit-learn classifier, optional
        For method="classifier"; by default a random forest with large leaves. It learns from one half of the rows and
        is judged by the other, both ways.
    n_replicates : int, default=99
        Draws; with B of them no p-value is below 1 / (B + 1).
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Number of processes; results are bitwise identical for any number.
    checkpoint : str or path, optional
        Folder that saves every finished draw.
    progress : bool, optional
        None shows a bar if stderr is a terminal.

    Returns
    -------
    LabellingTest

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso
    >>> from pulasso.inference import test_labelling
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = np.where(X[:, 1] + rng.logistic(size=500) > 0, rng.integers(1, 3, size=500), 0)
    >>> z = np.where(2 * X[:, 0] + rng.logistic(size=500) > 0, y, 0)
    >>> model = MultinomialPULasso(lam=0.01, tol=1e-4, scenario="single-training-set", label_frequency=0.5)
    >>> test_labelling(model, X, z, columns=[0], n_replicates=19, random_state=0).p_value
    0.05
    """
    check_number("n_replicates", n_replicates, least=1, whole=True)
    check_estimator(estimator, "test_labelling")
    check_choice("method", method, METHODS)
    if method != "classifier" and classifier is not None:
        raise InputError(
            f"method={method!r} uses no classifier.", parameter="classifier", remedy="Leave it out."
        )
    template = clone(estimator)
    data = read(template, X, z)
    if data.is_chunked:
        raise TypeError(
            "test_labelling needs all rows in memory, but X comes in chunks. Try it on a sample of the rows."
        )
    scenario = _scenario(template, data, columns)
    judge = None
    if method == "classifier":
        judge = default_classifier() if classifier is None else clone(classifier)
    settings = {**data.fingerprint(), "columns": scenario.columns, "classifier": repr(judge)}
    entropy, run = open_seeded_run("labelling", template, settings, random_state, checkpoint, progress)
    seeds = spawn(entropy, int(n_replicates))
    with one_blas_thread(), quietly():
        statistic, proba = _statistic(template, data, scenario, judge)
    steps = {f"draw {i}": (template, data, scenario, proba, judge, seed) for i, seed in enumerate(seeds, 1)}
    found = run_steps(_draw, steps, n_jobs=n_jobs, run=run, progress=progress, title="draws")
    null = np.array([float(each["statistic"]) for each in found])
    # Ties are counted against the answer: labelling that gains nothing in either is no evidence.
    p_value = (1 + np.count_nonzero(null >= statistic)) / (1 + len(null))
    return LabellingTest(float(p_value), statistic, null, tuple(scenario.columns), method)


test_labelling.__test__ = False  # type: ignore[attr-defined]  # its name begins like that of a test, to pytest


def _scenario(template: Any, data: PUData, columns: Sequence[str | int] | None) -> SelectedLabelling:
    """Return the labelling whose effects are tested."""
    given: Any = as_scenario(
        template.scenario, prevalence=template.prevalence, label_frequency=template.label_frequency
    )
    if columns is None and not isinstance(given, SelectedLabelling):
        names = data.feature_names
        columns = list(range(data.n_features)) if names is None else [str(name) for name in names]
    if isinstance(given, SelectedLabelling):
        scenario = replace(
            given,
            columns=given.columns if columns is None else columns,
            lam=None,
            prevalence=given.prevalence if given.sampled_by_label else None,
            propensity=None,
        )
    elif isinstance(given, SingleTrainingSet):
        with quietly():
            found: Any = problem_of(template, data).scenario
        certain = np.any(np.exp(found.label_model(data.counts).log_labeled[1:]) >= 1)
        scenario = SelectedLabelling(
            columns,  # type: ignore[arg-type]
            label_frequency=None if certain else found.label_frequency,
            negative_label_frequency=found.negative_label_frequency,
        )
    else:
        raise ScenarioError(
            f"test_labelling asks who was labelled, and by what, and the scenario is {given.name!r}.",
            parameter="estimator",
            remedy="It takes a single training set, or SelectedLabelling; of records SelectedLabelling(columns, "
            "sampling='case-control', prevalence=..., excluded=True).",
        )
    w, _ = scenario.effort(data.x, data.feature_names)
    constant = [name for name, each in zip(scenario.columns, w.T, strict=True) if np.ptp(each) == 0]
    if constant:
        raise ScenarioError(
            f"columns names {listed(constant)}, which is the same in every row.", parameter="columns"
        )
    return scenario


def _statistic(template: Any, data: PUData, scenario: SelectedLabelling, judge: Any) -> tuple[float, NDArray]:
    """Return the statistic of the data, and P(z | x) of every row under constant labelling."""
    constant, free, under, params = constant_and_free(template, data, scenario, free=judge is None)
    problem = template._build(data, under)
    eta = problem.response.log_odds(problem.design.matmul(params.theta), params.offsets)
    proba = np.exp(PULoss(problem.loss.label_model).log_proba(eta))
    if judge is None:
        return 2.0 * np.count_nonzero(data.weight) * max(constant - free, 0.0), proba
    w, _ = scenario.effort(data.x, data.feature_names)
    return separation(judge, w, data.codes, data.weight, proba[:, 1 : len(data.classes)]), proba


def _draw(
    template: Any,
    data: PUData,
    scenario: SelectedLabelling,
    proba: NDArray,
    judge: Any,
    seed: np.random.SeedSequence,
) -> dict[str, Any]:
    """Draw labels, and return the statistic that they give."""
    rng = np.random.default_rng(seed)
    present = np.unique(data.codes)
    while True:  # a class that loses all of its labels would make another problem
        codes = (proba.cumsum(axis=1) < rng.random((len(proba), 1))).sum(axis=1).clip(max=proba.shape[1] - 1)
        if np.isin(present, codes).all():
            break
    drawn = replace(data, codes=codes.astype(data.codes.dtype), y=None)
    with quietly():
        return {"statistic": np.array(_statistic(template, drawn, scenario, judge)[0])}
