"""Tables of every format give the same model; text in the ways that people write it."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

import pulasso
from pulasso.cli.labels import read_labels, settle_labels
from pulasso.cli.oddities import say_what_is_odd
from pulasso.cli.reading import read_table
from pulasso.cli.recipe import Recipe, learn_recipe
from pulasso.cli.running import CommandError, in_option_words


@pytest.fixture(name="write")
def writer(table, tmp_path):
    def write(name):
        path = tmp_path / name
        if name.endswith(".parquet"):
            table.to_parquet(path)
        elif name.endswith(".feather"):
            table.to_feather(path)
        elif name.endswith("semicolon.csv"):
            table.to_csv(path, index=False, sep=";", decimal=",")
        elif "tsv" in name:
            table.to_csv(path, index=False, sep="\t")
        elif name.endswith("rownames.csv"):  # as R's write.table does
            text = table.to_csv(index=True)
            path.write_text(text[1:])
        else:
            table.to_csv(path, index=name.endswith("numbered.csv"), encoding="utf-8-sig")
        return name

    return write


FORMATS = [
    "t.csv",
    "t.tsv",
    "t.tsv.gz",
    "t.parquet",
    "t.feather",
    "semicolon.csv",
    "rownames.csv",
    "numbered.csv",
]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_reads_the_same(write, table, tmp_path, name, monkeypatch):
    if name.endswith((".parquet", ".feather")):
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    from pulasso.cli.options import ModelOptions, TableOptions
    from pulasso.cli.preparing import prepare

    prepared = prepare(TableOptions(tmp_path / write(name), label="species"), ModelOptions())
    expected = [c for c in table.columns if c in ("height", "rain", "temp")]
    np.testing.assert_allclose(prepared.x[expected], table[expected])
    assert prepared.x.shape == (240, 7)
    assert prepared.observed.y.tolist() == table["species"].tolist()


def test_matrices(run, table, tmp_path):
    X = table[["height", "rain", "temp"]].to_numpy()
    z = table["species"].map({"background": 0, "oak": 1, "fir": 2}).to_numpy()
    dump_svmlight_file(X, z, str(tmp_path / "t.svmlight"))
    np.savez(tmp_path / "t.npz", X=X, y=z)
    coefs = []
    for name in ("t.svmlight", "t.npz"):
        known = ("--label-frequency", "0.6", "--lam", "0.02", "--out", name[2:])
        done = run("fit", name, *known)
        assert done.code == 0, done.err
        assert "with y = 0, the smallest label" in done.err
        coefs.append(pulasso.load(tmp_path / name[2:] / "model").coef_)
        assert run("predict", f"{name[2:]}/model", name, "--out", f"{name}.csv").code == 0
    np.testing.assert_allclose(*coefs, atol=1e-6)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
    assert run("predict", "npz/model", "s.npz", "--out", "s.csv").code == 0
    assert "holds no labels" in run("fit", "s.npz", "--label-frequency", "0.6", "--lam", "1").err
    np.savez(tmp_path / "wide.npz", X=np.ones((2, 9)))
    assert "the model needs 3 features" in run("predict", "npz/model", "wide.npz").err
    np.savez(tmp_path / "odd.npz", A=np.ones((2, 9)))
    assert "features are expected as X" in run("predict", "npz/model", "odd.npz").err
    table.to_csv(tmp_path / "t.csv", index=False)
    assert "fitted to a matrix of 3 features" in run("predict", "npz/model", "t.csv").err
    assert "needs names" in run("fit", "t.npz", "--label-frequency", "0.6", "--lam", "1", "--drop", "x").err


def test_other_encodings(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes("species,größe\nEiche,1\nFöhre,2\n".encode("cp1252"))
    frame = read_table(tmp_path / "t.csv", label="species").frame
    assert list(frame.columns) == ["species", "größe"]
    assert frame["species"].tolist() == ["Eiche", "Föhre"]
    assert "read as Windows-1252" in capsys.readouterr().err


def test_a_class_may_be_called_none(tmp_path):
    with gzip.open(tmp_path / "t.csv.gz", "wt") as stream:
        stream.write("species,a\nNone,1\nnull,2\n,3\nNA,4\n")
    labels = settle_labels(read_table(tmp_path / "t.csv.gz", label="species").frame["species"])
    assert labels.tolist() == ["None", "null", None, None]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["0", "1", "2"], [0, 1, 2]),
        (["0", "1.5"], [0.0, 1.5]),
        (["01", "2"], [1.0, 2.0]),
        (["1", "a"], ["1", "a"]),
        (["1", ""], [1, None]),
        ([1.0, 2.0, np.nan], [1, 2, None]),
        ([True, False], [True, False]),
    ],
)
def test_labels_get_the_type_they_deserve(texts, expected):
    settled = settle_labels(pd.Series(texts)).tolist()
    assert settled == expected
    assert [type(each) for each in settled] == [type(each) for each in expected]


def observed(counts):
    y = [name for name, n in counts.items() for _ in range(n)]
    marker = next(iter(counts))
    return read_labels(y, unlabeled=str(marker), negative=None, ordered=None, name="label")


@pytest.mark.parametrize(
    ("counts", "twins"),
    [
        ({"?": 50, "Quercus robur": 40, "Quercus robor": 2}, 1),
        ({"?": 50, "Quercus robur": 40, "quercus_robur": 30}, 1),
        ({"?": 50, "Quercus robur": 40, "Quercus rubra": 5}, 0),
        ({"?": 50, "type A": 40, "type B": 2}, 0),
        ({"?": 50, "sample1": 40, "sample2": 2}, 0),
        ({"?": 50, "malign": 40, "benign": 2}, 0),
        ({"?": 50, "barley": 30, "barleys": 29}, 0),
        ({0: 50, 1: 40, 11: 2}, 0),
    ],
)
def test_what_looks_like_a_misspelling(counts, twins):
    assert len(say_what_is_odd(observed(counts), ordered=False)) == twins


def test_what_looks_like_a_scale():
    words = say_what_is_odd(observed({"?": 9, "severe": 3, "mild": 3, "moderate": 3}), ordered=False)
    assert '--ordered "mild<moderate<severe"' in words[0]
    words = say_what_is_odd(observed({"none": 9, "stage III": 3, "stage I": 3, "stage II": 3}), ordered=False)
    assert '--ordered "stage I<stage II<stage III"' in words[0]
    assert not say_what_is_odd(observed({"low": 9, "mid": 3, "high": 3}), ordered=True)
    assert not say_what_is_odd(observed({"low": 9, "oak": 3, "high": 3}), ordered=False)


def test_recipes_come_back(table):
    recipe = learn_recipe(table.drop(columns="species"), "median", "t.csv")
    again = Recipe.from_json(recipe.to_json())
    assert again == recipe
    pd.testing.assert_frame_equal(again.encode(table), recipe.encode(table))
    assert recipe.categories == {"soil": ["soil=clay", "soil=loam", "soil=sand"], "road": ["road=near"]}


def test_kinds_of_columns():
    frame = pd.DataFrame(
        {
            "flag": [True, False, True],
            "whole": pd.array([1, 2, None], dtype="Int64"),
            "level": pd.Categorical(["b", "a", None]),
            "single": np.array([1, 2, 3], dtype=np.float32),
        }
    )
    encoded = learn_recipe(frame, "refuse", "t").encode(frame)
    assert list(encoded) == ["flag", "whole", "level=b", "single"]
    assert encoded["flag"].tolist() == [1.0, 0.0, 1.0]
    assert encoded["level=b"].tolist()[:2] == [1.0, 0.0]
    assert encoded["level=b"].isna().tolist() == encoded["whole"].isna().tolist() == [False, False, True]
    with pytest.raises(CommandError, match="holds dates"):
        learn_recipe(pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}), "refuse", "t")


def test_tables_of_numbers_are_not_copied():
    frame = pd.DataFrame(np.ones((5, 3)), columns=list("abc"))
    encoded = learn_recipe(frame, "refuse", "t").encode(frame)
    assert np.shares_memory(encoded.to_numpy(), frame.to_numpy())


@pytest.mark.parametrize(
    ("library", "command"),
    [
        ('say so by unlabeled=float("nan"); otherwise', 'say so by --unlabeled ""; otherwise'),
        ("needs label_frequency=. It takes", "needs --label-frequency. It takes"),
        ("prevalence={'oak': 0.2, 'fir': 0.1}.", "--prevalence oak=0.2,fir=0.1."),
        ("Check `unlabeled=` and `negative=`.", "Check --unlabeled and --negative."),
        ("Try cv=3 or fewer", "Try --folds 3 or fewer"),
        ("use scenario='fully-observed' if", "use --scenario fully-observed if"),
    ],
)
def test_words_of_the_library_become_options(library, command):
    assert in_option_words(library) == command


def test_tables_read_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("pulasso.cli.reading.CELLS_AT_ONCE", 6)
    lines = ["z,a,b,c", *(f"{i % 2},{i},{i}.5,{'x' if i == 9 else i}" for i in range(10))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    frame = read_table(tmp_path / "t.csv", label="z").frame
    assert frame["a"].tolist() == list(range(10))
    assert frame["b"].tolist() == [i + 0.5 for i in range(10)]
    assert frame["c"].tolist() == [*map(str, range(9)), "x"]  # not 0.0, 1.0, ...
