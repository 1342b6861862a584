"""What is a kind of what, by classes, in a thesaurus and in an ontology."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.told import kinds_told
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.text import parse, print_program
from arcaneqa.links import EntityCandidate, Links, MentionLink
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:lisbon a :BigCity ; rdfs:label "Lisbon" ; :mayor :ana . :tejo a :River .
:porto a :City ; rdfs:label "Porto" .
:core a skos:Concept ; skos:prefLabel "core" ; skos:broader :drilling .
:piston a skos:Concept ; skos:prefLabel "piston" ; skos:broader :core .
:drilling a skos:Concept ; skos:prefLabel "drilling" . :rain a skos:Concept ; skos:prefLabel "rain" .
"""
NODES = {"Lisbon": "lisbon", "Porto": "porto", "core": "core", "piston": "piston", "drilling": "drilling"}


def links(question: str, kb: Index) -> Links:
    mentions = []
    for label, name in NODES.items():
        node, start = kb.node(Iri(f"http://example.org/{name}")), question.find(label)
        if start >= 0 and node is not None:
            candidate = EntityCandidate(node, label, 0.0)
            mentions.append(MentionLink(start, start + len(label), label, -0.1, (candidate,)))
    return Links(question, tuple(mentions))


@pytest.mark.parametrize(
    ("question", "program", "is_certain"),
    [
        ("Which kinds of core are there?", "(JOIN skos:broader :core)", True),
        ("Which methods are narrower than core?", "(JOIN skos:broader :core)", True),
        ("types of drilling", "(JOIN skos:broader :drilling)", True),
        ("How many sorts of the core exist?", "(COUNT (JOIN skos:broader :core))", True),
        ("Is piston a type of core?", "(MEET :piston (JOIN skos:broader :core))", True),
        # What is below what is below is a kind of it, too.
        ("Is piston a drilling?", "(MEET :piston (JOIN skos:broader (JOIN skos:broader :drilling)))", True),
        ("Is drilling a kind of core?", "(MEET :drilling (JOIN skos:broader :core))", False),
        # A big city is a city, though a city need not be a big one.
        ("Is Lisbon a city?", "(MEET :lisbon :BigCity)", True),
        ("Is Porto a big city?", "(MEET :porto :BigCity)", False),
        ("Was Porto a river?", "(MEET :porto :River)", False),
        # Nothing is below a piston; and what says more asks for more.
        ("Which kinds of piston are there?", None, False),
        ("Which kinds of core are used in drilling?", None, False),
        ("Is Lisbon a city with a mayor?", None, False),
        ("Is Porto a harbour?", None, False),
    ],
)
def test_what_is_a_kind_of_what(kb: Index, question: str, program: str | None, is_certain: bool) -> None:
    said = kinds_told(question, links(question, kb), kb)
    names = Names(kb.profile)
    assert (said and print_program(said.program, names)) == (
        program and print_program(parse(program, names, kb.schema), names)
    )
    assert said is None or said.is_certain is is_certain


def test_what_is_said_of_kinds_comes_before_what_is_likelier(kb: Index) -> None:
    above, below = found("(JOIN skos:broader_inv :core)", kb, -1.0), "(JOIN skos:broader :core)"
    question = "Which kinds of core are there?"
    first, *_ = weighed(question, links(question, kb), Outcome((above,), True), kb).found
    assert first.program == found(below, kb).program
    (kept,) = weighed("What is core?", links("What is core?", kb), Outcome((above,), True), kb).found
    assert kept.program == above.program
