"""Boosted trees and networks that know their labels are incomplete: what is gained over reading them naively?

    python studies/learners.py --scale full --only simulated
    python studies/learners.py --scale full --only linear
    PULASSO_DATA=folder python studies/learners.py --scale full --only real
    PULASSO_DATA=folder python studies/learners.py --scale full --only trees
    python studies/learners.py --scale full --only time

Simulated: non-linear truths. "closed" is the part of the way in log-loss of true classes from the naive learner
(unlabeled means class 0) to the same learner with all true labels. Linear: what flexible learners lose where a linear
model is right. Real: tables with known classes, of which label frequency .6 is shown; the rivals are versions of the
same learner. Trees: Swiss trees, judged by an independent survey. Time: our objective against the engine's own for as
many trees. Log-losses count probabilities below .001 as .001, for the sake of rivals that say 0.
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
from scipy.special import softmax
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULassoCV, PUBoostingClassifier, PUNeuralClassifier
from pulasso.baselines import ElkanNoto, OneVsRestPU
from pulasso.datasets import load_swiss_trees, load_wine_quality, mask_labels, simulate_multinomial
from pulasso.objectives import PUObjective, lightgbm_objective
from pulasso.tables import text_table

LEARNERS = {"boosting": PUBoostingClassifier, "network": PUNeuralClassifier}
SETTINGS = {"quick": (1, 1_500), "full": (3, 3_000)}  # replicates, rows of simulated data
TABLES = {"digits": "multinomial", "red wine": "ordinal", "white wine": "ordinal"}
NAIVE = {"scenario": "fully-observed"}
FREQUENCY = 0.4  # of simulated data; real ones have .6
ANCHORS = (0.0, 1.0)
N_FEATURES, N_TEST, SMALLEST = 8, 10_000, 1e-3


# -- truths: scores of rows, a column for each class -----------------------------------------------------------


def bumps(x, k):
    """Classes live where one feature is far from zero and another is large."""
    return 2.0 * np.abs(x[:, k]) - 3.0 + x[:, (k + 1) % N_FEATURES]


def corners(x, k):
    """Classes live where two features have the same sign."""
    return 3.0 * (x[:, k] * x[:, (k + 1) % N_FEATURES] > 0) - 2.5 + 0.5 * x[:, (k + 2) % N_FEATURES]


def waves(x, k):
    """Classes come and go along one feature, where another allows it."""
    return 2.5 * np.sin(2.0 * x[:, k]) * (x[:, (k + 3) % N_FEATURES] > -0.5) - 1.0


TRUTHS = {"bumps": bumps, "corners": corners, "waves": waves}


def draw(truth, n_positive, ordinal, n, rng):
    """Draw rows of the population and their classes."""
    x = rng.normal(size=(n, N_FEATURES))
    if ordinal:
        score = 1.5 * (truth(x, 0) + 1.0) + rng.logistic(size=n)
        return x, (score[:, None] > np.linspace(0.5, 3.0, n_positive)).sum(axis=1)
    eta = np.column_stack([np.zeros(n), *(truth(x, k) for k in range(n_positive))])
    return x, (softmax(eta, axis=1).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)


def observe(x, y, scenario, truth, ordinal, rng):
    """Return rows, observed labels, true classes, weights for these, and what is told."""
    if scenario == "single-training-set":
        z = np.where(rng.random(len(y)) < FREQUENCY, y, 0)
        return x, z, y, None, {"scenario": scenario, "label_frequency": FREQUENCY}
    # As many cases of each class as a single training set would have labels, from another draw.
    n_positive = y.max()
    more_x, more_y = draw(truth, n_positive, ordinal, 20 * len(y), rng)
    share = np.bincount(more_y, minlength=n_positive + 1) / len(more_y)
    n_cases = np.maximum(FREQUENCY * share[1:] * len(y), 20).astype(int)
    cases = [np.flatnonzero(more_y == k)[:n] for k, n in enumerate(n_cases, 1)]
    rows = np.concatenate(cases)
    z = np.concatenate([np.zeros(len(y), int), more_y[rows]])
    classes = np.concatenate([y, more_y[rows]])
    weight = np.append(1.0, share[1:] * len(y) / (share[1:] * len(y) + n_cases))[classes]
    told = {"scenario": scenario, "prevalence": share[1:]}
    return np.vstack([x, more_x[rows]]), z, classes, weight, told


def log_loss(model, x, y):
    """Mean log-loss of true classes, which are numbered."""
    proba = np.maximum(model.predict_proba(x), SMALLEST)
    return -np.mean(np.log(proba / proba.sum(axis=1, keepdims=True))[np.arange(len(y)), y])


def cells():
    """Yield K, scenario and response."""
    for scenario in ("single-training-set", "case-control"):
        yield from ((k, scenario, "multinomial") for k in (1, 2, 5))
        yield from ((k, scenario, "ordinal") for k in (2, 5))


def simulated(replicates, n, learners, truths=tuple(TRUTHS)):
    """Log-losses on fresh rows of the population."""
    rows = []
    for learner, name in product(learners, truths):
        kind, truth = LEARNERS[learner], TRUTHS[name]
        for k, scenario, response in cells():
            losses, ordinal = [], response == "ordinal"
            for seed in range(1, replicates + 1):  # defaults of the learners were chosen with seed 0
                rng = np.random.default_rng([seed, k])
                x, z, y, weight, told = observe(
                    *draw(truth, k, ordinal, n, rng), scenario, truth, ordinal, rng
                )
                new = draw(truth, k, ordinal, N_TEST, rng)
                how = {"response": response, "random_state": seed}
                fits = [kind(**how, **NAIVE).fit(x, z), kind(**how, **NAIVE).fit(x, y, weight)]
                fits += [kind(**how, **told, anchor=rho).fit(x, z) for rho in ANCHORS]
                losses.append([log_loss(each, *new) for each in fits])
            naive, best, *ours = np.mean(losses, axis=0)
            closed = [f"{(naive - each) / (naive - best):.0%}" for each in ours]
            numbers = [f"{each:.3f}" for each in (naive, *ours, best)]
            rows.append([learner, name, response, scenario, str(k), *numbers, *closed])
            print(rows[-1], flush=True)
    of_anchors = [f"anchor {rho:g}" for rho in ANCHORS]
    header = ["learner", "truth", "response", "scenario", "K", "naive", *of_anchors, "all labels"]
    print_table([*header, *(f"closed, {each}" for each in of_anchors)], rows)


def linear(replicates, sizes):
    """Log-losses where a linear model is right, as multiples of its own."""
    rows = []
    for k in (1, 2, 5):
        for size in sizes:
            losses = []
            for seed in range(replicates):
                data = simulate_multinomial(
                    size, 10, n_positive=k, n_active=5, scenario="single-training-set", random_state=seed
                )
                new = data.truth.draw(N_TEST, random_state=[seed, 1])
                told = data.scenario_params | {"random_state": seed}
                lasso = MultinomialPULassoCV(n_lams=20, cv=3, progress=False, **told)
                kinds = [lasso, PUBoostingClassifier(**told), PUNeuralClassifier(**told)]
                kinds.append(PUNeuralClassifier(hidden_layers=(), **told))
                losses.append([log_loss(each.fit(data.X, data.z), *new) for each in kinds])
            mean = np.mean(losses, axis=0)
            rows.append(
                [
                    str(k),
                    str(size),
                    *(f"{each:.4f}" for each in mean),
                    *(f"{each / mean[0] - 1:+.1%}" for each in mean[1:]),
                ]
            )
            print(rows[-1], flush=True)
    names = ["boosting", "network", "network without hidden layers"]
    print_table(["K", "rows", "linear", *names, *(f"{each}: excess" for each in names)], rows)


# -- rivals: the same learner under another reading of the labels -----------------------------------------------


class NonNegative:
    """The same trees, or network, under the non-negative risk (Kiryo et al. 2017), summed over classes."""

    def __init__(self, like, frequency, seed):
        self.like, self.frequency, self.seed = like, frequency, seed

    def gradient(self, eta, codes):
        """Return gradient and curvature of the risk of S + T, or of -T where T is negative, times the rows."""
        proba = softmax(np.column_stack([np.zeros(len(eta)), eta]), axis=1)
        member = np.eye(proba.shape[1])[codes] / self.frequency * (codes > 0)[:, None]
        negative = 1.0 - member.sum(axis=1)  # weights of the risk of class 0
        own = proba[:, 1:]
        if negative @ -np.log(np.maximum(proba[:, 0], 1e-300)) < 0:
            grad = -negative[:, None] * own
        else:
            grad = (member.sum(axis=1) + negative)[:, None] * own - member[:, 1:]
        return grad, np.abs(member.sum(axis=1) + np.abs(negative))[:, None] * own * (1.0 - own) + 1e-6

    def risk(self, eta, codes):
        """Return S + max(0, T)."""
        log_proba = np.log(np.maximum(softmax(np.column_stack([np.zeros(len(eta)), eta]), axis=1), 1e-300))
        member = np.eye(log_proba.shape[1])[codes] / self.frequency * (codes > 0)[:, None]
        negative = (1.0 - member.sum(axis=1)) @ -log_proba[:, 0]
        return (-(member * log_proba).sum() + max(negative, 0.0)) / len(codes)

    def fit(self, x, codes):
        """Train as many rounds as the risk of a held-out fifth asks for, then once more on all rows."""
        train = self._trees if isinstance(self.like, PUBoostingClassifier) else self._network
        learn, held = train_test_split(
            np.arange(len(codes)), test_size=0.2, stratify=codes, random_state=self.seed
        )
        risks = train(x[learn], codes[learn], None, (x[held], codes[held]))
        self.scores = train(x, codes, int(np.argmin(risks)) + 1, None)
        return self

    def _trees(self, x, codes, n_rounds, held):
        import lightgbm as lgb

        like, k = self.like, codes.max()
        start = np.log(np.bincount(codes)[1:] / self.frequency / len(codes))  # class 0 as one
        params = {"num_class": k, "num_leaves": like.max_leaves, "learning_rate": like.learning_rate}
        params |= {"min_sum_hessian_in_leaf": 1.0, "min_data_in_leaf": 0, "lambda_l2": like.reg_lambda}
        params |= {"verbose": -1, "num_threads": 1, "metric": "none", "seed": self.seed}
        params["objective"] = lambda eta, _: tuple(
            np.asfortranarray(each) for each in self.gradient(eta.reshape(-1, k, order="F"), codes)
        )
        data = lgb.Dataset(x, codes, init_score=np.tile(start, (len(x), 1)), params={"verbose": -1})
        more = {}
        if held is not None:
            log = {}
            test = lgb.Dataset(held[0], held[1], init_score=np.tile(start, (len(held[0]), 1)), reference=data)
            more = {"valid_sets": [test], "callbacks": [lgb.record_evaluation(log)]}
            more["feval"] = lambda eta, _: ("risk", self.risk(eta.reshape(-1, k, order="F"), held[1]), False)
        booster = lgb.train(params, data, n_rounds or like.n_estimators, **more)
        if held is not None:
            return log["valid_0"]["risk"]
        return lambda rows: start + booster.predict(rows, raw_score=True).reshape(len(rows), k)

    def _network(self, x, codes, n_rounds, held):
        import torch

        like, k, rng = self.like, codes.max(), np.random.default_rng(self.seed)
        torch.manual_seed(self.seed)
        layers, sizes = [], [x.shape[1], *like.hidden_layers]
        for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
            layers += [torch.nn.Linear(n_in, n_out), torch.nn.ReLU()]
        network = torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], k)).double()
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=like.learning_rate, weight_decay=like.weight_decay
        )
        rows, risks = torch.as_tensor(x, dtype=torch.float64), []
        for _ in range(n_rounds or like.max_epochs):
            for batch in np.array_split(rng.permutation(len(x)), max(1, round(len(x) / like.batch_size))):
                optimizer.zero_grad()
                eta = network(rows[batch])
                grad = self.gradient(eta.detach().numpy(), codes[batch])[0] / len(batch)
                eta.backward(torch.as_tensor(grad))
                optimizer.step()
            if held is not None:
                with torch.no_grad():
                    risks.append(self.risk(network(torch.as_tensor(held[0])).numpy(), held[1]))
        return risks or (lambda new: network(torch.as_tensor(new)).detach().numpy())

    def predict_proba(self, x):
        """Return P(y | x)."""
        eta = self.scores(x)
        return softmax(np.column_stack([np.zeros(len(eta)), eta]), axis=1)


def rivals(kind, response, frequency, seed):
    """Return ways to fit one learner to observed labels, by name."""
    told = {"scenario": "single-training-set", "label_frequency": frequency}
    how = {"response": response, "random_state": seed}
    found = {f"anchor {rho:g}": kind(**told, **how, anchor=rho) for rho in ANCHORS}
    found["naive"] = kind(**NAIVE, **how)
    plain = kind(**NAIVE, random_state=seed)
    found["Elkan-Noto"] = ElkanNoto(plain, **told)
    found["nnPU"] = NonNegative(kind(), frequency, seed)
    try:
        import pulearn
    except ImportError:
        print("pulearn is left out: it is not installed")
        return found
    for name in ("ElkanotoPuClassifier", "WeightedElkanotoPuClassifier"):
        more = {"labeled": 1, "unlabeled": 1} if name.startswith("Weighted") else {}
        found[f"pulearn {name[:-12]}"] = OneVsRestPU(
            getattr(pulearn, name)(plain, random_state=seed, **more), **told
        )
    return found


def table(name):
    """Return digits with the pixels that vary, or wine in three grades."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:, X.std(axis=0) > 0], y
    wine = load_wine_quality(name.split()[0])
    return np.asarray(wine.X, dtype=float), np.asarray(wine.y)


