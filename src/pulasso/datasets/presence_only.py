"""Data that truly are presence-only: trees of Switzerland, and a protein read before and after selection."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from pulasso._messages import listed
from pulasso.datasets._dataset import Dataset
from pulasso.datasets._fetch import File, find, read_table

__all__ = ["load_rocker", "load_swiss_trees"]

GITHUB = "https://raw.githubusercontent.com"
DISDAT = f"{GITHUB}/rspatial/disdat/d0bbc328a46aaf5ba70793f4450dfdd8424abeef/inst/extdata"
PUDMS = f"{GITHUB}/RomeroLab/pudms/1564b34f6c241b9e02f814ac73d0cbd12bfc3112/data"

# Table, SHA-256 of the original (a file of R), SHA-256 of a local copy as text.
SWISS = {
    "SWItrain_po": (
        "a0bc74ed36fe1db01d8b62b8a70d7f2bb3f8020b3c3e3025312c0b27a5299f6b",
        "d6a6513016ebdac604107bc3bf4d5433db3a2111d9bd66b8487c867d4338092c",
    ),
    "SWItrain_bg": (
        "f3aabb428c9aacef4c2e928cbfabd0de666606062b87d5aee73d74b3b7f99630",
        "759504e7360d7cdd18d3f16acbb0d7561a33b84a21027789b009f35e51e4015f",
    ),
    "SWItest_env": (
        "41bdd98bd05320bcfe492ac086aca5abc2cc9d8e1ecac0df916e87f7acd4a4de",
        "061bd666763d222eed4fcd94b1c22389692786af8725db36c9589634f0e3515c",
    ),
    "SWItest_pa": (
        "e86dc39d7ffb5d2022a3a6bb3304e8bcf202db4e1d8e63d65006ae798702e8f6",
        "a5bf48951cda2b51fe85a0142967fa564af7c72ecd84b3da64a9460251fdd580",
    ),
}
SWISS_PREDICTORS = (
    "bcc", "calc", "ccc", "ddeg", "nutri", "pday", "precyy", "sfroyy", "slope", "sradyy", "swb", "tavecc", "topo",
)  # fmt: skip
# Species that hardly ever share a site (94 % of the occupied sites have one only).
EXCLUSIVE_TREES = ("swi08", "swi09", "swi16", "swi17", "swi23")

ROCKER = "e974f6af06f0a060cdcfca94971e6175cc9527c8baa5adf4c3aac36fb87f209b"
ROCKER_AS_TEXT = "b04ec9b4b0cbd4554bb75738e4efd6816efd5f3547e33ffc21ee551b35a2d52b"
ROCKER_WILD_TYPE = "MYYKEIAHALFSALFALSELYIAVRY*"
ROCKER_PREVALENCE = 0.00712


def load_swiss_trees(species: Sequence[str] = EXCLUSIVE_TREES) -> Dataset:
    """Load records of trees in Switzerland, a background sample, and an independent survey.

    Case-control data as ecologists have them: places where somebody recorded a species, and 10,000 random
    places. The survey (``test``) says for 10,013 other places which species were there.

    Parameters
    ----------
    species : sequence of str, default=("swi08", "swi09", "swi16", "swi17", "swi23")
        Of "swi01" ... "swi30". The model has one class for each place; the default species hardly ever
        share a place.

    Returns
    -------
    Dataset
        ``y`` holds the species, or "background" for the unlabeled rows: pass ``unlabeled="background"``.
        ``prevalence`` is their share among the places of the survey that have at most one of them,
        and ``test.y`` has a column of 0 and 1 for each species.

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
    tables = {name: read_table(find(_swiss_file(name))) for name in SWISS}
    records, background = tables["SWItrain_po"], tables["SWItrain_bg"]
    known = sorted(name for name in tables["SWItest_pa"] if name.startswith("swi"))
    unknown = [name for name in species if name not in known]
    if unknown or len(species) == 0:
        raise ValueError(
            f"species {listed(unknown)} are not among the trees, which are {listed(known, limit=30)}."
        )
    chosen = np.isin(records["spid"], list(species))
    described = "Swiss trees of the NCEAS benchmark; Elith et al. 2020, doi:10.17161/bi.v15i2.13384, GPL-3"
    survey = np.column_stack([tables["SWItest_pa"][name] for name in species]).astype(int)
    alone = survey[survey.sum(axis=1) <= 1]
    return Dataset(
        X=np.vstack([_predictors(background), _predictors(records)[chosen]]),
        y=np.concatenate([np.full(len(background["spid"]), "background"), records["spid"][chosen]]),
        feature_names=SWISS_PREDICTORS,
        class_names=("background", *species),
        description=described,
        prevalence=alone.mean(axis=0),
        test=Dataset(
            _predictors(tables["SWItest_env"]),
            survey,
            SWISS_PREDICTORS,
            tuple(species),
            described + " (survey)",
        ),
    )


def _swiss_file(name: str) -> File:
    original, as_text = SWISS[name]
    return File("disdat", f"{name}.rds", original, (f"{DISDAT}/{name}.rds",), (f"{name}.csv.gz", as_text))


def _predictors(table: dict) -> np.ndarray:
    return np.column_stack([table[name].astype(float) for name in SWISS_PREDICTORS])


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
    file = File(
        "rocker_dms", "rocker.rda", ROCKER, (f"{PUDMS}/rocker.rda",), ("rocker_dms.csv.gz", ROCKER_AS_TEXT)
    )
    table = read_table(find(file))
    x, names = _substitutions(table["sequence"])
    rows = [np.flatnonzero(table[column]) for column in ("unlabeled", "labeled")]
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
        sample_weight=np.concatenate([table["unlabeled"][rows[0]], table["labeled"][rows[1]]]),
        prevalence=np.array([ROCKER_PREVALENCE]),
    )


def _substitutions(sequences: np.ndarray) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Return indicators of the residues that differ from the wild type, named like Y2A."""
    length = len(ROCKER_WILD_TYPE)
    letters = sequences.astype(f"U{length}").view("U1").reshape(-1, length)
    rows, sites = np.nonzero(letters != np.array(list(ROCKER_WILD_TYPE)))
    keys = np.array(
        [f"{site:02d}{residue}" for site, residue in zip(sites, letters[rows, sites], strict=True)]
    )
    found, columns = np.unique(keys, return_inverse=True)
    names = tuple(f"{ROCKER_WILD_TYPE[int(key[:2])]}{int(key[:2]) + 1}{key[2:]}" for key in found.tolist())
    shape = (len(sequences), len(found))
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape), names
