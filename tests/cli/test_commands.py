"""Every command, from a table to what it writes and prints."""

import json

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

import pulasso
from pulasso.data.tables import file_hash

FEW = ("--n-lams", "8", "--folds", "3", "--no-report")


def test_cv_writes_a_model_and_predictions(run, csv, known, table, tmp_path):
    done = run("cv", csv, *known, *FEW)
    assert done.code == 0, done.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model", "predictions.csv", csv]
    assert f"{csv}: 240 rows, 7 features; fir " in done.out
    assert "MultinomialPULassoCV:" in done.out
    assert "Written: model/, predictions.csv" in done.out
    predictions = pd.read_csv(tmp_path / "predictions.csv")
    assert list(predictions) == ["row", "label", "predicted", "P(background)", "P(fir)", "P(oak)"]
    assert predictions["label"].tolist() == table["species"].tolist()
    np.testing.assert_allclose(predictions.filter(like="P(").sum(axis=1), 1.0, atol=1e-5)
    model = pulasso.load(tmp_path / "model")
    assert model.feature_names_in_.tolist() == [
        "height", "rain", "temp", "soil=clay", "soil=loam", "soil=sand", "road=near"
    ]  # fmt: skip
    assert model.cv_loss_.shape == (3, len(model.lams_)) and len(model.lams_) >= 8  # more, while that pays
    assert "soil" in model.groups_.names
    notes = pulasso.load_notes(tmp_path / "model")
    assert (notes["command"], notes["seed"], notes["table"]["file"]) == ("cv", 0, csv)


def test_the_same_model_as_from_python(run, csv, known, table, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.02", "--keep", "height,rain,temp").code == 0
    model = pulasso.MultinomialPULasso(0.02, scenario="single-training-set", label_frequency=0.6)
    model.fit(table[["height", "rain", "temp"]], table["species"])
    # Tables lie in memory in another order than those made in Python: sums may differ in their last digit.
    np.testing.assert_allclose(pulasso.load(tmp_path / "model").coef_, model.coef_, rtol=1e-12)


def test_results_are_the_same_for_one_seed(run, csv, known, tmp_path):
    for out in ("a", "b"):
        assert run("cv", csv, *known, *FEW, "--seed", "3", "--out", out).code == 0
    assert (tmp_path / "a/predictions.csv").read_bytes() == (tmp_path / "b/predictions.csv").read_bytes()
    assert run("cv", csv, *known, *FEW, "--seed", "4", "--out", "c").code == 0
    other = pulasso.load(tmp_path / "c/model").cv_loss_
    assert not np.array_equal(other, pulasso.load(tmp_path / "a/model").cv_loss_)


def test_fit_as_json(run, csv, known):
    done = run("fit", csv, *known, "--lam", "0.02", "--json")
    found = json.loads(done.out)
    assert (found["command"], found["lam"], found["classes"]) == ("fit", 0.02, ["background", "fir", "oak"])
    assert set(found["selected"]["rain"]) == {"fir", "oak"}
    assert (found["model"], found["predictions"], found["warnings"]) == ("model", "predictions.csv", [])
    assert "Unlabeled rows: the" in done.err


def test_ordered_classes(run, table, known, tmp_path):
    table["species"] = table["species"].map({"background": "low", "oak": "mid", "fir": "high"})
    table.to_csv(tmp_path / "stages.csv", index=False)
    done = run("cv", "stages.csv", *known, *FEW, "--ordered", "low<mid<high", "--select", "1se")
    assert done.code == 0, done.err
    model = pulasso.load(tmp_path / "model")
    assert (type(model).__name__, model.classes_.tolist()) == ("OrdinalPULassoCV", ["low", "mid", "high"])
    assert "the first of --ordered" in done.err


def test_another_marker_than_the_lowest_class(run, table, known, tmp_path):
    table["species"] = table["species"].map({"background": "", "oak": "mid", "fir": "high"})
    table.to_csv(tmp_path / "stages.csv", index=False)
    done = run("fit", "stages.csv", *known, "--lam", "0.02", "--ordered", "low<mid<high")
    assert done.code == 0, done.err
    assert "without a value in 'species'" in done.err
    assert pulasso.load(tmp_path / "model").classes_.tolist() == ["low", "mid", "high"]


def test_confirmed_negatives(run, table, tmp_path):
    rows = table.index[table["species"] == "background"]
    table.loc[rows[:30], "species"] = "absent"
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("--label", "species", "--unlabeled", "background", "--negative", "absent", "--lam", "0.02")
    shown = ("--label-frequency", "0.6", "--negative-label-frequency", "0.25")
    assert run("fit", "t.csv", *options, *shown).code == 0
    model = pulasso.load(tmp_path / "model")
    assert model.classes_[0] == "absent"
    assert model.label_counts_.n_labeled[0] == 30
    done = run("fit", "t.csv", *options, "--label-frequency", "0.6", "--out", "b")
    done.refused("negative_label_frequency", "--negative-label-frequency")


def test_weights_count_rows(run, table, known, tmp_path):
    weight = np.where(np.arange(len(table)) % 3 == 0, 2, 1)
    table.assign(n=weight).to_csv(tmp_path / "weighted.csv", index=False)
    table.loc[table.index.repeat(weight)].to_csv(tmp_path / "repeated.csv", index=False)
    assert run("fit", "weighted.csv", *known, "--lam", "0.02", "--weights", "n", "--out", "a").code == 0
    assert run("fit", "repeated.csv", *known, "--lam", "0.02", "--out", "b").code == 0
    one, two = (pulasso.load(tmp_path / each / "model") for each in "ab")
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)


