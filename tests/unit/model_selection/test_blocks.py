"""Blocks of places."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from pulasso import MultinomialPULassoCV
from pulasso.exceptions import InputError
from pulasso.model_selection import spatial_blocks


def test_places_of_one_square_are_one_block():
    rng = np.random.default_rng(0)
    places = rng.uniform(-50, 50, size=(500, 2))
    blocks = spatial_blocks(places, size=10)
    assert set(blocks) == set(range(blocks.max() + 1)) and blocks.max() > 90
    for block in range(blocks.max() + 1):
        assert (np.ptp(places[blocks == block], axis=0) < 10).all()


@pytest.mark.filterwarnings("ignore::pulasso.exceptions.GridEdgeWarning")
def test_cross_validation_holds_out_whole_blocks():
    rng = np.random.default_rng(0)
    places = rng.uniform(size=(300, 2))
    blocks = spatial_blocks(places, size=0.25)
    z = (rng.random(300) < 0.3).astype(int)
    how = {"scenario": "fully-observed", "lams": [0.1, 0.05], "progress": False}
    model = MultinomialPULassoCV(cv=GroupKFold(3), **how).fit(places, z, groups=blocks)
    assert model.cv_loss_.shape == (3, 2)


@pytest.mark.parametrize(
    ("coordinates", "size", "parameter"),
    [([1.0, 2.0], 1.0, "coordinates"), ([[1.0, np.nan]], 1.0, "coordinates"), ([[1.0, 2.0]], 0.0, "size")]
    + [([[1e300, 2.0]], 1e-300, "size")],
)
def test_what_is_refused(coordinates, size, parameter):
    with pytest.raises(InputError) as refused:
        spatial_blocks(coordinates, size)
    assert refused.value.parameter == parameter