def real(replicates, learners, names, frequency=0.6):
    """Accuracy and log-loss of true classes on other rows."""
    rows = []
    for name in names:
        X, y = table(name)
        for learner in learners:
            kind, response, found = LEARNERS[learner], TABLES[name], {}
            for seed in range(1, replicates + 1):
                x, x_new, y_fit, y_new = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
                scaler = StandardScaler().fit(x)
                x, x_new = scaler.transform(x), scaler.transform(x_new)
                z = mask_labels(y_fit, label_frequency=frequency, random_state=seed)
                best = kind(**NAIVE, response=response, random_state=seed).fit(x, y_fit)
                for method, model in ({"all labels": best} | rivals(kind, response, frequency, seed)).items():
                    if model is not best:
                        model.fit(x, z)
                    right = model.predict_proba(x_new).argmax(axis=1) == y_new
                    found.setdefault(method, []).append([right.mean(), log_loss(model, x_new, y_new)])
                    print(name, learner, seed, method, found[method][-1], flush=True)
            for method, values in found.items():
                accuracy, loss = np.mean(values, axis=0)
                rows.append([name, learner, method, f"{100 * accuracy:.1f} %", f"{loss:.3f}"])
    print_table(["table", "learner", "labels read by", "accuracy", "log-loss"], rows)


