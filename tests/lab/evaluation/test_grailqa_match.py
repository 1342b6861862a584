"""GrailQA's verdicts, worked out by hand from its published definition."""

from __future__ import annotations

import pytest

from arcaneqa.lab.evaluation.grailqa_match import official_match
from arcaneqa.lab.evaluation.judge import ANY_PROFILE, TolerantNames
from arcaneqa.language.equivalence import Ontology, equivalent
from arcaneqa.language.text import parse

NAMES = TolerantNames(ANY_PROFILE)


def iri(name: str) -> str:
    return NAMES.expand(name)


ONTOLOGY = Ontology(
    roles={
        iri(relation): (iri(domain), iri(range_))
        for domain, relation, range_ in [
            ("people.person", "people.person.birthplace", "geo.city"),
            ("geo.city", "geo.city.people_born", "people.person"),
            ("people.person", "people.person.age", "type.int"),
            ("people.person", "people.person.knows", "people.person"),
            ("geo.place", "geo.place.near", "geo.place"),
        ]
    },
    parents={
        iri("geo.city"): frozenset({iri("geo.place")}),
        iri("people.actor"): frozenset({iri("people.person")}),
        iri("type.int"): frozenset(),
    },
    inverses={
        iri("people.person.birthplace"): iri("geo.city.people_born"),
        iri("geo.city.people_born"): iri("people.person.birthplace"),
    },
)
BORN = "(JOIN people.person.birthplace m.0a)"


def matches(left: str, right: str) -> bool:
    return official_match(parse(left, NAMES), parse(right, NAMES), ONTOLOGY)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (f"(AND people.person {BORN})", BORN, True),
        ("(JOIN (R geo.city.people_born) m.0a)", BORN, True),
        (f"(AND {BORN} people.person)", f"(AND people.person {BORN})", True),
        (f"(AND people.actor {BORN})", BORN, False),
        # The first argument names the class, so order matters where the two differ.
        (f"(AND people.actor {BORN})", f"(AND {BORN} people.actor)", False),
        (f"(AND {BORN} {BORN})", BORN, False),
        (f"(COUNT {BORN})", BORN, False),
        (f"(COUNT {BORN})", f"(COUNT {BORN})", True),
        ("(ARGMAX people.person people.person.age)", "(ARGMIN people.person people.person.age)", False),
        ("(GE people.person.age 5^^xsd:integer)", "(GT people.person.age 5^^xsd:integer)", False),
        ("(ge people.person.age 5^^xsd:integer)", "(GE people.person.age 5^^xsd:integer)", True),
        (f"(TC {BORN} people.person.age 1999^^xsd:gYear)", f"(TC {BORN} people.person.age NOW)", False),
        (f"(TC {BORN} people.person.age NOW)", f"(TC {BORN} people.person.age NOW)", True),
        (f"(CONS {BORN} people.person.knows m.0b)", f"(AND {BORN} (JOIN people.person.knows m.0b))", True),
        # A city met as a place: JOIN refines the class of its argument.
        (
            "(JOIN people.person.birthplace (JOIN geo.place.near m.0b))",
            "(JOIN people.person.birthplace (AND geo.city (JOIN geo.place.near m.0b)))",
            True,
        ),
        # Where a superlative stands among the conditions is not told apart.
        (
            f"(AND people.person (ARGMAX {BORN} people.person.age))",
            f"(ARGMAX (AND people.person {BORN}) people.person.age)",
            True,
        ),
        # Relations the ontology does not have vanish.
        ("(JOIN foo.bar.baz m.0a)", "(JOIN foo.bar.qux m.0a)", True),
    ],
)
def test_verdicts(left: str, right: str, expected: bool) -> None:
    assert matches(left, right) is expected


def test_the_question_node_is_not_compared_there_but_is_here() -> None:
    who = "(JOIN people.person.birthplace geo.city)"
    where = "(JOIN (R people.person.birthplace) people.person)"
    assert matches(who, where)
    assert not equivalent(parse(who, NAMES), parse(where, NAMES), ONTOLOGY)


def test_a_function_is_lost_when_a_node_is_looked_at_twice() -> None:
    """People who know people look alike, and the counted one is first tried against the wrong one."""
    knows, known = "(JOIN people.person.knows", "(JOIN (R people.person.knows)"
    itself = f"(COUNT {knows} {known} people.person)))"
    assert not matches(itself, itself)
    left, right = f"{known} people.person)", f"{knows} {knows} m.0a))"
    one, other = f"(COUNT (AND {left} {right}))", f"(COUNT (AND {right} {left}))"
    assert matches(one, other)
    assert not matches(other, one)
    assert equivalent(parse(one, NAMES), parse(other, NAMES), ONTOLOGY)


def test_without_an_ontology_relations_still_count() -> None:
    def same(left: str, right: str) -> bool:
        return official_match(parse(left, NAMES), parse(right, NAMES), Ontology())

    assert same(BORN, BORN)
    assert not same(BORN, "(JOIN people.person.knows m.0a)")
    assert not same(f"(AND people.person {BORN})", BORN)
    assert same(f"(AND people.person {BORN})", f"(AND people.person {BORN})")
