"""Programs that answer nothing whatever was asked, and names that say which of a kind are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.judgement.coverage import coverage, is_about
from arcaneqa.judgement.placing import compares_twice
from arcaneqa.judgement.ways import comes_back, straightened
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import EntityCandidate, Links, MentionLink

EX = "http://example.org/"
FACTS = """@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:g1 a ex:Generator ; ex:carrier ex:solar ; ex:successor ex:g2 ; ex:active true ; ex:pages 114 .
ex:g2 a ex:Generator ; ex:carrier ex:gas ; ex:active false .
ex:d1 a ex:Degrees ; ex:degrees 7 ; ex:carrier ex:gas .
ex:b1 ex:feeds ex:g1 . ex:b2 ex:feeds ex:g1, ex:g2 .
ex:player rdfs:range ex:Generator . ex:b1 ex:player ex:g1 .
"""


def found(program: str, kb: Index) -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    return Found(parsed, -1.0, execute(parsed, kb), (), Trace((), []))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(JOIN ex:carrier_inv (JOIN ex:carrier ex:solar))", True),
        ("(JOIN ex:carrier_inv (AND ex:Generator (JOIN ex:carrier ex:solar)))", True),
        ("(JOIN ex:feeds_inv (JOIN ex:feeds ex:g2))", False),  # the others that it feeds
        ("(JOIN ex:carrier_inv (JOIN ex:feeds_inv ex:b1))", False),
        ("(JOIN ex:successor (JOIN ex:successor_inv ex:g1))", True),
        ("(AND ex:Degrees (JOIN ex:carrier (JOIN ex:carrier_inv ex:g2)))", False),  # what else runs on gas
    ],
)
def test_there_and_back_again(kb: Index, program: str, expected: bool) -> None:
    assert comes_back(found(program, kb), kb) is expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "(AND ex:Generator (JOIN ex:carrier (JOIN ex:carrier_inv (JOIN ex:carrier ex:solar))))",
            "(AND ex:Generator (JOIN ex:carrier ex:solar))",
        ),
        ("(AND ex:Generator (JOIN ex:carrier (JOIN ex:carrier_inv ex:Generator)))", "ex:Generator"),
        ("(JOIN ex:carrier (JOIN ex:carrier_inv ex:Generator))", None),  # a row of degrees has one as well
        ("(JOIN ex:feeds_inv (JOIN ex:feeds (JOIN ex:carrier ex:gas)))", None),  # what else they feed
        ("(JOIN ex:carrier_inv (JOIN ex:carrier ex:solar))", None),  # nothing but what was named
    ],
)
def test_a_way_there_and_back_is_left_out_where_it_changes_nothing(
    kb: Index, program: str, expected: str | None
) -> None:
    straight = straightened(found(program, kb), kb)
    assert straight.program == found(expected or program, kb).program
    assert comes_back(straight, kb) is (program == "(JOIN ex:carrier_inv (JOIN ex:carrier ex:solar))")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(OR (GT ex:pages 100) (GE ex:pages 90))", True),
        ("(AND ex:Generator (AND (GT ex:pages 100) (GT ex:pages 90)))", True),
        ("(AND (GT ex:pages 100) (LT ex:pages 120))", False),
        ("(OR (GT ex:pages 100) (GT ex:degrees 2))", False),
        ("(OR (EQ (COUNT ex:carrier) 1) (EQ (COUNT ex:carrier) 2))", False),
    ],
)
def test_two_numbers_of_one_side_measure_two_things(kb: Index, program: str, expected: bool) -> None:
    assert compares_twice(found(program, kb).program) is expected


def _linked(kb: Index, question: str, text: str, name: str) -> Links:
    start, node = question.index(text), kb.node(Iri(EX + name))
    assert node is not None
    candidate = EntityCandidate(node, name, 0.0)
    return Links(question, (MentionLink(start, start + len(text), text, -3.0, (candidate,)),))


@pytest.mark.parametrize(
    ("question", "text", "name", "expected"),
    [
        ("how many solar generators are there?", "solar", "solar", 1),
        ("how many solar panels are there?", "solar", "solar", 0),
        ("how many generators are solar?", "solar", "solar", 0),
        ("how many sola generators are there?", "sola", "solar", 0),  # not its whole name
        ("how many b1 generators are there?", "b1", "b1", 0),  # no value of theirs
    ],
)
def test_a_doubted_name_right_before_its_kind_counts(
    kb: Index, question: str, text: str, name: str, expected: int
) -> None:
    links = _linked(kb, question, text, name)
    assert coverage(question, links, found("(COUNT ex:Generator)", kb), kb).dropped == expected


def test_what_a_kind_is_to_others_names_it(kb: Index) -> None:
    assert is_about("which player is best?", found("ex:Generator", kb), kb)
    assert not is_about("which successor is best?", found("ex:Generator", kb), kb), "declared of nothing"


def test_in_a_table_of_one_kind_all_there_is_may_be_called_anything(kb: Index, tmp_path: Path) -> None:
    assert not is_about("how many stations are there?", found("(COUNT ex:Generator)", kb), kb), "one of two"
    (tmp_path / "g.ttl").write_text("@prefix ex: <http://example.org/> . ex:g1 a ex:Generator ; ex:p 1 .")
    build_index([tmp_path / "g.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as alone:
        assert is_about("how many stations are there?", found("(COUNT ex:Generator)", alone), alone)
        assert not is_about("which station is best?", found("ex:Generator", alone), alone)
