"""What is part of something, asked for as its parts."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.told import parts_told
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.text import print_program
from arcaneqa.links import EntityCandidate, Links, MentionLink

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:cap a :Structure ; rdfs:label "cap" ; :partOf :mushroom .
:stem a :Structure ; rdfs:label "stem" ; :partOf :mushroom .
:mushroom a :Structure ; rdfs:label "mushroom" ; :memberOf :club ; :member :cap . :club rdfs:label "club" .
:s a :Scheme . :cap :topConceptOf :s .
"""


def links(question: str, kb: Index) -> Links:
    mentions = []
    for name in ("cap", "mushroom", "club"):
        node, start = kb.node(Iri(f"http://example.org/{name}")), question.find(name)
        if start >= 0 and node is not None:
            candidate = EntityCandidate(node, name, 0.0)
            mentions.append(MentionLink(start, start + len(name), name, -0.1, (candidate,)))
    return Links(question, tuple(mentions))


@pytest.mark.parametrize(
    ("question", "program"),
    [
        ("Which parts does a mushroom have?", "(JOIN :partOf :mushroom)"),
        ("How many parts does the mushroom have?", "(COUNT (JOIN :partOf :mushroom))"),
        ("parts of mushroom", "(JOIN :partOf :mushroom)"),
        ("How many top concepts are there?", "(COUNT (HAS :topConceptOf))"),
        # Nothing is part of a cap; members have a relation of their own; what says more asks for more.
        ("Which parts does the cap have?", None),
        ("Which members does the club have?", None),
        ("Which parts of mushroom are brown?", None),
        ("What is mushroom part of?", None),
        ("Which structures are there?", None),
    ],
)
def test_what_is_part_of_it_are_its_parts(kb: Index, question: str, program: str | None) -> None:
    told = parts_told(question, links(question, kb), kb)
    assert (told and print_program(told.program, Names(kb.profile))) == program
