"""The README is true: its code runs, its outputs are what the code prints, its commands exist."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path

from typer.testing import CliRunner

from pulasso.cli.main import COMMANDS, app
from reproduction.__main__ import parser as parse_reproduction
from support.printed import same

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def test_python_blocks_run_in_order_and_print_what_is_shown(record_figure):
    assert sum(language == "python" for language, _ in BLOCKS) >= 8
    namespace, printed, n_outputs = {}, "", 0
    for language, code in BLOCKS:
        if language == "python":
            with redirect_stdout(io.StringIO()) as stream:
                exec(compile(code, "README.md", "exec"), namespace)
            printed = stream.getvalue()
        elif language == "text":
            same(printed, code)
            n_outputs += 1
    assert n_outputs >= 3
    record_figure("README", f"{len(BLOCKS)} blocks checked, {n_outputs} outputs compared")


def test_commands_exist():
    targets = set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    lines = [line for language, code in BLOCKS if language == "console" for line in code.splitlines()]
    commands = [line for line in lines if line.startswith("$ ")]
    assert commands
    for command in commands:
        program, *arguments = command.removeprefix("$ ").split("#")[0].split()
        assert program in {"make", "pip", "pulasso", "python"}
        if program == "make":
            assert set(arguments) <= targets
        elif program == "python":
            assert arguments[:2] == ["-m", "reproduction"]
            parse_reproduction().parse_args(arguments[2:])
        elif program == "pulasso":
            assert arguments[0] in {each.__name__ for each in COMMANDS}


def test_transcripts_are_what_the_commands_say(tmp_path, monkeypatch):
    """Where output is shown below a command, the commands of that block run one after the other."""
    monkeypatch.chdir(tmp_path)
    shown = [code for language, code in BLOCKS if language == "console" and "\nWritten: " in code]
    assert len(shown) == 1
    steps = re.findall(r"^\$ pulasso (.*)\n((?:(?!\$ ).*\n)*)", shown[0], flags=re.MULTILINE)
    assert len(steps) == 3
    for command, expected in steps:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, done.output
        same(done.stderr + done.stdout, expected)


def test_extras_exist():
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.optional-dependencies]")[1]
    for group in re.findall(r"\.\[([\w,]+)\]", TEXT):
        for extra in group.split(","):
            assert re.search(rf"^{extra} = \[", extras, flags=re.MULTILINE), extra


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_languages_are_known():
    """A block in another language would be checked by nobody."""
    assert {language for language, _ in BLOCKS} <= {"python", "text", "console"}
    assert TEXT.count("```") == 2 * len(BLOCKS)
