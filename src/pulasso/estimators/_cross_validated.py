"""Cross-validation of either model: the mixin that turns an estimator of one lam into one that chooses it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from pulasso._messages import arg, warn
from pulasso.data.chunks import SelectedRows
from pulasso.data.inputs import check_number
from pulasso.data.parameters import check_choice
from pulasso.data.pu_data import PUData
from pulasso.estimators._all_rows import AllRows, call
from pulasso.estimators._base import BasePULasso, unchanged_on_failure
from pulasso.estimators._fold_words import warn_of_folds, words_about_edge
from pulasso.estimators._folds import (
    Criterion,
    fit_fold,
    folds_from_arrays,
    held_out_proba,
    joined,
    split_step,
)
from pulasso.estimators._relaxed import relax
from pulasso.estimators._strengths import are_several, check_strengths, choose_strength, usual_strength
from pulasso.estimators.fit_path import collect_path, make_grid
from pulasso.estimators.shares import words_about_shares
from pulasso.exceptions import (
    ClassShareWarning,
    FewLabelsWarning,
    GridEdgeWarning,
    InputError,
    StationaryPointWarning,
)
from pulasso.metrics import PUScorer
from pulasso.model_selection import (
    SELECTIONS,
    LossCurve,
    check_folds,
    keep_single_rows,
    make_splitter,
    named_scorer,
    takes_weight,
)
from pulasso.model_selection.copies import warn_of_copies
from pulasso.problem import Problem
from pulasso.runs import Run, one_blas_thread, open_run, run_steps, shared_array
from pulasso.solvers import Solution

__all__ = ["CrossValidated"]

# Where the grid ends at first, and how far it may be extended: further with more rows than features, as in glmnet.
FIRST_RATIO, LEAST_RATIO = 0.05, {True: 1e-4, False: 1e-2}


class CrossValidated(BasePULasso):
    """Choose lam by held-out rows, then fit on all of them; a mixin for the estimators of one lam."""

    _plain: ClassVar[type[BasePULasso]]

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        source: ArrayLike | None = None,
        **params: Any,
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
        source : array-like of shape (n_samples,), optional
            Where each row comes from, with ``scenario=Sources({...})``; folds are stratified by it, too.
        **params
            ``groups``, an array of shape (n_samples,), for splitters that keep rows together. With
            scikit-learn's metadata routing, whatever splitter and scorer request.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self), one_blas_thread():  # for lam_max, too
            self._check_params()
            routed = self._route(sample_weight, params)
            splitter = make_splitter(self.cv, self.random_state)
            data = self._read(X, y, sample_weight, source)
            run = self._open_run(data, splitter, routed)
            with shared_array(data.x, X, self.n_jobs) as x:
                data = replace(data, x=x)  # lets go of the array that was converted
                if are_several(self.anchor):
                    choose_strength(self, data, splitter, routed, run)
                else:
                    self._cross_validate(data, splitter, routed, run)
        return self

    # -- fitting, step by step ---------------------------------------------------------------------------

    def _open_run(self, data: PUData, splitter: Any, routed: Bunch) -> Run | None:
        more = {"splitter": splitter, "split": routed.splitter.split, "score": routed.scorer.score}
        return open_run(type(self).__name__, {**self._fingerprint(data), **more, "labels as given": data.y})

    def _check_params(self) -> None:
        if are_several(self.anchor):
            check_strengths(self.anchor)
        self._template()._check_params()
        if self.max_active is not None:
            check_number("max_active", self.max_active, least=1, whole=True)
        check_choice("select", self.select, SELECTIONS)
        check_choice("refit", self.refit, (None, "relaxed"))
        check_choice("calibrate", self.calibrate, (None, "shares"))
        if not isinstance(self.progress, bool | None):
            raise InputError(
                f"progress={self.progress!r} is unknown.",
                parameter="progress",
                remedy="Use None, True or False.",
            )

    def _cross_validate(self, data: PUData, splitter: Any, routed: Bunch, run: Run | None) -> None:
        problem = self._build(data)
        ratio = FIRST_RATIO if self.lam_min_ratio is None else self.lam_min_ratio
        self.lams_ = make_grid(self.lams, problem.lam_max, self.n_lams, ratio)
        split = {"folds": (splitter, data, routed.splitter.split)}
        folds = folds_from_arrays(run_steps(split_step, split, progress=False, run=run)[0])
        folds, about_single = keep_single_rows(folds, data, data.weight)  # type: ignore[arg-type]
        scorer = self._scorer()
        needs_all = isinstance(scorer, PUScorer) and scorer.needs_every_label(problem.scenario)
        check_folds(folds, data, data.weight, judged_by_all=needs_all)  # type: ignore[arg-type]
        said: list[str] = [warn(about_single, FewLabelsWarning)] if about_single else []
        said += warn_of_copies(folds, data.x, data.codes, data.weight)
        template, criterion = self._template(), Criterion(scorer, routed.scorer.score)
        template.n_features_in_ = self.n_features_in_  # no names of features: scorers see arrays
        shared = [(template, data, fold, i) for i, fold in enumerate(folds, start=1)]
        all_rows = AllRows(template, problem, self.lams_, len(folds), self.n_jobs)
        results = self._fit_folds(shared, problem, criterion, run, all_rows)
        said += warn_of_folds(self, results, problem)
        self._choose(results, problem, said)
        self._refit(problem, run, said, all_rows)
        index = self.best_index_
        for name in ("refit_loss_", "refit_lam_", "anchors_", "anchor_loss_"):
            self.__dict__.pop(name, None)
        if self.refit is not None:
            results, index = relax(self, shared, problem, criterion, results, run)
        self.cv_proba_ = held_out_proba(self.path_.model(-1), data, folds, results, index)
        if self.calibrate is not None:
            self._calibrate(data, problem)
        if words := words_about_shares(self):
            self.warnings_.append(warn(words, ClassShareWarning))

    def _fit_folds(
        self,
        shared: Sequence[tuple],
        problem: Problem,
        criterion: Criterion,
        run: Run | None,
        all_rows: AllRows,
    ) -> list[dict[str, NDArray]]:
        """Fit a path in every fold and, while the loss still falls at its end, what follows it."""
        how = {"n_jobs": self.n_jobs, "progress": self.progress, "run": run}
        grid = self.lams_, problem.scenario, criterion
        steps = {f"fold {each[-1]}": (fit_fold, *each, *grid) for each in shared}
        results = all_rows.take(run_steps(call, {**all_rows.beside, **steps}, title="folds", **how))
        while len(lams := self._further_lams(results, problem)):
            steps = {
                f"fold {each[-1]}, lam {len(self.lams_) + 1}": (
                    *each,
                    lams,
                    problem.scenario,
                    criterion,
                    before,
                )
                for each, before in zip(shared, results, strict=True)
            }
            more = run_steps(fit_fold, steps, title="smaller lams", **how)
            results = [joined(*pair) for pair in zip(results, more, strict=True)]
            self.lams_ = np.append(self.lams_, lams)
        return results

    def _further_lams(self, results: list[dict[str, NDArray]], problem: Problem) -> NDArray:
        """Return smaller lams in the steps of the grid; none where the loss no longer falls, or at the limit."""
        n, p = problem.design.shape
        limit = LEAST_RATIO[n > p] * problem.lam_max
        converged = all(result["converged"][-1] for result in results)
        is_own = self.lams is not None or self.lam_min_ratio is not None
        if is_own or not converged or len(self.lams_) < 2 or self._curve(results).edge() != "smallest":
            return np.empty(0)
        step = self.lams_[-1] / self.lams_[-2]
        more = self.lams_[-1] * step ** np.arange(1, max(2, len(self.lams_) // 4))
        return more[more >= limit]

    def _curve(self, results: list[dict[str, NDArray]]) -> LossCurve:
        losses = np.array([result["loss"] for result in results], dtype=float)
        weights = np.array([float(result["weight"]) for result in results])
        if self.max_active is None:
            return LossCurve(self.lams_, losses, weights)
        few = np.mean([result["n_active"] for result in results], axis=0) <= self.max_active
        return LossCurve(self.lams_, losses, weights, few)

    def _choose(self, results: list[dict[str, NDArray]], problem: Problem, said: list[str]) -> None:
        curve = self._curve(results)
        if curve.allowed is not None and not curve.allowed.any():
            self._refuse_many_active()
        if not curve.usable.any():
            raise InputError(
                "No lam has a finite loss in every fold.",
                parameter="scoring",
                remedy=f"Check {arg('scoring')} on a single fit, or give larger {arg('lams')}.",
            )
        if self.select == "1se" and len(results) < 2:
            raise InputError(
                "select='1se' compares folds, and there is only one.",
                parameter="select",
                remedy=f"Use {arg('select', 'min')} or more folds.",
            )
        self.cv_loss_, self.cv_loss_mean_, self.cv_loss_se_ = curve.losses, curve.mean, curve.se
        self.cv_n_active_ = np.array([result["n_active"] for result in results])
        self.best_index_ = curve.index(self.select)
        self.lam_ = float(self.lams_[self.best_index_])
        self.lam_min_ = float(self.lams_[curve.index("min")])
        self.lam_1se_ = float(self.lams_[curve.index("1se")])
        words = words_about_edge(self, curve.edge(), problem.lam_max)
        if words:
            said.append(warn(words, GridEdgeWarning))

    def _refit(self, problem: Problem, run: Run | None, said: list[str], all_rows: AllRows) -> None:
        template = self._template()
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(template, name, getattr(self, name))
        how = {"run": run, "progress": self.progress}
        found, words = all_rows.solutions(self.lams_, self.best_index_ + 1, **how)
        solutions = self._with_few_active(found, problem)
        if words and len(solutions) == len(found):  # words are about the last one
            said.append(warn(words, StationaryPointWarning))
        template._store_problem(problem)
        template.warnings_ += said
        self.path_ = collect_path(template, problem, solutions, who="All rows: ")
        best = solutions[-1]
        self._store_problem(problem)
        self._store_solution(problem, best, n_iter=sum(each.n_iter for each in solutions))
        self._store_convexity(problem, best)
        self.warnings_ = [*self.path_.warnings, *said]

    def _refuse_many_active(self) -> NoReturn:
        raise InputError(
            f"Every lam selects more than max_active={self.max_active} groups.",
            parameter="max_active",
            remedy=f"Give larger {arg('lams')}, or a larger {arg('max_active')}.",
        )

    def _with_few_active(self, solutions: list[Solution], problem: Problem) -> list[Solution]:
        """Return the path down to the last lam within `max_active`: all rows may select more than folds do."""
        if self.max_active is None:
            return solutions
        n_active = [np.count_nonzero(problem.blocks.norms(each.params.theta)) for each in solutions]
        few = [i for i, n in enumerate(n_active) if n <= self.max_active]
        if not few:
            self._refuse_many_active()
        self.best_index_ = few[-1]
        self.lam_ = float(self.lams_[self.best_index_])
        return solutions[: self.best_index_ + 1]

    def _calibrate(self, data: PUData, problem: Problem) -> None:
        """Move intercepts or cutpoints until the mean of held-out probabilities is what was told."""
        name, told, anchor = self._response.offsets_name, problem.told_shares, problem.anchor
        if anchor is None or told is None or not (told > 0).all():
            words = (
                f"{arg('calibrate', 'shares')} knows of no possible class shares; the model is left as it is."
            )
            self.warnings_.append(warn(words, ClassShareWarning))
            return
        known = ~np.isnan(self.cv_proba_).any(axis=1) & (anchor.sample_weight > 0)
        moved = self.response_.move_to_shares(self.cv_proba_[known], anchor.sample_weight[known], told)
        setattr(self, name, getattr(self, name) + moved)
        self.cv_proba_ = self.response_.moved_proba(self.cv_proba_, moved)
        self.calibration_ = moved
        rows = (
            SelectedRows(data.x, np.flatnonzero(anchor.population))
            if data.is_chunked
            else data.x[anchor.population]
        )
        self.class_shares_ = anchor.sample_weight[anchor.population] @ self._plain.predict_proba(self, rows)

    def _anchor_strength(self) -> float:
        if are_several(self.anchor):
            return getattr(self, "anchor_", 0.0)  # that which was chosen
        return usual_strength(self.scenario) if self.anchor is None else self.anchor

    def _template(self) -> BasePULasso:
        """Return the estimator of one lam with the settings that both share."""
        own = self.get_params(deep=False) | {"anchor": self._anchor_strength()}
        return self._plain(**{name: own[name] for name in self._plain().get_params() if name in own})

    # -- what depends on the rest of scikit-learn ------------------------------------------------------------

    def _scorer(self) -> Any:
        if self.scoring is None:
            return None
        if isinstance(self.scoring, str):
            return named_scorer(self.scoring)
        if not callable(self.scoring):
            raise InputError(
                f"scoring={self.scoring!r} must be None, the name of a scorer, or a callable (model, X, y).",
                parameter="scoring",
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
                raise InputError(
                    f"scoring={self.scoring!r} takes no sample_weight, but fit was given one.",
                    parameter="scoring",
                    remedy="Use a scorer (model, X, y, sample_weight=None), or one of pulasso.metrics.",
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
