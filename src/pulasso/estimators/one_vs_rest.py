"""Species that share places: a binary model for each, and one labelling for all."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from pulasso._messages import arg
from pulasso.data.inputs import check_features, check_weight
from pulasso.data.parameters import check_in_memory, kind_of
from pulasso.estimators._base import unchanged_on_failure
from pulasso.estimators._labelling_words import words_about_level
from pulasso.estimators._shared_labelling import SharedProfile
from pulasso.estimators._species import Species, about, check_background, read_indicators, species_of
from pulasso.estimators._strengths import are_several
from pulasso.estimators.cv import MultinomialPULassoCV
from pulasso.estimators.labelling import find_labelling, fits_labelling, prepare
from pulasso.estimators.multinomial import MultinomialPULasso
from pulasso.estimators.summary import Summary, summarize_species
from pulasso.exceptions import InputError
from pulasso.model_selection.folds import take_rows
from pulasso.scenarios import Propensity, Sources, as_scenario, per_class

__all__ = ["OneVsRestPULasso"]

PER_SPECIES = ("prevalence", "label_frequency")


class OneVsRestPULasso(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Several species, of which a place may hold any number: one binary model for each, and one labelling for all.

    Classes of :class:`MultinomialPULasso` exclude each other, and species do not. Here each has coefficients, an
    intercept and a certificate of its own; but who was looked at does not depend on the species, and where the scenario
    is :class:`SelectedLabelling` the records of all tell the effects of its columns together. With :math:`L_s` and
    penalty :math:`P_s` of species s, and the weight :math:`W_s` of its rows, it minimises

    .. math:: \sum_s W_s \left( L_s(\theta_s, \alpha_s, \gamma) + P_s(\theta_s) \right)
              + \lambda \sum_s W_s \sum_j |\gamma_j|

    over all :math:`\theta_s`, levels :math:`\alpha_s` (that case-control samples do not have) and the common
    :math:`\gamma`, in which effects are per standard deviation of the columns. With ``SelectedLabelling(shared=False)``
    every species has effects of its own, and with other scenarios it is one fit for each.

    In a case-control sample rows without any label are the background of all species; records of other species have no
    part in the fit of one. In a single training set all rows are rows of all species.

    Parameters
    ----------
    estimator : MultinomialPULasso or MultinomialPULassoCV
        What is fitted to each species, with the scenario. `prevalence` and `label_frequency` are a number for all
        species, an array in their order, or a mapping from species to number. :class:`MultinomialPULassoCV` chooses lam
        for each species; the labelling is then found first, from all rows with classes that are hardly shrunk, and
        folds take it as it is.

    Attributes
    ----------
    classes_ : array of shape (n_species,)
        Names of the species: the columns of Y.
    estimators_ : list of MultinomialPULasso or MultinomialPULassoCV
        One for each species, with classes 0 and 1: each can be saved, scored and reported by itself.
    coef_ : array of shape (n_species, n_features)
    intercept_ : array of shape (n_species,)
    kkt_ : array of shape (n_species,)
        The certificate of each species' classes; that of the labelling is ``propensity_.kkt``.
    converged_ : bool
        Whether all of them are at most ``tol``.
    propensity_ : Propensity
        The chance of a label, one row for each species with the effects that they share. Its standard errors count a
        row once, whatever species it is a row of.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only when X had column names.

    Examples
    --------
    >>> import numpy as np
    >>> from pulasso import MultinomialPULasso, OneVsRestPULasso, SelectedLabelling
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 3))
    >>> is_present = X[:, [1, 2]] + rng.logistic(size=(3000, 2)) > 0
    >>> is_seen = X[:, [0, 0]] + rng.logistic(size=(3000, 2)) > 0
    >>> by_road = SelectedLabelling(columns=[0], excluded=True)
    >>> both = OneVsRestPULasso(MultinomialPULasso(lam=0.001, scenario=by_road)).fit(X, is_present & is_seen)
    >>> both.predict_proba(X).shape, both.propensity_.coef.round(1).tolist()
    ((3000, 2), [[1.0], [1.0]])
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(
        self,
        X: Any,
        Y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> "OneVsRestPULasso":
        """Fit one model to each species, and the labelling to all.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; data frames keep their column names.
        Y : array-like of shape (n_samples, n_species)
            1 (or True) where the species is labelled, else 0. Columns of a data frame name the species.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 counts as the row twice, 0 as no row.
        groups : array-like of shape (n_samples,), optional
            For splitters that keep rows together, with :class:`MultinomialPULassoCV`.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            scenario = self._check_estimator(groups)
            check_in_memory(X, "OneVsRestPULasso")
            x = check_features(self, X, reset=True)
            names, labelled = read_indicators(Y, x.shape[0])
            weight = check_weight(sample_weight, x)
            if scenario.sampled_by_label:
                check_background(labelled, weight)
            X = X if hasattr(X, "shape") else x
            scenarios = _scenarios(scenario, names)
            rows = species_of(names, labelled, weight, whole=not scenario.sampled_by_label)
            if fits_labelling(scenario) and scenario.shared:
                scenarios = self._fit_labelling(X, rows, scenarios, x.shape[0])
            together = {} if groups is None else {"groups": _check_groups(groups, x.shape[0])}
            fitted = []
            for own, found in zip(rows, scenarios, strict=True):
                more = {name: value[own.rows] for name, value in together.items()}
                if sample_weight is not None:
                    more["sample_weight"] = own.weight
                with about(own.name):
                    fitted.append(self._template(found).fit(_some_of(X, own.rows), own.labels, **more))
            self.classes_, self.estimators_ = names, fitted
        return self

    # -- fitting, step by step ---------------------------------------------------------------------------

    def _check_estimator(self, groups: ArrayLike | None) -> Any:
        """Refuse what is no model of one species; return its scenario as an object."""
        model = self.estimator
        if not isinstance(model, MultinomialPULasso):
            raise InputError(
                f"{arg('estimator')} is {kind_of(model)}, and each species is fitted by a MultinomialPULasso or a "
                "MultinomialPULassoCV.",
                parameter="estimator",
            )
        model._check_params()
        if groups is not None and not isinstance(model, MultinomialPULassoCV):
            raise InputError(
                f"{arg('groups')} are for folds, and MultinomialPULasso has none.",
                parameter="groups",
                remedy="Leave them out, or choose lam by MultinomialPULassoCV.",
            )
        scenario = as_scenario(
            model.scenario, prevalence=model.prevalence, label_frequency=model.label_frequency
        )
        marked = [name for name in ("unlabeled", "negative") if getattr(model, name) is not None]
        if marked or isinstance(scenario, Sources):
            what = f"{marked[0]}={getattr(model, marked[0])!r:.60}" if marked else "scenario=Sources(...)"
            raise InputError(
                f"The estimator has {what}, and Y tells of each species only whether it is labelled.",
                parameter="estimator",
                remedy="Fit one model for each species." if not marked else "Leave it out.",
            )
        return scenario

    def _template(self, scenario: Any) -> Any:
        """Return an estimator of one species."""
        return clone(self.estimator).set_params(scenario=scenario, prevalence=None, label_frequency=None)

    def _fit_labelling(self, X: Any, rows: list[Species], scenarios: list[Any], n_rows: int) -> list[Any]:
        """Return the scenario of every species with its propensity, fitted to all of them."""
        lam, found = getattr(self.estimator, "lam", None), []
        for own, scenario in zip(rows, scenarios, strict=True):
            with about(own.name):
                model = self._template(scenario)
                if are_several(getattr(model, "anchor", None)):  # chosen for each species, and later
                    model.anchor = max(model.anchor)
                data = model._read(_some_of(X, own.rows), own.labels, own.weight)
                found.append(prepare(model, data, scenario, lam))
        strata = np.zeros(n_rows, dtype=int)
        for s, own in enumerate(rows, start=1):
            # Where a row holds several species it is a record of the last: chance moves all of them together.
            strata[own.rows[own.labels == 1]] = s if scenarios[0].sampled_by_label else 0
        profile = SharedProfile(
            tuple(each.profile for each in found), tuple(own.rows for own in rows), strata
        )
        at, facts, late = find_labelling(profile, found[0].lam, self.estimator)
        of_each = []
        gammas = profile.labelling.own(at.gamma)
        for own, part, gamma in zip(rows, found, gammas, strict=True):
            with about(own.name):
                said = part.said + words_about_level(part.profile.labelling, gamma) + late
            of_each.append({**facts, "identification": part.words, "warnings": said})
        return profile.labelling.fitted(at.gamma, profile.steps(at), of_each)

    # -- the model of all species ---------------------------------------------------------------------------

    @property
    def coef_(self) -> NDArray:
        """Log odds of each species, per unit of X."""
        return np.vstack([each.coef_ for each in self._fitted()])

    @property
    def intercept_(self) -> NDArray:
        """Log odds of each species at x = 0."""
        return np.concatenate([each.intercept_ for each in self._fitted()])

    @property
    def kkt_(self) -> NDArray:
        """The certificate of each species."""
        return np.array([each.kkt_ for each in self._fitted()])

    @property
    def converged_(self) -> bool:
        """Whether the classes of all species, and the labelling if it was fitted, reached the tolerance."""
        classes = all(each.converged_ for each in self._fitted())
        labelling = [getattr(each.scenario_, "propensity", None) for each in self.estimators_]
        return classes and not any(each is not None and each.kkt > self.estimator.tol for each in labelling)

    @property
    def propensity_(self) -> Propensity:
        """The chance of a label, as it was fitted to all species."""
        if not getattr(self._fitted()[0].scenario_, "shared", False):
            raise AttributeError("Species share no propensity: see those of estimators_.")
        own = [each.propensity_ for each in self.estimators_]
        steps = [each.directions for each in own]
        return replace(
            own[0],
            intercept=np.concatenate([each.intercept for each in own]),
            coef=np.repeat(own[0].coef, len(own), axis=0),  # of others it may differ in the last digit
            directions=None if any(each is None for each in steps) else np.concatenate(steps, axis=1),
            warnings=tuple(dict.fromkeys(words for each in own for words in each.warnings)),
        )

    def _fitted(self) -> list[Any]:
        check_is_fitted(self)
        return self.estimators_

    # -- predictions -------------------------------------------------------------------------------------

    def predict_proba(self, X: Any, prevalence: Any = None) -> NDArray:
        """Return the chance that each species is there, shape (n_samples, n_species).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        prevalence : float, array-like of shape (n_species,) or mapping, optional
            Share of each species in another population, as for :meth:`MultinomialPULasso.predict_proba`.
        """
        models = self._fitted()
        told = (
            [None] * len(models) if prevalence is None else per_class(prevalence, "prevalence", self.classes_)
        )
        found = []
        for name, model, share in zip(self.classes_, models, told, strict=True):
            with about(name):
                found.append(model.predict_proba(X, None if share is None else float(share))[:, 1])
        return np.column_stack(found)

    def predict(self, X: Any, prevalence: Any = None) -> NDArray:
        """Return 1 where a species is more likely there than not, shape (n_samples, n_species)."""
        return (self.predict_proba(X, prevalence) > 0.5).astype(int)

    def decision_function(self, X: Any) -> NDArray:
        """Return the log odds of each species, shape (n_samples, n_species)."""
        return np.column_stack([each.decision_function(X) for each in self._fitted()])

    def summary(self) -> Summary:
        """Return what was selected for each species, and how well each fit is certified."""
        check_is_fitted(self)
        return summarize_species(self)

    def save(self, path: Any, *, force: bool = False, notes: Mapping[str, Any] | None = None) -> None:
        """Write the fitted models into a folder, from which `pulasso.load` reads them: as `MultinomialPULasso.save`."""
        from pulasso.estimators.persistence import save

        check_is_fitted(self)
        save(self, path, force=force, notes=notes)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags


def _scenarios(scenario: Any, names: NDArray) -> list[Any]:
    """Return the scenario of every species, with its own numbers."""
    told = {}
    for name in PER_SPECIES:
        value = getattr(scenario, name, None)
        if value is not None and not isinstance(value, str):
            told[name] = per_class(value, name, names)
    if not told:
        return [scenario] * len(names)
    return [
        replace(scenario, **{name: float(numbers[s]) for name, numbers in told.items()})
        for s in range(len(names))
    ]


def _check_groups(groups: ArrayLike, n_rows: int) -> NDArray:
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise InputError(
            f"{arg('groups')} has shape {found.shape}, and X has {n_rows} rows.", parameter="groups"
        )
    return found


def _some_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows, which keep the names of columns."""
    is_frame = hasattr(X, "columns") and not hasattr(X, "iloc")  # of polars, which has no positions
    return X[rows] if is_frame else take_rows(X, rows)
