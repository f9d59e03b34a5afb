"""Data that truly are presence-only: trees of Switzerland, and a protein read before and after selection."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pulasso.data.parameters import check_choice, check_names_of
from pulasso.datasets._dataset import Dataset
from pulasso.datasets._fetch import GITHUB, find, read_table
from pulasso.datasets.target_group import BACKGROUND, target_group_background

__all__ = ["load_rocker", "load_swiss_trees"]

DISDAT = f"{GITHUB}/rspatial/disdat/d0bbc328a46aaf5ba70793f4450dfdd8424abeef/inst/extdata"
PUDMS = f"{GITHUB}/RomeroLab/pudms/1564b34f6c241b9e02f814ac73d0cbd12bfc3112/data"

SWISS_TABLES = ("SWItrain_po", "SWItrain_bg", "SWItest_env", "SWItest_pa")
SWISS_PREDICTORS = (
    "bcc", "calc", "ccc", "ddeg", "nutri", "pday", "precyy", "sfroyy", "slope", "sradyy", "swb", "tavecc", "topo",
)  # fmt: skip
# Species that hardly ever share a site (94 % of the occupied sites have one only).
EXCLUSIVE_TREES = ("swi08", "swi09", "swi16", "swi17", "swi23")

ROCKER_WILD_TYPE = "MYYKEIAHALFSALFALSELYIAVRY*"
ROCKER_PREVALENCE = 0.00712


def load_swiss_trees(species: Sequence[str] = EXCLUSIVE_TREES, *, background: str = "random") -> Dataset:
    """Load records of trees in Switzerland, a background sample, and an independent survey.

    Case-control data as ecologists have them: places where somebody recorded a species, and 10,000 random
    places, or the 11,429 places where somebody recorded any of the 30 species. The survey (``test``) says for
    10,013 other places which species were there.

    Parameters
    ----------
    species : sequence of str, default=("swi08", "swi09", "swi16", "swi17", "swi23")
        Of "swi01" ... "swi30". The model has one class for each place; the default species hardly ever
        share a place.
    background : {"random", "target-group"}, default="random"
        See :func:`target_group_background`.

    Returns
    -------
    Dataset
        ``y`` holds the species, or "background" for the unlabeled rows: pass ``unlabeled="background"``.
        ``prevalence`` is their share among the places of the survey that have at most one of them,
        ``places`` are coordinates in metres, and ``test.y`` has a column of 0 and 1 for each species.

    Notes
    -----
    Licence: the package disdat is GPL-3 (its repository: LGPL-3). Cite J. Elith et al. (2020), Presence-only
    and presence-absence data for comparing species distribution modeling methods, Biodiversity Informatics
    15, https://doi.org/10.17161/bi.v15i2.13384. Downloaded from the package's repository at a fixed commit, by
    checksum. Records are denser where people looked; a local copy as text has seven significant digits.

    Examples
    --------
    >>> trees = load_swiss_trees()  # doctest: +SKIP
    >>> trees.X.shape, trees.test.y.shape  # doctest: +SKIP
    ((14567, 13), (10013, 5))
    """
    check_names_of("species", species)
    records, random, places, found = (_swiss_table(name) for name in SWISS_TABLES)
    known = sorted(name for name in found if name.startswith("swi"))
    check_names_of("species", species, known)
    check_choice("background", background, ("random", "target-group"))
    own = records[records["spid"].isin(species)]
    columns = (*SWISS_PREDICTORS, "x", "y")
    if background == "random":
        rows = np.vstack([_columns(random, columns), _columns(own, columns)])
        y = np.array([BACKGROUND] * len(random) + own["spid"].tolist())
    else:
        rows, y = target_group_background(
            _columns(records, columns), records["spid"], species, _columns(records, ("x", "y"))
        )
    described = "Swiss trees of the NCEAS benchmark; Elith et al. 2020, doi:10.17161/bi.v15i2.13384, GPL-3"
    survey, names = _columns(found, tuple(species)).astype(int), tuple(species)
    judged = Dataset(
        _columns(places, SWISS_PREDICTORS),
        survey,
        SWISS_PREDICTORS,
        names,
        f"{described} (survey)",
        places=_columns(places, ("x", "y")),
    )
    return Dataset(
        X=np.ascontiguousarray(rows[:, :-2]),
        y=y,
        feature_names=SWISS_PREDICTORS,
        class_names=(BACKGROUND, *names),
        description=described,
        prevalence=survey[survey.sum(axis=1) <= 1].mean(axis=0),
        places=np.ascontiguousarray(rows[:, -2:]),
        test=judged,
    )


def _swiss_table(name: str) -> Any:
    return read_table(find(f"disdat/{name}.rds", DISDAT, as_text=f"disdat/{name}.csv.gz"))


def _columns(table: Any, names: tuple[str, ...]) -> NDArray:
    return np.ascontiguousarray(table[list(names)], dtype=float)


def load_rocker() -> Dataset:
    """Load a deep mutational scan of the protein Rocker: variants before and after selection for function.

    Reads after selection are labelled (functional), reads of the initial library are unlabeled: binary
    case-control data. A variant differs from the wild type at one or two of 25 sites.

    Returns
    -------
    Dataset
        ``X`` is sparse with one column for every substitution seen (490), ``y`` is 1 for labelled and 0 for
        unlabeled rows, ``sample_weight`` the number of reads, ``groups`` the sites, ``prevalence`` what the
        authors chose (0.00712). A variant that was read before and after selection has two rows.

    Notes
    -----
    Licence: CC0. Cite H. Song, B. J. Bremer, E. C. Hinds, G. Raskutti and P. A. Romero (2021), Inferring protein
    sequence-function relationships with large-scale positive-unlabeled learning, Cell Systems 12. Downloaded
    from the repository of the package pudms at a fixed commit, by checksum.

    Examples
    --------
    >>> load_rocker().X.shape  # doctest: +SKIP
    (83778, 490)
    """
    table = read_table(find("rocker_dms/rocker.rda", PUDMS, as_text="rocker_dms/rocker_dms.csv.gz"))
    x, names = _substitutions(table["sequence"].to_numpy())
    reads = [np.asarray(table[column], dtype=float) for column in ("unlabeled", "labeled")]
    rows = [np.flatnonzero(each) for each in reads]
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(f"site{name[1:-1]}", []).append(name)
    return Dataset(
        X=x[np.concatenate(rows)],
        y=np.repeat([0, 1], [len(each) for each in rows]),
        feature_names=names,
        class_names=(0, 1),
        description="Rocker deep mutational scan; Song et al. 2021, Cell Systems 12, CC0",
        groups=groups,
        sample_weight=np.concatenate([each[seen] for each, seen in zip(reads, rows, strict=True)]),
        prevalence=np.array([ROCKER_PREVALENCE]),
    )


def _substitutions(sequences: NDArray) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Return indicators of the residues that differ from the wild type, named like Y2A."""
    length = len(ROCKER_WILD_TYPE)
    letters = sequences.astype(f"U{length}").view("U1").reshape(-1, length)
    rows, sites = np.nonzero(letters != np.array(list(ROCKER_WILD_TYPE)))
    residues = letters[rows, sites]
    keys = np.array([f"{site:02d}{residue}" for site, residue in zip(sites, residues, strict=True)])
    found, columns = np.unique(keys, return_inverse=True)
    names = tuple(f"{ROCKER_WILD_TYPE[int(key[:2])]}{int(key[:2]) + 1}{key[2:]}" for key in found.tolist())
    shape = (len(sequences), len(found))
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape), names
