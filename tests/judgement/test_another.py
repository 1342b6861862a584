"""Kinds, names and measures that are another's than the question says, and such as only look so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.another import another_kind, another_name, half_name, is_misnamed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.links import EntityCandidate, Links, MentionLink
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:imperial a :System ; rdfs:label "imperial system of units" .
:mts a :System ; rdfs:label "metric system of units" .
:inch a :Unit ; rdfs:label "inch" ; :measurementSystem :imperial ; :length 2.54 .
:metre a :Unit ; rdfs:label "metre" ; :measurementSystem :mts ; :length 100 .
:curie a :RadioactivityUnit .
:l1 a :SkiLift ; :serves :r1 ; :opticalZoom 3 ; :digitalZoom 4 .
:r1 a :SkiRun ; rdfs:label "Sunnyside" ; :rating 3 .
:abe a :Person ; rdfs:label "Abraham Lincoln" ; :unit :inch .
:paul a :Baker ; rdfs:label "Paul" ; :fullName "Paul Smith" ; :age 49 .
:terry a :Baker ; rdfs:label "Terry" ; :fullName "Terry Hill" ; :age 56 .
:lone a :Baker ; rdfs:label "Lone" ; :age 30 .
"""
LABELS = {"imperial": "imperial system of units", "mts": "metric system of units", "abe": "Abraham Lincoln"}


def mistaken(question: str, said: str, names: list[str], unknown: list[str], kb: Index) -> str | None:
    """What is taken for another's name where `said` was linked to the first of the names."""
    start = question.index(said)
    candidates = tuple(EntityCandidate(0, LABELS[name], 0.0) for name in names)
    links = Links(question, (MentionLink(start, start + len(said), said, 0.0, candidates),))
    iri = ex.Entity(Names(kb.profile).read(f":{names[0]}"))
    topic = Topic(iri, TopicWords(LABELS[names[0]], start, start + len(said), 0))
    program = replace(found(f"(JOIN :measurementSystem :{names[0]})", kb), topics=(topic,))
    taken = another_name(question, links, program, unknown)
    return None if taken is None else taken.said


@pytest.mark.parametrize("names", [["imperial", "mts"], ["imperial"]])
def test_another_word_before_a_common_end_is_another_name(names: list[str], kb: Index) -> None:
    question = "which units are in the international system of units?"
    said = mistaken(question, "system of units", names, ["international"], kb)
    assert said == "international system of units"


@pytest.mark.parametrize(
    ("question", "said", "names", "unknown"),
    [
        ("units of the imperial system of units", "imperial system of units", ["imperial"], []),
        ("units of the system of units", "system of units", ["imperial", "mts"], []),
        ("units of the imperal system of units", "system of units", ["imperial", "mts"], ["imperal"]),
        ("how old is president Lincoln?", "Lincoln", ["abe"], ["president"]),
        ("measured international system of units", "system of units", ["imperial", "mts"], []),
    ],
)
def test_whole_names_titles_slips_and_what_is_said_elsewhere_are_not(
    question: str, said: str, names: list[str], unknown: list[str], kb: Index
) -> None:
    assert mistaken(question, said, names, unknown, kb) is None


def test_the_refusal_says_who_is_called_nearly_so(kb: Index) -> None:
    answer = ArcaneQA.load(kb).ask("which unit is in the international system of units?")
    assert answer.reason is not None
    assert answer.items == ()
    assert "No entity is called international system of units; near: " in answer.reason


@pytest.mark.parametrize(
    ("question", "name", "unknown", "said"),
    [
        ("how old is Paul Hollywood?", "Paul", ["Hollywood"], "Paul Hollywood"),
        ("how old is Mary Berry?", "Berry", ["Mary"], "Mary Berry"),
        ("how old is Paul Smith?", "Paul", [], None),
        ("how old is Paul Smit?", "Paul", ["Smit"], None),
        ("how old is paul hollywood?", "paul", ["hollywood"], None),
        ("how old is Uncle Paul?", "Paul", ["Uncle"], None),
        ("how old is Lone Ranger?", "Lone", ["Ranger"], None),
        ("How Old Is Paul Today?", "Paul", ["Today"], None),
    ],
)
def test_half_a_name_is_nobody_whose_name_goes_on_otherwise(
    kb: Index, question: str, name: str, unknown: list[str], said: str | None
) -> None:
    start = question.index(name)
    bearer = {"Berry": "terry", "Lone": "lone"}.get(name, "paul")
    node = ex.Entity(Names(kb.profile).read(f":{bearer}"))
    topic = Topic(node, TopicWords(bearer.title(), start, start + len(name), 0))
    taken = half_name(
        question, replace(found(f"(JOIN :age_inv :{bearer})", kb), topics=(topic,)), unknown, kb
    )
    assert (None if taken is None else taken.said) == said


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("which ski run is served by Supreme?", "(AND :SkiLift (JOIN :serves :r1))", "ski run"),
        ("Supreme serves what ski run?", "(AND :SkiLift (JOIN :serves :r1))", "ski run"),
        (
            "what is the unit of radioactivity?",
            "(AND :Unit (JOIN :measurementSystem :mts))",
            "radioactivity unit",
        ),
        ("which ski run is served by Supreme?", "(JOIN :serves_inv :l1)", None),
        ("which ski run is served by Supreme?", "(JOIN :serves :r1)", None),
        ("which ski run is served by Supreme?", "(COUNT (AND :SkiLift (JOIN :serves :r1)))", None),
        ("which runs are served by Supreme?", "(AND :SkiLift (JOIN :serves :r1))", None),
        ("what type of ski lift serves it?", "(AND :SkiLift (JOIN :serves :r1))", None),
    ],
)
def test_who_names_one_kind_in_full_is_not_told_of_another(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    assert another_kind(question, found(program, kb), kb) == expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("what is the optical zoom of it?", "(JOIN :digitalZoom_inv :l1)", True),
        ("what is the optical zoom of it?", "(JOIN :opticalZoom_inv :l1)", False),
        ("what is the digital optical zoom of it?", "(JOIN :digitalZoom_inv :l1)", False),
        ("what is the usual zoom of it?", "(JOIN :digitalZoom_inv :l1)", False),
        ("what is the zoom of it?", "(JOIN :digitalZoom_inv :l1)", False),
    ],
)
def test_a_name_is_not_taken_where_another_is_said(
    kb: Index, question: str, program: str, expected: bool
) -> None:
    assert is_misnamed(question, found(program, kb).program, kb) is expected
