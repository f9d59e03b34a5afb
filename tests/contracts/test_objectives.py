"""Objectives for other learners: true gradients for every scenario, response and engine, and rounds of the engines."""

from types import SimpleNamespace

import numpy as np
import pytest

from pulasso.exceptions import InputError
from pulasso.losses import PULoss
from pulasso.objectives import (
    PUObjective,
    lightgbm_metric,
    lightgbm_objective,
    torch_loss,
    xgboost_metric,
    xgboost_objective,
)
from pulasso.responses import RESPONSES
from support.brute_force import central_difference
from support.cases import CASES
from support.learners import curved, log_loss

N = 30
LARGE = "hundreds of megabytes, not in the extra 'test'"
each_case = pytest.mark.parametrize("case", CASES, ids=repr)
each_response = pytest.mark.parametrize("response", list(RESPONSES))


def made(case, response, n_positive=2, anchor=2.0, seed=0):
    """An objective with weights, and scores for it."""
    rng = np.random.default_rng(seed)
    sample = case.labels(rng, N, n_positive)
    pu = PUObjective(
        sample.scenario,
        sample.codes,
        classes=np.arange(n_positive + 1),
        sample_weight=sample.weight,
        response=response,
        anchor=anchor,
    )
    return pu, pu.start() + rng.normal(size=pu.start().shape)


def as_data(pu, codes=None, weight=None):
    """What an engine hands to an objective."""
    codes = pu.codes if codes is None else codes
    return SimpleNamespace(get_label=lambda: codes.astype(np.float32), get_weight=lambda: weight)


@pytest.mark.parametrize("anchor", [0.0, 2.0])
@pytest.mark.parametrize("n_positive", [1, 3])
@each_case
@each_response
def test_gradient(response, case, n_positive, anchor):
    pu, scores = made(case, response, n_positive, anchor)
    total = pu.weight.sum()
    grad, curvature = pu.gradient_and_curvature(scores)
    assert grad.shape == curvature.shape == scores.shape
    expected = total * central_difference(pu.value, scores)
    np.testing.assert_allclose(grad, expected, rtol=1e-6, atol=1e-7)
    for adapter in (lightgbm_objective, xgboost_objective):
        engine_grad, engine_curvature = adapter(pu)(np.asfortranarray(scores), as_data(pu))
        np.testing.assert_allclose(
            engine_grad, central_difference(pu.value, scores) * total, rtol=1e-5, atol=1e-5
        )
        assert (engine_curvature > 0).all()
    assert engine_grad.dtype == np.float32 and engine_grad.flags.c_contiguous


@each_case
@each_response
def test_curvature_is_positive_and_no_less_than_what_labels_tell(response, case):
    """Complete data tell more than observed ones: the curvature of the surrogate lies above."""
    pu, scores = made(case, response, anchor=0.0)
    curvature = pu.gradient_and_curvature(scores)[1]
    u, total = pu.read_scores(scores), pu.weight.sum()
    eta = pu.response.log_odds(u, pu.offsets_)
    fisher = pu.terms.loss.curvature(eta)
    second = pu.response.second_order(u, pu.offsets_, np.zeros_like(eta), fisher, pu.terms.loss.sample_weight)
    observed = [np.stack([second.uu(k, k) for k in range(u.shape[1])], axis=1).reshape(scores.shape) * total]
    if response == "multinomial":
        exact = PULoss(pu.label_model).curvature(scores, pu.codes, "exact")
        observed.append(pu.weight[:, None] * np.diagonal(exact, axis1=1, axis2=2))
    assert all((curvature >= each - 1e-12).all() for each in observed)
    assert (curvature > 0).all()
    held = made(case, response, anchor=5.0)[0]
    more = held.terms.grad_and_curvature(u, pu.offsets_)[1] * total
    assert (more.reshape(curvature.shape) >= curvature - 1e-12).all()


@each_case
def test_the_start_is_the_best_constant(case):
    pu, _ = made(case, "multinomial", anchor=0.0)
    grad, _ = pu.gradient_and_curvature(pu.start())
    np.testing.assert_allclose(grad.sum(axis=0), 0.0, atol=1e-8)
    np.testing.assert_array_equal(pu.start(3), np.tile(pu.null_scores_, (3, 1)))


