"""Files and folders appear whole or not at all, whoever reads, writes or is killed at the same time."""

import errno
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pulasso.exceptions import SavedModelError
from pulasso.storage import new_file, read_folder, write_folder
from support.killed import at_every_moment, start, wait_for

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals, forks and links")
LEFTOVER = ".model.json.0123456789abcdef0123456789abcdef.part"


def write(folder, number, force=True):
    arrays = {"a": np.full(50, float(number)), "b": np.arange(3)}
    write_folder(folder, {"pulasso": "0", "number": number}, arrays, force=force, hint="Pass force.")


def read(folder):
    description, arrays = read_folder(folder)
    assert (arrays["a"] == description["number"]).all(), "two models are mixed"
    return description["number"]


def names(folder):
    return sorted(each.name for each in folder.iterdir())


# -- one file ---------------------------------------------------------------------------------------------------


def test_a_new_file(tmp_path):
    file = tmp_path / ("long" * 60)
    with new_file(file) as part:
        part.write_text("one")
        assert not file.exists() and part.parent == tmp_path
    with (
        pytest.raises(FileExistsError, match="Look elsewhere"),
        new_file(file, hint="Look elsewhere.") as part,
    ):
        raise AssertionError("the block must not run")
    with pytest.raises(ZeroDivisionError), new_file(file, force=True) as part:
        part.write_text("two")
        raise ZeroDivisionError
    assert file.read_text() == "one"
    with new_file(file, force=True) as part:
        part.write_text("three")
    assert file.read_text() == "three" and len(names(tmp_path)) == 1


@pytest.mark.parametrize("has_links", [True, False])
def test_what_another_process_wrote_meanwhile_is_not_replaced(tmp_path, monkeypatch, has_links):
    def no_links(*arguments):
        raise OSError(errno.EPERM, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr(os, "link", no_links)
    with new_file(tmp_path / "other") as part:
        part.write_text("mine")
    with pytest.raises(FileExistsError), new_file(tmp_path / "file") as part:
        part.write_text("mine")
        (tmp_path / "file").write_text("theirs")
    assert (tmp_path / "file").read_text() == "theirs" and names(tmp_path) == ["file", "other"]


# -- a folder ---------------------------------------------------------------------------------------------------


def test_nothing_is_replaced_unless_forced(tmp_path):
    write(tmp_path / "deep" / "model", 1, force=False)
    with pytest.raises(FileExistsError, match="Pass force"):
        write(tmp_path / "deep" / "model", 2, force=False)
    assert read(tmp_path / "deep" / "model") == 1
    write(tmp_path / "deep" / "model", 2)
    assert read(tmp_path / "deep" / "model") == 2
    assert names(tmp_path / "deep") == ["model"] and len(names(tmp_path / "deep" / "model")) == 2


def make_obstacle(what, path):
    if what == "file":
        path.write_text("text")
        return
    if what == "link":
        write(path.parent / "target", 7)
        path.symlink_to(path.parent / "target", target_is_directory=True)
        return
    if what == "dangling link":
        path.symlink_to(path.parent / "nowhere")
        return
    path.mkdir()
    content = {"photos": ("cat.jpg", "meow"), "another tool's model": ("model.json", '{"learner": {}}')}
    name, text = content.get(what, ("model.json", '{"pulasso": 1'))
    (path / name).write_text(text)


@posix_only
@pytest.mark.parametrize(
    "what", ["file", "link", "dangling link", "photos", "another tool's model", "damaged model"]
)
def test_only_models_are_replaced(tmp_path, what):
    make_obstacle(what, tmp_path / "model")
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    with pytest.raises(FileExistsError):
        write(tmp_path / "model", 1)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before


@posix_only
def test_only_our_own_files_are_removed(tmp_path):
    folder, target = tmp_path / "model", tmp_path / "target"
    write(folder, 1)
    (first,) = folder.glob("arrays-*")
    others = ["report.html", "arrays-old.safetensors", ".hidden", "arrays-0123456789abcdef.safetensors.bak"]
    for name in others:
        (folder / name).write_text(name)
    lost, old = folder / "arrays-0123456789abcdef.safetensors", folder / LEFTOVER
    for each in (lost, old):  # of another writer: perhaps at work, or killed long ago
        each.write_text("")
    os.utime(old, (time.time() - 1e6,) * 2)
    target.write_text("of somebody else")
    (folder / "model.json").rename(tmp_path / "moved")
    (folder / "model.json").symlink_to(tmp_path / "moved")
    before = (tmp_path / "moved").read_bytes()
    write(folder, 2)
    (folder / first.name).symlink_to(target)
    write(folder, 1)
    assert read(folder) == 1
    assert target.read_text() == "of somebody else" and (tmp_path / "moved").read_bytes() == before
    assert names(folder) == sorted([*others, lost.name, first.name, "model.json"])
    for name in others:
        assert (folder / name).read_text() == name


def test_empty_folders_and_leftovers_are_no_obstacle(tmp_path):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", 1)
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "arrays-0123456789abcdef.safetensors").write_text("")
    (tmp_path / "lost" / LEFTOVER).write_text("")
    (tmp_path / ".model.0123456789abcdef0123456789abcdef.part").mkdir()
    for name in ("lost", "model"):
        write(tmp_path / name, 2)
        assert read(tmp_path / name) == 2