def test_weights_count_on_pages_and_in_sweeps(run, table, known, tmp_path, pages):
    weight = np.where(table["rain"] > 0.5, 5, 1)
    table.assign(n=weight).to_csv(tmp_path / "weighted.csv", index=False)
    table.loc[table.index.repeat(weight)].to_csv(tmp_path / "repeated.csv", index=False)
    assert run("fit", "weighted.csv", *known, "--lam", "0.02", "--weights", "n", "--report").code == 0
    more = ("--fitted-to", "repeated.csv", "--sensitivity-values", "0.7", "--json", "--out")
    done = [run("report", "model", f"{name}.csv", *more, f"{name}.html") for name in ("weighted", "repeated")]
    assert "has no column 'n', the weights of the fit, so its rows count alike" in done[1].words
    of_fit, weighted, repeated = (page["sample_weight"] for page in pages)
    assert of_fit.tolist() == weighted.tolist() == weight.tolist() and repeated is None
    one, two = ([each["accuracy"] for each in json.loads(each.out)["sensitivity"]["values"]] for each in done)
    assert one == pytest.approx(two)


def test_groups_from_a_table(run, csv, known, tmp_path):
    (tmp_path / "groups.csv").write_text("column,group,weight\nrain,climate,0\ntemp,climate,0\n")
    assert run("fit", csv, *known, "--lam", "10", "--groups", "groups.csv").code == 0
    model = pulasso.load(tmp_path / "model")
    assert set(model.groups_.names) == {"climate", "soil", "road", "height"}
    assert np.flatnonzero(model.coef_.any(axis=0)).tolist() == [1, 2]  # not penalised, so always in
    (tmp_path / "groups.csv").write_text("column,group\nrian,climate\n")
    done = run("fit", csv, *known, "--lam", "1", "--groups", "groups.csv", "-f")
    done.refused("groups", "Did you mean 'rain'?")
    (tmp_path / "groups.csv").write_text("column,group,weight\nrain,climate,much\n")
    run("fit", csv, *known, "--lam", "1", "--groups", "groups.csv", "-f").refused("groups")


def test_path(run, csv, known, tmp_path):
    done = run("path", csv, *known, "--n-lams", "6")
    assert done.code == 0, done.err
    assert "features enter, in this order:" in done.out
    path = pulasso.load(tmp_path / "path")
    table = pd.read_csv(tmp_path / "path.csv")
    assert list(table) == ["lam", "feature", "class", "coefficient"]
    assert len(table) == np.count_nonzero(path.coefs)
    found = json.loads(run("path", csv, *known, "--n-lams", "6", "--json", "--force").out)
    assert found["n_active"] == path.n_active.tolist()


