"""Made-up files, manifests, programs, questions and requests: an error of ours or an answer, nothing else.

`make fuzz` draws some twenty times as many. What it finds becomes an `@example`, or a file in `found/`.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.app import create_app
from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.sources import Odd, _iri
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import MANIFEST, _seal
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.model.stored import bundled_model, read_stored
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.sealed import SEAL, seal
from tests.apps.http.service_world import answering, small_world

pytestmark = pytest.mark.slow


TIMES = int(os.environ.get("FUZZ", "1"))
FOUND = Path(__file__).parent / "found"


def many(examples: int) -> settings:
    """Some two minutes for all together."""
    examples *= TIMES
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=checks)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TEXT = """
( ) AND JOIN R COUNT ARGMAX ARGMIN LT LE GT GE CONS TC OR NOT NOW HAS SUM AVG SORT SHOW PER ^^ < > \\ _:b
<http://example.org/City> <http://example.org/capital> <http://example.org/capital_inv> 5 "5" "a"@en
<http://example.org/France> <http://example.org/population> 1999^^http://x
country what is the capital of France Norway City Peru how many people which has most and or not than
"""
WORDS = st.sampled_from(TEXT.split()) | st.text(max_size=6)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def qa(world: Path) -> ArcaneQA:
    return answering(world)[0]


@many(1_000)
@given(data=st.data())
def test_manifests(world: Path, data: st.DataObject) -> None:
    """Any value anywhere in it, sealed as if it were right."""
    whole = (world / MANIFEST).read_text(encoding="utf-8")
    manifest = json.loads(whole)
    place: Any = copy.deepcopy(manifest)
    changed = place
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        if data.draw(st.booleans()):
            place[key] = data.draw(JSON)
        else:
            del place[key]
        break
    if data.draw(st.booleans()):
        changed["seal"] = _seal(changed)
    try:
        (world / MANIFEST).write_text(json.dumps(changed), encoding="utf-8")
        with suppress(ArcaneError):
            Index(world).close()
    finally:
        (world / MANIFEST).write_text(whole, encoding="utf-8")


@many(4_000)
@given(words=st.lists(WORDS, max_size=25), glue=st.sampled_from(["", " "]))
def test_programs(qa: ArcaneQA, words: list[str], glue: str) -> None:
    with suppress(ArcaneError):
        program = parse(glue.join(words), qa.names, qa.kb.schema)
        assert parse(print_program(program, qa.names), qa.names, qa.kb.schema) == program
        execute(program, qa.kb, Budget(seconds=10))


@many(400)
@given(words=st.lists(WORDS, max_size=20))
def test_questions(qa: ArcaneQA, words: list[str]) -> None:
    answer = qa.ask(" ".join(words), seconds=10)
    assert bool(answer.items) != bool(answer.reason)
    json.dumps(answer.to_prediction("1").to_json())


N = """<http://x/a> <http://x/p> "b"@en .
<http://x/a> <http://x/q> "5"^^<http://x/t> .
_:b <http://x/p> <http://x/c> .
"""
TTL = '@prefix x: <http://x/> .\nx:a x:p x:b, "c"@en-GB ; x:q [ x:r 5.0, (1 2) ] .\n'
XML = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e "x">]>
<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">
<r:Description r:about="http://x/a" xml:lang="en"><x:p>b &e;</x:p></r:Description></r:RDF>"""
JSONLD = """{"@context": {"x": "http://x/"}, "@id": "x:a",
"x:p": [{"@id": "x:b"}, {"@value": "c", "@language": "en"}]}"""
CSV = 'id,name,born,price,open\n1,Ann,1999-01-02,$5.00,yes\n2,Bob,2001-05-06,$1.50,no\n3,"C, D",,,\n'
SAMPLES: dict[str, bytes] = {
    ".nt": N.encode(),
    ".nq": N.replace(" .", " <http://x/g> .").encode(),
    ".ttl": TTL.encode(),
    ".trig": b"@prefix x: <http://x/> .\nx:g { x:a x:p x:b . }\n",
    ".n3": f"{TTL}{{ ?a x:p ?b }} => {{ ?b x:q ?a }} .\n".encode(),
    ".rdf": XML.encode(),
    ".jsonld": JSONLD.encode(),
    ".csv": CSV.encode(),
    ".tsv": CSV.replace(",", "\t").encode(),
    ".nt.gz": gzip.compress(N.encode()),
    ".csv.zst": zstandard.compress(CSV.encode()),
}


