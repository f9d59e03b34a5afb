"""Copy the results of ``python -m reproduction`` beside this file, small enough for a repository; the pages show them.

``python docs/reproduction/collect.py runs/paper-scale``, which ``make reproduce-docs`` does.
"""

import argparse
import json
import shutil
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
SCALE = "paper"
AS_THEY_ARE = ("claims.json", "settings.json", "made.json", "beside.csv", "figure.svg")
DIGITS = "%.4g"  # as many as a reader compares


def collect(results: Path, saved: Path = HERE) -> list[str]:
    """Copy what the pages show of every experiment that was run at the scale of the paper; return their names."""
    names = []
    for file in sorted(results.glob("*/settings.json")):
        if json.loads(file.read_text(encoding="utf-8"))["scale"] != SCALE:
            continue
        home = saved / file.parent.name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        for name in AS_THEY_ARE:
            if (file.parent / name).is_file():
                shutil.copyfile(file.parent / name, home / name)
        pd.read_csv(file.parent / "summary.csv").to_csv(
            home / "summary.csv", index=False, float_format=DIGITS
        )
        names.append(home.name)
    return names


def main() -> None:
    """Read the command line, and say what was copied."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="folder that python -m reproduction wrote")
    names = collect(parser.parse_args().results)
    if not names:
        parser.error(f"no experiment was run there at --scale {SCALE}")
    print(f"Copied to {HERE.name}: {', '.join(names)}")


if __name__ == "__main__":
    main()
