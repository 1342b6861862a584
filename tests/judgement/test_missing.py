"""What a refusal says: gaps in the facts and in the schema, names that nobody has."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.refusals import Refusals
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import Links
from tests.judgement.test_coverage import KB, found, mention


def said(question: str, program: str, *names: str, linked: str | None = None) -> str:
    links = Links(question, () if linked is None else (mention(question, linked),))
    start = 0 if linked is None else question.index(linked)
    topic = None if linked is None else ("bert", start, start + len(linked))
    nearest = found(program, *names, topic=topic)
    refusals = Refusals(KB, lambda typed, _: ["anna", "anton"] if typed.startswith("Ann") else [])
    return refusals.missing(question, links, nearest, coverage(question, links, nearest, KB))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("in what year was bert born?", "Of bert nothing here says “born”, though it is said of others."),
        ("how many total credits has bert?", "bert has no total credit here, though others have."),
        ("what does bert eat?", "Nothing found here says “eat” of bert."),
    ],
)
def test_a_gap_in_the_facts_is_no_gap_in_the_schema(question: str, sentence: str) -> None:
    told = said(question, "(JOIN ex:height_inv ex:bert)", "height", linked="bert")
    assert sentence in told
    assert told.endswith("It has a gender and a height.")


def test_a_gap_is_told_where_the_program_takes_it_from_others() -> None:
    told = said(
        "what are the total credits of bert?", "(JOIN ex:height_inv ex:bert)", "total credits", linked="bert"
    )
    assert told.startswith("bert has no total credit here, though others have.")


def test_the_one_with_a_stated_value_was_understood() -> None:
    told = said("who eats with 180?", "(JOIN ex:height 180^^xsd:integer)", "height")
    assert "of bert. It has" in told


def test_a_name_that_nobody_has() -> None:
    told = said("who pays Annabel Lee?", "ex:Worker", "worker")
    assert told == "No entity is called Annabel Lee; near: anna and anton. Nothing found here says “pays”."


FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:b1 a :Busbar ; rdfs:label "Busbar 1" ; :Equipment.voltage "10" .
:b2 a :Busbar ; rdfs:label "Busbar 2" ; :state "on" .
:l1 a :Level ; rdfs:label "Level 1" ; :Level.substation :s1 ; :issued 1990 ; :Level.note "x" .
:s1 a :Substation ; rdfs:label "Station 1" .
"""


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        # Others of its kind have none either; what has it is told, by its own words and not by its class.
        ("in which substation is Busbar 1?", "Busbar 1 has no substation here, but levels have."),
        ("what is the note of Busbar 1?", "Busbar 1 has no note here, but levels have."),
        ("when was Busbar 1 issued?", "Of Busbar 1 nothing here says “issued”, but of levels it is said."),
        ("what is the state of Busbar 1?", "Busbar 1 has no state here, though others have."),
    ],
)
def test_others_are_others_of_its_kind(kb: Index, question: str, sentence: str) -> None:
    start = question.index("Busbar 1")
    program = parse("(JOIN :Equipment.voltage_inv :b1)", Names(kb.profile), kb.schema)
    words = TopicWords("Busbar 1", start, start + len("Busbar 1"), 0)
    (entity,) = ex.mentioned(program)
    nearest = Found(program, -1.0, execute(program, kb), (Topic(entity, words),), Trace((), []))
    links = Links(question, (mention(question, "Busbar 1"),))
    left_out = coverage(question, links, nearest, kb)
    assert sentence in Refusals(kb, lambda _typed, _most: []).missing(question, links, nearest, left_out)
