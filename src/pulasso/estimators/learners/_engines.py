"""LightGBM and XGBoost behind one face: train on an objective, give raw scores, and become bytes and back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso.data.pu_data import PUData
from pulasso.estimators.learners._trees import check_lightgbm, check_xgboost
from pulasso.objectives import (
    PUObjective,
    lightgbm_metric,
    lightgbm_objective,
    xgboost_metric,
    xgboost_objective,
)

__all__ = ["ENGINES", "Engine", "Settings"]

HELD = "held"  # XGBoost reads its own log, where a name ends at a space


@dataclass(frozen=True)
class Settings:
    """Settings of trees, in words that do not depend on the engine.

    Attributes
    ----------
    learning_rate, max_leaves, min_child_weight, reg_lambda, n_jobs, seed
    monotone : sequence of int
        -1, 0 or 1 for each feature; empty for none.
    interactions : sequence of lists of int
        Features that may meet in a branch; empty for all.
    categorical : sequence of int
        Columns of codes.
    more : dict
        Parameters of the engine, in its own words; they win.
    """

    learning_rate: float
    max_leaves: int
    min_child_weight: float
    reg_lambda: float
    n_jobs: int
    seed: int
    monotone: Sequence[int] = ()
    interactions: Sequence[Sequence[int]] = ()
    categorical: Sequence[int] = ()
    more: dict[str, Any] = field(default_factory=dict)


class Engine(Protocol):
    """What a boosting engine must offer; a booster is whatever the engine calls so."""

    def train(
        self,
        data: PUData,
        pu: PUObjective,
        settings: Settings,
        n_rounds: int,
        held: PUData | None,
        patience: int,
    ) -> tuple[Any, NDArray | None]:
        """Return a booster and, if rows are held out, their loss by round."""
        ...

    def scores(self, booster: Any, x: Any, n_outputs: int) -> NDArray:
        """Return sums of trees, without the start, shape (n_samples, n_outputs)."""
        ...

    def gains(self, booster: Any, n_features: int) -> NDArray:
        """Return the total gain of every feature."""
        ...

    def to_bytes(self, booster: Any) -> bytes:
        """Return the booster in the engine's own text format."""
        ...

    def from_bytes(self, text: bytes, n_jobs: int) -> Any:
        """Return the booster of a text that was checked before."""
        ...

    def check(self, text: bytes, n_features: int, n_outputs: int) -> None:
        """Refuse a text that came from elsewhere and is damaged."""
        ...


def _needed(package: str) -> Any:
    """Import an engine, or say how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f'engine={package!r} needs {package}; install it with `pip install "pulasso[boosting]"`.'
        ) from None


class LightGBM:
    """LightGBM, by `lightgbm.train`."""

    def train(
        self,
        data: PUData,
        pu: PUObjective,
        settings: Settings,
        n_rounds: int,
        held: PUData | None,
        patience: int,
    ) -> tuple[Any, NDArray | None]:
        """Return a booster and, if rows are held out, their loss by round."""
        lgb = _needed("lightgbm")
        # Leaves are limited by curvature alone, so that a weight of two is the same as two rows.
        params = {
            "objective": lightgbm_objective(pu),
            "num_class": pu.n_outputs,
            "metric": "none",
            "learning_rate": settings.learning_rate,
            "num_leaves": settings.max_leaves,
            "min_sum_hessian_in_leaf": settings.min_child_weight,
            "min_data_in_leaf": 0,
            "min_data_in_bin": 1,
            "lambda_l2": settings.reg_lambda,
            "feature_pre_filter": False,
            "num_threads": settings.n_jobs,
            "seed": settings.seed,
            "deterministic": True,
            "force_row_wise": True,
            "verbose": -1,
        }
        params |= {"monotone_constraints": list(settings.monotone)} if settings.monotone else {}
        if settings.interactions:
            params["interaction_constraints"] = [list(each) for each in settings.interactions]
        if settings.categorical:
            params |= {"min_data_per_group": 1, "cat_smooth": 1.0}
        kinds = {"categorical_feature": list(settings.categorical)} if settings.categorical else {}
        train = lgb.Dataset(_rows(data.x), data.codes, init_score=pu.start(), params={"verbose": -1}, **kinds)
        log: dict[str, Any] = {}
        more: dict[str, Any] = {}
        if held is not None:
            test = lgb.Dataset(
                _rows(held.x),
                held.codes,
                weight=held.weight,
                init_score=pu.start(len(held.codes)),
                reference=train,
            )
            stop = lgb.early_stopping(patience, verbose=False)
            more = {"valid_sets": [test], "valid_names": [HELD], "feval": lightgbm_metric(pu)}
            more["callbacks"] = [stop, lgb.record_evaluation(log)]
        booster = lgb.train(params | settings.more, train, n_rounds, **more)
        return booster, np.array(next(iter(log[HELD].values()))) if log else None

    def scores(self, booster: Any, x: Any, n_outputs: int) -> NDArray:
        """Return sums of trees, without the start."""
        found = booster.predict(_rows(x), raw_score=True, num_threads=booster.params["num_threads"])
        return np.asarray(found, dtype=float).reshape(x.shape[0], n_outputs)

    def gains(self, booster: Any, n_features: int) -> NDArray:
        """Return the total gain of every feature."""
        return np.asarray(booster.feature_importance("gain"), dtype=float)

    def to_bytes(self, booster: Any) -> bytes:
        """Return LightGBM's text format, without parameters, which no prediction needs."""
        text: str = booster.model_to_string()
        return text[: text.index("end of trees")].encode() + b"end of trees\n"

    def from_bytes(self, text: bytes, n_jobs: int) -> Any:
        """Return the booster of a text that was checked before."""
        booster = _needed("lightgbm").Booster(model_str=text.decode())
        booster.params = {"num_threads": n_jobs}
        return booster

    def check(self, text: bytes, n_features: int, n_outputs: int) -> None:
        """Refuse a text that came from elsewhere and is damaged."""
        check_lightgbm(text.decode(), n_features, n_outputs)


