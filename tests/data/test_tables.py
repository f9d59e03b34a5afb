"""Tables of every format read the same; text in the ways that people write it."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from pulasso.data.tables import file_hash, read_table
from pulasso.exceptions import DataFileError

FRAME = pd.DataFrame(
    {"species": ["oak", "background", "fir"], "rain": [0.25, -1.5, 3.0], "soil": ["a b", "c", "d"]}
)
WRITERS = {
    "t.csv": lambda path: FRAME.to_csv(path, index=False, encoding="utf-8-sig"),
    "t.tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "t.tsv.gz": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "semicolon.csv": lambda path: FRAME.to_csv(path, index=False, sep=";", decimal=","),
    "numbered.csv": lambda path: FRAME.to_csv(path, index=True),
    "rownames.csv": lambda path: path.write_text(FRAME.to_csv(index=True)[1:]),  # as R's write.table does
    "t.parquet": lambda path: FRAME.to_parquet(path),
    "t.feather": lambda path: FRAME.to_feather(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_reads_the_same(tmp_path, name):
    if name.endswith((".parquet", ".feather")):
        pytest.importorskip("pyarrow")
    WRITERS[name](tmp_path / name)
    table = read_table(tmp_path / name, label="species")
    found = table.frame.reset_index(drop=True)
    pd.testing.assert_frame_equal(found, FRAME, check_dtype=False)
    assert any("counts the rows" in each for each in table.notes) == (name == "numbered.csv")


def test_matrices(tmp_path):
    X, y = np.array([[0.5, 0.0], [1.0, 2.0]]), np.array([0, 2])
    np.savez(tmp_path / "t.npz", X=X, y=y, species=y + 1)
    dump_svmlight_file(X, y, str(tmp_path / "t.svmlight"))
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
    for name in ("t.npz", "t.svmlight"):
        table = read_table(tmp_path / name)
        np.testing.assert_array_equal(
            np.asarray(table.matrix.todense() if "svm" in name else table.matrix), X
        )
        assert table.labels.tolist() == [0, 2]
    assert read_table(tmp_path / "t.npz", label="species").labels.tolist() == [1, 3]
    assert read_table(tmp_path / "t.svmlight", n_features=5).matrix.shape == (2, 5)
    assert read_table(tmp_path / "s.npz").labels is None
    for label in ("X", "kind"):
        with pytest.raises(DataFileError):
            read_table(tmp_path / "t.npz", label=label)


def test_other_encodings(tmp_path):
    (tmp_path / "t.csv").write_bytes("species,größe\nEiche,1\nFöhre,2\n".encode("cp1252"))
    table = read_table(tmp_path / "t.csv", label="species")
    assert table.frame.to_dict("list") == {"species": ["Eiche", "Föhre"], "größe": [1, 2]}
    assert "Windows-1252" in table.notes[0]
    (tmp_path / "t.csv").write_bytes(b"a,b\n\x81,1\n")
    with pytest.raises(DataFileError, match="no text: byte 0x81"):
        read_table(tmp_path / "t.csv")


def test_a_class_may_be_called_none(tmp_path):
    with gzip.open(tmp_path / "t.csv.gz", "wt") as stream:
        stream.write("species,a\nNone,1\nnull,None\n,?\nNA,4\n")
    frame = read_table(tmp_path / "t.csv.gz", label="species", na=["?"]).frame
    assert frame["species"].tolist() == ["None", "null", "", "NA"]
    assert frame["a"].isna().tolist() == [False, True, True, False]


def test_tables_read_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("pulasso.data.text_tables.CELLS_AT_ONCE", 6)
    lines = ["z,a,b,c", *(f"{i % 2},{i},{i}.5,{'x' if i == 9 else i}" for i in range(10))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    frame = read_table(tmp_path / "t.csv", label="z").frame
    assert list(frame) == ["z", "a", "b", "c"]
    assert frame["a"].tolist() == list(range(10))
    assert frame["b"].tolist() == [i + 0.5 for i in range(10)]
    assert frame["c"].tolist() == [*map(str, range(9)), "x"]  # not 0.0, 1.0, ...


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.xlsx", b"x", "its name should end in .csv, .tsv"),
        ("empty.csv", b"\n", "is empty"),
        ("header.csv", b"species,a\n", "has a header, but no rows"),
        ("twice.csv", b"species,a,a\noak,1,2\n", "more than one column named 'a'"),
        ("ragged.csv", b"species,a\noak,1\nfir,1,2,3\n", "line 3"),
        ("cut.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "cannot be unpacked"),
        ("t.parquet", b"PAR1 not really", "cannot be read"),
        ("t.npz", b"PK not really", "cannot be read"),
        ("t.svmlight", b"1 1:0.5 99999999999999999999:1\n0 1:0.2\n", "cannot be read as svmlight"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataFileError, match=words):
        read_table(tmp_path / name)


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "sightings.csv").write_text("a\n1\n")
    with pytest.raises(DataFileError, match="Did you mean 'sightings.csv'"):
        read_table(tmp_path / "sighting.csv")
    with pytest.raises(DataFileError, match="There is no folder"):
        read_table(tmp_path / "there" / "t.csv")
    with pytest.raises(DataFileError, match="is no table"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": np.float64(3.0), "y": np.array([0, 1])}, r"X has the shape \(\)"),
        ({"X": np.zeros(4), "y": np.array([0, 1, 0, 1])}, r"X has the shape \(4,\)"),
        ({"X": np.zeros((2, 2)), "y": np.eye(2)}, r"y has the shape \(2, 2\)"),
        ({"A": np.zeros((2, 2))}, "features are expected as X"),
    ],
)
def test_arrays_of_another_shape(tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(DataFileError, match=words):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize(
    ("at", "value", "words"), [(6, 1, "is encrypted"), (8, 99, "compression method is not supported")]
)
def test_matrices_that_cannot_be_unpacked(tmp_path, at, value, words):
    """Encrypted, or packed in a way that nobody knows: as the headers of the archive say."""
    np.savez(tmp_path / "t.npz", X=np.zeros((4, 2)), y=np.array([0, 1, 0, 1]))
    content = bytearray((tmp_path / "t.npz").read_bytes())
    for magic, offset in ((b"PK\x03\x04", at), (b"PK\x01\x02", at + 2)):
        start = content.find(magic)
        while start >= 0:
            content[start + offset] = value
            start = content.find(magic, start + 4)
    (tmp_path / "t.npz").write_bytes(content)
    with pytest.raises(DataFileError, match=words):
        read_table(tmp_path / "t.npz")


def test_hash_is_that_of_the_file(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"")
    assert file_hash(tmp_path / "t.csv").startswith("e3b0c44298fc1c149afbf4c8996fb924")
