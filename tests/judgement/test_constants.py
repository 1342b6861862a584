"""A constant that the question has no words for gives way to a name that it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arcaneqa.induction.found import Considered, Found, Outcome, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind, TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.said_names import with_said_constant, without_idle_constant
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import EntityCandidate, Links, MentionLink

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:china a :Country ; :borders :russia ; :continent :asia .
:asia rdfs:label "Asia" . :russia rdfs:label "Russia" .
:norway a :Country ; :borders :russia ; :continent :europe .
:estonia a :Country ; :borders :russia ; :continent :europe ; :left :russia .
:nato :member :norway, :estonia ; :seat :europe .
"""
QUESTION = "Which Asian countries border Russia?"
ONCE_RUSSIAN = "(CONS (JOIN :borders :russia) :left :russia)"


def linked(kb: Index, name: str, score: float = -0.3) -> Links:
    node = kb.node(Iri(f"http://example.org/{name}"))
    assert node is not None
    return Links(QUESTION, (MentionLink(6, 11, "Asian", score, (EntityCandidate(node, name.title(), 0.0),)),))


def found(program: str, kb: Index) -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    topic = Topic(ex.Entity(Iri("http://example.org/russia")), TopicWords("Russia", 29, 35, 0))
    chosen = [Candidate(TokenKind.RELATION, "left"), Candidate(TokenKind.CONSTANT, "Russia")]
    steps = [Considered("", [one], np.zeros(1, np.float32), 0) for one in chosen]
    return Found(parsed, -1.0, execute(parsed, kb), (topic,), Trace((), steps))


def test_asian_countries_are_not_those_that_were_russian(kb: Index) -> None:
    links, read = linked(kb, "asia"), found(ONCE_RUSSIAN, kb)
    assert coverage(QUESTION, links, read, kb).unused == ("Asian",)
    (best,) = weighed(QUESTION, links, Outcome((read,), is_complete=True), kb).found
    asian = parse("(CONS (JOIN :borders :russia) :continent :asia)", Names(kb.profile), kb.schema)
    assert best.program == asian
    assert kb.terms(best.nodes.ids) == [Iri("http://example.org/china")]
    assert not coverage(QUESTION, links, best, kb).unused, "as what was said is told by the steps"


@pytest.mark.parametrize(
    ("name", "score", "program"),
    [
        ("asia", -5.0, ONCE_RUSSIAN),  # hardly a name
        ("russia", -0.3, ONCE_RUSSIAN),  # the constant that it has
        ("nato", -0.3, ONCE_RUSSIAN),  # nothing leads there from countries
        ("asia", -0.3, "(JOIN :borders :russia)"),  # no constant
        (
            "asia",
            -0.3,
            "(CONS (CONS (JOIN :borders :russia) :left :russia) :continent :europe)",
        ),  # which one?
    ],
)
def test_what_was_said_elsewhere_stays(kb: Index, name: str, score: float, program: str) -> None:
    read = found(program, kb)
    assert with_said_constant(linked(kb, name, score), read, kb) is read


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("who joined?", "(CONS (JOIN :member_inv :nato) :borders :russia)", "(JOIN :member_inv :nato)"),
        (
            "how many joined?",
            "(COUNT (CONS (JOIN :member_inv :nato) :borders :russia))",
            "(COUNT (JOIN :member_inv :nato))",
        ),
        ("who joined near Russia?", "(CONS (JOIN :member_inv :nato) :borders :russia)", None),  # said
        ("who joined?", "(CONS (JOIN :member_inv :nato) :left :russia)", None),  # not all of them did
    ],
)
def test_a_constant_that_nobody_said_and_that_changes_nothing_is_left_out(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    read = replace(found(program, kb), topics=())
    kept = without_idle_constant(question, Links(question), read, kb)
    assert kept.program == parse(expected or program, Names(kb.profile), kb.schema)
    assert len(kept.trace.steps) == (2 if expected is None else 0), "nor is it among the steps"