class XGBoost:
    """XGBoost, by `xgboost.train`."""

    def train(
        self,
        data: PUData,
        pu: PUObjective,
        settings: Settings,
        n_rounds: int,
        held: PUData | None,
        patience: int,
    ) -> tuple[Any, NDArray | None]:
        """Return a booster and, if rows are held out, their loss by round."""
        xgb = _needed("xgboost")
        params: dict[str, Any] = {
            "learning_rate": settings.learning_rate,
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_depth": 0,
            "max_leaves": settings.max_leaves,
            "min_child_weight": settings.min_child_weight,
            "reg_lambda": settings.reg_lambda,
            "nthread": settings.n_jobs,
            "seed": settings.seed,
            "verbosity": 0,
            "disable_default_eval_metric": 1,
        }
        params |= {"num_class": pu.n_outputs} if pu.n_outputs > 1 else {}
        if settings.monotone:
            params["monotone_constraints"] = f"({','.join(map(str, settings.monotone))})"
        if settings.interactions:
            params["interaction_constraints"] = str([list(each) for each in settings.interactions])
        kinds = None
        if settings.categorical:
            kinds = ["c" if j in settings.categorical else "float" for j in range(data.n_features)]
        train = _matrix(data.x, kinds, label=data.codes, base_margin=pu.start())
        log: dict[str, Any] = {}
        more: dict[str, Any] = {}
        if held is not None:
            start = pu.start(len(held.codes))
            test = _matrix(held.x, kinds, label=held.codes, weight=held.weight, base_margin=start)
            more = {"evals": [(test, HELD)], "early_stopping_rounds": patience, "evals_result": log}
        booster = xgb.train(
            params | settings.more,
            train,
            n_rounds,
            obj=xgboost_objective(pu),
            custom_metric=xgboost_metric(pu),
            verbose_eval=False,
            **more,
        )
        return booster, np.array(next(iter(log[HELD].values()))) if log else None

    def scores(self, booster: Any, x: Any, n_outputs: int) -> NDArray:
        """Return sums of trees, without the start."""
        start = np.zeros((x.shape[0], n_outputs))  # else XGBoost has one of its own
        rows = _matrix(x, booster.feature_types, base_margin=start[:, 0] if n_outputs == 1 else start)
        return np.asarray(booster.predict(rows, output_margin=True), dtype=float).reshape(start.shape)

    def gains(self, booster: Any, n_features: int) -> NDArray:
        """Return the total gain of every feature."""
        found = booster.get_score(importance_type="total_gain")
        return np.array([float(found.get(f"f{j}", 0.0)) for j in range(n_features)])

    def to_bytes(self, booster: Any) -> bytes:
        """Return XGBoost's JSON format."""
        return bytes(booster.save_raw("json"))

    def from_bytes(self, text: bytes, n_jobs: int) -> Any:
        """Return the booster of a text that was checked before."""
        booster = _needed("xgboost").Booster({"nthread": n_jobs})
        booster.load_model(bytearray(text))
        return booster

    def check(self, text: bytes, n_features: int, n_outputs: int) -> None:
        """Refuse a text that came from elsewhere and is damaged."""
        check_xgboost(text.decode(), n_features, n_outputs)


def _matrix(x: Any, kinds: Any, **about: Any) -> Any:
    """Return rows for XGBoost, which takes zeros that a sparse matrix leaves out for missing: hence dense."""
    table = x.toarray() if sparse.issparse(x) else x
    return _needed("xgboost").DMatrix(table, feature_types=kinds, enable_categorical=bool(kinds), **about)


def _rows(x: Any) -> Any:
    """Return rows for LightGBM, which knows SciPy's matrices but not its sparse arrays, and wants small indices."""
    if not sparse.issparse(x):
        return x
    kind = sparse.csr_matrix if x.format == "csr" else sparse.csc_matrix
    return kind((x.data, x.indices.astype(np.int32), x.indptr.astype(np.int32)), shape=x.shape)


ENGINES: dict[str, Engine] = {"lightgbm": LightGBM(), "xgboost": XGBoost()}
