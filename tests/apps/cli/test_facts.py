"""`arcaneqa facts`, `doctor` and `cache` as a user runs them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyoxigraph
import pytest
from typer.testing import CliRunner

from arcaneqa.apps.cli.main import app
from arcaneqa.kb.build import build_index
from arcaneqa.support.errors import InputError

FACTS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ann a :Person ; rdfs:label "Ann" ; :born "1990-01-02"^^<http://www.w3.org/2001/XMLSchema#date> ;
  :note "=1+1" ;
  :town :oslo .
:bob a :Person ; rdfs:label "Bob" ; :town :oslo .
:oslo a :Town ; rdfs:label "Oslo" .
:other a :Ship ; rdfs:label "Oslo" .
"""


@pytest.fixture
def kb(tmp_path: Path) -> str:
    (tmp_path / "facts.ttl").write_text(FACTS)
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    return str(tmp_path / "kb")


def run(*arguments: str) -> str:
    ran = CliRunner().invoke(app, arguments)
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.stdout


def test_facts_go_both_ways_and_namesakes_are_named(kb: str) -> None:
    record = json.loads(run("facts", "oslo", "--kb", kb, "--format", "json"))
    assert record["label"] == "Oslo"
    [into] = [fact for fact in record["facts"] if fact["inverse"]]
    assert {item["label"] for item in into["values"]} == {"Ann", "Bob"}
    assert len(record["namesakes"]) == 1


def test_csv_is_safe_to_open_in_a_spreadsheet(kb: str) -> None:
    rows = list(csv.reader(io.StringIO(run("facts", "Ann", "--kb", kb, "--format", "csv"))))
    assert ["note", "'=1+1", ""] in rows


def test_turtle_is_the_facts_themselves(kb: str) -> None:
    said = {
        str(quad.triple)
        for quad in pyoxigraph.parse(
            run("facts", "Ann", "--kb", kb, "--format", "ttl").encode(), format=pyoxigraph.RdfFormat.TURTLE
        )
    }
    known = {
        str(quad.triple) for quad in pyoxigraph.parse(FACTS.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    }
    assert said <= known
    assert len(said) == 3


def test_an_unknown_name_is_a_sentence_with_what_is_near(kb: str) -> None:
    with pytest.raises(InputError, match=r"No entity is called “Osl”; near: “Oslo”"):
        run("facts", "Osl", "--kb", kb)


def test_the_cache_is_shown_and_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "arcaneqa" / "whole").mkdir(parents=True)
    (tmp_path / "arcaneqa" / "whole" / "note").write_bytes(b"x" * 1000)
    assert json.loads(run("cache", "--json"))["bytes"] == {"whole": 1000}
    run("cache", "--clear")
    assert list((tmp_path / "arcaneqa").iterdir()) == []


def test_doctor_asks_a_question() -> None:
    assert "Paris" in run("doctor")


def test_what_a_program_finds_is_taken_away_as_a_table(kb: str) -> None:
    program = "(SHOW <http://example.org/Person> SELF <http://example.org/note>)"
    rows = list(csv.reader(io.StringIO(run("run", program, "--kb", kb, "--format", "csv"))))
    assert sorted(rows[1:]) == [["Ann", "'=1+1"], ["Bob", ""]]
    assert "| Ann | =1+1 |" in run("run", program, "--kb", kb, "--format", "md")


def test_answers_are_taken_away_as_turtle(kb: str) -> None:
    """Sets, values and tables, read again by somebody else's parser."""
    ex = "http://example.org/"
    for program, bound in (
        (f"(JOIN <{ex}town> <{ex}oslo>)", [f"<{ex}ann>", f"<{ex}bob>"]),
        (f"(COUNT <{ex}Person>)", ['"2"^^<http://www.w3.org/2001/XMLSchema#integer>']),
        (f"(SHOW <{ex}Person> SELF <{ex}note>)", ['"=1+1"', f"<{ex}ann>", f"<{ex}bob>"]),
    ):
        quads = list(
            pyoxigraph.parse(
                run("run", program, "--kb", kb, "--format", "ttl").encode(),
                format=pyoxigraph.RdfFormat.TURTLE,
            )
        )
        values = [str(quad.object) for quad in quads if quad.predicate.value.endswith("result-set#value")]
        assert sorted(values) == sorted(bound)