@pytest.mark.parametrize("what", ["new", "replaced"])
def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch, what):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    if what == "replaced":
        write(tmp_path / "model", 1)
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "model", 2)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before
    assert names(tmp_path) == (["model"] if before else [])


# -- killed, and several at a time ------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize("what", ["new", "replaced"])
def test_a_writer_that_is_killed_leaves_a_whole_model_or_none(tmp_path, what):
    folder, seen = tmp_path / "model", set()
    if what == "replaced":
        write(folder, 1)

    def killed():
        write(folder, 2)

    for moment in at_every_moment(killed):
        if folder.exists():
            seen.add(read(folder))
        write(folder, 3)
        assert read(folder) == 3
        folder = tmp_path / str(moment)
        if what == "replaced":
            write(folder, 1)
    assert moment >= 6 and seen == ({1, 2} if what == "replaced" else {2})


@posix_only
def test_readers_never_see_half_a_model(tmp_path):
    """While one process replaces the model, two in turns."""
    folder = tmp_path / "model"
    write(folder, 0)

    def replace():
        for number in range(1, 201):
            write(folder, number % 3)

    writer, seen = start(replace), []
    while not os.waitpid(writer, os.WNOHANG)[0]:
        seen.append(read(folder))
    assert set(seen) == {0, 1, 2} and read(folder) == 200 % 3
    assert len(names(folder)) == 2 and names(tmp_path) == ["model"]


@posix_only
def test_many_writers(tmp_path):
    """One of them ends up there, whole; without force the first one stays."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: write(tmp_path / "model", number), range(40)))
    assert read(tmp_path / "model") in range(40)

    def write_first(number):
        try:
            write(tmp_path / "first", number, force=False)
        except FileExistsError:
            return None
        return number

    with ThreadPoolExecutor(4) as pool:
        winners = [each for each in pool.map(write_first, range(8)) if each is not None]
    assert winners == [read(tmp_path / "first")]
    children = [start(lambda number=number: write(tmp_path / "forked", number)) for number in range(4)]
    assert [wait_for(child) for child in children] == [True] * 4
    assert read(tmp_path / "forked") in range(4)
    assert names(tmp_path) == ["first", "forked", "model"]


# -- folders that hold no model ---------------------------------------------------------------------------------


def replace_name(folder):
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(
        json.dumps({**content, "arrays": "../arrays-0123456789abcdef.safetensors"})
    )


def as_pipe(pattern):
    def change(folder):
        (file,) = folder.glob(pattern)
        file.unlink()
        os.mkfifo(file)

    return change


def with_arrays(change):
    def changed(folder):
        (file,) = folder.glob("arrays-*")
        change(file)

    return changed


WRONG = {
    "nothing": lambda folder: (folder / "model.json").unlink(),
    "not JSON": lambda folder: (folder / "model.json").write_bytes(b"\xff"),
    "no object": lambda folder: (folder / "model.json").write_text("[]"),
    "deep": lambda folder: (folder / "model.json").write_text("[" * 100_000),
    "huge number": lambda folder: (folder / "model.json").write_text('{"arrays": ' + "1" * 5000 + "}"),
    "large": lambda folder: os.truncate(folder / "model.json", 2**29),
    "a folder": lambda folder: ((folder / "model.json").unlink(), (folder / "model.json").mkdir()),
    "another place": replace_name,
    "a pipe": as_pipe("model.json"),
    "arrays are a pipe": as_pipe("arrays-*"),
    "arrays are a device": with_arrays(lambda file: (file.unlink(), file.symlink_to("/dev/zero"))),
    "arrays are missing": with_arrays(lambda file: file.unlink()),
    "arrays are cut short": with_arrays(lambda file: os.truncate(file, 100)),
    "arrays are others": with_arrays(
        lambda file: file.write_bytes(file.read_bytes().replace(b"\x01", b"\x02", 1))
    ),
    "arrays are a circle": with_arrays(lambda file: (file.unlink(), file.symlink_to(file))),
}


@posix_only
@pytest.mark.parametrize("what", WRONG)
def test_folders_that_hold_no_model(tmp_path, what):
    write(tmp_path / "model", 1)
    WRONG[what](tmp_path / "model")
    with pytest.raises(SavedModelError):
        read_folder(tmp_path / "model")


def test_paths_that_lead_nowhere(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "nowhere", tmp_path / "file", tmp_path / ("x" * 300)):
        with pytest.raises(SavedModelError):
            read_folder(path)
