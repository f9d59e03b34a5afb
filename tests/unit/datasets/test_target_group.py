"""The records of all species as background."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit

from pulasso import CaseControl, MultinomialPULasso
from pulasso.datasets import target_group_background
from pulasso.exceptions import InputError

SPECIES = np.array(["oak", "fir", "fir", "elm", "oak"])
X = np.arange(10.0).reshape(5, 2)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array, pd.DataFrame])
def test_every_record_is_background_and_focal_ones_are_labelled(kind):
    both, y = target_group_background(kind(X), SPECIES, ["oak"])
    assert y.tolist() == ["background"] * 5 + ["oak"] * 2
    values = both.toarray() if sparse.issparse(both) else np.asarray(both)
    np.testing.assert_array_equal(values, X[[0, 1, 2, 3, 4, 0, 4]])


@pytest.mark.parametrize("places", [["a", "a", "b", "c", "c"], [[0, 1], [0, 1], [0, 2], [3, 3], [3, 3]]])
def test_a_place_is_counted_once(places):
    both, y = target_group_background(X, SPECIES, ["oak", "elm"], places)
    np.testing.assert_array_equal(both[y == "background"], X[[0, 2, 3]])
    assert (y == "oak").sum() == 2 and (y == "elm").sum() == 1


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"focal": ["ok"]}, "focal"),
        ({"focal": ["oak", "fir", "elm"]}, "species"),
        ({"species": ["background", *SPECIES[1:]]}, "species"),
        ({"species": SPECIES[1:]}, "species"),
        ({"places": [1, 2]}, "places"),
        ({"places": 1.0}, "places"),
        ({"places": np.array(1.0)}, "places"),
        ({"X": 0.5}, "X"),
        ({"X": np.array(0.5)}, "X"),
        ({"X": slice(3)}, "X"),
        ({"X": pd.DataFrame}, "X"),
        ({"places": [None, *"abcdefghij"][: len(SPECIES)]}, "places"),
    ],
)
def test_what_is_refused(change, parameter):
    with pytest.raises(InputError) as refused:
        target_group_background(**{"X": X, "species": SPECIES, "focal": ["oak"], **change})
    assert refused.value.parameter == parameter


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.ClassShareWarning")
def test_what_looking_does_to_records_cancels():
    rng = np.random.default_rng(0)
    where = rng.normal(size=(60_000, 2))
    where[:, 1] += where[:, 0]  # roads, and the climate that goes along with them
    visited = rng.random(len(where)) < expit(2.0 * where[:, 0] - 2.0)
    is_oak = rng.random(len(where)) < expit(where[:, 1] - 2.0)
    climate = where[:, 1:]
    own, others = np.flatnonzero(visited & is_oak)[:1500], np.flatnonzero(visited)[:6000]
    records = np.concatenate([own, others])
    species = np.repeat(["oak", "fir"], [len(own), len(others)])
    both, y = target_group_background(climate[records], species, ["oak"], records)
    # Of the places with a record, this share holds an oak: what prevalence means here.
    shares = [is_oak[np.unique(records)].mean(), is_oak.mean()]
    at_random = rng.choice(len(where), 6000)
    plain = np.vstack([climate[at_random], climate[own]])
    labels = np.repeat(["background", "oak"], [6000, len(own)])
    models = [
        MultinomialPULasso(lam=1e-4, scenario=CaseControl(share), unlabeled="background").fit(x, z)
        for x, z, share in ((both, y, shares[0]), (plain, labels, shares[1]))
    ]
    errors = [abs(model.coef_[0, 0] - 1.0) for model in models]
    assert errors[0] < 0.25 < errors[1]
