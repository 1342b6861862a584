"""Literals whose form is clear though their datatype is not, and types said with other predicates."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import QuerySolutions, RdfFormat, Store

from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.build import BuildReport
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.profile import RDF_PROFILE, Profile
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.terms import XSD, XSD_STRING, Iri, Literal
from arcaneqa.language.expression import And, Class, Compare, Relation, Value
from arcaneqa.language.run import execute
from arcaneqa.language.sparql import to_sparql

EX = "http://values.example/"
PREFIXES = f"@prefix : <{EX}> .\n@prefix xsd: <{XSD}> .\n"


def build(
    folder: Path, turtle: str, batch: int = 200_000, profile: Profile | None = None
) -> tuple[Index, BuildReport]:
    (folder / "facts.ttl").write_text(PREFIXES + turtle, encoding="utf-8")
    report = build_index([folder / "facts.ttl"], folder / "index", batch=batch, profile=profile)
    return Index(folder / "index"), report


def kinds(kb: Index, name: str) -> set[ValueKind]:
    return set(kb.schema.relations[kb.schema.relation_ids[EX + name]].kinds)


@pytest.mark.parametrize(
    ("written", "kind", "datatype"),
    [
        ('"1952-03-11"^^xsd:gYear', ValueKind.TIME, "date"),
        ('"12.5"^^xsd:integer', ValueKind.NUMBER, "decimal"),
        ('"2001-02-03"^^xsd:Date', ValueKind.TIME, "date"),
        ('"12"^^<http://units.example/euro>', ValueKind.NUMBER, "integer"),
        ('"2001-02-03"^^xsd:dateTime', ValueKind.TIME, "date"),
        ('"2001-13-03"^^xsd:date', ValueKind.TEXT, "date"),
        ('"P1Y"^^xsd:duration', ValueKind.TEXT, "duration"),
    ],
)
def test_a_clear_form_beats_a_wrong_datatype(
    tmp_path: Path, written: str, kind: ValueKind, datatype: str
) -> None:
    kb, report = build(tmp_path, f":a :p {written} .")
    assert kinds(kb, "p") == {kind}
    lexical = written.split('"')[1]
    assert kb.node(Literal(lexical, XSD + datatype)) is not None
    assert sum(report.diagnosis.mended.values()) == (kind is not ValueKind.TEXT)


@pytest.mark.parametrize("batch", [3, 200_000])
def test_plain_text_is_read_by_relation_and_compares(tmp_path: Path, batch: int) -> None:
    rows = [f':x{n} :height "{n}" ; :title "{n}" ; :zip "{10000 + n}" ; :ref "0{n}" .' for n in range(1, 10)]
    rows += [':y :height "unknown" .', ":z :height 7 .", ':z :plain true ; :flag "true" . :y :flag "false" .']
    kb, report = build(tmp_path, "\n".join(rows), batch)
    assert kinds(kb, "height") == {ValueKind.NUMBER, ValueKind.TEXT}
    assert kinds(kb, "flag") == {ValueKind.BOOLEAN}
    assert kinds(kb, "zip") == kinds(kb, "ref") == {ValueKind.TEXT}
    assert report.diagnosis.mended["boolean"] == 2
    height = kb.schema.relation_ids[EX + "height"]
    tall = kb.compare(Comparison.GE, height, Literal("7", XSD + "integer"))
    found = {term.value.removeprefix(EX) for term in kb.terms(tall.ids) if isinstance(term, Iri)}
    assert found == {"x7", "x8", "x9", "z"}


@pytest.mark.parametrize("batch", [3, 200_000])
def test_numbers_like_years_beside_dates_are_years(tmp_path: Path, batch: int) -> None:
    starts = ("2013", "2014", "2014-05", "2015-03-26", "2016", "2012-01-01")
    facts = [
        f':e{n} :start "{start}" ; :pages "{1000 + 7 * n}" ; :size "{n}" .' for n, start in enumerate(starts)
    ]
    kb, _ = build(tmp_path, "\n".join(facts), batch)
    assert kinds(kb, "start") == {ValueKind.TIME}
    assert kinds(kb, "pages") == kinds(kb, "size") == {ValueKind.NUMBER}
    after = Compare(Comparison.GT, Relation(EX + "start"), Value(Literal("2014", XSD + "gYear")))
    assert len(execute(after, kb).nodes) == 2


def test_a_profile_may_say_that_text_is_text(tmp_path: Path) -> None:
    typed = Profile(**{**RDF_PROFILE.__dict__, "typed_values": True})
    kb, report = build(tmp_path, ':a :height "1" . :b :height "2" .', profile=typed)
    assert kinds(kb, "height") == {ValueKind.TEXT}
    assert not report.diagnosis.mended
    assert kb.node(Literal("1", XSD_STRING)) is not None


def test_a_predicate_that_acts_as_type_is_found(tmp_path: Path) -> None:
    rows = [f":x{n} :kind :{'Film' if n % 2 else 'Book'} ; :pages {n} ; :part :x0 ." for n in range(8)]
    kb, _ = build(tmp_path, "\n".join(rows))
    assert {klass.label: klass.members for klass in kb.schema.classes} == {"film": 4, "book": 4}
    assert kb.profile.type[-1] == EX + "kind"


def test_a_type_may_be_told_as_a_text(tmp_path: Path) -> None:
    """Its class has an IRI of ours, and the program's SPARQL asks for the text: both find the same."""
    told = ["Film noir", "Book"]
    rows = [f':x{n} :kind "{told[n % 2]}" ; :pages {n} ; :note "Book" .' for n in range(8)]
    kb, report = build(tmp_path, "\n".join(rows))
    classes = {klass.label: klass for klass in kb.schema.classes}
    assert {label: klass.members for label, klass in classes.items()} == {"film noir": 4, "book": 4}
    program = And(
        Class(classes["film noir"].iri),
        Compare(Comparison.GT, Relation(EX + "pages"), Value(Literal("3", XSD + "integer"))),
    )
    found = {f"<{term.value}>" for term in kb.terms(execute(program, kb).nodes.ids) if isinstance(term, Iri)}
    store = Store()
    store.bulk_load(path=tmp_path / "facts.ttl", format=RdfFormat.TURTLE)
    solutions = store.query(to_sparql(program, kb.profile, kb.schema))
    assert isinstance(solutions, QuerySolutions)
    assert found == {str(row[0]) for row in solutions} != set()
    assert not kb.schema.relations[kb.schema.relation_ids[EX + "kind"]].hidden
    again = Schema.from_json(kb.schema.to_json())
    assert [klass.text for klass in again.classes] == [klass.text for klass in kb.schema.classes]
    assert report.diagnosis.typed == 8


@pytest.mark.parametrize("kind", ['"{n}"', '"a note of its own, number {n}"', '"1{m}"'])
def test_texts_that_are_no_types(tmp_path: Path, kind: str) -> None:
    rows = [f":x{n} :kind {kind.format(n=n, m=n % 2)} ; :pages {n} ." for n in range(8)]
    kb, _ = build(tmp_path, "\n".join(rows))
    assert not [klass for klass in kb.schema.classes if klass.members]


def test_a_kind_is_an_attribute_where_things_have_types(tmp_path: Path) -> None:
    rows = [f":x{n} a :Thing ; :kind :{'Film' if n % 2 else 'Book'} ." for n in range(8)]
    kb, _ = build(tmp_path, "\n".join(rows))
    assert not kb.schema.relations[kb.schema.relation_ids[EX + "kind"]].hidden
