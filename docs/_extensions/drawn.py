"""``.. drawn:: What it shows``: the picture that the Python of a page has drawn above, made while it is built.

All ``code-block:: python`` above the directive are run, in their order and once for each page, as the tests run
them. The figure that is open then becomes an image of the page, with the argument as its caption.
"""

import contextlib
import io
import re
import tempfile
import warnings
from pathlib import Path
from textwrap import dedent

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:(?: {3}.*)?\n)+)", re.MULTILINE)
DOTS_PER_INCH = 110


def run(code: str, name: str, namespace: dict) -> None:
    """Run a chunk of a page; what it prints is shown by the page itself, and short grids keep pages short."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        exec(compile(code, name, "exec"), namespace)


class Drawn(SphinxDirective):
    """Image of the figure that was drawn above."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        page = Path(self.env.doc2path(self.env.docname))
        above = "".join(page.read_text(encoding="utf-8").splitlines(keepends=True)[: self.lineno - 1])
        codes = [dedent(code) for code in BLOCK.findall(above)]
        state = self.env.temp_data.setdefault(
            "drawn", {"namespace": {"__name__": "page"}, "n_run": 0, "n_drawn": 0}
        )
        for code in codes[state["n_run"] :]:
            run(code, page.name, state["namespace"])
        state["n_run"] = len(codes)
        numbers = pyplot.get_fignums()
        if len(numbers) != 1:
            raise self.error(
                f"{len(numbers)} pictures are drawn above this place, but a caption belongs to one"
            )
        return [self._image(pyplot, numbers[0], page, state)]

    def _image(self, pyplot, number: int, page: Path, state: dict) -> nodes.figure:
        state["n_drawn"] += 1
        folder = Path(self.env.srcdir) / "drawn"
        folder.mkdir(exist_ok=True)
        file = folder / f"{self.env.docname.replace('/', '-')}-{state['n_drawn']}.png"
        figure = pyplot.figure(number)
        figure.savefig(file, dpi=DOTS_PER_INCH)
        pyplot.close(figure)
        image = nodes.image(uri=f"/drawn/{file.name}", alt=self.arguments[0])
        caption, messages = self.parse_inline(self.arguments[0], lineno=self.lineno)
        return nodes.figure("", image, nodes.caption("", "", *caption), *messages)


def setup(app):
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