@pytest.mark.parametrize("anchor", [0.0, 20.0])
@each_case
def test_cutpoints_increase_and_become_stationary(case, anchor):
    pu, scores = made(case, "ordinal", 3, anchor)
    before = pu.value(scores)
    for _ in range(3):
        pu.gradient_and_curvature(scores)
        assert (np.diff(pu.cutpoints_) > 0).all()
        assert pu.value(scores) <= before
    pu.fit_cutpoints(scores)
    grad = pu.terms.value_and_grads(pu.read_scores(scores), pu.offsets_)[2]
    np.testing.assert_allclose(grad, 0.0, atol=1e-6)
    np.testing.assert_allclose(pu.predict_proba(scores).sum(axis=1), 1.0)


@each_case
@each_response
def test_torch(response, case):
    torch = pytest.importorskip("torch", reason=LARGE)
    pu, scores = made(case, response)
    module = torch_loss(pu)
    tensor = torch.tensor(scores, requires_grad=True)
    value = module(tensor, torch.tensor(pu.codes), torch.tensor(pu.weight))
    value.backward()
    assert value.item() == pytest.approx(pu.value(scores))
    np.testing.assert_allclose(tensor.grad, central_difference(pu.value, scores), rtol=1e-6, atol=1e-8)
    if response == "ordinal":

        def at(raw):
            pu.offsets_ = np.append(raw[:1], np.exp(raw[1:]))
            return pu.value(scores)

        raw = module.raw_offsets.detach().numpy()
        np.testing.assert_allclose(module.raw_offsets.grad, central_difference(at, raw), rtol=1e-6, atol=1e-8)
        assert (np.diff(module.cutpoints_) > 0).all()
    half = slice(0, N, 2)
    part = module(tensor[half].float(), torch.tensor(pu.codes[half]))
    assert part.dtype == torch.float32 and np.isfinite(part.item())


