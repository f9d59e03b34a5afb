"""CONTRIBUTING.md is true: its recipes, followed in a copy of the source, give parts that keep the contracts."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
FILES = {
    match[1]: code
    for language, code in BLOCKS
    if language == "python" and (match := re.match(r"# (src/\S+\.py)\n", code))
}
SNIPPETS = [code for language, code in BLOCKS if language == "python" and not code.startswith("# src/")]
PATCHES = [code for language, code in BLOCKS if language == "diff"]
PARTS = ("group-log", "common-effect", "repeated-visits")

# The copy comes first on the path, and an editable installation must not lead back to the original.
START = """
import sys
sys.meta_path = [each for each in sys.meta_path if "editable" not in type(each).__module__]
sys.path[:0] = ["src", "tests"]
"""
CHECKS = """
import numpy as np, pulasso, pathlib
assert pathlib.Path(pulasso.__file__).is_relative_to(pathlib.Path.cwd()), pulasso.__file__
assert model.converged_ and model.coef_.any() and "GroupLog(gamma=3.0)" in str(model.summary())
assert shared.converged_ and shared.coef_.shape == (1, 12) and path.converged.all()
np.testing.assert_allclose(shared.predict_proba(data.X).sum(axis=1), 1.0)
np.testing.assert_array_equal(by_name.coef_, by_object.coef_)
equivalent = MultinomialPULasso(lam=0.01, scenario="single-training-set", label_frequency=1 - 0.7**2)
np.testing.assert_allclose(equivalent.fit(data.X, data.z).coef_, by_name.coef_, atol=1e-7)
for each in (model, by_name):
    each.save("saved", force=True)
    np.testing.assert_array_equal(pulasso.load("saved").coef_, each.coef_)
from pulasso import MultinomialPULassoCV, OrdinalPULasso
chosen = MultinomialPULassoCV(n_lams=5, cv=3, penalty="group-log", scenario="repeated-visits", label_frequency=0.3)
assert chosen.fit(data.X, data.z).converged_
assert OrdinalPULasso(0.01, penalty="group-log", scenario=RepeatedVisits(0.3)).fit(data.X, data.z).converged_
assert error.parameter == "lam_min_ratio" and "lam_min_ratio=2" in str(error)
print("all of it works")
"""


def patched(text, patch):
    """Return a text with the hunks of a patch applied, each of which must fit exactly once."""
    for hunk in re.split(r"^@@\n", patch, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        assert text.count(before) == 1, f"fits {text.count(before)} times:\n{before}"
        text = text.replace(before, after)
    return text


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository in which the recipes were followed."""
    root = tmp_path_factory.mktemp("recipes")
    leave = shutil.ignore_patterns("__pycache__", "*.html", "saved")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=leave)
    shutil.copy(ROOT / "pyproject.toml", root)
    for name, code in FILES.items():
        assert not (root / name).exists()
        (root / name).write_text(code, encoding="utf-8")
    for patch in PATCHES:
        header, _, hunks = patch.partition("\n")
        file = root / header.removeprefix(" # ")
        file.write_text(patched(file.read_text(encoding="utf-8"), hunks), encoding="utf-8")
    (root / "use.py").write_text(START + "\n".join(SNIPPETS) + CHECKS, encoding="utf-8")
    return root


def run(copy, *command):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def run_pytest(copy, *arguments):
    code = START + f"import pytest; sys.exit(pytest.main(['-p', 'no:cacheprovider', *{list(arguments)!r}]))"
    return run(copy, "-c", code)


def test_blocks_are_found():
    """A pattern that stopped matching would make the others pass."""
    assert len(FILES) == 4 and len(PATCHES) == 5 and len(SNIPPETS) == 4
    assert len(BLOCKS) == len(FILES) + len(PATCHES) + len(SNIPPETS)
    assert TEXT.count("```") == 2 * len(BLOCKS)


def test_parts_can_be_used(copy):
    assert run(copy, "use.py").endswith("all of it works\n")


def test_parts_fit_into_the_house(copy):
    """Their imports point downward, their names are in ``__all__``, their examples run."""
    files = [name for name in FILES if "estimators" not in name]
    structure = "tests/architecture/test_structure.py"
    run_pytest(copy, structure, *files, "-k", "group_log or common_effect or repeated_visits")


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_parts_keep_the_contracts(copy, part):
    # One test takes label_frequency for the chance of a label, whatever the scenario says.
    run_pytest(copy, "tests/contracts", "-k", f"{part} or registries")


def test_style(copy):
    pytest.importorskip("ruff")
    run(copy, "-m", "ruff", "check", *FILES)
    run(copy, "-m", "ruff", "format", "--check", *FILES)


def test_what_is_named_exists():
    for file in re.findall(r"`(\w+/[\w/]+\.(?:py|rst|md))`", TEXT):
        assert (ROOT / file).exists() or (ROOT / "src/pulasso" / file).exists(), file
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", TEXT)) <= targets
