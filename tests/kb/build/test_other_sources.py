"""Workbooks, JSON and a database server, written by those who write them, and the broken ones."""

from __future__ import annotations

import datetime
import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openpyxl
import psycopg
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Ids, Step
from arcaneqa.kb.names.name_forms import key, split
from arcaneqa.support.errors import InputError
from tests.servers import postgres


def built(folder: Path, *sources: str | Path, **options: object) -> Index:
    build_index(sources, folder / "index", **options)  # type: ignore[arg-type]
    return Index(folder / "index")


def told(kb: Index, label: str, relation: str) -> list[str | None]:
    """What things of this name have by relations of this label, by name or value."""
    found = [
        kb.walk(Step(r.id), kb.nodes(called(kb, label))).ids
        for r in kb.schema.relations
        if r.label == relation and not r.hidden
    ]
    return sorted(kb.labels(np.unique(np.concatenate(found))), key=str)


def called(kb: Index, name: str) -> Ids:
    """Things of this name, without texts."""
    surfaces = kb.surfaces()
    assert surfaces is not None
    nodes = np.array([hit.node for hit in surfaces.find([key(split(name))], 20)[0]], np.int64)
    return np.unique(nodes[~kb.are_literals(nodes)])


def sheets(path: Path) -> None:
    book = openpyxl.Workbook()
    rivers = book.active
    rivers.title = "Rivers"
    rivers.append(["Rivers of the province"])
    rivers.append(["surveyed by the water board", None, "2020"])
    rivers.append([])
    rivers.append(["name", "length km", "surveyed", "mouth"])
    rivers.append(["Arle", 132.5, datetime.date(2019, 4, 2), "Bruck"])
    rivers.append(["Sill", 40, datetime.date(2020, 5, 6), "Cade"])
    rivers.append(["Torm", 77, datetime.date(2020, 6, 1), "Bruck"])
    towns = book.create_sheet("Towns")
    towns.append(["name", "people"])
    towns.append(["Bruck", 1200])
    towns.append(["Cade", 800])
    book.create_sheet("Notes")
    book.save(path)


def test_every_sheet_is_a_table_under_its_titles(tmp_path: Path) -> None:
    sheets(tmp_path / "water.xlsx")
    with built(tmp_path, tmp_path / "water.xlsx") as kb:
        assert {klass.label: klass.members for klass in kb.schema.shown_classes} == {"rivers": 3, "towns": 2}
        assert told(kb, "Arle", "length km") == ["132.5"]
        assert told(kb, "Sill", "surveyed") == ["2020-05-06"]
        assert told(kb, "Torm", "mouth") == ["Bruck"]
        assert len(called(kb, "Bruck")) == 1


def test_a_workbook_without_a_table_says_so(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.save(tmp_path / "empty.xlsx")
    with pytest.raises(InputError, match="holds no table"):
        build_index([tmp_path / "empty.xlsx"], tmp_path / "index")


def test_a_locked_or_broken_workbook_is_a_sentence(tmp_path: Path) -> None:
    """Locked ones are not packed: they begin as old files of Office do, and hold a stream of that name."""
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(InputError, match="is it a spreadsheet, and whole"):
        build_index([tmp_path / "broken.xlsx"], tmp_path / "index")
    (tmp_path / "locked.xlsx").write_bytes(compound_file("EncryptedPackage"))
    with pytest.raises(InputError, match="password"):
        build_index([tmp_path / "locked.xlsx"], tmp_path / "index")


def compound_file(stream: str) -> bytes:
    """The smallest compound file with one empty stream, which is how a workbook with a password is packed."""
    free, end = b"\xff\xff\xff\xff", b"\xfe\xff\xff\xff"
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += (0x3E).to_bytes(2, "little") + (3).to_bytes(2, "little") + b"\xfe\xff"
    header += (9).to_bytes(2, "little") + (6).to_bytes(2, "little") + bytes(10)
    header += (1).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(4) + (4096).to_bytes(4, "little")
    header += end + bytes(4) + end + bytes(4) + bytes(4) + free * 108
    table = b"\xfd\xff\xff\xff" + end + free * 126

    def entry(name: str, kind: int, child: int) -> bytes:
        written = name.encode("utf-16-le")
        size = (len(written) + 2).to_bytes(2, "little")
        about = written.ljust(64, b"\0") + size + bytes([kind, 1]) + free + free
        about += child.to_bytes(4, "little") + bytes(36)
        return about + end + bytes(8)

    entries = entry("Root Entry", 5, 1) + entry(stream, 2, 0xFFFFFFFF) + bytes(256)
    return header + table + entries


RECORDS = [
    {"name": "Arle", "length": 132.5, "mouth": {"name": "Bruck", "people": 1200}, "fish": ["trout", "pike"]},
    {"name": "Sill", "length": 40, "mouth": {"name": "Cade", "people": 800}, "fish": ["trout"]},
    {"name": "Torm", "length": 77, "mouth": {"name": "Bruck", "people": 1200}, "fish": []},
]


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".ndjson.gz"])
def test_nested_records_are_things_with_links(tmp_path: Path, ending: str) -> None:
    lines = ending != ".json"
    text = "\n".join(map(json.dumps, RECORDS)) if lines else json.dumps(RECORDS)
    path = tmp_path / f"rivers{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode())
    with built(tmp_path, path) as kb:
        assert told(kb, "Torm", "mouth") == ["Bruck"]
        assert told(kb, "Bruck", "people") == ["1200"]
        assert told(kb, "Arle", "fish") == ["pike", "trout"]
        assert len(called(kb, "Bruck")) == len(called(kb, "trout")) == 1  # what says the same is one thing


