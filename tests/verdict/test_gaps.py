"""What somebody has none of is told by nothing else, and by nobody else's."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.verdict.gaps import gap, says_none_of_it

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:anna a :Person ; rdfs:label "Anna" ; :spouse :bert ; :barelyKnows :cleo ; :admissionDate 1901 .
:anna :worksAt :firm .
:bert a :Person ; rdfs:label "Bert" ; :death 1950 ; :barelyKnows :anna ; :birthDate 1900 ; :child :dan .
:cleo a :Person ; rdfs:label "Cleo" ; :dischargeDate 1960 ; :spouse :dan ; :admissionDate 1902 .
:dan a :Person ; rdfs:label "Dan" ; :death 1970 ; :parent :bert ; :person :eve .
:eve a :Person ; rdfs:label "Eve" ; :parent :bert ; :barelyKnows :anna .
:firm a :Firm ; rdfs:label "Firm" ; :founded 1920 ; :editor :cleo ; :twin :other ; :desk :d1 .
:inc a :Firm ; rdfs:label "Inc" ; :publisher :anna . :other a :Copy ; rdfs:label "Firm" ; :modified 1990 .
:catalog a :Catalog ; rdfs:label "Catalog" ; :entry :inc, :firm ; :modified 1980 . :d1 :floor 3 .
:oldtown a :Place ; rdfs:label "Oldtown" ; :partOf :shire . :shire a :Place ; :country :utopia .
"""


def found(question: str, program: str, kb: Index, name: str = "Anna") -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    start = question.index(name)
    words = TopicWords(name, start, start + len(name), 0)
    topics = tuple(Topic(entity, words) for entity in dict.fromkeys(ex.mentioned(parsed)))
    return Found(parsed, -1.0, execute(parsed, kb), topics, Trace((), []))


@pytest.mark.parametrize(
    ("question", "program", "missing"),
    [
        ("What is the death of Anna?", "(JOIN :death_inv (JOIN :spouse_inv :anna))", "death"),
        ("the death of Anna", "(JOIN :admissionDate_inv :anna)", "death"),
        ("What is the death of the husband of Anna?", "(JOIN :death_inv (JOIN :spouse_inv :anna))", None),
        ("What is the spouse of Anna?", "(JOIN :spouse_inv :anna)", None),
        # Nobody of the kind has it: it may be said of them in other words.
        ("What is the founded of Anna?", "(JOIN :admissionDate_inv :anna)", None),
        ("What is the death of Anna and Bert?", "(JOIN :death_inv (JOIN :spouse_inv :anna))", None),
        # By its name but for what a date is.
        ("When was Anna discharged?", "(JOIN :admissionDate_inv :anna)", "discharge date"),
        ("When was Anna admitted?", "(JOIN :admissionDate_inv :anna)", None),
        ("When was the date of Anna's discharge?", "(JOIN :admissionDate_inv :anna)", "discharge date"),
        # What a program says it does not go around.
        ("How many persons does Anna know?", "(COUNT (AND :Person (JOIN :barelyKnows_inv :anna)))", None),
        ("How many persons does Anna know?", "(COUNT (JOIN :barelyKnows_inv :anna))", None),
    ],
)
def test_what_is_asked_for_by_its_name_is_told_by_nothing_else(
    kb: Index, question: str, program: str, missing: str | None
) -> None:
    relation = gap(question, found(question, program, kb), kb)
    assert (relation and relation.label) == missing


@pytest.mark.parametrize(
    ("question", "name", "program", "missing"),
    [
        ("When was Anna born?", "Anna", "(JOIN :birthDate_inv (JOIN :spouse_inv :anna))", "birth date"),
        ("When was Anna born?", "Anna", "(JOIN :birthDate_inv (JOIN :barelyKnows :anna))", "birth date"),
        ("who is Eve married to", "Eve", "(JOIN :spouse_inv (JOIN :barelyKnows_inv :eve))", "spouse"),
        # The question says how they are related, or has two words for two steps.
        ("When was Anna's spouse born?", "Anna", "(JOIN :birthDate_inv (JOIN :spouse_inv :anna))", None),
        ("When was Anna's husband born?", "Anna", "(JOIN :birthDate_inv (JOIN :spouse_inv :anna))", None),
        ("Who are the siblings of Eve?", "Eve", "(JOIN :child_inv (JOIN :parent_inv :eve))", None),
        # Nor have others of another kind what is hers.
        ("When was Anna hired?", "Anna", "(JOIN :founded_inv (JOIN :worksAt_inv :anna))", "founded"),
        (
            "When was the firm Anna works at founded?",
            "Anna",
            "(JOIN :founded_inv (JOIN :worksAt_inv :anna))",
            None,
        ),
        # A town is where its region is.
        ("Which country is Oldtown in?", "Oldtown", "(JOIN :country_inv (JOIN :partOf_inv :oldtown))", None),
    ],
)
def test_nobody_has_what_only_others_have(
    kb: Index, question: str, name: str, program: str, missing: str | None
) -> None:
    relation = gap(question, found(question, program, kb, name), kb)
    assert (relation and relation.label) == missing


@pytest.mark.parametrize(
    ("question", "name", "program", "missing"),
    [
        ("When was Inc modified?", "Inc", "(JOIN :modified_inv (JOIN :entry :inc))", "modified"),
        (
            "When was Inc last modified?",
            "Inc",
            "(MAX (AND :Catalog (JOIN :entry :inc)) :modified)",
            "modified",
        ),
        (
            "When was Inc modified",
            "Inc",
            "(JOIN :modified_inv (ARGMAX (JOIN :entry :inc) :modified))",
            "modified",
        ),
        ("Who edited Inc?", "Inc", "(JOIN :barelyKnows_inv (JOIN :publisher_inv :inc))", "editor"),
        # The question says whose, or it is the same thing once more, or a node that only joins facts.
        (
            "When was the catalog of Inc modified?",
            "Inc",
            "(JOIN :modified_inv (AND :Catalog (JOIN :entry :inc)))",
            None,
        ),
        ("When was the entry of Inc modified?", "Inc", "(JOIN :modified_inv (JOIN :entry :inc))", None),
        ("When was Firm modified?", "Firm", "(JOIN :modified_inv (JOIN :twin_inv :firm))", None),
        ("On which floor is Firm?", "Firm", "(JOIN :floor_inv (JOIN :desk_inv :firm))", None),
    ],
)
def test_what_is_asked_for_by_its_name_is_not_read_off_others(
    kb: Index, question: str, name: str, program: str, missing: str | None
) -> None:
    relation = gap(question, found(question, program, kb, name), kb)
    assert (relation and relation.label) == missing


def test_where_it_is_only_read_off_others_nothing_else_is_said(kb: Index) -> None:
    question = "When was Inc modified?"
    of_the_catalog, of_inc = (
        found(question, program, kb, "Inc")
        for program in ("(JOIN :modified_inv (JOIN :entry :inc))", "(JOIN :publisher_inv :inc)")
    )
    assert says_none_of_it(question, [of_the_catalog, of_inc], kb) == {of_inc.program}
    assert not says_none_of_it(question, [of_inc], kb)
