"""Cross-validation of either model: the mixin that turns an estimator of one lam into one that chooses it."""

import builtins
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from pulasso import exceptions
from pulasso._messages import listed
from pulasso.estimators._assemble import Assembled
from pulasso.estimators._base import BasePULasso
from pulasso.estimators._fold_steps import (
    Criterion,
    Sample,
    fit_fold,
    folds_from_arrays,
    held_out_label_model,
    path_from_arrays,
    refit,
    split_step,
)
from pulasso.estimators.fit_path import make_grid
from pulasso.exceptions import GridEdgeWarning, LabelFrequencyWarning
from pulasso.model_selection import (
    SELECTIONS,
    Fold,
    LossCurve,
    check_folds,
    make_splitter,
    named_scorer,
    takes_weight,
)
from pulasso.runs import data_hash, describe, one_blas_thread, run_steps

__all__ = ["CrossValidated"]

# The results do not depend on these; `select` only says which step follows the folds.
NOT_IN_THE_FINGERPRINT = ("n_jobs", "checkpoint", "progress", "select", "cv", "random_state")


class CrossValidated(BasePULasso):
    """Choose lam by held-out rows, then fit on all of them; a mixin for the estimators of one lam."""

    _plain: ClassVar[type[BasePULasso]]

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> "CrossValidated":
        """Fit a path without each fold, choose lam by the rows held out, and fit on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; data frames keep their column names.
        y : array-like of shape (n_samples,)
            Observed labels: class labels, and the marker `unlabeled`.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 counts as the row twice, 0 as no row: in the fits, in the loss on held-out rows,
            and in `scoring`.
        **params
            ``groups``, an array of shape (n_samples,), for splitters that keep rows together. With
            scikit-learn's metadata routing, whatever splitter and scorer request.

        Returns
        -------
        self
        """
        before = self.__dict__.copy()
        try:
            self._check_params()
            with one_blas_thread():  # for lam_max, too
                self._cross_validate(X, y, sample_weight, params)
        except BaseException:
            # A fit that fails, or is interrupted, leaves the model that was there.
            self.__dict__ = before
            raise
        return self

    # -- fitting, step by step ---------------------------------------------------------------------------

    def _check_params(self) -> None:
        self._template()._check_params()
        if self.select not in SELECTIONS:
            raise ValueError(f"select={self.select!r} is unknown; use one of {listed(SELECTIONS)}.")
        if self.progress not in (None, True, False):
            raise ValueError(f"progress={self.progress!r} must be True, False or None.")

    def _cross_validate(
        self, x: Any, y: ArrayLike, sample_weight: ArrayLike | None, params: dict[str, Any]
    ) -> None:
        routed = self._route(sample_weight, params)
        splitter = make_splitter(self.cv, self.random_state)
        checked, labels, weight = self._check_data(x, y, sample_weight)
        sample = Sample(checked, _label_array(y), labels, weight)
        assembled = self._assemble_checked(checked, labels, weight)
        self.lams_ = make_grid(self.lams, assembled.problem.lam_max, self.n_lams, self.lam_min_ratio)
        kept = {"checkpoint": self.checkpoint}
        if self.checkpoint is not None:
            kept["fingerprint"] = self._fingerprint(sample, splitter, routed)
        split = {"folds": (splitter, sample, routed.splitter.split)}
        folds = folds_from_arrays(run_steps(split_step, split, progress=False, **kept)[0])
        check_folds(folds, labels, weight)
        results = self._run_folds(
            folds, sample, assembled, Criterion(self._scorer(), routed.scorer.score), kept
        )
        said = self._warn_of_folds(results, assembled)
        self._choose(results, assembled, said, len(folds))
        self._refit(assembled, kept, said)

    def _run_folds(
        self,
        folds: Sequence[Fold],
        sample: Sample,
        assembled: Assembled,
        criterion: Criterion,
        kept: dict[str, Any],
    ) -> list[dict[str, NDArray]]:
        scenario, names = assembled.scenario, getattr(self, "feature_names_in_", None)
        template = self._template()
        template.n_features_in_ = self.n_features_in_
        steps = {}
        for number, fold in enumerate(folds, start=1):
            label_model = held_out_label_model(scenario, sample.rows(fold.test), number)
            steps[f"fold {number}"] = (
                template, sample, fold, self.lams_, scenario, label_model, names, criterion
            )  # fmt: skip
        return run_steps(fit_fold, steps, n_jobs=self.n_jobs, progress=self.progress, title="folds", **kept)

    def _choose(
        self, results: list[dict[str, NDArray]], assembled: Assembled, said: list[str], n_folds: int
    ) -> None:
        curve = LossCurve(
            self.lams_,
            np.array([result["loss"] for result in results], dtype=float),
            np.array([float(result["weight"]) for result in results]),
        )
        if not curve.usable.any():
            raise ValueError(
                "No lam has a finite loss in every fold. Check scoring= on a single fit, or give larger lams=."
            )
        if self.select == "1se" and n_folds < 2:
            raise ValueError("select='1se' compares folds, and there is only one. Use select='min' or more.")
        self.cv_loss_, self.cv_loss_mean_, self.cv_loss_se_ = curve.losses, curve.mean, curve.se
        self.cv_n_active_ = np.array([result["n_active"] for result in results])
        self.best_index_ = curve.index(self.select)
        self.lam_ = float(self.lams_[self.best_index_])
        self.lam_min_ = float(self.lams_[curve.index("min")])
        self.lam_1se_ = float(self.lams_[curve.index("1se")])
        words = self._words_about_edge(curve.edge(), assembled.problem.lam_max)
        if words:
            _say(words, GridEdgeWarning, said)

    def _refit(self, assembled: Assembled, kept: dict[str, Any], said: list[str]) -> None:
        lams = self.lams_[: self.best_index_ + 1]
        template = self._template()
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(template, name, getattr(self, name))
        steps = {f"refit {self.best_index_}": (template, assembled, lams)}
        arrays = run_steps(refit, steps, progress=self.progress, title="refit", **kept)[0]
        self.path_ = path_from_arrays(arrays, template, assembled, lams)
        for kind, words in _warnings_of(arrays):
            _say(f"All rows: {words}", kind, said)
        self.path_.warnings.extend(said)
        fitted = {name: value for name, value in vars(self.path_.model(-1)).items() if name.endswith("_")}
        self.__dict__.update(fitted)
        self.n_iter_ = int(self.path_.n_iter.sum())

    def _template(self) -> BasePULasso:
        """Return the estimator of one lam with the settings that both share."""
        own = self.get_params(deep=False)
        own.pop("checkpoint")  # it keeps folds, not the way to one lam
        return self._plain(**{name: own[name] for name in self._plain().get_params() if name in own})

    # -- what depends on the rest of scikit-learn ------------------------------------------------------------

    def _scorer(self) -> Any:
        if self.scoring is None:
            return None
        if isinstance(self.scoring, str):
            return named_scorer(self.scoring)
        if not callable(self.scoring):
            raise ValueError(
                f"scoring={self.scoring!r} must be None, the name of a scorer, or a callable (model, X, y)."
            )
        return check_scoring(self, scoring=self.scoring)

    def _route(self, sample_weight: ArrayLike | None, params: dict[str, Any]) -> Bunch:
        """Say which of the arguments of `fit` go to the splitter and which to the scorer."""
        if get_config()["enable_metadata_routing"]:
            given = params if sample_weight is None else {**params, "sample_weight": sample_weight}
            routed = process_routing(self, "fit", **given)
            empty = Bunch(split={}, score={})
            return Bunch(splitter=routed.get("splitter", empty), scorer=routed.get("scorer", empty))
        unknown = [name for name in params if name != "groups"]
        if unknown:
            raise TypeError(
                f"fit() got an unexpected keyword argument {unknown[0]!r}. For arguments of a splitter or a "
                "scorer other than groups=, enable metadata routing in scikit-learn."
            )
        score = {}
        if sample_weight is not None and self.scoring is not None:
            if not takes_weight(self._scorer()):
                raise ValueError(
                    f"scoring={self.scoring!r} takes no sample_weight, but fit was given one. Use a scorer "
                    "(model, X, y, sample_weight=None), or one of pulasso.metrics."
                )
            score = {"sample_weight": sample_weight}
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=score))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how arguments of `fit` are passed on, as scikit-learn's metadata routing asks."""
        splits = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        router.add(splitter=make_splitter(self.cv, None), method_mapping=splits)
        if self.scoring is not None:
            router.add(
                scorer=self._scorer(), method_mapping=MethodMapping().add(caller="fit", callee="score")
            )
        return router

    # -- what a checkpoint depends on, and words -------------------------------------------------------------

    def _fingerprint(self, sample: Sample, splitter: Any, routed: Bunch) -> dict[str, Any]:
        settings = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in NOT_IN_THE_FINGERPRINT
        }
        return {
            "estimator": type(self).__name__,
            **settings,
            "cv": describe(splitter),
            "X": data_hash(sample.x, getattr(self, "feature_names_in_", None)),
            "y": data_hash(sample.labels.codes, sample.labels.classes, sample.y),
            "sample_weight": data_hash(sample.weight),
            "arguments of the splitter": {
                name: data_hash(value) for name, value in routed.splitter.split.items()
            },
            "arguments of the scorer": {
                name: data_hash(value) for name, value in routed.scorer.score.items()
            },
        }

    def _warn_of_folds(self, results: Sequence[Mapping[str, NDArray]], assembled: Assembled) -> list[str]:
        """Warn of what happened in folds, by their numbers, and return the words."""
        by_warning: dict[tuple[type[Warning], str], list[int]] = {}
        for number, result in enumerate(results, start=1):
            for kind, words in _warnings_of(result):
                by_warning.setdefault((kind, words), []).append(number)
            lost = np.flatnonzero(~np.isfinite(result["loss"]))
            if len(lost):
                words = (
                    f"the loss on held-out rows is not finite at {len(lost)} of {len(self.lams_)} lams, the first "
                    f"{self.lams_[lost[0]]:.4g}; these lams are not chosen."
                )
                by_warning.setdefault((UserWarning, words), []).append(number)
        said: list[str] = []
        for (kind, words), numbers in by_warning.items():
            # What all rows were warned about need not be said again for some of them.
            if not (kind is LabelFrequencyWarning and assembled.warnings):
                folds = f"Fold {numbers[0]}" if len(numbers) == 1 else f"Folds {listed(numbers)}"
                _say(f"{folds} of {len(results)}: {words}", kind, said)
        return said

    def _words_about_edge(self, edge: str, lam_max: float) -> str:
        if not edge:
            return ""
        lam = self.lams_[0 if edge == "largest" else -1]
        start = f"The smallest loss on held-out rows lies at the {edge} lam of the grid, {lam:.4g}"
        if edge == "smallest":
            remedy = (
                f"lam_min_ratio={self.lam_min_ratio / 5:g}" if self.lams is None else "smaller values in lams"
            )
            return f"{start}: a smaller one may be better still. Try {remedy}."
        if lam < lam_max:
            return f"{start}: a larger one may be better still. Try larger values in lams."
        return (
            f"{start}, where no penalised feature is selected: held-out rows do not show that features tell "
            "the labels apart. Check the labels and the assumed numbers, or try more rows or fewer features."
        )


def _label_array(y: ArrayLike) -> NDArray:
    """Return labels as an array that can be cut into rows, without turning missing values into text."""
    array = np.asarray(y).reshape(-1)
    return np.asarray(y, dtype=object).reshape(-1) if array.dtype.kind in "US" else array


def _warnings_of(arrays: Mapping[str, NDArray]) -> list[tuple[type[Warning], str]]:
    kinds = [
        getattr(exceptions, name, getattr(builtins, name, UserWarning)) for name in arrays["warning_kinds"]
    ]
    return list(zip(kinds, map(str, arrays["warnings"]), strict=True))


def _say(words: str, kind: type[Warning], said: list[str]) -> None:
    """Warn, and note what was said."""
    warnings.warn(words, kind, stacklevel=5)
    said.append(words)
