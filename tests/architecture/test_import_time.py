"""``import pulasso`` is light: what is heavy loads on first use."""

import json
import subprocess
import sys
from pathlib import Path

import pulasso

HEAVY = ("sklearn", "scipy", "pandas", "polars", "matplotlib", "joblib", "onnx")
SOURCE = Path(pulasso.__file__).parents[1]

MEASURE = """
import json, sys, time
sys.path.insert(0, {source!r})
before = set(sys.modules)
start = time.perf_counter()
{statement}
seconds = time.perf_counter() - start
print(json.dumps({{"milliseconds": 1000 * seconds, "modules": sorted(set(sys.modules) - before)}}))
"""


def measure(statement):
    """Run one statement in a new interpreter; return its time and the modules that it loaded."""
    code = MEASURE.format(source=str(SOURCE), statement=statement)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_the_package_loads_nothing_heavy(record_figure):
    cost = min((measure("import pulasso") for _ in range(3)), key=lambda each: each["milliseconds"])
    record_figure("import pulasso", f"{cost['milliseconds']:.1f} ms, {len(cost['modules'])} modules")
    loaded = {module.split(".")[0] for module in cost["modules"]}
    assert not loaded & {*HEAVY, "numpy"}


def test_importing_an_estimator_loads_what_it_needs(record_figure):
    cost = measure("from pulasso import MultinomialPULasso")
    record_figure("from pulasso import MultinomialPULasso", f"{cost['milliseconds']:.0f} ms")
    loaded = {module.split(".")[0] for module in cost["modules"]}
    assert "sklearn" in loaded
    assert not loaded & {
        "polars",
        "matplotlib",
        "onnx",
    }  # scikit-learn itself loads pandas where it is installed


FRESH = """
for name in {names!r}:
    for module in [each for each in sys.modules if each.startswith("pulasso")]:
        del sys.modules[module]
    exec(f"from pulasso import {{name}}")
"""


def test_every_public_name_loads_first():
    """No name needs another one to have been loaded before it."""
    names = sorted(set(pulasso.__all__) - {"__version__"})
    assert "pulasso" in measure(FRESH.format(names=names))["modules"]
