"""Tables with a column that says where each row comes from."""

import numpy as np
import pandas as pd
import pytest

import pulasso

WHERE = ("--label", "species", "--unlabeled", "background", "--source", "origin")
RECORDS = ("--source-scenario", "records=single-training-set:0.6")
SURVEY = ("--source-scenario", "survey=fully-observed")
FIT = ("fit", "both.csv", "--lam", "0.05")
pytestmark = pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")


@pytest.fixture
def both(table, tmp_path):
    table.insert(1, "origin", np.where(np.arange(len(table)) % 4 == 0, "survey", "records"))
    table.to_csv(tmp_path / "both.csv", index=False)
    return table


def test_sources_in_one_fit_and_predictions_without(run, both, tmp_path):
    run(*FIT, *WHERE, *RECORDS, *SURVEY, "--report", "--out", "results")
    model = pulasso.load(tmp_path / "results" / "model")
    assert set(model.scenario_.scenarios) == {"records", "survey"}
    assert "origin" not in model.feature_names_in_
    assert model.scenario_.scenarios["records"].label_frequency == 0.6
    assert "one source at a time" in (tmp_path / "results" / "report.html").read_text()
    both.drop(columns=["origin", "species"]).to_csv(tmp_path / "new.csv", index=False)
    run("predict", "results/model", "new.csv", "--out", "predicted.csv")
    assert len(pd.read_csv(tmp_path / "predicted.csv")) == len(both)


def test_numbers_by_class_a_reference_and_cross_validation(run, both, tmp_path):
    numbers = "records=single-training-set:oak=0.6,fir=0.5"
    how = ("--folds", "2", "--n-lams", "4", "--anchor", "0,3", "--out", "cv")
    done = run("cv", "both.csv", *WHERE, "--source-scenario", numbers, *SURVEY, "--reference", "survey", *how)
    assert done.code == 0 and "(chosen from 0, 3 by held-out rows)" in done.out
    page = (tmp_path / "cv" / "report.html").read_text()
    assert "one source at a time" in page and "Held-out rows chose" in page
    model = pulasso.load(tmp_path / "cv" / "model")
    assert set(model.scenario_.shifts) == {"records"}
    assert model.scenario_.scenarios["records"].label_frequency == {"oak": 0.6, "fir": 0.5}


def test_options_from_a_file(run, both, tmp_path):
    lines = ['label = "species"', 'unlabeled = "background"', 'source = "origin"', "[source-scenario]"]
    lines += ['records = "single-training-set:0.6"', 'survey = "fully-observed"']
    (tmp_path / "options.toml").write_text("\n".join(lines))
    run(*FIT, "--config", "options.toml", "--out", "results")
    assert (tmp_path / "results" / "model").exists()


@pytest.mark.parametrize(
    ("options", "parameter", "words"),
    [
        ((*WHERE,), "source_scenario", "records"),
        ((*WHERE, *RECORDS), "source", "'survey'"),
        ((*WHERE[:4], "--source", "orign", *RECORDS), "source", "origin"),
        ((*WHERE[:4], "--source", "species", *RECORDS), "source", "both name"),
        ((*WHERE[:4], *RECORDS), "source_scenario", "--source"),
        ((*WHERE, *RECORDS, *SURVEY, "--scenario", "fully-observed"), "scenario", "each source"),
        ((*WHERE, *RECORDS, *SURVEY, "--reference", "census"), "reference", "census"),
        ((*WHERE, *RECORDS, "--source-scenario", "survey=observed"), "source_scenario", "fully-observed"),
        ((*WHERE, *RECORDS, "--source-scenario", "survey=case-control"), "source_scenario", "after a colon"),
        (
            (*WHERE, *RECORDS, "--source-scenario", "survey=fully-observed:0.3"),
            "source_scenario",
            "no number",
        ),
        ((*WHERE, *RECORDS, *SURVEY, "--stability"), "stability", "several sources"),
    ],
)
def test_what_is_refused(run, both, options, parameter, words):
    run(*FIT, *options, "--out", "results").refused(parameter, words)


def test_rows_without_a_source(run, both, tmp_path):
    both.loc[3, "origin"] = None
    both.to_csv(tmp_path / "both.csv", index=False)
    run(*FIT, *WHERE, *RECORDS, *SURVEY, "--out", "results").refused("source", "row 4")