def _sample(kind: str) -> bytes:
    """Of formats that libraries write."""
    if kind in SAMPLES:
        return SAMPLES[kind]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sample{kind}"
        if kind == ".db":
            with closing(sqlite3.connect(path)) as database:
                database.executescript(
                    "PRAGMA page_size = 512; "
                    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, o REFERENCES t);"
                    "INSERT INTO t VALUES (1, 'Ann', NULL), (2, 'Bob', 1)"
                )
        else:
            with duckdb.connect() as connection:
                connection.sql("SELECT 1 AS id, 'Ann' AS name, DATE '1999-01-02' AS d").write_parquet(
                    str(path)
                )
        return path.read_bytes()


@st.composite
def bent(draw: st.DrawFn, whole: bytes) -> bytes:
    """Some bytes changed, cut out, put in, or said again."""
    found = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(found)))
        last = min(len(found), first + draw(st.integers(0, 12)))
        match draw(st.sampled_from(("change", "cut", "put", "again"))):
            case "change" if first < len(found):
                found[first] = draw(st.integers(0, 255))
            case "cut":
                del found[first:last]
            case "put":
                found[first:first] = draw(st.binary(max_size=6) | st.sampled_from(SIGNS))
            case "again":
                found[first:first] = found[first:last] * draw(st.integers(1, 50))
    return bytes(found)


SIGNS = (
    b"<",
    b">",
    b'"',
    b"\\u",
    b"\\U0010FFFF",
    b"@",
    b"^^",
    b"\r\n",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"[",
    b"{",
)


@pytest.mark.parametrize("kind", [*SAMPLES, ".db", ".parquet"])
@pytest.mark.parametrize("lenient", [False, True])
def test_readers(tmp_path: Path, kind: str, lenient: bool) -> None:
    whole = _sample(kind)

    @many(20)
    @given(data=bent(whole))
    @example(data=whole)
    def read(data: bytes) -> None:
        (tmp_path / f"x{kind}").write_bytes(data)
        with suppress(ArcaneError):
            build_index([tmp_path / f"x{kind}"], tmp_path / "kb", lenient=lenient)
            Index(tmp_path / "kb").close()

    read()


@pytest.mark.parametrize("text", ["://x/ a", "no scheme", "\x00", ":", "1a:b c"])
def test_no_text_is_too_odd_for_an_iri(text: str) -> None:
    """Found in RDF/XML and JSON-LD that were bent: a traceback."""
    assert _iri(text, Odd()).value


@pytest.mark.parametrize("path", sorted(FOUND.glob("*")), ids=lambda path: path.name)
def test_files_that_were_found(tmp_path: Path, path: Path) -> None:
    with suppress(ArcaneError):
        build_index([path], tmp_path / "kb")


@pytest.fixture(scope="module")
def service(qa: ArcaneQA) -> Iterator[TestClient]:
    with TestClient(create_app(qa, hosts=["testserver"]), raise_server_exceptions=False) as client:
        yield client


@many(300)
@given(data=st.data())
def test_requests(service: TestClient, data: st.DataObject) -> None:
    """Any body to any route; `test_openapi` draws those that the description allows."""
    path = data.draw(st.sampled_from(("ask", "run", "feedback", "nothing")))
    body = {"question": "which country?", "program": "(JOIN demo:p demo:a)", "rows": 5}
    key = data.draw(st.sampled_from(sorted(body)) | st.text(max_size=8))
    sent = json.dumps(body | {key: data.draw(JSON)}).encode()
    if data.draw(st.booleans()):
        sent = data.draw(bent(sent))
    answered = service.post(f"/v1/{path}", content=sent, headers={"content-type": "application/json"})
    assert answered.status_code < 500 or answered.status_code == 503, answered.text
    answered.json()


@many(300)
@given(data=st.data())
def test_descriptions_of_models(tmp_path: Path, data: st.DataObject) -> None:
    """Any value anywhere in one, sealed as if it were right."""
    folder = tmp_path / "model"
    folder.mkdir(exist_ok=True)
    for path in bundled_model().iterdir():
        if path.name not in ("arcaneqa.json", SEAL) and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
    changed = json.loads((bundled_model() / "arcaneqa.json").read_text(encoding="utf-8"))
    place = changed
    if data.draw(st.booleans()):
        place = changed[
            data.draw(st.sampled_from([key for key in changed if isinstance(changed[key], dict)]))
        ]
    key = data.draw(st.sampled_from(sorted(place)))
    place[key] = data.draw(JSON | st.sampled_from(("/dev/zero", "../x", 10**12, -1)))
    (folder / "arcaneqa.json").write_text(json.dumps(changed), encoding="utf-8")
    seal(folder)
    with suppress(ArcaneError):
        read_stored(folder)