def test_one_round_of_lightgbm_by_hand():
    """One split, where there is but one: a leaf is minus the sum of gradients over that of curvatures."""
    lgb = pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
    rng = np.random.default_rng(0)
    x = np.repeat([0.0, 1.0], 100)
    codes = np.where(rng.random(200) < 0.2 + 0.4 * x, rng.integers(1, 3, 200), 0)
    pu = PUObjective("single-training-set", codes, label_frequency=0.8)
    grad, curvature = pu.gradient_and_curvature(pu.start())
    params = {"objective": lightgbm_objective(pu), "num_class": 2, "num_leaves": 2, "learning_rate": 0.1}
    params |= {"lambda_l2": 1.5, "min_data_in_leaf": 1, "verbose": -1, "num_threads": 1}
    data = lgb.Dataset(x[:, None], codes, init_score=pu.start())
    found = lgb.train(params, data, num_boost_round=1).predict(np.array([[0.0], [1.0]]))
    expected = [-0.1 * grad[x == v].sum(axis=0) / (curvature[x == v].sum(axis=0) + 1.5) for v in (0.0, 1.0)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)  # and the start is left out


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_one_round_of_xgboost_by_hand(response):
    xgb = pytest.importorskip("xgboost", reason=LARGE)
    rng = np.random.default_rng(0)
    x = np.repeat([0.0, 1.0], 100)
    codes = np.where(rng.random(200) < 0.2 + 0.4 * x, rng.integers(1, 3, 200), 0)
    pu = PUObjective("single-training-set", codes, label_frequency=0.8, response=response)
    grad, curvature = (each.reshape(200, -1) for each in pu.gradient_and_curvature(pu.start()))
    params = {"max_depth": 1, "learning_rate": 0.1, "reg_lambda": 1.5, "min_child_weight": 0, "nthread": 1}
    params |= {"disable_default_eval_metric": 1} | ({"num_class": 2} if pu.n_outputs > 1 else {})
    data = xgb.DMatrix(x[:, None], codes, base_margin=pu.start())
    booster = xgb.train(params, data, 1, obj=xgboost_objective(pu))
    zeros = np.zeros((2, pu.n_outputs)) if pu.n_outputs > 1 else np.zeros(2)
    new = xgb.DMatrix(np.array([[0.0], [1.0]]), base_margin=zeros)
    found = booster.predict(new, output_margin=True).reshape(2, -1)
    expected = [-0.1 * grad[x == v].sum(axis=0) / (curvature[x == v].sum(axis=0) + 1.5) for v in (0.0, 1.0)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_lightgbm_beats_the_naive_reading(response, record_figure):
    lgb = pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
    x, y, z = curved(3000, 1)
    new_x, new_y, new_z = curved(3000, 2)
    losses = {}
    for scenario, number in (("single-training-set", 0.4), ("fully-observed", None)):
        pu = PUObjective(scenario, z, label_frequency=number, response=response)
        params = {"objective": lightgbm_objective(pu), "num_class": pu.n_outputs, "num_leaves": 8, "seed": 0}
        params |= {"learning_rate": 0.1, "verbose": -1, "num_threads": 1, "metric": "none"}
        train = lgb.Dataset(x, z, init_score=pu.start())
        held = lgb.Dataset(new_x, new_z, init_score=pu.start(len(new_z)), reference=train)
        stop = lgb.early_stopping(15, verbose=False)
        booster = lgb.train(
            params, train, 100, valid_sets=[held], feval=lightgbm_metric(pu), callbacks=[stop]
        )
        pu.fit_cutpoints(pu.null_scores_ + booster.predict(x))
        losses[scenario] = log_loss(pu.predict_proba(pu.null_scores_ + booster.predict(new_x)), new_y)
    record_figure(f"log-loss of boosted trees, {response}", losses)
    assert losses["single-training-set"] < losses["fully-observed"] - 0.05


@pytest.mark.parametrize("n_positive", [1, 2])
def test_xgboost_starts_where_it_is_told(n_positive):
    xgb = pytest.importorskip("xgboost", reason=LARGE)
    x, _, z = curved(600, 3)
    z = np.minimum(z, n_positive)
    pu = PUObjective("single-training-set", z, label_frequency=0.4)
    params = {"max_depth": 3, "disable_default_eval_metric": 1, "nthread": 1, "verbosity": 0}
    params |= {"num_class": n_positive} if n_positive > 1 else {}
    train = xgb.DMatrix(x, z, base_margin=pu.start())
    log = {}
    booster = xgb.train(
        params, train, 10, obj=xgboost_objective(pu), custom_metric=xgboost_metric(pu),
        evals=[(train, "train")], evals_result=log, verbose_eval=False,
    )  # fmt: skip
    scores = booster.predict(train, output_margin=True)
    assert log["train"]["observed_log_loss"][-1] == pytest.approx(pu.value(scores), abs=1e-5)
    assert pu.value(scores) < pu.value(pu.start()) - 0.01
    forgotten = booster.predict(xgb.DMatrix(x), output_margin=True)
    shift = (scores - forgotten).reshape(len(x), -1)
    np.testing.assert_allclose(shift, np.tile(shift[0], (len(x), 1)), atol=1e-5)
    assert np.abs(shift).max() > 0.01  # without base_margin the start is another one


def test_refusals():
    pu = PUObjective("single-training-set", [0, 1, 2, 0], label_frequency=0.8)
    scores = pu.start()
    with pytest.raises(InputError, match="not the codes"):
        lightgbm_objective(pu)(scores, as_data(pu, codes=pu.codes[::-1]))
    with pytest.raises(InputError, match="ignore them"):
        xgboost_objective(pu)(scores, as_data(pu, weight=np.full(4, 2.0)))
    with pytest.raises(InputError, match="make one for each fold"):
        pu.value(scores[:3])
    with pytest.raises(InputError, match="No row is labelled 1"):
        PUObjective("single-training-set", [0, 2, 0], label_frequency=0.5)
    with pytest.raises(InputError, match="whole numbers"):
        PUObjective("single-training-set", [0, 1.5, 0], label_frequency=0.5)
    with pytest.raises(InputError, match="is a str, not a PUObjective|not a PUObjective"):
        lightgbm_metric("single-training-set")
