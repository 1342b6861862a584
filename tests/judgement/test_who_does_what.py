"""Relations that are verbs, either way round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.directions import counts_backwards, deed, outright
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:barelyKnows rdfs:label "barely knows" . :genres rdfs:label "genres" .
:anna a :Person ; rdfs:label "Anna" ; :spouse :bert ; :barelyKnows :cleo ; :genres :jazz ; :born 1901 .
:bert a :Person ; rdfs:label "Bert" ; :death [ :year 1950 ] ; :barelyKnows :anna ; :born 1900 .
:cleo a :Person ; rdfs:label "Cleo" ; :death [ :year 1960 ] ; :spouse :dan ; :employer :firm .
:bert :shoeSize 44 . :anna :hatSize 56 . :cleo :shoeSize 38 ; :hatSize 55 .
:dan a :Person ; :death [ :year 1970 ] . :firm a :Firm ; :founded 1920 .
"""


def found(question: str, program: str, kb: Index, name: str = "Anna") -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    start = question.index(name)
    topics = tuple(
        Topic(entity, TopicWords("", start, start + len(name), 0)) for entity in ex.mentioned(parsed)
    )
    return Found(parsed, -1.0, execute(parsed, kb), topics, Trace((), []))


KNOWN = "(JOIN :barelyKnows_inv :anna)"
KNOWING = "(JOIN :barelyKnows :anna)"
FURTHER = "(JOIN :born_inv (JOIN :barelyKnows :anna))"


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Who barely knows Anna?", KNOWING),
        ("Which people barely know Anna?", KNOWING),
        ("How many people barely know the Anna?", KNOWING),
        ("How many people does Anna barely know?", KNOWN),
        ("whom did Anna barely know", KNOWN),
        # Other words may mean either, and more.
        ("Who is barely known to Anna?", None),
        ("What does Anna barely know of Cleo?", None),
        ("Who barely knows Anna and Cleo?", None),
        ("When was who barely knows Anna born?", None),
    ],
)
def test_a_verb_says_who_does_it_to_whom(kb: Index, question: str, meant: str | None) -> None:
    readings = [found(question, program, kb) for program in (KNOWN, KNOWING, FURTHER)]
    readings += [found(question, f"(COUNT {program})", kb) for program in (KNOWN, KNOWING)]
    said = deed(question, readings, kb)
    assert (said is None) is (meant is None)
    if said is not None:
        others = [one for one in readings if said.is_other(one.program)]
        assert [one.program for one in readings if one not in others] == [
            found(question, program, kb).program for program in (str(meant), f"(COUNT {meant})")
        ]


def test_whether_somebody_does_it_has_a_direction(kb: Index) -> None:
    question = "Does Anna barely know Cleo?"
    right = found(question, "(MEET (JOIN :barelyKnows_inv :anna) :cleo)", kb)
    turned = found(question, "(MEET (JOIN :barelyKnows :anna) :cleo)", kb)
    said = deed(question, [replace(turned, topics=right.topics[:1])], kb)
    assert said is not None
    assert said.is_other(turned.program)
    assert not said.is_other(right.program)


def test_what_is_said_outright_needs_no_search(kb: Index) -> None:
    """A model goes on from "whose … is Anna" to what those were born in, since tables never end there."""
    question = "Who barely knows Anna?"
    readings = [found(question, FURTHER, kb)]
    said = deed(question, readings, kb)
    assert said is not None
    plain = outright(question, said, readings, kb)
    assert plain is not None
    assert plain.program == found(question, KNOWING, kb).program
    assert outright(question, said, [*readings, plain], kb) is None
    counted = outright("How many people barely know Anna?", replace(said, kind="people"), readings, kb)
    assert counted is not None
    assert isinstance(counted.program, ex.Count)


@pytest.mark.parametrize(
    ("question", "name", "is_gap"),
    [
        ("Who barely knows Bert?", "Bert", True),
        ("Whom does Cleo barely know?", "Cleo", True),
        ("Who barely knows Firm?", "Firm", False),  # nobody knows a firm: something else is meant
    ],
)
def test_where_nobody_does_it_nothing_else_is_meant(
    kb: Index, question: str, name: str, is_gap: bool
) -> None:
    reading = found(question, f"(JOIN :employer_inv :{name.lower()})", kb, name)
    said = deed(question, [reading], kb)
    assert (said is not None and not said.joins and said.is_other(reading.program)) is is_gap


def test_the_plural_of_a_noun_is_no_verb(kb: Index) -> None:
    question = "what genres Anna"
    assert deed(question, [found(question, "(JOIN :born_inv :anna)", kb)], kb) is None


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("Who has more than one spouse?", "(AND :Person (GT (COUNT :spouse_inv) 1))", True),
        ("Who has more than one spouse?", "(AND :Person (GT (COUNT :spouse) 1))", False),
        ("Which person has the most spouses?", "(ARGMAX :Person (COUNT :spouse_inv))", True),
        # Said of those whose spouse they are, or by a relation that leads to another kind.
        ("Who is the spouse of more than one?", "(AND :Person (GT (COUNT :spouse_inv) 1))", False),
        ("Which firm has the most employers?", "(ARGMAX :Firm (COUNT :employer_inv))", False),
    ],
)
def test_how_many_one_has_is_not_whose_one_is(kb: Index, question: str, program: str, expected: bool) -> None:
    parsed = parse(program, Names(kb.profile), kb.schema)
    assert counts_backwards(question, parsed, kb) is expected
