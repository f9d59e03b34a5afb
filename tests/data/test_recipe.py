"""Columns become features, today and tomorrow; missing values are named, filled in, or suspected."""

import json

import numpy as np
import pandas as pd
import pytest

from pulasso.data.missingness import missingness_warning, refuse_missing
from pulasso.data.recipe import Recipe, learn_recipe
from pulasso.exceptions import InputError, SavedModelError

TABLE = pd.DataFrame(
    {
        "rain": [1.0, 2.0, np.nan, 4.0],
        "soil": ["clay", "sand", "loam", None],
        "road": ["near", "far", "far", "far"],
    }
)


@pytest.mark.parametrize("missing", ["refuse", "mean", "median"])
def test_recipes_come_back(missing):
    recipe = learn_recipe(TABLE, missing)
    again = Recipe.from_json(json.loads(json.dumps(recipe.to_json())))
    assert again == recipe
    encoded = again.encode(TABLE)
    assert list(encoded) == ["rain", "soil=clay", "soil=loam", "soil=sand", "road=near"]
    assert encoded.isna().any(axis=None) == (missing == "refuse")
    assert recipe.categories == {"soil": ["soil=clay", "soil=loam", "soil=sand"], "road": ["road=near"]}


def test_what_fills_gaps_is_remembered():
    encoded = learn_recipe(TABLE, "mean").encode(TABLE.iloc[2:])
    assert encoded["rain"].tolist() == [pytest.approx(7 / 3), 4.0]
    assert encoded["soil=clay"].tolist() == [0.0, 1.0]  # the first of equally frequent values


def test_kinds_of_columns():
    frame = pd.DataFrame(
        {
            "flag": [True, False, True],
            "whole": pd.array([1, 2, None], dtype="Int64"),
            "level": pd.Categorical(["b", "a", None]),
            "single": np.array([1, 2, 3], dtype=np.float32),
        }
    )
    encoded = learn_recipe(frame).encode(frame)
    assert list(encoded) == ["flag", "whole", "level=b", "single"]
    assert encoded["flag"].tolist() == [1.0, 0.0, 1.0]
    assert encoded["level=b"].isna().tolist() == encoded["whole"].isna().tolist() == [False, False, True]


def test_tables_of_numbers_are_not_copied():
    frame = pd.DataFrame(np.ones((5, 3)), columns=list("abc"))
    assert np.shares_memory(learn_recipe(frame).encode(frame).to_numpy(), frame.to_numpy())


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pd.to_datetime(["2020-01-01"] * 40), "holds dates"),
        ([f"site {i}" for i in range(40)], "drop='x'"),
        ([*map(str, range(39)), "?"], "na='?'"),
    ],
)
def test_columns_that_are_no_features(column, words):
    with pytest.raises(InputError, match=words):
        learn_recipe(pd.DataFrame({"x": column}))


def test_tables_of_tomorrow():
    recipe = learn_recipe(TABLE)
    new = TABLE.assign(soil="peat", road="on it")
    said = recipe.check(new, "new.csv")
    assert ["had none of the known values" in each for each in said] == [True, False]
    assert "as if they were 'far'" in said[1]  # of two values only the second has a feature
    assert recipe.encode(new).filter(like="soil").to_numpy().sum() == 0
    with pytest.raises(InputError, match="lacks column 'rain'.* Did you mean 'rainfall'"):
        recipe.check(TABLE.rename(columns={"rain": "rainfall"}), "new.csv")
    with pytest.raises(InputError, match="holds text, such as 'wet'"):
        recipe.encode(TABLE.assign(rain="wet"))
    with pytest.raises(InputError, match="no column left"):
        learn_recipe(TABLE[[]])


@pytest.mark.parametrize(
    "tree", [None, {}, [1], [{"nome": "a"}], [{"name": "a", "levels": [1]}], [{"name": "a", "fill": []}]]
)
def test_recipes_that_are_damaged(tree):
    with pytest.raises(SavedModelError, match="described wrongly"):
        Recipe.from_json(tree)


def test_missing_values_are_named():
    with pytest.raises(InputError, match=r"2 of 3 columns: 'rain' \(1\), 'soil' \(1\); 2 of 4 rows"):
        refuse_missing(TABLE, "t.csv")
    refuse_missing(TABLE[["road"]], "t.csv")


def test_missing_values_that_depend_on_the_label():
    is_unlabeled = np.arange(80) < 40
    dependent = pd.DataFrame({"rain": np.where(is_unlabeled & (np.arange(80) % 2 == 0), np.nan, 1.0)})
    assert "in 0 % of the labelled rows and 50 % of the others" in missingness_warning(
        dependent, is_unlabeled
    )
    assert "filled in" in missingness_warning(dependent, is_unlabeled, "median")
    independent = pd.DataFrame({"rain": np.where(np.arange(80) % 2 == 0, np.nan, 1.0)})
    assert missingness_warning(independent, is_unlabeled) is None
    assert missingness_warning(dependent.fillna(0.0), is_unlabeled) is None
