"""Meanings are computed once, shared, and let go of."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arcaneqa.induction.meaning import Meaning, Meanings, Roots
from arcaneqa.induction.vocabulary import Vocabulary
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Step
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.expression import Entity
from tests.induction.plain import EX, PlainKb

KB = PlainKb([("a", "r", "b"), ("a", "s", "b"), ("c", "r", "b"), ("d", "t", "a"), ("a", "type", "K")])


def entity(name: str) -> Entity:
    return Entity(Iri(EX + name))


def test_equal_conjunctions_are_one_meaning_whatever_their_order() -> None:
    meanings = Meanings(Vocabulary(KB))
    b = meanings.topic(entity("b"))
    by_r, by_s = meanings.join(b, Step(0, True)), meanings.join(b, Step(1, True))
    members = meanings.members(0)
    one = meanings.both(meanings.both(by_r, by_s), members)
    two = meanings.both(meanings.both(members, by_s), by_r)
    assert one is two
    assert meanings.both(one, by_s) is one
    assert meanings.join(b, Step(0, True)) is by_r


def test_topics_are_shared_between_searches_until_there_are_too_many() -> None:
    vocabulary, roots = Vocabulary(KB), Roots(most=2)
    first = Meanings(vocabulary, roots).topic(entity("a"))
    assert Meanings(vocabulary, roots).topic(entity("a")) is first
    for name in ("b", "c", "d"):
        Meanings(vocabulary, roots).topic(entity(name))
    assert Meanings(vocabulary, roots).topic(entity("a")) is not first


def test_a_search_keeps_its_topics_though_others_push_them_out() -> None:
    vocabulary, roots = Vocabulary(KB), Roots(most=1)
    meanings = Meanings(vocabulary, roots)
    first = meanings.topic(entity("a"))
    Meanings(vocabulary, roots).topic(entity("b"))
    assert meanings.topic(entity("a")) is first


def test_neighbourhoods_that_weigh_too_much_are_let_go() -> None:
    vocabulary, roots = Vocabulary(KB), Roots(most=1000, most_nodes=3)
    made = [roots.get(number, lambda: _heavy(vocabulary)) for number in range(64)]
    assert all(meaning.kept_nodes for meaning in made)
    again = roots.get(0, lambda: _heavy(vocabulary))
    assert again is not made[0]


def _heavy(vocabulary: Vocabulary) -> Meaning:
    node = KB.node(Iri(EX + "a"))
    assert node is not None
    meaning = Meaning(vocabulary, KB.nodes(np.array([node], np.int64)))
    assert len(meaning.neighbours) == 2
    return meaning


def equal_values(folder: Path) -> Index:
    """2.5 and 2.50, of two things, each of which somebody knows."""
    (folder / "facts.ttl").write_text(
        f"@prefix : <{EX}> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        ':a :size "2.5"^^xsd:decimal . :b :size "2.50"^^xsd:decimal . :c :knows :a . :d :knows :b .\n'
    )
    build_index([folder / "facts.ttl"], folder / "kb")
    return Index(folder / "kb")


def test_a_step_to_an_equal_value_is_no_step_into_the_set(tmp_path: Path) -> None:
    with equal_values(tmp_path) as kb:
        a, b = (kb.node(Iri(EX + name)) for name in "ab")
        value = kb.node(Literal("2.5", XSD + "decimal"))
        assert a is not None and b is not None and value is not None  # noqa: PT018
        near = Meaning(Vocabulary(kb), kb.nodes(np.array([value]))).near
        assert near is not None
        assert set(near.ids.tolist()) == {value, a}
        # Where both are members, both are met.
        entity_too = Meaning(Vocabulary(kb), kb.nodes(np.array([value, a]))).near
        assert entity_too is not None
        assert {value, a, kb.node(Iri(EX + "c"))} <= set(entity_too.ids.tolist())
        assert b not in entity_too.ids


def test_a_topic_whose_neighbour_has_an_equal_value_is_not_near_the_value(tmp_path: Path) -> None:
    with equal_values(tmp_path) as kb:
        vocabulary = Vocabulary(kb)
        meanings = Meanings(vocabulary, Roots())
        value = kb.node(Literal("2.5", XSD + "decimal"))
        c, d = (kb.node(Iri(EX + name)) for name in "cd")
        assert value is not None and c is not None and d is not None  # noqa: PT018
        waiting, near, far = (Meaning(vocabulary, kb.nodes(np.array([node]))) for node in (value, c, d))
        assert meanings.is_near(near, waiting)
        assert not meanings.is_near(far, waiting)
