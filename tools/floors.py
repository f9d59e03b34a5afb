"""Write constraints that hold every dependency in pyproject.toml at the oldest version that it allows.

    python tools/floors.py > floors.txt
    pip install --editable ".[test]" --constraint floors.txt

`make test-floors` does so, and runs a part of the tests.
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
FLOOR = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)$")
NOT_RUN = {"docs", "dev"}  # nothing of theirs is imported by the library or its tests


def floors(text):
    """Return the oldest allowed version of every dependency by name, in alphabetical order.

    Examples
    --------
    >>> floors('[project]\\ndependencies = ["numpy>=1.26", "dask[array]>=2025.1"]')
    {'dask': '2025.1', 'numpy': '1.26'}
    """
    project = tomllib.loads(text)["project"]
    extras = project.get("optional-dependencies", {})
    lists = [project["dependencies"], *(extras[name] for name in extras if name not in NOT_RUN)]
    wanted = [each for names in lists for each in names if not each.startswith("pulasso")]
    found = {}
    for each in wanted:
        match = FLOOR.match(each)
        if match is None:
            raise SystemExit(f"{each!r} has no floor; write name>=version.")
        name, version = match.groups()
        if found.setdefault(name, version) != version:
            raise SystemExit(f"{name} has two floors, {found[name]} and {version}.")
    return dict(sorted(found.items()))


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in floors(PROJECT.read_text()).items()))
