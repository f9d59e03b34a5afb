"""Results that the documentation shows: how they are saved, and that they belong to the settings of this version."""

import importlib.util
import json
from pathlib import Path

import pandas as pd
import pytest

from reproduction import NAMES, get_experiment, table_2
from reproduction.results import plain_settings, reproduce

SAVED = Path(__file__).parents[2] / "docs" / "reproduction"
COMPLETE = {"claims.json", "settings.json", "made.json", "summary.csv", "figure.svg"}


@pytest.fixture(scope="module")
def collect():
    spec = importlib.util.spec_from_file_location("collect", SAVED / "collect.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.collect


def test_only_the_scale_of_the_paper_is_copied_and_old_files_go(collect, tmp_path):
    results, saved = tmp_path / "results", tmp_path / "saved"
    reproduce("rsc", "tiny", results)
    assert collect(results, saved) == []
    settings = results / "rsc" / "settings.json"
    settings.write_text(settings.read_text().replace('"scale": "tiny"', '"scale": "paper"'))
    (saved / "rsc").mkdir(parents=True)
    (saved / "rsc" / "old.csv").touch()
    assert collect(results, saved) == ["rsc"]
    assert {file.name for file in (saved / "rsc").iterdir()} == COMPLETE
    whole, short = (pd.read_csv(folder / "rsc" / "summary.csv") for folder in (results, saved))
    pd.testing.assert_frame_equal(whole, short, rtol=1e-3)
    assert (saved / "rsc" / "summary.csv").stat().st_size < (results / "rsc" / "summary.csv").stat().st_size


@pytest.mark.parametrize("name", [name for name in NAMES if (SAVED / name).is_dir()])
def test_saved_results_were_made_with_the_settings_of_this_version(name):
    assert {file.name for file in (SAVED / name).iterdir()} - {"beside.csv"} == COMPLETE
    saved = json.loads((SAVED / name / "settings.json").read_text())
    now = plain_settings(get_experiment(name).SETTINGS["paper"])
    assert saved["settings"] == now, f"run make reproduce-docs, or give {name} its settings back"


@pytest.mark.parametrize("name", ["figure-3", "figure-4", "table-1", "table-2"])
def test_saved_results_show_the_anchored_estimator(name):
    saved = json.loads((SAVED / name / "settings.json").read_text())
    assert saved["settings"]["anchor"] == get_experiment(name).SETTINGS["paper"]["anchor"]


def test_no_results_are_saved_of_experiments_that_are_gone():
    assert {folder.name for folder in SAVED.iterdir() if folder.is_dir()} - {"__pycache__"} <= set(NAMES)


def test_tables_are_put_beside_the_paper_as_it_prints_them():
    rows = [
        {"pi": pi, "assumed": assumed, "repetition": r, "n_selected": 5, "mse": value + r, "warned": ""}
        for (pi, assumed), value in table_2.PUBLISHED.items()
        for r in (-1, 1)
    ]
    table = pd.DataFrame(rows).assign(mse_of_median=1.0, mse_of_mean=1.0, anchor=0.0, class_0=0.1)
    table = table.assign(told_class_0=0.1, mse_of_constant=3.0, rps=0.5)
    beside = table_2.beside_paper(table).set_index("pi")
    assert beside.loc["0.6", "Lasso"] == "10.70 ± 1.00 (10.70)"
    assert beside.loc["0.8", "pi_hat = 0.9"] == "5.93 ± 1.00 (5.93)"
