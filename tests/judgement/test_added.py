"""Readings that no search found: what most have, and what a structured value is worth."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Found, Outcome, Trace
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.counting import commonest, is_of_others
from arcaneqa.judgement.ways import worth
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Expression
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import Links

FACTS = """@prefix : <http://example.org/> .
:a a :Film ; :artGenre "noir" ; :year 1940 ; :budget [ :value 200 ; :currency "USD" ] ;
  :size [ :value 3 ; :gross 4 ] .
:b a :Film ; :artGenre "noir" ; :year 1941 ; :budget [ :value 100 ; :currency "USD" ] ;
  :shot [ :amount 3 ; :value 4 ] .
:c a :Film ; :artGenre "farce" ; :year 1941 ; :maker :firm ; :madeBy :ann . :firm :value 7 . :ann a :Artist .
"""
MOST = "(ARGMAX (HAS :artGenre_inv) (COUNT :artGenre_inv))"


def read(program: str, kb: Index) -> Expression:
    return parse(program, Names(kb.profile), kb.schema)


def found(program: str, kb: Index) -> Found:
    parsed = read(program, kb)
    return Found(parsed, -1.0, execute(parsed, kb), (), Trace((), []))


@pytest.mark.parametrize(
    ("question", "program"),
    [
        ("What is the most common art genre?", MOST),
        ("most common art genre", MOST),
        ("Which art genre is used most often?", MOST),
        ("Which art genres are the most popular?", MOST),
        ("which art genre occurs least often?", MOST.replace("MAX", "MIN")),
        ("Who is the most frequent artist?", MOST.replace("artGenre", "madeBy")),  # all are of that kind
        ("Which artist was hired most often?", MOST.replace("artGenre", "madeBy")),
        ("Which artist hired most often?", None),  # does it, and is not whom it is done to
        ("What is the most common art genre of films?", None),  # says of whom
        ("Which genre is the most common?", None),  # not its whole name
        ("What is the most common year?", None),  # a number may be meant
        ("Which films have the most common art genre?", None),
    ],
)
def test_what_most_have_is_asked_of_all_that_have_it(kb: Index, question: str, program: str | None) -> None:
    asked = commonest(question, kb)
    assert (None if asked is None else asked[0]) == (None if program is None else read(program, kb))


def test_a_search_that_ranks_something_else_is_put_right(kb: Index) -> None:
    question = "Which art genre is the most common?"
    other = found("(ARGMAX :Film :year)", kb)
    best, *others = weighed(question, Links(question), Outcome((other,), is_complete=True), kb).found
    assert best.program == read(MOST, kb)
    assert other.program in [one.program for one in others]
    (relation,) = (one for one in kb.schema.relations if one.iri.endswith("artGenre"))
    ranked = "(ARGMAX (JOIN :artGenre_inv (CLASS :Film)) (COUNT :artGenre_inv))"
    assert not is_of_others(read(ranked, kb), relation)
    assert not is_of_others(read("(PER :Film :artGenre COUNT)", kb), relation)
    assert is_of_others(read("(PER :Film :year COUNT)", kb), relation)
    said = weighed(question, Links(question), Outcome((found(ranked, kb),), is_complete=True), kb).found
    assert read(MOST, kb) not in [one.program for one in said], "it is said already"


@pytest.mark.parametrize(
    ("program", "led"),
    [
        ("(JOIN :budget_inv :a)", "(JOIN :value_inv (JOIN :budget_inv :a))"),
        ("(JOIN :budget_inv :Film)", "(JOIN :value_inv (JOIN :budget_inv :Film))"),
        ("(JOIN :size_inv :a)", "(JOIN :value_inv (JOIN :size_inv :a))"),
        ("(JOIN :shot_inv :b)", None),  # either may be meant
        ("(JOIN :maker_inv :c)", None),  # a thing of its own
        ("(COUNT (JOIN :budget_inv :Film))", None),
    ],
)
def test_who_asks_for_a_budget_asks_for_its_value(kb: Index, program: str, led: str | None) -> None:
    number = worth(found(program, kb), kb)
    assert (None if number is None else number.program) == (None if led is None else read(led, kb))


def test_a_mend_that_cannot_be_said_is_none(kb: Index) -> None:
    """An average compares with a number: what compares it with a text leaves the reading as it was."""
    program = read("(JOIN :maker_inv (GT :year 1940))", kb)
    films = Found(program, -1.0, execute(program, kb), (), Trace((), []))
    year = (ex.Relation("http://example.org/maker", inverse=True), ex.Relation("http://example.org/year"))
    average = ex.Totalled(ex.Aggregation.AVG, year)
    with_text = ex.Compare(Comparison.GT, average, ex.Value(Literal("noir")))
    assert put_right(with_text, films, kb) is films