def trees(replicates, learners):
    """Five species by their records; log-loss and mean AUC in places of a survey that have at most one of them."""
    data, rows, found = load_swiss_trees(), [], {}
    species = np.array(data.class_names)
    code = np.searchsorted(species, data.y)
    alone = data.test.y.sum(axis=1) <= 1
    y_new = data.test.y[alone] @ np.arange(1, len(species))
    for seed in range(replicates):
        rng = np.random.default_rng(seed)
        wanted = [4_000] + [400] * (len(species) - 1)
        chosen = [rng.choice(np.flatnonzero(code == k), n, replace=False) for k, n in enumerate(wanted)]
        fit = np.concatenate(chosen)
        told = {"scenario": "case-control", "prevalence": data.prevalence}
        lasso = MultinomialPULassoCV(n_lams=20, cv=3, progress=False, random_state=seed, **told)
        models = {("linear", "told shares"): lasso}
        for learner in learners:
            kind = LEARNERS[learner]
            models |= {
                (learner, f"anchor {rho:g}"): kind(**told, anchor=rho, random_state=seed) for rho in ANCHORS
            }
            models[learner, "naive"] = kind(**NAIVE, random_state=seed)
            models[learner, "Elkan-Noto"] = ElkanNoto(kind(**NAIVE, random_state=seed), **told)
        for name, model in models.items():
            proba = model.fit(data.X[fit], code[fit]).predict_proba(data.test.X[alone])
            ranks = [roc_auc_score(y_new == k, proba[:, k]) for k in np.unique(y_new)[1:]]
            found.setdefault(name, []).append([log_loss(model, data.test.X[alone], y_new), np.mean(ranks)])
            print(name, found[name][-1], flush=True)
    rows = [[*name, *(f"{each:.3f}" for each in np.mean(values, axis=0))] for name, values in found.items()]
    print_table(["learner", "labels read by", "log-loss", "mean AUC"], rows)


