"""What a question needs, and what is measured where it is gone."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import parse

EX = "http://example.org/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RECIPES = Path(__file__).parents[2] / "recipes"
FACTS = f"""
@prefix : <{EX}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:wrote owl:inverseOf :author .
:ann a :Poet ; rdfs:label "Ann" ; :wrote :odes ; :friend :bob .
:bob a :Painter ; rdfs:label "Bob" ; :friend :ann .
:odes a :Book ; rdfs:label "Odes" ; :author :ann .
:cy a :Poet ; rdfs:label "Cy" ; :friend :ann .
"""


@pytest.fixture
def holes(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(RECIPES)
    return importlib.import_module("holes")


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "facts.ttl").write_text(FACTS)
    build_index([folder / "facts.ttl"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def needed(holes: Any, kb: Index, program: str) -> set[Any]:
    text = program.replace(":", EX).replace("[", "<").replace("]", ">")
    return set(holes.Whole(kb).holes(parse(text, Names(kb.profile), kb.schema)))


def test_a_relation_goes_with_the_one_that_says_the_same(holes: Any, kb: Index) -> None:
    both = frozenset({EX + "wrote", EX + "author"})
    assert needed(holes, kb, "(JOIN [:wrote]_inv [:ann])") == {
        holes.Hole("relation", relations=both),
        holes.Hole("facts", entity=EX + "ann", relations=both),
        holes.Hole("entity", entity=EX + "ann"),
    }
    gone = holes.Gone.of([holes.Hole("relation", relations=both)], kb)
    assert gone.takes(f"<{EX}odes>", f"<{EX}author>", f"<{EX}ann>")
    assert not gone.takes(f"<{EX}ann>", f"<{EX}friend>", f"<{EX}bob>")


def test_only_a_class_that_makes_a_difference_can_be_missed(holes: Any, kb: Index) -> None:
    poets = holes.Hole("class", klass=EX + "Poet")
    assert poets in needed(holes, kb, "(AND [:Poet] (JOIN [:friend] [:ann]))")
    assert needed(holes, kb, "(COUNT [:Poet])") == {poets}
    books = holes.Hole("class", klass=EX + "Book")
    assert books not in needed(holes, kb, "(AND [:Book] (JOIN [:author] [:ann]))")


def test_a_class_goes_with_its_members(holes: Any, kb: Index) -> None:
    gone = holes.Gone.of([holes.Hole("class", klass=EX + "Poet")], kb)
    assert gone.takes(f"<{EX}cy>", f"<{EX}friend>", f"<{EX}ann>")
    assert gone.takes(f"<{EX}bob>", f"<{EX}friend>", f"<{EX}ann>")
    assert not gone.takes(f"<{EX}bob>", f"<{RDF_TYPE}>", f"<{EX}Painter>")


def test_facts_of_one_entity_go_alone(holes: Any, kb: Index) -> None:
    hole = holes.Hole("facts", entity=EX + "ann", relations=frozenset({EX + "friend"}))
    gone = holes.Gone.of([hole], kb)
    assert gone.takes(f"<{EX}ann>", f"<{EX}friend>", f"<{EX}bob>")
    assert gone.takes(f"<{EX}cy>", f"<{EX}friend>", f"<{EX}ann>")
    assert not gone.takes(f"<{EX}cy>", f"<{EX}friend>", f"<{EX}bob>")
    assert not gone.takes(f"<{EX}ann>", f"<{EX}wrote>", f"<{EX}odes>")


def test_what_refusing_costs_is_told_apart_from_what_it_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(RECIPES)
    refused = importlib.import_module("refused")
    rows = [
        refused.Asked("class", 0.0, 0.0, 0.1, True),
        refused.Asked("class", 0.0, 0.0, 0.95, False),
        refused.Asked(None, 1.0, 1.0, 0.95, False),
        refused.Asked(None, 0.0, 1.0, 0.1, True),
    ]
    told = "\n".join(refused.told("set", rows))
    assert "2 without an answer: 50% refused" in told
    assert "2 with one: F1 50.0, 100.0 without refusals, 50.0 lost" in told
    assert "2 answers at 0.9 and more: 50% right, 100% of all right answers" in told
