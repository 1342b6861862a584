"""The kind that a question asks for by its name, and the way there from what a program found."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.asked_columns import tells_of_others
from arcaneqa.judgement.asked_kinds import asked_kind, is_another_kind, is_of_others, led_on
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.text import parse
from arcaneqa.links import Links
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Carrier rdfs:label "carriers" . :CarrierType rdfs:label "carrier types" .
:gas a :Carrier . :sun a :Carrier . :fuel a :CarrierType . :b1 a :Bus . :b2 a :Bus .
:g1 a :Generator ; :carrier :gas ; :cost 5 ; :from :b1 ; :to :b2 .
:g2 a :Generator ; :carrier :sun ; :cost 0 ; :from :b2 ; :to :b2 .
:g3 a :Generator ; :carrier :gas ; :cost 7 .
:gas :of :fuel . :oil a :Carrier ; :of :fuel . :fuel :since 1980 .
:m1 a :Member ; :person :anna ; :fee 3 . :m2 a :Member ; :person :bert ; :fee 4 .
:anna a :Person . :bert a :Person .
:g1 :code "eins" . :g2 :code "zwei" . :b1 :code "drei" .
:t1 a :Teacher ; :lastName "Kawa" ; :room 1 . :p1 a :Pupil ; :lastName "Diaz" ; :room 1 ; :grade 5 .
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which carriers have no costs?", "Carrier"),
        ("list all the carriers that cost nothing", "Carrier"),
        ("which carrier types are there?", "CarrierType"),
        ("which carrier costs are high?", None),
        ("Which carriers cost nothing? Give me their costs.", None),  # the last sentence says what is wanted
        ("how many carriers are there?", "Carrier"),
        ("What are the distinct names of the carriers that cost nothing?", "Carrier"),
        ("what are the costs of carriers that are new?", None),
        ("From which carriers do we get heat?", "Carrier"),
        ("which carriers joined before 1990?", "Carrier"),
        ("which carriers", None),
    ],
)
def test_the_kind_is_asked_for_by_its_whole_name(kb: Index, question: str, expected: str | None) -> None:
    kind = asked_kind(question, kb)
    assert (None if kind is None else kb.schema.classes[kind].iri.rpartition("/")[2]) == expected


def test_what_is_of_another_kind_gives_way_to_what_it_leads_to(kb: Index) -> None:
    question = "Which carriers have a cost of 0?"
    generators = found("(JOIN :cost 0)", kb)
    carrier = asked_kind(question, kb)
    assert carrier is not None
    assert is_another_kind(carrier, generators, kb)
    assert not is_another_kind(carrier, found("(JOIN :carrier_inv :g1)", kb), kb)
    assert not is_another_kind(carrier, found("(JOIN :cost_inv :g1)", kb), kb), "a number is no thing"
    best, second = weighed(question, Links(question), Outcome((generators,), is_complete=True), kb).found
    assert best.program == parse("(JOIN :carrier_inv (JOIN :cost 0))", Names(kb.profile), kb.schema)
    assert kb.terms(best.nodes.ids) == [Iri("http://example.org/sun")]
    assert second.program == generators.program


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (
            "Which types joined before 1990?",
            "(AND :Carrier (JOIN :of (JOIN :since 1980)))",
            "(JOIN :since 1980)",
        ),
        (
            "Which types joined before 1990?",
            "(JOIN :of (AND :CarrierType (JOIN :since 1980)))",
            "(AND :CarrierType (JOIN :since 1980))",
        ),
        ("Which types joined before 1990?", "(JOIN :carrier :gas)", None),  # came through none
        ("Which things joined before 1990?", "(AND :Carrier (JOIN :of (JOIN :since 1980)))", None),
        (
            "Which carriers joined before 1990?",
            "(JOIN :carrier (JOIN :of (JOIN :since 1980)))",
            "(JOIN :of (JOIN :since 1980))",
        ),
        # Each member is one person.
        ("Which members have a fee of 3?", "(AND :Person (JOIN :person_inv (JOIN :fee 3)))", None),
    ],
)
def test_what_a_program_comes_through_is_meant_where_it_is_asked_for(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    reading = found(program, kb)
    best, *_ = weighed(question, Links(question), Outcome((reading,), is_complete=True), kb).found
    assert best.program == parse(expected or program, Names(kb.profile), kb.schema)


def test_where_two_ways_lead_there_none_is_taken(kb: Index) -> None:
    bus = kb.schema.class_ids["http://example.org/Bus"]
    assert led_on(bus, found("(JOIN :cost 5)", kb), kb) is None


def test_texts_that_a_kind_has_are_its_own_whoever_else_has_them(kb: Index) -> None:
    codes = found("(JOIN :code_inv (JOIN :cost 5))", kb)
    assert is_of_others(kb.schema.class_ids["http://example.org/Carrier"], codes, kb)
    assert not is_of_others(kb.schema.class_ids["http://example.org/Bus"], codes, kb)
    assert not is_of_others(kb.schema.class_ids["http://example.org/Generator"], codes, kb)


def test_a_list_leads_nowhere(kb: Index) -> None:
    """SORT is the outermost function or none."""
    carrier = kb.schema.class_ids["http://example.org/Carrier"]
    assert led_on(carrier, found(":Generator", kb), kb) is not None
    assert led_on(carrier, found("(SORT :Generator :cost)", kb), kb) is None


def test_what_leads_to_them_is_a_way_as_well(kb: Index) -> None:
    generator = kb.schema.class_ids["http://example.org/Generator"]
    way = led_on(generator, found(":Carrier", kb), kb)
    assert way is not None
    assert kb.terms(way.nodes.ids) == [Iri(f"http://example.org/g{n}") for n in (1, 2, 3)]
    assert led_on(generator, found(":Bus", kb), kb) is None, "there are two ways"


def test_nobody_is_led_back(kb: Index) -> None:
    carrier = kb.schema.class_ids["http://example.org/Carrier"]
    assert led_on(carrier, found("(JOIN :carrier :gas)", kb), kb) is None


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (
            "find the last names of the teachers who teach grade 5",
            "(JOIN :lastName_inv (JOIN :grade 5))",
            True,
        ),
        ("what are the last names of teachers in room 1?", "(JOIN :lastName_inv (JOIN :room 1))", False),
        ("find the last names of the pupils in grade 5", "(JOIN :lastName_inv (JOIN :grade 5))", False),
        ("find the last names of those in grade 5", "(JOIN :lastName_inv (JOIN :grade 5))", False),
        ("what are the codes of the buses from there?", "(JOIN :code_inv :g1)", False),
        ("what are the fees of persons?", "(JOIN :fee_inv (CLASS :Member))", False),
    ],
)
def test_what_is_told_is_of_those_whose_it_should_be(
    kb: Index, question: str, program: str, expected: bool
) -> None:
    assert tells_of_others(question, found(program, kb), kb) is expected