def test_predict_finds_columns_by_name(run, csv, known, table, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.02").code == 0
    shuffled = table[["road", "temp", "soil", "height", "rain"]].assign(comment="new")
    shuffled.to_csv(tmp_path / "new.csv", index=False)
    done = run("predict", "model", "new.csv", "--out", "new-predictions.csv")
    assert done.code == 0, done.err
    assert "Not used: column 'comment'." in done.err
    assert "240 rows: " in done.out
    first, second = (pd.read_csv(tmp_path / f"{name}predictions.csv") for name in ("", "new-"))
    assert_frame_equal(first.drop(columns="label"), second)


def test_predict_for_another_population(run, csv, known, table, tmp_path):
    run("fit", csv, *known, "--lam", 0.05)
    done = run("predict", "model", csv, "--out", "p.csv", "--prevalence", "oak=0.6,fir=20%")
    assert done.code == 0, done.err
    here, there = (pd.read_csv(tmp_path / name) for name in ("predictions.csv", "p.csv"))
    own = pulasso.load(tmp_path / "model").told_shares_
    by_hand = here.filter(like="P(") * [0.2, 0.2, 0.6] / own  # background, fir, oak
    np.testing.assert_allclose(there.filter(like="P("), by_hand.div(by_hand.sum(axis=1), axis=0), rtol=1e-4)
    for text, words in {
        "oak=0.6": "no number for 'fir'",
        "0.6": "leaves nothing",
        "much": "no number",
    }.items():
        run("predict", "model", csv, "--out", "q.csv", "--prevalence", text).refused("prevalence", words)


def test_predict_carries_a_column_of_names_through(run, csv, known, table, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.02").code == 0
    names = [f"{i:04d}" for i in range(len(table))]
    table.drop(columns="species").assign(plot=names, row=1).to_csv(tmp_path / "new.csv", index=False)
    done = run("predict", "model", "new.csv", "--out", "p.csv", "--id", "plot")
    assert done.code == 0, done.err
    assert "'plot'" not in done.err  # it is used
    written = pd.read_csv(tmp_path / "p.csv", dtype={"plot": str})
    assert written["plot"].tolist() == names  # 0007 is not 7
    assert list(written)[:3] == ["row", "plot", "predicted"]
    run("predict", "model", "new.csv", "--out", "q.csv", "--id", "plott").refused(
        "id", "Did you mean 'plot'?"
    )
    run("predict", "model", "new.csv", "--out", "q.csv", "--id", "row").refused("id", "rename it")


def test_a_feature_or_the_label_can_be_the_column_of_names(run, csv, known, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.02").code == 0
    for name in ("soil", "species"):
        assert run("predict", "model", csv, "--out", f"{name}.csv", "--id", name).code == 0
        assert name in pd.read_csv(tmp_path / f"{name}.csv")


def test_predict_takes_a_rule_for_ordered_classes(run, csv, known, table, tmp_path):
    ordered = [*known, "--ordered", "background<fir<oak"]
    assert run("fit", csv, *ordered, "--lam", "0.05").code == 0
    for rule in ("mode", "median", "mean"):
        assert run("predict", "model", csv, "--out", f"{rule}.csv", "--rule", rule).code == 0
    found = {rule: pd.read_csv(tmp_path / f"{rule}.csv") for rule in ("mode", "median", "mean")}
    proba = found["mode"].filter(like="P(").to_numpy()
    names = np.array(["background", "fir", "oak"])
    assert found["mode"]["predicted"].tolist() == names[proba.argmax(axis=1)].tolist()
    half = (proba.cumsum(axis=1)[:, :-1] < 0.5).sum(axis=1)
    assert found["median"]["predicted"].tolist() == names[half].tolist()
    run("predict", "model", csv, "--out", "q.csv", "--rule", "middle").refused("rule", "unknown")
    assert run("fit", csv, *known, "--lam", "0.05", "--out", "unordered").code == 0
    run("predict", "unordered/model", csv, "--out", "q.csv", "--rule", "mean").refused(
        "rule", "ordered classes"
    )


def test_predict_leaves_incomplete_rows_empty(run, csv, known, table, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.02").code == 0
    table.loc[3, "rain"] = table.loc[5, "soil"] = np.nan
    table.to_csv(tmp_path / "gaps.csv", index=False)
    done = run("predict", "model", "gaps.csv", "--out", "p.csv", "--json")
    assert "2 of 240 rows of gaps.csv have missing values (in 'rain', 'soil')" in done.words
    assert len(json.loads(done.out)["warnings"]) == 1
    predictions = pd.read_csv(tmp_path / "p.csv")
    assert np.flatnonzero(predictions["predicted"].isna()).tolist() == [3, 5]


def test_models_saved_from_python(run, csv, table, tmp_path):
    numbers = table[["height", "rain"]]
    model = pulasso.MultinomialPULasso(0.02, scenario="fully-observed").fit(numbers, table["species"])
    model.save(tmp_path / "m")
    assert run("predict", "m", csv, "--out", "p.csv").code == 0
    model.fit(numbers.to_numpy(), table["species"]).save(tmp_path / "n")
    run("predict", "n", csv, "--out", "q.csv").refused(words="without column names")


@pytest.mark.parametrize("missing", ["mean", "median"])
def test_missing_values_are_filled_in_and_remembered(run, table, known, missing, tmp_path):
    table.loc[::9, "rain"] = np.nan
    table.loc[::10, "soil"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("fit", "t.csv", *known, "--lam", "0.02", "--missing", missing).code == 0
    fill = getattr(table["rain"], missing)()
    notes = {each["name"]: each for each in pulasso.load_notes(tmp_path / "model")["table"]["columns"]}
    assert notes["rain"]["fill"] == pytest.approx(fill)
    assert notes["soil"]["fill"] == table["soil"].mode()[0]
    filled = table.fillna({"rain": fill, "soil": table["soil"].mode()[0]})
    filled.to_csv(tmp_path / "filled.csv", index=False)
    for name in ("t", "filled"):
        assert run("predict", "model", f"{name}.csv", "--out", f"p-{name}.csv").code == 0
    one, two = (pd.read_csv(tmp_path / f"p-{name}.csv") for name in ("t", "filled"))
    assert_frame_equal(one, two, rtol=1e-3)


def test_rows_with_missing_values_are_dropped(run, table, known, tmp_path):
    table.loc[[2, 7], "rain"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", *known, "--lam", "0.02", "--missing", "drop")
    assert "2 of 240 rows have missing values and are left out" in done.err
    rows = pd.read_csv(tmp_path / "predictions.csv")["row"]
    assert set(range(1, 241)) - set(rows) == {3, 8}


def test_simulate_gives_a_table_and_the_next_command(run, tmp_path):
    done = run("simulate", "s.csv", "--rows", "80", "--features", "5", "--truth", "--seed", "2")
    assert done.code == 0, done.err
    table = pd.read_csv(tmp_path / "s.csv")
    assert list(table) == ["label", "true_class", "x0", "x1", "x2", "x3", "x4"]
    assert (table["label"][table["label"] > 0] == table["true_class"][table["label"] > 0]).all()
    command = done.out.splitlines()[-1].removeprefix("Try: pulasso ").split()
    assert run(*command, "--n-lams", "5", "--folds", "2", "--no-report").code == 0
    found = json.loads(run("simulate", "o.csv", "--model", "ordinal", "--rows", "40", "--json").out)
    assert set(found["matter"]) <= {f"x{j}" for j in range(20)}


def test_compare(run, csv, known, tmp_path):
    done = run("compare", csv, *known, "--folds", "2", "--models", "pulasso,mn-lasso")
    assert done.code == 0, done.err
    table = pd.read_csv(tmp_path / "compare.csv").set_index("model")
    assert table.loc["pulasso", "accuracy"] > table.loc["mn-lasso", "accuracy"]
    assert "Scores of the true classes" in done.out
    assert done.out.index("  pulasso") < done.out.index("  mn-lasso")  # the better log-loss first
    found = json.loads(
        run("compare", csv, *known, "--folds", "2", "--models", "mn-lasso", "--json", "--force").out
    )
    assert found["models"][0]["accuracy"] == pytest.approx(table.loc["mn-lasso", "accuracy"], abs=1e-5)
    run("compare", csv, *known, "--models", "mnlasso", "--force").refused("models", "Did you mean 'mn-lasso'")


def test_compare_with_a_flexible_learner(run, csv, known, tmp_path):
    pytest.importorskip("lightgbm", reason="in the extra 'boosting'")
    command = ("compare", csv, *known, "--folds", "2", "--models", "pulasso,boosting")
    done = run(*command)
    assert done.code == 0, done.err
    assert "Boosted trees are" in done.out and "the linear model" in done.out
    assert "difference" in pd.read_csv(tmp_path / "compare.csv").columns
    assert json.loads(run(*command, "--json", "--force").out)["verdict"] in done.out


def test_a_real_page(run, csv, known, tmp_path):
    pytest.importorskip("jinja2")
    assert run("cv", csv, *known, "--n-lams", "8", "--folds", "2").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "judged by the model of the cross-validation that did not see" in page
    assert "Estimated scores of the true classes" in page


def test_reports(run, csv, known, table, tmp_path, pages):
    assert run("fit", csv, *known, "--lam", "0.05", "--seed", "3", "--out", "a").code == 0
    assert not pages  # unless asked for
    done = run("report", "a/model", csv, "--out", "b.html")
    assert (done.code, done.out) == (0, "Written: b.html\n")
    assert pages[0]["z"].tolist() == table["species"].tolist()
    assert (pages[0]["seed"], pages[0]["data_hash"]) == (3, file_hash(tmp_path / csv))
    table.drop(columns="species").to_csv(tmp_path / "bare.csv", index=False)
    done = run("report", "a/model", "bare.csv", "--out", "c.html", "--json")
    assert json.loads(done.out)["report"] == "c.html"
    assert "the page has no scores" in done.err and "z" not in pages[1]
    run("report", "a/model", "--out", "c.html").refused(words="c.html exists already")


def test_reports_need_an_extra(run, csv, known, tmp_path, monkeypatch):
    monkeypatch.setattr("pulasso.cli.results.find_spec", lambda name: None)
    done = run("cv", csv, *known, "--n-lams", "4", "--folds", "2")
    assert (done.code, "No report.html: it needs `pip install pulasso[report]`" in done.err) == (0, True)
    assert not (tmp_path / "report.html").exists()
    run("report", "model").refused(words="install them with `pip install pulasso[report]`")


def test_doctor(run):
    done = run("doctor")
    assert done.code == 0
    assert "kernel" in done.out
    assert json.loads(run("doctor", "--json").out)["pulasso"] == pulasso.__version__


def test_options_from_a_file(run, csv, tmp_path):
    (tmp_path / "run.toml").write_text(
        'label = "species"\nlam = 0.02\ndrop = ["road", "soil"]\n[label-frequency]\noak = 0.5\nfir = 0.6\n'
    )
    assert run("fit", csv, "--config", "run.toml", "--lam", "0.03").code == 0
    model = pulasso.load(tmp_path / "model")
    assert (model.lam, model.label_frequency) == (0.03, {"oak": 0.5, "fir": 0.6})
    assert model.feature_names_in_.tolist() == ["height", "rain", "temp"]


def test_shares_in_percent(run, csv, tmp_path):
    assert run("fit", csv, "--label", "species", "--label-frequency", "60%", "--lam", "0.1").code == 0
    assert pulasso.load(tmp_path / "model").label_frequency == 0.6


def test_matrices(run, table, tmp_path):
    X = table[["height", "rain", "temp"]].to_numpy()
    z = table["species"].map({"background": 0, "oak": 1, "fir": 2}).to_numpy()
    dump_svmlight_file(X, z, str(tmp_path / "t.svmlight"))
    np.savez(tmp_path / "t.npz", X=X, y=z)
    coefs = []
    for name in ("t.svmlight", "t.npz"):
        done = run("fit", name, "--label-frequency", "0.6", "--lam", "0.02", "--out", name[2:])
        assert done.code == 0, done.err
        assert "with y = 0, the smallest label" in done.err
        coefs.append(pulasso.load(tmp_path / name[2:] / "model").coef_)
        assert run("predict", f"{name[2:]}/model", name, "--out", f"{name}.csv").code == 0
    np.testing.assert_allclose(*coefs, atol=1e-6)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
    assert run("predict", "npz/model", "s.npz", "--out", "s.csv").code == 0


def test_new_values_of_categories(run, csv, table, known, tmp_path):
    assert run("fit", csv, *known, "--lam", "0.02").code == 0
    table.assign(soil="peat").to_csv(tmp_path / "peat.csv", index=False)
    done = run("predict", "model", "peat.csv", "--force", "--json")
    assert "values of 'soil' that the fit did not see: 'peat'" in json.loads(done.out)["warnings"][0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), True),
        (("--leave-indicators",), "auto"),
        (("--no-standardize",), False),
        (("--no-standardize", "--leave-indicators"), False),  # all columns are left alone
    ],
)
def test_which_columns_are_scaled(run, csv, known, tmp_path, words, expected):
    assert run("fit", csv, *known, "--lam", "0.02", *words).code == 0
    model = pulasso.load(tmp_path / "model")
    assert model.standardize == expected
    is_indicator = [each.startswith(("soil=", "road=")) for each in model.feature_names_in_]
    left_alone = {
        True: np.zeros(7, dtype=bool),
        "auto": np.array(is_indicator),
        False: np.ones(7, dtype=bool),
    }
    np.testing.assert_array_equal(model.feature_scale_ == 1.0, left_alone[expected])
