"""``.. command-help:: cv``: what ``pulasso cv --help`` says, asked for while the pages are built."""

import os
import re
import subprocess
import sys

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

WIDTH = 80
START = "import sys; sys.argv[0] = 'pulasso'; from pulasso.cli.main import main; main()"


def help_of(*words: str) -> str:
    """Return the help of a command as plain text."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1"}
    command = [sys.executable, "-c", START, *words, "--help"]
    text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


class CommandHelp(SphinxDirective):
    """The help of a command, or of `pulasso` itself if none is named."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        words = self.arguments[0].split() if self.arguments else []
        text = help_of(*words)
        block = nodes.literal_block(text, text, language="none", classes=["command-help"])
        return [block]


def setup(app):
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
