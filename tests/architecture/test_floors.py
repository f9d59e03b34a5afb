"""The oldest versions that pyproject.toml allows, as `make test-floors` installs them."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = spec_from_file_location("floors", ROOT / "tools" / "floors.py")
tool = module_from_spec(spec)
spec.loader.exec_module(tool)


def test_every_dependency_has_a_floor_and_none_is_known_to_be_unsafe():
    found = tool.floors((ROOT / "pyproject.toml").read_text())
    assert {"numpy", "scikit-learn", "typer", "dask", "onnx", "pytest"} <= set(found)
    assert tuple(map(int, found["pyarrow"].split("."))) >= (14, 0, 1)  # CVE-2023-47248


@pytest.mark.parametrize("others", ["scipy", "scipy<2", "numpy>=2.0"])
def test_a_dependency_without_a_floor_or_with_two_is_named(others):
    with pytest.raises(SystemExit, match=others.split(">")[0].split("<")[0]):
        tool.floors(f'[project]\ndependencies = ["numpy>=1.26", "{others}"]')
