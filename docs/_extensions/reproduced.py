"""``.. reproduced:: figure-1``: an experiment as last run at the scale of the paper, from its saved files."""

import json
from pathlib import Path
from textwrap import indent
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from reproduction import get_experiment

SAVED = Path(__file__).parents[1] / "reproduction"
VERDICT = {True: "Holds.", False: "Does not hold."}


def labelled(label: str, text: str) -> nodes.paragraph:
    """Return a paragraph that begins with a word in bold; the text is no markup."""
    return nodes.paragraph("", "", nodes.strong(label, label), nodes.Text(f" {text}"))


class Reproduced(SphinxDirective):
    """What the paper says, our figure and tables, which claims hold, and why numbers differ."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        experiment, home = get_experiment(name), SAVED / name
        for file in sorted(home.glob("*")):
            self.env.note_dependency(str(file))
        notes = [nodes.paragraph("", text) for text in experiment.NOTES]
        words = [labelled("The paper.", experiment.PAPER)]
        if not (home / "claims.json").is_file():
            missing = f"No results are saved: python -m reproduction {name} --scale paper makes them."
            return [*words, nodes.paragraph("", missing), *notes]
        parts = [self.picture(name, experiment.TITLE), self.beside(name), self.claims(home)]
        return [*words, *(node for part in parts for node in part), *notes, *self.numbers(name, home)]

    def picture(self, name: str, title: str) -> list[nodes.Node]:
        image = f".. image:: /reproduction/{name}/figure.svg\n   :alt: {title}\n"
        return self.parse_text_to_nodes(f".. container:: reproduced-picture\n\n{indent(image, '   ')}")

    def beside(self, name: str) -> list[nodes.Node]:
        if not (SAVED / name / "beside.csv").is_file():
            return []
        words = "Ours ± standard error; the paper's in brackets"
        return self.parse_text_to_nodes(table_of(name, "beside.csv", words))

    def claims(self, home: Path) -> list[nodes.Node]:
        claims = json.loads((home / "claims.json").read_text(encoding="utf-8"))
        items = [
            nodes.list_item("", labelled(VERDICT[claim["holds"]], f"{claim['text']}: {claim['evidence']}."))
            for claim in claims
        ]
        return [nodes.bullet_list("", *items)]

    def numbers(self, name: str, home: Path) -> list[nodes.Node]:
        settings = json.loads((home / "settings.json").read_text(encoding="utf-8"))
        table = indent(table_of(name, "summary.csv"), "   ")
        nodes_of_table = self.parse_text_to_nodes(f".. dropdown:: All numbers\n\n{table}")
        command = f"python -m reproduction {name} --scale {settings['scale']} --seed {settings['seed']}"
        return [
            *nodes_of_table,
            nodes.paragraph("", "", nodes.literal(command, command), nodes.Text(_made(home))),
        ]


def table_of(name: str, file: str, title: str = "") -> str:
    """Return markup that shows a CSV file, its lines included: parsed text has no folder to find files from."""
    lines = indent((SAVED / name / file).read_text(encoding="utf-8"), "   ")
    return f".. csv-table:: {title}\n   :header-rows: 1\n\n{lines}\n"


def _made(home: Path) -> str:
    made: dict[str, Any] = json.loads((home / "made.json").read_text(encoding="utf-8"))
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    return f", run on {made['date']} with {versions}."


def setup(app):
    app.add_directive("reproduced", Reproduced)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