def timed(repeats):
    """Seconds of the processor for as many trees, ours over LightGBM's own multiclass objective; best of some runs."""
    import lightgbm as lgb

    rows, n_rounds = [], 20
    base = {"num_leaves": 15, "verbose": -1, "num_threads": 1, "learning_rate": 0.05, "metric": "none"}
    for n, p, k in ((5_000, 20, 2), (20_000, 20, 2), (20_000, 20, 5), (50_000, 20, 5)):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(n, p))
        y = draw(corners, k, False, n, rng)[1]
        pu = PUObjective("single-training-set", y, label_frequency=0.9)
        ways = {
            "ours": ({"objective": lightgbm_objective(pu), "num_class": k}, {"init_score": pu.start()}),
            "own": ({"objective": "multiclass", "num_class": k + 1}, {}),
        }
        seconds = {"ours": [], "own": []}
        for _ in range(repeats):
            for name, (params, start) in ways.items():
                # LightGBM's own grows one tree more in a round: the same number of trees in fewer rounds.
                rounds = n_rounds * (k + 1) if name == "ours" else n_rounds * k
                data = lgb.Dataset(x, y, params={"verbose": -1}, **start).construct()
                begin = time.process_time()
                booster = lgb.train(base | params, data, rounds)
                seconds[name].append(time.process_time() - begin)
                assert booster.num_trees() == n_rounds * k * (k + 1)
        ours, own = min(seconds["ours"]), min(seconds["own"])
        rows.append([str(n), str(p), str(k), f"{ours:.2f}", f"{own:.2f}", f"{ours / own:.2f}"])
        print(rows[-1], flush=True)
    print_table(["rows", "features", "K", "ours, s", "LightGBM's own, s", "ratio"], rows)


