"""Data sets of the UCI repository: digits, colposcopies, wines."""

from collections.abc import Mapping, Sequence

import numpy as np

from pulasso.datasets._dataset import Dataset
from pulasso.datasets._fetch import File, find, read_table

__all__ = ["load_colposcopy", "load_mfeat", "load_wine_quality"]

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
GITHUB = "https://raw.githubusercontent.com"
# Copies at a fixed commit, compared byte by byte with the checksums below.
DIGITS_COPY = f"{GITHUB}/souptik1997/digits-project/498f06be68f371a174c40d376002819d75811aa3"
COLPOSCOPY_COPY = (
    f"{GITHUB}/KevinB5/CienciaDeDados/4074d3e55f331327aaf41dbc2d301034f7ceba00/project_datasets_DC/datasets/"
    "digital_colposcopy"
)

# View, number of features, SHA-256.
VIEWS = {
    "fou": (76, "d2bed48a4d302efe77bd80d52e16a211e99efe6fee9baf1c28dcc199c43c50ad"),
    "fac": (216, "83be9bc9fd50c6dd0b0532f6b6101956f1cf51c71b33f22d3f0cd2b5befb31b5"),
    "kar": (64, "db832668544497d0c06a2c1d1bfa0e17ba672812b7cfa6ed19f0941e19e1d7fa"),
    "pix": (240, "70a1cd033add46614464a8740ddc23c3693765985bde52ccb6b702bff23b64f1"),
    "zer": (47, "d4a0e302f2f61e823b906f78818c7c0ef078c0bbc23022affd6607d60ecfe4f3"),
    "mor": (6, "8767b326d874f096de06d525a2df4e610f4e9dfe91e29c250d8a3054907e3b61"),
}

MODALITIES = {
    "green": "c903efe55c360d9f80b116692661600e26b0b3c76112df792564e514c393bc3a",
    "hinselmann": "5f685351dbe83646ee94bddbf74b2d740921a3099b2f43e75e59c8ac46063463",
    "schiller": "64382f374e8b4e3315e333f9e21815a189a7393daae276d93a1a70dd55d4fec7",
}

WINES = {
    "red": "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
    "white": "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
}


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
    unknown = [view for view in views if view not in VIEWS]
    if unknown or len(views) == 0:
        raise ValueError(f"views={tuple(views)!r} must name at least one of {', '.join(VIEWS)}.")
    groups = {view: [f"{view}{i}" for i in range(VIEWS[view][0])] for view in views}
    return Dataset(
        X=np.hstack([np.loadtxt(find(_view_file(view))) for view in views]),
        y=np.repeat(np.arange(10), 200),
        feature_names=tuple(name for names in groups.values() for name in names),
        class_names=tuple(range(10)),
        description="Multiple Features (handwritten digits); R. Duin 1998, UCI, CC BY 4.0, doi:10.24432/C5HC70",
        groups=groups,
    )


def _view_file(view: str) -> File:
    name = f"mfeat-{view}"
    return File("mfeat", name, VIEWS[view][1], (f"{UCI}/mfeat/{name}", f"{DIGITS_COPY}/{name}"))


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
    tables = []
    for name, sha256 in MODALITIES.items():
        file = File("colposcopy", f"{name}.csv", sha256, (f"{COLPOSCOPY_COPY}/{name}.csv",))
        tables.append(read_table(find(file)))
    table = {name: np.concatenate([each[name] for each in tables]) for name in tables[0]}
    experts = [name for name in table if name.startswith("experts")]
    features = [name for name in table if name not in (*experts, "consensus")]
    if drop_redundant:
        features = [name for name in features if not name.endswith(("_minus_std", "_plus_std"))]
    return Dataset(
        X=np.column_stack([table[name] for name in features]),
        y=np.sum([table[name] for name in experts], axis=0).astype(int),
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
    if color not in WINES:
        raise ValueError(f"color={color!r} must be one of {', '.join(map(repr, WINES))}.")
    name = f"winequality-{color}.csv"
    file = File("wine_quality", name, WINES[color], (f"{UCI}/wine-quality/{name}",))
    table = read_table(find(file), delimiter=";")
    marks = table.pop("quality").astype(int)
    y = marks if levels is None else np.searchsorted(np.asarray(levels), marks, side="right")
    return Dataset(
        X=np.column_stack(list(table.values())),
        y=y,
        feature_names=tuple(table),
        class_names=tuple(np.unique(y).tolist()),
        description=f"Wine Quality, {color}; Cortez et al. 2009, UCI, CC BY 4.0",
    )