def test_features_of_a_map_are_what_their_properties_say(tmp_path: Path) -> None:
    features = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": each}
        for each in ({"name": "Arle", "length": 132.5}, {"name": "Sill", "length": 40})
    ]
    (tmp_path / "rivers.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    with built(tmp_path, tmp_path / "rivers.geojson") as kb:
        assert told(kb, "Sill", "length") == ["40"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deep"),
        ('[{"a": 1}, {"a": ]', "line 1: this is not JSON"),
        ("[1, 2, 3]", "holds no records"),
        ("[]", "holds no records"),
        ("", "is not JSON"),
    ],
)
def test_broken_json_is_a_sentence(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=expected):
        build_index([tmp_path / "bad.json"], tmp_path / "index")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if not postgres.IS_THERE:
        pytest.skip("no PostgreSQL on this machine")
    # Not in pytest's own folder, which only we may look into: the server runs as somebody else.
    with tempfile.TemporaryDirectory() as folder, postgres.running(Path(folder)) as address:
        with psycopg.connect(address) as server:
            server.execute(
                """
                CREATE TABLE town (id int PRIMARY KEY, name text, is_port boolean);
                CREATE TABLE river (id int PRIMARY KEY, name text, length numeric, mouth int REFERENCES town,
                    fish text[], picture bytea);
                CREATE SCHEMA private; CREATE TABLE private.salary (name text, amount int);
                INSERT INTO town VALUES (7, 'Bruck', true), (9, 'Cade', false);
                INSERT INTO river VALUES (1, 'Arle', 132.5, 7, '{trout,pike}', '\\x00'),
                    (2, 'Sill', 40, 9, '{}', NULL), (3, 'Torm', 77, 7, NULL, NULL);
                INSERT INTO private.salary VALUES ('Ada', 5);
                """
            )
        yield address


def test_a_server_is_read_with_the_keys_of_its_catalogue(tmp_path: Path, address: str) -> None:
    with built(tmp_path, address, schema="public") as kb:
        assert told(kb, "Torm", "mouth") == ["Bruck"]
        assert told(kb, "Cade", "is port") == ["false"]
        assert told(kb, "Arle", "length") == ["132.5"]
        assert not len(called(kb, "Ada"))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file())
    assert b"sesame" not in kept


def test_only_the_tables_that_are_wanted(tmp_path: Path, address: str) -> None:
    with built(tmp_path, address, tables=["town"]) as kb:
        assert [klass.label for klass in kb.schema.shown_classes] == ["town"]
    with pytest.raises(InputError, match="no table “lake”; it has"):
        build_index([address], tmp_path / "index", tables=["lake"])


@pytest.mark.parametrize("change", [("open%20sesame", "wrong-one"), ("?host=", "?host=/nowhere")])
def test_a_server_that_refuses_leaves_the_old_index(
    tmp_path: Path, address: str, change: tuple[str, str]
) -> None:
    built(tmp_path, address, tables=["town"]).close()
    with pytest.raises(InputError) as caught:
        build_index([address.replace(*change)], tmp_path / "index")
    assert "cannot be read" in str(caught.value)
    assert "sesame" not in str(caught.value)
    assert "wrong-one" not in str(caught.value)
    with Index(tmp_path / "index") as kb:
        assert kb.labels(called(kb, "Bruck")) == ["Bruck"]
