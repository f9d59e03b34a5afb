"""The documentation is true: its Python runs, its commands and targets exist, every public name is listed."""

import importlib
import importlib.util
import os
import re
import shlex
import sys
import warnings
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from textwrap import dedent

import pytest

import pulasso
from pulasso.exceptions import ClassShareWarning, GridEdgeWarning
from reproduction.__main__ import parser as parse_reproduction
from support.printed import same

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.rst")
    if not {"generated", "auto_examples", "_build", "_templates"} & set(page.relative_to(DOCS).parts)
)
BLOCK = re.compile(r"^( *)\.\. code-block:: (\w+)\n((?:\1 +:.*\n)*)\n((?:(?:\1 +.*)?\n)+)", re.MULTILINE)
LANGUAGES = {"python", "console", "text", "toml"}
# Packages whose public names are listed; parts for developers are listed by hand.
PACKAGES = (*pulasso._PACKAGES, "exceptions", "data.chunks")
# Re-exported from scikit-learn, and described there.
ELSEWHERE = {"ConvergenceWarning", "NotFittedError"}


def blocks(page, language):
    text = page.read_text(encoding="utf-8") + "\n"
    return [dedent(code) for _, name, _, code in BLOCK.findall(text) if name == language]


def snippets_and_outputs(page):
    """Python of a page in its order, and the outputs shown beneath: pairs of ("python" or "output", text)."""
    text = page.read_text(encoding="utf-8") + "\n"
    for _, language, options, code in BLOCK.findall(text):
        if language == "python" or ":class: output" in options:
            yield "python" if language == "python" else "output", dedent(code)


def name_of(page):
    return str(page.relative_to(DOCS))


@pytest.fixture
def closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name_of)
def test_python_runs_and_prints_what_is_shown(page, tmp_path, closed_figures):
    namespace, printed = {"__name__": f"docs.{page.stem}"}, ""
    with chdir(tmp_path), warnings.catch_warnings():
        warnings.simplefilter("ignore", GridEdgeWarning)  # short grids keep pages short
        if "``ClassShareWarning``" in page.read_text(encoding="utf-8"):
            warnings.simplefilter("ignore", ClassShareWarning)  # the page shows what it is about
        for kind, text in snippets_and_outputs(page):
            needed = re.match(r"# needs (\w+)\n", text)
            if needed and importlib.util.find_spec(needed[1]) is None:
                continue
            if kind == "output":
                same(printed, text)
            else:
                with redirect_stdout(StringIO()) as stream:
                    exec(compile(text, name_of(page), "exec"), namespace)
                printed = stream.getvalue()


def test_python_is_found():
    """A pattern that stopped matching would make all of the above pass."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    found = {name: sum(len(blocks(page, name)) for page in PAGES) for name in LANGUAGES}
    assert text.count(".. code-block:: ") == sum(found.values())
    assert found["python"] >= 30
    outputs = [kind for page in PAGES for kind, _ in snippets_and_outputs(page) if kind == "output"]
    assert len(outputs) == text.count(":class: output") >= 10


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=name_of)
def test_commands_exist(page):
    from typer.main import get_command

    from pulasso.cli.main import app

    command = get_command(app)
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.optional-dependencies]")[1]
    for line in "\n".join(blocks(page, "console")).replace("\\\n", " ").splitlines():
        if not line.startswith("$ "):
            continue
        program, *words = shlex.split(line.removeprefix("$ "))
        assert program in {"pulasso", "pip", "make", "python"}, line
        if program == "python" and words[0].startswith("studies/"):
            assert (ROOT / words[0]).is_file(), line
        elif program == "python":
            assert words[:2] == ["-m", "reproduction"], line
            parse_reproduction().parse_args(words[2:])
        if program == "pulasso":
            options = {option for each in command.commands[words[0]].params for option in each.opts}
            assert {word for word in words if word.startswith("-")} <= options, line
        for group in re.findall(r"\.\[([\w,]+)\]", line):
            assert all(re.search(rf"^{extra} = \[", extras, re.MULTILINE) for extra in group.split(",")), line


def test_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert set(re.findall(r"``make ([a-z-]+)", text)) <= targets


def test_all_commands_are_shown():
    from pulasso.cli.main import COMMANDS

    shown = re.findall(
        r"^\.\. command-help:: (\w+)$", (DOCS / "cli.rst").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(shown) == {command.__name__ for command in COMMANDS}


def test_all_public_names_are_listed():
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.rst"))
    listed = set(re.findall(r"^ {3,}(?:\.\. py:data:: )?(\w+)$", text, re.MULTILINE))
    listed |= set(re.findall(r"^\.\. py:data:: (\w+)$", text, re.MULTILINE))
    for package in PACKAGES:
        names = set(importlib.import_module(f"pulasso.{package}").__all__)
        assert names - ELSEWHERE <= listed, (package, names - ELSEWHERE - listed)
    top = set(pulasso.__all__) - set(pulasso._PACKAGES) - {"__version__"}
    assert top <= listed, top - listed


def test_examples_say_what_they_are():
    """The gallery runs them; here only what it needs to show them."""
    examples = sorted((ROOT / "examples").glob("plot_*.py"))
    assert examples
    for example in examples:
        code = example.read_text(encoding="utf-8")
        compile(code, example.name, "exec")
        assert re.match(r'"""\n?.+\n=+\n', code), example.name


def test_pages_speak_of_the_library_alone():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(rf"{re.escape(os.path.expanduser('~'))}/|TODO", text), page
