"""Whether what a question names is among what a reading lists."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.yes_or_no import is_among
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import EntityCandidate, Links, LiteralLink, MentionLink

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:han a :Character ; rdfs:label "Han" ; :film :hope, :jedi ; :eyes "brown" .
:leia a :Character ; rdfs:label "Leia" ; :film :jedi ; :eyes "blue" .
:hope a :Film ; rdfs:label "Hope" ; :director :george ; :minutes 121 .
:jedi a :Film ; rdfs:label "Jedi" ; :director :richard ; :minutes 131 .
:george a :Person ; rdfs:label "George" . :richard a :Person ; rdfs:label "Richard" .
"""
NAMES = ("Han", "Leia", "Hope", "Jedi", "George", "Richard")


def read(question: str, program: str, kb: Index) -> tuple[Links, Found]:
    mentions = tuple(
        MentionLink(start, start + len(name), name, -0.1, (EntityCandidate(node, name, 0.0),))
        for name in NAMES
        if (start := question.find(name)) >= 0
        and (node := kb.node(Iri(f"http://example.org/{name.lower()}"))) is not None
    )
    at = question.find("brown")
    stated = (LiteralLink(at, at + 5, "brown", (Literal("brown"),)),) if at >= 0 else ()
    if (at := question.find("125")) >= 0:
        stated = (LiteralLink(at, at + 3, "125", (Literal("125", f"{XSD}integer"),)),)
    parsed = parse(program, Names(kb.profile), kb.schema)
    topics = tuple(
        Topic(entity, TopicWords("", at, at + len(name), 0))
        for entity in ex.mentioned(parsed)
        for name in NAMES
        if isinstance(entity.term, Iri) and entity.term.value.endswith("/" + name.lower())
        for at in [question.find(name)]
    )
    return Links(question, mentions, stated), Found(parsed, -1.0, execute(parsed, kb), topics, Trace((), []))


@pytest.mark.parametrize(
    ("question", "listed", "answer"),
    [
        ("Does Han appear in Hope?", "(JOIN :film_inv :han)", "true"),
        ("Does Leia appear in Hope?", "(JOIN :film_inv :leia)", "false"),
        ("Does Han appear in Hope?", "(AND (JOIN :film_inv :han) (JOIN :film_inv :leia))", "true"),
        ("Was Jedi directed by Richard?", "(JOIN :director_inv :jedi)", "true"),
        ("Are the eyes of Leia brown?", "(JOIN :eyes_inv :leia)", "false"),
        ("Does Jedi run more than 125 minutes?", "(JOIN :minutes_inv :jedi)", "true"),
        ("Does Hope run for at least 125 minutes?", "(JOIN :minutes_inv :hope)", "false"),
        ("Does Jedi have more than 125 directors?", "(JOIN :director_inv :jedi)", None),
        # A director need not be in the film, a person is no film, and who asks which wants a list.
        ("Did Han direct Hope?", "(JOIN :film_inv :han)", None),
        ("Does Han know George?", "(JOIN :film_inv :han)", None),
        ("In which films is Han beside Hope?", "(JOIN :film_inv :han)", None),
        ("Is Han there?", "(JOIN :film_inv :han)", None),
    ],
)
def test_a_list_says_whether_one_is_in_it(kb: Index, question: str, listed: str, answer: str | None) -> None:
    links, found = read(question, listed, kb)
    told = is_among(question, links, found, kb)
    assert (told and told.result.value and told.result.value.lexical) == answer
