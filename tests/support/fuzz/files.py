"""Random damage to files: saved models, tables, configurations, and the options beside them."""

import gzip
import io
import json
import shutil
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from typer.testing import CliRunner

import pulasso
from pulasso.cli import errors
from pulasso.cli.main import app
from support.fuzz.judge import UnnamedError, check_words
from support.fuzz.odd import pick
from support.saved import damaged, files_of, put

STORED = Path(__file__).parents[2] / "saved" / "format-2"
ODD_CELLS = (
    *(
        "",
        " ",
        "NA",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e308",
        "0x1F",
        "1,5",
        "1;5",
        "١٢",
        "true",
        "None",
        '"',
        "'",
    ),
    *(
        "=1+1",
        "2020-01-01",
        "a" * 500,
        "\0",
        "é",
        "\ufeff",
        "1\t2",
        "-",
        "?",
        "%",
        "{}",
        "\\N",
        "1_000",
        "oak",
    ),
)
KNOWN = (
    "--label",
    "y",
    "--unlabeled",
    "none",
    "--scenario",
    "single-training-set",
    "--label-frequency",
    "0.7",
)


# --- saved models -----------------------------------------------------------------------------------------


@cache
def stored_models():
    """Return description and arrays of every model in the repository."""
    return [files_of(each) for each in sorted(STORED.iterdir()) if each.is_dir()]


def model_folder(rng):
    """Load a model whose files are damaged, with a hash that fits, and use it."""

    def call():
        description, arrays = pick(rng, stored_models())
        action = rng.random()
        if action < 0.5:
            description = _odd_leaf(rng, description)
        elif action < 0.8:
            description = damaged(rng, description)
        else:
            arrays = damaged(rng, arrays)
        with suppress(ValueError, RecursionError):  # so damaged that no hash can be mended
            description = json.loads(description)
        with tempfile.TemporaryDirectory() as folder:
            put(Path(folder), description, arrays)
            loaded = pulasso.load(folder)
            _use(loaded, Path(folder) / "again")

    return call


def _odd_leaf(rng, description):
    """Replace, remove or double one part of the tree."""
    tree = json.loads(description)
    node, key = tree, None
    for _ in range(int(rng.integers(2, 12))):
        inner = node[key] if key is not None else node
        if not isinstance(inner, dict | list) or not inner:
            break
        node, key = inner, pick(rng, list(inner) if isinstance(inner, dict) else range(len(inner)))
    if rng.random() < 0.15:
        del node[key]
    else:
        values = [
            None,
            0,
            -1,
            1.5,
            10**30,
            "",
            "coef_",
            "nan",
            [],
            {},
            True,
            {"number": "nan"},
            {"array": "array_0"},
        ]
        node[key] = pick(
            rng, [*values, {"array": "array_1"}, {"tuple": []}, {"named": {}}, [node[key]], node]
        )
    try:
        return json.dumps(tree).encode()
    except ValueError:  # it holds itself
        return description


def _use(loaded, again):
    """Predict, speak and save: a file that was accepted is a model."""
    for model in [loaded] if not hasattr(loaded, "model") else [loaded.model(-1)]:
        x = np.zeros((2, model.n_features_in_))
        names = getattr(model, "feature_names_in_", None)
        proba = model.predict_proba(x if names is None else pd.DataFrame(x, columns=names))
        assert np.isfinite(proba).all() and proba.shape == (2, len(model.classes_)), "no probabilities"
        assert str(model.summary())
        model.save(again)


# --- tables and options -----------------------------------------------------------------------------------


def _table(rng):
    n = int(rng.integers(12, 30))
    y = rng.integers(0, 3, n)
    y[:3] = [0, 1, 2]
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(3), columns=["rain", "temp", "height"])
    frame["rain"] += y == 1
    frame["soil"] = rng.choice(["clay", "sand", "loam"], n)
    frame["y"] = np.array(["none", "oak", "fir"])[y]
    return frame


def _odd_cells(rng, frame):
    frame = frame.astype(object)
    for _ in range(int(rng.integers(0, 4))):
        column = int(rng.integers(frame.shape[1]))
        if rng.random() < 0.15:
            frame[frame.columns[column]] = pick(rng, ODD_CELLS)
        elif rng.random() < 0.15:
            names = list(frame.columns)
            names[column] = pick(rng, [*ODD_CELLS, names[0]])
            frame.columns = names
        else:
            frame.iloc[int(rng.integers(len(frame))), column] = pick(rng, ODD_CELLS)
    return frame


