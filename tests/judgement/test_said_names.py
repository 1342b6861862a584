"""Readings that differ in a name: the one that the question says, and none that nobody said."""

from __future__ import annotations

import numpy as np
import pytest

from arcaneqa.induction.found import Considered, Found, Outcome, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.rules import LEFT_OUT
from arcaneqa.judgement.said_names import narrowed_unsaid, said_otherwise
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import Links

FACTS = """@prefix : <http://example.org/> .
:peru a :Country ; :officialLanguage :spanish ; :spokenLanguage :spanish, :aymara .
:peru :champion :ann ; :coach :bo .
:chile a :Country ; :officialLanguage :spanish ; :spokenLanguage :spanish, :mapudungun ; :border :peru .
:ann a :Person . :bo a :Person, :Monarch . :peru :buried :ann, :bo .
"""


def found(program: str, kb: Index, score: float = -1.0, constant: str | None = None) -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    named = [] if constant is None else [Candidate(TokenKind.CONSTANT, constant)]
    steps = [Considered("", [one], np.zeros(1, np.float32), 0) for one in named]
    return Found(parsed, score, execute(parsed, kb), (), Trace((), steps))


@pytest.mark.parametrize(
    ("question", "one", "other", "expected"),
    [
        (
            "what is spoken in Peru?",
            "(JOIN :officialLanguage_inv :peru)",
            "(JOIN :spokenLanguage_inv :peru)",
            1,
        ),
        (
            "what do they speak in Peru?",
            "(JOIN :officialLanguage_inv :peru)",
            "(JOIN :spokenLanguage_inv :peru)",
            1,
        ),
        (
            "what do the neighbours of Peru speak?",
            "(JOIN :officialLanguage_inv (JOIN :border :peru))",
            "(JOIN :spokenLanguage_inv (JOIN :border :peru))",
            1,
        ),
        # Both are said, or neither.
        (
            "is the official one spoken?",
            "(JOIN :officialLanguage_inv :peru)",
            "(JOIN :spokenLanguage_inv :peru)",
            0,
        ),
        (
            "the languages of Peru",
            "(JOIN :officialLanguage_inv :peru)",
            "(JOIN :spokenLanguage_inv :peru)",
            0,
        ),
        # Names that share no word are told apart by more than a word.
        ("which coach won?", "(JOIN :champion_inv :peru)", "(JOIN :coach_inv :peru)", 0),
        # They differ in more than one relation.
        (
            "what is spoken in Peru?",
            "(JOIN :officialLanguage_inv :peru)",
            "(JOIN :spokenLanguage_inv (JOIN :border :peru))",
            0,
        ),
    ],
)
def test_of_two_names_the_one_that_is_said_is_meant(
    kb: Index, question: str, one: str, other: str, expected: int
) -> None:
    both = [found(one, kb), found(other, kb)]
    assert said_otherwise(question, both, kb) == {reading.program for reading in both[:expected]}


def test_who_speaks_is_spoken_of() -> None:
    assert root_of("spoke") == root_of("spoken") == root_of("speaks") == root_of("speak")
    assert root_of("written") == root_of("writes") != root_of("writer")


@pytest.mark.parametrize(
    ("question", "klass", "expected"),
    [
        ("who is buried in Peru?", ":Monarch", True),
        ("which monarchs are buried in Peru?", ":Monarch", False),
        ("who is buried in Peru?", ":Person", False),  # all of them are
    ],
)
def test_a_class_that_nobody_said_leaves_nobody_out(
    kb: Index, question: str, klass: str, expected: bool
) -> None:
    narrow, wide = found(f"(AND {klass} (JOIN :buried_inv :peru))", kb), found("(JOIN :buried_inv :peru)", kb)
    assert (narrow.program in narrowed_unsaid(question, [narrow, wide], kb)) is expected
    assert not narrowed_unsaid(question, [narrow], kb), "nothing wider was found"


def test_each_costs_as_much_as_a_word_that_is_left_out(kb: Index) -> None:
    question = "who is buried there and what do they speak?"
    readings = (
        found("(AND :Monarch (JOIN :buried_inv :peru))", kb),
        found("(JOIN :buried_inv :peru)", kb),
        found("(JOIN :officialLanguage_inv :peru)", kb),
        found("(JOIN :spokenLanguage_inv :peru)", kb),
        found("(JOIN :officialLanguage_inv :chile)", kb, constant="Chile"),
        found("(JOIN :spokenLanguage_inv :chile)", kb, constant="yes"),
    )
    costs = {
        one.program: -1.0 - one.score
        for one in weighed(question, Links(question), Outcome(readings, True), kb).found
    }
    narrow, wide, official, spoken, unsaid, never_said = (costs[one.program] for one in readings)
    assert narrow - wide == official - spoken == pytest.approx(LEFT_OUT)
    assert unsaid - never_said == pytest.approx(2 * LEFT_OUT), (
        "said otherwise, and a constant that is not said"
    )
