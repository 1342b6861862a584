"""Tables as somebody would make them who wants to break the build, or to have other files read."""

from __future__ import annotations

import gzip
import os
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.tables import limits
from arcaneqa.kb.build.tables.loaded import _chunks
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Iri
from arcaneqa.support.errors import InputError
from tests.hostile.limited import run

PEOPLE = "id,name\n1,Ann\n2,Bob\n"
OTHERS = "id,name\n1,Mallory\n2,Mallory\n3,Mallory\n"


def database(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return make


def parquet(query: str, path: Path) -> None:
    with duckdb.connect() as connection:
        connection.sql(query).write_parquet(str(path))


@pytest.mark.parametrize(("name", "other"), [("*.csv", "b.csv"), ("x[1].csv", "x1.csv"), ("?.csv", "c.csv")])
def test_a_name_is_no_pattern(tmp_path: Path, name: str, other: str) -> None:
    """DuckDB reads what a pattern matches, which would be answers from another file."""
    (tmp_path / name).write_text(PEOPLE)
    (tmp_path / other).write_text(OTHERS)
    build_index([tmp_path / name], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        assert {label for label in kb.labels(kb.entities()) if label} >= {"Ann", "Bob"}
        assert "Mallory" not in kb.labels(kb.entities())


def test_a_name_of_parquet_is_no_pattern_and_its_folder_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "country=France"
    folder.mkdir()
    parquet("SELECT 1 AS id, 'Ann' AS name", folder / "a.parquet")
    (folder / "a.parquet").rename(folder / "*.parquet")
    parquet("SELECT 2 AS id, 'Mallory' AS name", folder / "b.parquet")
    build_index([folder / "*.parquet"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        assert "Mallory" not in kb.labels(kb.entities())
        assert kb.node(Iri("urn:column:%2A.country")) is None


ODD = ("~", "file:", "s3:", "http:", "md:", "[x]", "**", "a'b;--", "line\nbreak", "%41", "-", ":memory:")


@pytest.mark.parametrize("folder", ODD)
@pytest.mark.parametrize("table", ["x.csv", "x.parquet", "x.db"])
def test_a_folder_may_be_called_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, table: str
) -> None:
    """Named as somebody in the folder above it does; `~` is not the home folder, nor `file:` the root."""
    create = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)"
    for place, name in ((tmp_path / "home", "Mallory"), (tmp_path / "here" / folder, "Ann")):
        place.mkdir(parents=True)
        if table == "x.csv":
            (place / table).write_text(f"id,name\n1,{name}\n")
        elif table == "x.db":
            database(create, f"INSERT INTO t VALUES (1, '{name}')")(place / table)
        else:
            parquet(f"SELECT 1 AS id, '{name}' AS name", tmp_path / "made.parquet")
            (tmp_path / "made.parquet").rename(place / table)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    out = Path(folder) / "kb"
    build_index([Path(folder) / table], out)
    with Index(out) as kb:
        assert "Ann" in kb.labels(kb.entities())
        assert "Mallory" not in kb.labels(kb.entities())


@pytest.mark.parametrize("table", ["x.csv", "x.parquet"])
def test_a_backslash_is_no_slash(tmp_path: Path, table: str) -> None:
    """DuckDB would read `a/b.csv` for `a\\b.csv`."""
    (tmp_path / "a").mkdir()
    (tmp_path / f"a\\{table}").write_text(PEOPLE)
    (tmp_path / "a" / table).write_text(OTHERS)
    with pytest.raises(InputError, match="has a backslash"):
        build_index([tmp_path / f"a\\{table}"], tmp_path / "kb")


def test_a_name_is_no_address(tmp_path: Path) -> None:
    """In an address what follows ? and # is no name, and %41 is another."""
    path = tmp_path / "a?mode=rwc#b%41.db"
    database("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO t VALUES (1, 'Ann')")(path)
    build_index([path], tmp_path / "kb")
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name, "kb"]


def test_computed_columns_are_columns(tmp_path: Path) -> None:
    database(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, first TEXT, name TEXT AS (first || ' Smith'))",
        "INSERT INTO t (id, first) VALUES (1, 'Ann')",
    )(tmp_path / "x.db")
    build_index([tmp_path / "x.db"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        assert "Ann Smith" in kb.labels(kb.entities())


@pytest.mark.parametrize("name", ["x.csv", "x.db", "x.parquet", "x.csv.gz"])
def test_a_pipe_in_place_of_a_table_is_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="not a plain file"):
        build_index([tmp_path / name], tmp_path / "kb")
    with pytest.raises(InputError, match="does not exist"):
        build_index([tmp_path / f"no-{name}"], tmp_path / "kb")


def _misnamed(path: Path) -> None:
    database("CREATE TABLE t (id)", "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET name = x'ff'")(
        path
    )


BAD: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a name without end": ("x.csv", lambda path: path.write_text(f"id,{'n' * 200_000}\n1,a\n")),
    "many columns": ("x.csv", lambda path: path.write_text("," * 3_000 + "\n")),
    "commas": ("x.csv.gz", lambda path: path.write_bytes(gzip.compress(b"," * (1 << 24)))),
    "no rows": ("x.csv", lambda path: path.write_text("id,name\n")),
    "a quote without end": ("x.csv", lambda path: path.write_text('id,"name\n1,a\n')),
    "no rows of parquet": ("x.parquet", lambda path: parquet("SELECT 1 AS id WHERE false", path)),
    "no rows of sqlite": ("x.db", database("CREATE TABLE t (id)")),
    "a name that is no text": ("x.db", _misnamed),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_table_is_a_sentence(tmp_path: Path, what: str) -> None:
    name, make = BAD[what]
    make(tmp_path / name)
    with pytest.raises(InputError, match=name):
        build_index([tmp_path / name], tmp_path / "kb")
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize("verb", [("index", "--out", "kb"), ("ask", "how old is Ann?", "--kb")])
def test_a_refused_table_is_one_sentence_to_the_very_end(tmp_path: Path, verb: tuple[str, ...]) -> None:
    # What reads tables complains aloud when a process ends without having let go of it.
    table = tmp_path / "x.csv"
    table.write_text("id,name\n")
    ended = run(
        *[str(tmp_path / "kb") if word == "kb" else word for word in verb], str(table), memory=4 << 30
    )
    assert ended.is_a_sentence, ended


def _pages_of_pages(path: Path) -> None:
    """A table whose inner pages all lead to the same pages below: 4 KiB of rows become a million million."""
    database("PRAGMA page_size = 512", "CREATE TABLE t (name)", *["INSERT INTO t VALUES ('x')"] * 4_000)(path)
    data = bytearray(path.read_bytes())
    inner = [at for at in range(0, len(data), 512) if data[at + (100 if at == 0 else 0)] == 5]
    pages, levels = [at // 512 + 1 for at in inner], 8
    leaf = next(at // 512 + 1 for at in range(512, len(data), 512) if data[at] == 13)
    root = struct.unpack(">I", data[inner[0] + 8 : inner[0] + 12])[0]
    assert pages
    assert root
    base = len(data) // 512
    below = leaf
    for level in range(levels):
        page = bytearray(512)
        cells = 40
        page[0] = 5
        places = [512 - 6 * (n + 1) for n in range(cells)]
        struct.pack_into(">HHHB", page, 1, 0, cells, places[-1], 0)
        struct.pack_into(">I", page, 8, below)
        for number, place in enumerate(places):
            struct.pack_into(">H", page, 12 + 2 * number, place)
            struct.pack_into(">I", page, place, below)
            page[place + 4] = 1
        data += page
        below = base + level + 1
    top = pages[0]
    data[(top - 1) * 512 : top * 512] = data[-512:]
    struct.pack_into(">I", data, 28, len(data) // 512)
    path.write_bytes(data)


ENDLESS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "rows of parquet": (
        "x.parquet",
        lambda path: parquet("SELECT 1 AS id, 'a' AS name FROM range(30000000)", path),
    ),
    "text of parquet": (
        "x.parquet",
        lambda path: parquet("SELECT repeat('x', 100000) AS name FROM range(30000)", path),
    ),
    "pages of sqlite": ("x.db", _pages_of_pages),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_tables_without_end_are_refused(tmp_path: Path, what: str) -> None:
    name, make = ENDLESS[what]
    make(tmp_path / name)
    with pytest.raises(InputError, match="with --rows"):
        build_index([tmp_path / name], tmp_path / "kb")


def test_packed_text_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_TEXT", 1 << 20)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 20)))
    with pytest.raises(InputError, match="with --rows"):
        build_index([tmp_path / "x.csv.gz"], tmp_path / "kb")
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n")[:-9])
    with pytest.raises(InputError, match=r"cannot be (read|unpacked)"):
        build_index([tmp_path / "x.csv.gz"], tmp_path / "kb")


def test_who_says_how_many_rows_there_are_gets_them(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(PEOPLE.replace("\n", "\r\n", 1))
    parquet("SELECT range AS id, 'a' AS name FROM range(50)", tmp_path / "x.parquet")
    for source in ("x.csv", "x.parquet"):
        assert build_index([tmp_path / source], tmp_path / "kb", most_rows=50).facts
    with pytest.raises(InputError, match="more than 49 rows"):
        build_index([tmp_path / "x.parquet"], tmp_path / "kb", most_rows=49)


@pytest.mark.slow
def test_a_computed_gigabyte_is_refused(tmp_path: Path) -> None:
    database(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT AS (hex(zeroblob(400000000))))",
        "INSERT INTO t (id) VALUES (1)",
    )(tmp_path / "x.db")
    ended = run("index", str(tmp_path / "x.db"), "--out", str(tmp_path / "kb"), memory=2 << 30)
    assert ended.is_a_sentence, ended


@pytest.mark.slow
def test_what_duckdb_cannot_hold_is_a_sentence(tmp_path: Path) -> None:
    parquet("SELECT 1 AS id, repeat('x', 150000000) AS name", tmp_path / "x.parquet")
    ended = run("index", str(tmp_path / "x.parquet"), "--out", str(tmp_path / "kb"), memory=3 << 30)
    assert ended.is_a_sentence, ended


def test_long_rows_are_handed_over_in_small_pieces() -> None:
    rows = ((str(number), "x" * (1 << 22), None) for number in range(20))
    pieces = list(_chunks(rows))
    assert [row[0] for piece in pieces for row in piece] == [str(number) for number in range(20)]
    assert max(map(len, pieces)) <= 5
