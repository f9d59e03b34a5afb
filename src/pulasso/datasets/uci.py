"""Data sets of the UCI repository: digits, colposcopies, wines."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pulasso._messages import arg
from pulasso.data.inputs import check_flag
from pulasso.data.parameters import as_numbers, check_choice, check_names_of
from pulasso.datasets._dataset import Dataset
from pulasso.datasets._fetch import GITHUB, find, read_table
from pulasso.exceptions import InputError

__all__ = ["load_colposcopy", "load_mfeat", "load_wine_quality"]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
# Copies of UCI's files at a fixed commit.
DIGITS_COPY = f"{GITHUB}/souptik1997/digits-project/498f06be68f371a174c40d376002819d75811aa3"
COLPOSCOPY_COPY = (
    f"{GITHUB}/KevinB5/CienciaDeDados/4074d3e55f331327aaf41dbc2d301034f7ceba00/project_datasets_DC/datasets/"
    "digital_colposcopy"
)

# Number of features of every view.
VIEWS = {"fou": 76, "fac": 216, "kar": 64, "pix": 240, "zer": 47, "mor": 6}
MODALITIES = ("green", "hinselmann", "schiller")
WINES = ("red", "white")


def load_mfeat(views: Sequence[str] = tuple(VIEWS)) -> Dataset:
    """Load the handwritten digits of the paper's Table 1: 2000 images, 649 features in six views.

    Fully labelled: hide labels by :func:`mask_labels`. Six pairs of images are identical, each within one digit.

    Parameters
    ----------
    views : sequence of {"fou", "fac", "kar", "pix", "zer", "mor"}
        Fourier coefficients (76), profile correlations (216), Karhunen-Loeve coefficients (64), pixel averages
        (240), Zernike moments (47), morphological features (6); by default all, in this order.

    Returns
    -------
    Dataset
        ``y`` are the digits 0..9, ``groups`` the views.

    Notes
    -----
    Licence: CC BY 4.0, UCI Machine Learning Repository. Cite R. Duin (1998), Multiple Features,
    https://doi.org/10.24432/C5HC70. Downloaded from UCI, or a copy of its files, by checksum.

    Examples
    --------
    >>> digits = load_mfeat()  # doctest: +SKIP
    >>> digits.X.shape  # doctest: +SKIP
    (2000, 649)
    """
    check_names_of("views", views, VIEWS)
    groups = {view: [f"{view}{i}" for i in range(VIEWS[view])] for view in views}
    return Dataset(
        X=np.hstack([np.loadtxt(find(f"mfeat/mfeat-{view}", f"{UCI}/mfeat", DIGITS_COPY)) for view in views]),
        y=np.repeat(np.arange(10), 200),
        feature_names=tuple(name for names in groups.values() for name in names),
        class_names=tuple(range(10)),
        description="Multiple Features (handwritten digits); R. Duin 1998, UCI, CC BY 4.0, doi:10.24432/C5HC70",
        groups=groups,
    )


def load_colposcopy(drop_redundant: bool = False) -> Dataset:
    """Load the digital colposcopies of the paper's Table 2: 287 images, 62 features, ordered labels.

    The label is the number of experts, of six, who found the quality of an image good.

    Parameters
    ----------
    drop_redundant : bool, default=False
        Leave out the twelve columns that are the mean of a colour plus or minus its standard deviation, both of
        which are columns themselves.

    Returns
    -------
    Dataset
        ``y`` in 0..6, ``groups`` by what the features describe.

    Notes
    -----
    Licence: CC BY 4.0, UCI Machine Learning Repository, data set 384. Cite K. Fernandes, J. S. Cardoso and
    J. Fernandes (2017), Transfer learning with partial observability applied to cervical cancer screening.
    Downloaded from a copy of UCI's files at a fixed commit, by checksum.

    Examples
    --------
    >>> load_colposcopy().X.shape  # doctest: +SKIP
    (287, 62)
    """
    check_flag("drop_redundant", drop_redundant)
    files = [find(f"colposcopy/{name}.csv", COLPOSCOPY_COPY) for name in MODALITIES]
    table = pd.concat([read_table(file) for file in files])
    experts = [name for name in table if name.startswith("experts")]
    features = [name for name in table if name not in (*experts, "consensus")]
    if drop_redundant:
        features = [name for name in features if not name.endswith(("_minus_std", "_plus_std"))]
    return Dataset(
        X=np.ascontiguousarray(table[features], dtype=float),
        y=np.asarray(table[experts], dtype=float).sum(axis=1).astype(int),
        feature_names=tuple(features),
        class_names=tuple(range(len(experts) + 1)),
        description="Quality Assessment of Digital Colposcopies; Fernandes et al. 2017, UCI 384, CC BY 4.0",
        groups=_colposcopy_groups(features),
    )


def _colposcopy_groups(features: Sequence[str]) -> Mapping[str, Sequence[str]]:
    starts = ("rgb_cervix", "rgb_total", "hsv_cervix", "hsv_total", "fit", "dist_to_center")
    groups: dict[str, list[str]] = {"areas": []}
    for name in features:
        found = next((start for start in starts if name.startswith(start)), "areas")
        groups.setdefault(found, []).append(name)
    return groups


def load_wine_quality(color: str = "red", levels: Sequence[float] | None = (6, 7)) -> Dataset:
    """Load the wines of Cortez et al.: 11 measurements against the marks of tasters, ordered.

    Parameters
    ----------
    color : {"red", "white"}, default="red"
        1599 red or 4898 white wines. Many rows occur more than once (240 and 937).
    levels : sequence of marks or None, default=(6, 7)
        Where a new class begins: the default makes 5 and less class 0, 6 class 1, 7 and more class 2. None
        keeps the marks themselves, some of which are very rare.

    Returns
    -------
    Dataset

    Notes
    -----
    Licence: CC BY 4.0, UCI Machine Learning Repository. Cite P. Cortez, A. Cerdeira, F. Almeida, T. Matos and
    J. Reis (2009), Modeling wine preferences by data mining from physicochemical properties, Decision Support
    Systems 47. Downloaded from UCI by checksum.

    Examples
    --------
    >>> load_wine_quality("white").X.shape  # doctest: +SKIP
    (4898, 11)
    """
    check_choice("color", color, WINES)
    edges = None if levels is None else as_numbers("levels", levels, ndim=1)
    if edges is not None and not (np.diff(edges) > 0).all():
        raise InputError(f"{arg('levels')} must increase.", parameter="levels")
    file = find(f"wine_quality/winequality-{color}.csv", f"{UCI}/wine-quality")
    table = read_table(file, delimiter=";")
    marks = np.asarray(table.pop("quality"), dtype=int)
    y = marks if edges is None else np.searchsorted(edges, marks, side="right")
    return Dataset(
        X=np.ascontiguousarray(table, dtype=float),
        y=y,
        feature_names=tuple(table),
        class_names=tuple(np.unique(y).tolist()),
        description=f"Wine Quality, {color}; Cortez et al. 2009, UCI, CC BY 4.0",
    )