def write_table(rng, folder, frame):
    """Write the table in one of all formats; return its path."""
    ending = pick(rng, [".csv"] * 6 + [".tsv", ".csv.gz", ".parquet", ".feather", ".svmlight", ".npz"])
    path = Path(folder) / f"table{ending}"
    x, codes = frame[["rain", "temp", "height"]], pd.factorize(frame["y"])[0]
    if ending in (".csv", ".tsv", ".csv.gz"):
        text = _odd_cells(rng, frame).to_csv(
            index=False, sep="\t" if ending == ".tsv" else pick(rng, [",", ",", ";"])
        )
        content = text.encode(pick(rng, ["utf-8", "utf-8", "latin-1", "utf-16"]), errors="replace")
        content = damaged(rng, content) if rng.random() < 0.4 else content
        content = gzip.compress(content, mtime=0) if ending == ".csv.gz" else content
    elif ending in (".parquet", ".feather"):
        stream = io.BytesIO()
        frame.to_parquet(stream) if ending == ".parquet" else frame.to_feather(stream)
        content = stream.getvalue()
    elif ending == ".svmlight":
        from sklearn.datasets import dump_svmlight_file

        dump_svmlight_file(x.to_numpy(), codes, str(path))
        content = path.read_bytes()
    else:
        stream = io.BytesIO()
        np.savez(stream, X=x.to_numpy(), y=codes)
        content = stream.getvalue()
    if ending not in (".csv", ".tsv") and rng.random() < 0.6:
        content = damaged(rng, content)
    path.write_bytes(content)
    return path


def _odd_options(rng):
    """Return options of which some are odd."""
    text = pick(
        rng,
        ["", "x", "0", "-1", "1e400", "nan", "oak=0.2,fir=0.1", "oak=", "=", ",", "none<oak<fir", "*", "é"],
    )
    name = pick(
        rng,
        [
            *(
                "--label",
                "--unlabeled",
                "--negative",
                "--weights",
                "--drop",
                "--keep",
                "--missing",
                "--na",
                "--groups",
            ),
            *(
                "--scenario",
                "--prevalence",
                "--label-frequency",
                "--negative-label-frequency",
                "--ordered",
                "--lam",
            ),
        ],
    )
    return (
        name,
        pick(rng, [text, "rain", "soil", "0.5", "median", "drop", "entries", "none<oak<fir", "none<fir<oak"]),
    )


def _config(rng, folder):
    """Write a configuration, perhaps damaged."""
    path = Path(folder) / "config.toml"
    text = (
        'label = "y"\nunlabeled = "none"\nprevalence = { oak = 0.2, fir = 0.1 }\nlam = 0.1\ndrop = ["soil"]\n'
    )
    content = text.encode()
    path.write_bytes(damaged(rng, content) if rng.random() < 0.7 else content)
    return path


def _groups_file(rng, folder):
    path = Path(folder) / "groups.csv"
    content = b"column,group,weight\nrain,water,1\ntemp,air,2.5\nheight,air,\n"
    path.write_bytes(damaged(rng, content) if rng.random() < 0.7 else content)
    return path


def command(rng):
    """Give a command with a damaged table, configuration or groups, or with odd options."""

    def call():
        with tempfile.TemporaryDirectory() as folder:
            for words in _commands(rng, Path(folder)):
                run_command(words, folder)

    return call


def _commands(rng, folder):
    table, out = write_table(rng, folder, _table(rng)), ["--out", folder / "out"]
    options = [] if table.suffix in (".svmlight", ".npz") and rng.random() < 0.9 else list(KNOWN)
    if not options:
        options = ["--scenario", "fully-observed"]
    for _ in range(int(rng.integers(0, 2))):
        options += _odd_options(rng)
    if rng.random() < 0.15:
        options += ["--groups", _groups_file(rng, folder)]
    if rng.random() < 0.15:
        options = ["--config", _config(rng, folder)] + (options if rng.random() < 0.5 else [])
    kind = pick(rng, ["fit"] * 6 + ["path", "cv"])
    more = {
        "fit": ["--lam", "0.05"],
        "path": ["--n-lams", "3"],
        "cv": ["--n-lams", "3", "--folds", "2", "--no-report"],
    }
    yield [kind, table, *options, *more[kind], *out]
    if kind == "fit" and (folder / "out" / "model").exists():
        new = write_table(rng, folder, _table(rng))
        if rng.random() < 0.3:
            shutil.copy(STORED / "ordinal" / "model.json", folder / "out" / "model" / "model.json")
        yield ["predict", folder / "out" / "model", new, "--out", folder / "new.csv"]


def run_command(words, folder):
    """Run a command in this process; its errors must be named, and failures leave nothing behind."""
    seen = []
    before = errors.words_of
    errors.words_of = lambda error: seen.append(error) or before(error)
    try:
        done = CliRunner().invoke(app, [str(each) for each in words])
    finally:
        errors.words_of = before
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        where = traceback.extract_tb(done.exception.__traceback__)[-1]
        raise UnnamedError(f"{done.exception!r} ({where.filename}:{where.lineno})") from done.exception
    for error in seen:
        if not (isinstance(error, OSError) and error.strerror is not None):
            check_words(error)
    if done.exit_code not in (0, 1, 2) or (done.exit_code and len(done.stderr.strip()) < 20):
        raise UnnamedError(f"exit code {done.exit_code}: {done.output!r:.200}")
    left = [each.name for each in Path(folder).rglob(".*part*")]
    if left:
        raise UnnamedError(f"left behind: {left}")


def process(rng):
    """The same in a process of its own, as users give it."""

    def call():
        with tempfile.TemporaryDirectory() as folder:
            for words in _commands(rng, Path(folder)):
                line = [sys.executable, "-m", "pulasso.cli.main", *map(str, words)]
                done = subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)
                named = done.returncode == 0 or "Error" in done.stderr
                if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr or not named:
                    raise UnnamedError(f"exit code {done.returncode}: {done.stderr[-300:]}")

    return call
