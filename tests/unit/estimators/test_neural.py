"""Networks: better than the naive reading, the same API as the lasso, the user's own modules, and no pickles."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import pulasso
from pulasso import MultinomialPULasso, PUNeuralClassifier, SingleTrainingSet
from pulasso.estimators.learners._perceptron import perceptron_scores
from pulasso.exceptions import ClassShareWarning, InputError, NotSavedWarning, SavedModelError, ScenarioError
from pulasso.metrics import pu_scores
from support.learners import curved, log_loss

torch = pytest.importorskip("torch", reason="hundreds of megabytes, not in the extra 'test'")
pytest.importorskip("skorch", reason="needs torch")

SCENARIO = {"scenario": "single-training-set", "label_frequency": 0.4}
QUICK = {"max_epochs": 5, "hidden_layers": (8,), "dropout": 0.0, "early_stopping": False, "random_state": 0}


def quick(**how):
    return PUNeuralClassifier(**{**SCENARIO, **QUICK, **how})


class Wide(torch.nn.Module):
    """A module of the user, in single precision, with a buffer and one column of output as a vector."""

    def __init__(self, n_features, n_outputs):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(n_features)
        self.line = torch.nn.Linear(n_features, n_outputs)

    def forward(self, x):
        scores = self.line(self.norm(x))
        return scores[:, 0] if scores.shape[1] == 1 else scores


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_beats_the_naive_reading_and_a_line(response, record_figure):
    x, y, z = curved(1500, 1)
    new_x, new_y, _ = curved(2000, 2)

    def loss(labels, **how):
        model = PUNeuralClassifier(response=response, random_state=0, **how).fit(x, labels)
        return log_loss(model.predict_proba(new_x), new_y)

    told, naive, best = (
        loss(z, **SCENARIO),
        loss(z, scenario="fully-observed"),
        loss(y, scenario="fully-observed"),
    )
    line = MultinomialPULasso(0.001, **SCENARIO).fit(x, z)
    record_figure(f"log-loss, network, {response}", {"PU": told, "naive": naive, "all labels": best})
    assert told < (naive + best) / 2
    assert told < log_loss(line.predict_proba(new_x), new_y) or response == "ordinal"


def test_what_is_fitted_belongs_together():
    x, _, z = curved(600, 3)
    frame = pd.DataFrame(x, columns=list("abcd"))
    labels = np.array(["?", "oak", "fir"])[z]
    model = PUNeuralClassifier(unlabeled="?", negative="none", **SCENARIO, max_epochs=30, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClassShareWarning)
        model.fit(frame, labels)
        found = pu_scores(model, frame, labels).overall
    assert model.classes_.tolist() == ["none", "fir", "oak"]
    assert model.feature_names_in_.tolist() == list("abcd") and model.n_features_in_ == 4
    proba, seen = model.predict_proba(frame), model.predict_observed_proba(frame)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(seen[:, 1:3], 0.4 * proba[:, 1:])
    np.testing.assert_allclose(model.class_shares_, proba.mean(axis=0))
    assert model.n_iter_ == 1 + model.validation_loss_.argmin()
    assert -model.observed_score(frame, labels) == pytest.approx(model.loss_)
    assert "epochs" in repr(model.summary()) and "chosen by the observed labels" in repr(model.summary())
    assert 0 < found["accuracy"].value < 1
    np.testing.assert_allclose(model.mean_, x.mean(axis=0))
    np.testing.assert_allclose(model.scale_, x.std(axis=0))


def test_held_out_losses_are_those_of_observed_labels():
    """After the first epoch the held-out loss is that of a model with one epoch, on the rows that were held out."""
    x, _, z = curved(400, 4)
    model = quick(early_stopping=True, max_epochs=3).fit(x, z)
    assert len(model.validation_loss_) == 3 and model.n_iter_ == 1 + model.validation_loss_.argmin()
    data = model._read(x, z, None)
    train, held = model._hold_out(data)
    again = quick(max_epochs=1).fit(train.x, train.codes)
    loss = -again.observed_score(held.x, held.codes)
    assert model.validation_loss_[0] == pytest.approx(loss, rel=1e-9)


def test_ordered_classes():
    x, _, z = curved(600, 4)
    model = quick(response="ordinal", max_epochs=20).fit(x, z)
    assert (np.diff(model.thresholds_) > 0).all()
    np.testing.assert_allclose(model.predict_expected(x), model.predict_proba(x) @ np.arange(3))
    assert not hasattr(quick().fit(x, z), "predict_expected")


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")
def test_a_weight_of_two_is_two_rows_where_a_batch_has_all():
    x, _, z = curved(150, 5)
    weight = np.random.default_rng(0).integers(0, 4, len(z))
    model = quick(batch_size=10_000, max_epochs=30)
    weighted = clone(model).fit(x, z, sample_weight=weight).predict_proba(x)
    repeated = clone(model).fit(np.repeat(x, weight, axis=0), np.repeat(z, weight)).predict_proba(x)
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)


def test_the_anchor_holds():
    x, _, z = curved(600, 8)
    how = {"hidden_layers": (64, 64), "max_epochs": 120}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClassShareWarning)
        free, held = (quick(anchor=rho, **how).fit(x, z) for rho in (0.0, 10.0))
    miss = [np.abs(each.class_shares_ - each.told_shares_).max() for each in (free, held)]
    assert miss[1] < miss[0] / 2 and miss[1] < 0.03


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")
@pytest.mark.filterwarnings("ignore::pulasso.exceptions.IdentifiabilityWarning")
def test_case_control_confirmed_negatives_and_sparse():
    rng = np.random.default_rng(0)
    x, y, _ = curved(2000, 9)
    share = np.bincount(y)[1:] / len(y)
    cases = [rng.choice(np.flatnonzero(y == k), 200, replace=False) for k in (1, 2)]
    rows = np.concatenate([np.arange(1000), *cases])
    z = np.concatenate([np.full(1000, -1), np.repeat([1, 2], 200)])
    model = quick(scenario="case-control", label_frequency=None, prevalence=share, unlabeled=-1, negative=0)
    thin = sparse.csr_array(np.where(np.abs(x) < 1, 0.0, x))
    without = clone(model).fit(thin[rows], z)
    np.testing.assert_allclose(without.class_shares_, without.predict_proba(thin[:1000]).mean(axis=0))
    z[rng.choice(np.flatnonzero(y[:1000] == 0), 50, replace=False)] = 0
    one = {"scenario": SingleTrainingSet(0.5, negative_label_frequency=0.1), "prevalence": None}
    assert clone(model).set_params(**one).fit(x[rows], z).predict_observed_proba(x[:5]).shape == (5, 4)
    told = clone(model).set_params(prevalence="estimate").fit(x[rows], np.where(z == 0, -1, z))
    assert 0 < told.prevalence_.sum() < 1


def test_fits_repeat_themselves_bit_by_bit_and_leave_torch_alone():
    x, _, z = curved(300, 11)
    model = quick(early_stopping=True, dropout=0.2, response="ordinal")
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    first, second = (clone(model).fit(x, z) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(x), second.predict_proba(x))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)).predict_proba(x), first.predict_proba(x))
    other = clone(model).set_params(random_state=1).fit(x, z)
    assert np.abs(other.predict_proba(x) - first.predict_proba(x)).max() > 1e-3
    assert torch.equal(torch.random.get_rng_state(), before) and torch.get_num_threads() == threads


def test_the_module_and_its_matrices_agree(tmp_path):
    x, _, z = curved(300, 12)
    model = quick(hidden_layers=(5, 3), dropout=0.5).fit(x, z)
    rows = (x - model.mean_) / model.scale_
    with torch.no_grad():
        expected = model.module_.eval()(torch.as_tensor(rows)).numpy()
    np.testing.assert_allclose(perceptron_scores(model.weights_, rows), expected, rtol=1e-10, atol=1e-12)
    model.save(tmp_path / "model")
    loaded = pulasso.load(tmp_path / "model")
    assert torch.equal(
        loaded.set_params(hidden_layers=(9,)).module_(torch.as_tensor(rows)).detach(),
        torch.as_tensor(expected),
    )
    line = quick(hidden_layers=()).fit(x, z)
    assert {name: each.shape for name, each in line.weights_.items()} == {"0.weight": (2, 4), "0.bias": (2,)}


def test_a_loaded_perceptron_predicts_without_torch(tmp_path):
    x, _, z = curved(300, 13)
    model = quick().fit(x, z)
    model.save(tmp_path / "model")
    np.save(tmp_path / "x.npy", x)
    code = "import sys, numpy as np, pulasso\nmodel = pulasso.load('model')\n"
    code += "np.save('p.npy', model.predict_proba(np.load('x.npy')))\nassert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), model.predict_proba(x))


@pytest.mark.parametrize("response", ["multinomial", "ordinal"])
def test_modules_of_the_user(response, tmp_path):
    x, _, z = curved(300, 14)
    by_class = quick(module=Wide, response=response).fit(x, z)
    by_function = quick(module=lambda n, k: Wide(n, k), response=response).fit(x, z)
    np.testing.assert_array_equal(by_class.predict_proba(x), by_function.predict_proba(x))
    given = Wide(4, len(by_class.null_scores_))
    start = given.line.weight.detach().clone()
    by_module = clone(quick(module=given, response=response)).fit(x, z)
    assert torch.equal(given.line.weight, start) and by_module.module_ is not given
    assert by_class.weights_["norm.running_mean"].shape == (4,)
    assert by_class.weights_["line.weight"].dtype == np.float32
    with pytest.warns(NotSavedWarning, match="module is not saved"):
        by_class.save(tmp_path / "model")
    loaded = pulasso.load(tmp_path / "model")
    with pytest.raises(InputError, match=r"was not saved.*set_params\(module=...\)"):
        loaded.predict(x)
    with pytest.raises(InputError, match="are not those of module"):
        loaded.set_params(module=torch.nn.Linear).predict(x)
    loaded.set_params(module=Wide)
    np.testing.assert_array_equal(loaded.predict_proba(x), by_class.predict_proba(x))
    assert repr(loaded.summary())


def test_refusals():
    x, _, z = curved(300, 15)

    def fails(match, kind=InputError, rows=x, **how):
        with pytest.raises(kind, match=match):
            quick(**how).fit(rows, z)

    fails("hidden_layers=0 must be at least 1", hidden_layers=[0])
    fails("hidden_layers is a int", hidden_layers=5)
    fails("dropout=1.0 must be at most", dropout=1.0)
    fails("not a torch.nn.Module", module=lambda n, k: "net")
    fails(r"gives the shape \(2, 7\)", module=lambda n, k: torch.nn.Linear(n, 7))
    fails("which the estimator sets itself", net_params={"criterion": None})
    fails("label_frequency", kind=ScenarioError, label_frequency=None)
    fails("NaN", rows=np.where(x > 2, np.nan, x))
    frame = pd.DataFrame(x, columns=list("abcd")).assign(a=pd.Categorical(z.astype(str)))
    fails("not numbers in column 'a'", rows=frame)
    fails("no longer finite", learning_rate=1e300, max_epochs=50)
    model = quick().fit(1e-3 * x, z)
    with pytest.raises(InputError, match="Row 1 of X holds numbers so large"):
        model.predict_proba(np.array([[0.0], [1e308]]) * np.ones(4))
    with pytest.raises(TypeError, match="no coefficients"):
        model.report("page.html")


def test_options_of_skorch_are_handed_on():
    x, _, z = curved(300, 16)
    model = quick(net_params={"optimizer": torch.optim.SGD, "optimizer__momentum": 0.9}, learning_rate=0.1)
    assert np.abs(model.fit(x, z).predict_proba(x) - quick().fit(x, z).predict_proba(x)).max() > 1e-3


def test_damaged_weights_are_refused(tmp_path):
    x, _, z = curved(300, 17)
    model = quick().fit(x, z)
    for name, value in {
        "weights_": {**model.weights_, "0.bias": np.zeros(3)},
        "scale_": np.zeros(4),
        "null_scores_": np.zeros(3),
        "offsets_": np.zeros(2),
    }.items():
        broken = clone(model).fit(x, z)
        setattr(broken, name, value)
        broken.save(tmp_path / "model", force=True)
        with pytest.raises(SavedModelError):
            pulasso.load(tmp_path / "model")
