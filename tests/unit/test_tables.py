"""Printouts: one source, as text and as HTML."""

from dataclasses import dataclass

from pulasso.tables import Printable, Printout

ROWS = [["<oak>", "0.9"], ["fir", "0.8"], ["ash", "0.7"]]


def test_text_has_facts_tables_and_notes():
    printout = Printout(
        "Recall", {"rows": "600"}, [(["class", "recall"], ROWS)], ["read with care"], n_rows=2
    )
    lines = printout.to_text().splitlines()
    assert lines[:3] == ["Recall", "  rows  600", ""]
    assert lines[-2:] == ["  ... and 1 more (see .to_frame())", "  read with care"]
    assert len(lines) == 8


def test_what_is_not_there_leaves_no_gap():
    bare = Printout("Recall", tables=[(["class"], []), (["class", "recall"], ROWS[1:])])
    assert bare.to_text().splitlines() == ["Recall", "  class  recall", "  fir       0.8", "  ash       0.7"]
    assert bare.to_html().count("<table>") == 1


def test_html_is_escaped_and_shortened():
    html = Printout("a < b", {"<": ">"}, [(["class", "recall"], ROWS)], ["<b>"], n_rows=1).to_html()
    assert "<oak>" not in html and "&lt;oak&gt;" in html and "<b>" not in html
    assert "fir" not in html and "and 2 more" in html
    assert html.count("<table>") == 2


def test_an_object_shows_its_printout():
    @dataclass(frozen=True, repr=False)
    class Result(Printable):
        name: str

        def _printout(self):
            return Printout(f"Result of {self.name}")

    assert repr(Result("oak")) == "Result of oak"
    assert "<h4>Result of oak</h4>" in Result("oak")._repr_html_()
