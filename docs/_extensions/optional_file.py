"""``.. if-file:: path``: content for when a file of the repository is there, and ``.. if-no-file::`` for when not."""

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]


class IfFile(SphinxDirective):
    """Show the content if the file, named from the root of the repository, exists."""

    required_arguments = 1
    has_content = True
    wanted = True

    def run(self) -> list[nodes.Node]:
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        if path.exists() != self.wanted:
            return []
        return self.parse_content_to_nodes(allow_section_headings=True)


class IfNoFile(IfFile):
    """Show the content if the file does not exist."""

    wanted = False


def setup(app):
    app.add_directive("if-file", IfFile)
    app.add_directive("if-no-file", IfNoFile)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
