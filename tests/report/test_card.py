"""Model cards: what they say, whose words they trust, and how they are written."""

import re
import sys

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulasso import MultinomialPULasso
from pulasso._version import __version__
from pulasso.exceptions import ClassShareWarning
from pulasso.report import write_card

from .conftest import BREAKING, HOSTILE, SETTINGS, make_data


def headings(text):
    return re.findall(r"^#+ (.*)$", text, re.MULTILINE)


def test_a_card_says_what_must_be_said(ordinal, tmp_path):
    model, X, z = ordinal
    file = model.card(
        tmp_path / "new" / "card.md", X=X, z=z, name="Stages", intended_use="Screening only.", seed=7
    )
    text = file.read_text(encoding="utf-8")
    assert headings(text)[:3] == ["Model card: Stages", "The model", "Intended use"]
    for words in (
        "Screening only.",
        "ordered classes (cumulative logit)",
        "single-training-set",
        "chosen by 3-fold cross-validation",
        "| accuracy | ",
        "judged by the model of the cross-validation that did not see",
        f"- **pulasso:** {__version__}",
        "- **seed:** 7",
        *(re.sub(r"([_<>|*#`~&\[\]])", r"\\\1", said) for said in model.warnings_),
    ):
        assert words in text, words
    accuracy = float(re.search(r"^\| accuracy \| ([\d.]+) \|", text, re.MULTILINE)[1])
    assert 0.4 < accuracy < 1.05


def test_tables_are_tables_and_names_stay_names(hostile, tmp_path):
    model, X, z = hostile
    text = write_card(model, tmp_path / "card.md", X=X, z=z, name=HOSTILE).read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<", text)
    assert HOSTILE.replace("<", r"\<").replace(">", r"\>") in text
    assert BREAKING.split("<")[0] == "" and r"\</script\>\<b\>" in text
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table


def test_without_rows_there_are_no_scores(plain, tmp_path):
    text = plain[0].card(tmp_path / "card.md").read_text(encoding="utf-8")
    assert "without rows to judge the model by" in text
    assert "accuracy" not in text
    assert "was given, not chosen" not in text and ", given" in text


def test_prevalences_pipelines_and_estimates(tmp_path):
    X, z = make_data(2, 5, 300)
    known = MultinomialPULasso(lam=0.02, prevalence=[0.3, 0.25], tol=1e-4)
    with pytest.warns(ClassShareWarning):  # these are no case-control data
        pipeline = make_pipeline(StandardScaler(), known).fit(X, z)
    text = write_card(pipeline, tmp_path / "pipeline.md").read_text(encoding="utf-8")
    assert "inside a Pipeline" in text
    assert "| class | told | predicted | difference |" in text and "| 0 | 45.0 % |" in text
    assert "| 1 | 0.3 |" in text and "| 0 (what is left) | 0.45 |" in text
    naive = MultinomialPULasso(lam=0.02, scenario="fully-observed", tol=1e-4).fit(X, z)
    assert "probabilities of being labelled" in naive.card(tmp_path / "naive.md").read_text(encoding="utf-8")
    none = MultinomialPULasso(lam=10.0, **SETTINGS).fit(X, z)
    assert "No feature was selected" in none.card(tmp_path / "none.md").read_text(encoding="utf-8")


def test_no_extras_are_needed(plain, tmp_path, monkeypatch):
    for name in [each for each in sys.modules if each.split(".")[0] in {"matplotlib", "jinja2"}]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("matplotlib", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)
    model, X, z = plain
    assert "| accuracy | " in model.card(tmp_path / "card.md", X=X, z=z).read_text(encoding="utf-8")
