"""Write the models of `support.saved` in the format of today: run it once for each new format, and commit.

    python tests/saved/make_format.py

Files of older formats stay as they are: the tests show that every version reads them.
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from pulasso.estimators.persistence import FORMAT  # noqa: E402
from support.saved import KINDS, make_model, predictions  # noqa: E402


def main():
    """Write one folder and its predictions for each kind of model."""
    for kind in KINDS:
        folder = HERE / f"format-{FORMAT}" / kind
        if folder.exists():
            continue
        model = make_model(kind)
        model.save(folder, notes={"made by": "tests/saved/make_format.py"})
        np.save(folder.with_suffix(".predictions.npy"), predictions(model))


if __name__ == "__main__":
    main()
