"""What else something is called."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.told import other_names
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.text import print_program
from arcaneqa.links import EntityCandidate, Links, MentionLink

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:sonde a :Tool ; rdfs:label "sonde" ; skos:altLabel "probe" ; :definition "a thing" .
:camera a :Tool ; rdfs:label "camera" ; :definition "another thing" .
"""


def links(question: str, kb: Index) -> Links:
    mentions = []
    for name in ("sonde", "camera"):
        node, start = kb.node(Iri(f"http://example.org/{name}")), question.find(name)
        if start >= 0 and node is not None:
            candidate = EntityCandidate(node, name, 0.0)
            mentions.append(MentionLink(start, start + len(name), name, -0.1, (candidate,)))
    return Links(question, tuple(mentions))


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("What is another name for sonde?", True),
        ("What are the synonyms of the sonde?", True),
        ("alternative names of sonde", True),
        ("What else is a sonde called?", True),
        ("What is sonde also known as?", True),
        ("Which other names does sonde have?", True),
        # Its name, what has no other, and what says more.
        ("What is sonde called?", False),
        ("What is another name for camera?", False),
        ("What is the other name of the maker of sonde?", False),
        ("What is the definition of sonde?", False),
    ],
)
def test_what_else_something_is_called(kb: Index, question: str, is_asked: bool) -> None:
    told = other_names(question, links(question, kb), kb)
    program = "(JOIN skos:altLabel_inv :sonde)" if is_asked else None
    assert (told and print_program(told.program, Names(kb.profile))) == program