def print_table(header, rows):
    """Print a table."""
    print("\n".join(text_table(header, rows)), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = ("simulated", "linear", "real", "trees", "time")
    parser.add_argument("--scale", choices=SETTINGS, default="quick")
    parser.add_argument("--only", choices=parts)
    parser.add_argument("--learner", choices=LEARNERS, help="one of them, instead of both")
    parser.add_argument("--table", choices=TABLES, help="one of the real part, instead of all")
    parser.add_argument("--truth", choices=TRUTHS, help="one of the simulated part, instead of all")
    parser.add_argument("--replicates", type=int, help="instead of those of the scale")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    replicates, n = SETTINGS[given.scale]
    replicates = given.replicates or replicates
    learners = [given.learner] if given.learner else list(LEARNERS)
    run = {
        "simulated": lambda: simulated(replicates, n, learners, [given.truth] if given.truth else TRUTHS),
        "linear": lambda: linear(replicates, (n,) if given.scale == "quick" else (n, 4 * n)),
        "real": lambda: real(replicates, learners, [given.table] if given.table else TABLES),
        "trees": lambda: trees(replicates, learners),
        "time": lambda: timed(3 * replicates),
    }
    for part in (given.only,) if given.only else parts:
        run[part]()


if __name__ == "__main__":
    main()
