"""ARCHITECTURE.md is true: its files, its names and its floors are those of the source."""

import importlib
import re
from operator import attrgetter
from pathlib import Path

import pytest

import pulasso
from architecture.test_structure import FLOORS

ROOT = Path(__file__).parents[2]
SOURCE = Path(pulasso.__file__).parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(\w+(?:\.\w+)?)` \(`([\w/]+\.py)`\)", TEXT)


def test_enough_is_named():
    """A pattern that stopped matching would make the next test pass."""
    assert len(NAMED) >= 50
    assert len(re.findall(r"^## Walk \d", TEXT, flags=re.MULTILINE)) == 3


@pytest.mark.parametrize(("name", "file"), sorted(set(NAMED)))
def test_a_name_is_in_its_file(name, file):
    module = importlib.import_module("pulasso." + file.removesuffix(".py").replace("/", "."))
    assert attrgetter(name)(module) is not None
    assert name.split(".")[-1] in (SOURCE / file).read_text(encoding="utf-8")


def test_files_exist():
    for file in re.findall(r"`([\w/]+\.(?:py|rst|md))`", TEXT):
        assert (SOURCE / file).exists() or (ROOT / file).exists(), file


def test_floors_are_those_of_the_structure():
    block = re.search(r"to its foundations.*\n\n((?: {4}.*\n)+)", TEXT)[1]
    floors = [tuple(re.split(r",\s*", re.split(r"\s{3,}", line.strip())[0])) for line in block.splitlines()]
    assert [set(floor) for floor in floors] == [set(floor) for floor in FLOORS[1:]]


def test_every_room_is_described():
    table = TEXT.split("## The rooms")[1].split("## Walk 1")[0]
    rooms = {each.rstrip("/").removesuffix(".py") for each in re.findall(r"`(\w+(?:/|\.py))`", table)}
    assert {room for floor in FLOORS[1:] for room in floor} <= rooms


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 140
