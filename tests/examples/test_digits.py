"""The example that `make run` runs, from end to end on few images."""

import base64
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pulasso

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module", name="run")
def quick_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("digits")
    source = str(Path(pulasso.__file__).parents[1])
    command = [
        sys.executable,
        "-W",
        "error",
        str(ROOT / "examples" / "digits.py"),
        "--quick",
        "--out",
        str(out),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, env={"PYTHONPATH": source, "HOME": str(out)}
    )
    assert done.returncode == 0, done.stderr
    return out, done


def test_it_prints_a_table_and_where_the_report_is(run):
    out, done = run
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["question", "model", "accuracy", "mean", "error", "pixels", "lam", "seconds"]
    assert [line.split()[0] for line in lines[2:8]] == ["digits"] * 3 + ["loops"] * 3
    assert lines[-1] == f"Report: {out / 'report.html'}"
    assert done.stderr == "", "progress is for terminals only"


@pytest.mark.parametrize("question", ["digits", "loops"])
def test_knowing_the_label_frequency_helps(run, question):
    pattern = rf"^{question} +(naive|pulasso|all labels) +([\d.]+)%"
    accuracy = {name: float(value) for name, value in re.findall(pattern, run[1].stdout, flags=re.MULTILINE)}
    assert accuracy["naive"] + 5 < accuracy["pulasso"]


def test_figures_are_pictures(run):
    figures = sorted(path.name for path in run[0].glob("*.png"))
    assert figures == [
        "choice.png",
        "coefficients.png",
        "comparison.png",
        "confusion.png",
        "loops.png",
        "loops_confusion.png",
    ]
    for name in figures:
        assert (run[0] / name).read_bytes().startswith(PNG)


def test_the_report_stands_alone(run):
    html = (run[0] / "report.html").read_text(encoding="utf-8")
    sources = re.findall(r'src="([^"]*)"', html)
    assert len(sources) == 6
    for source in sources:
        kind, data = source.split(",")
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data).startswith(PNG)
    assert "http" not in html, "nothing is fetched from elsewhere"
    assert len(re.findall(r'alt="[^"]+"', html)) == 6
    assert "{" not in html.split("</style>")[1], "every place in the text was filled"
