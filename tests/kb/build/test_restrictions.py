"""What all members of a class have, in OWL's words, as facts of ontologies that have no members."""

from __future__ import annotations

from pathlib import Path

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse

EX = "http://pizza.example/"
KINDS = "\n".join(f":Kind{number} rdfs:subClassOf :Pizza ." for number in range(25))
SAID = """
:Rosa rdfs:subClassOf :Pizza, [ a owl:Restriction ; owl:onProperty :topping ; owl:someValuesFrom :Cheese ] ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :base ; owl:allValuesFrom :Thin ] ;
  rdfs:subClassOf [ owl:onProperty :topping ; owl:someValuesFrom [ owl:unionOf (:Ham :Egg) ] ] .
:Soho owl:equivalentClass [ owl:intersectionOf (
  :Pizza [ a owl:Restriction ; owl:onProperty :topping ; owl:someValuesFrom :Garlic ]
  [ a owl:Restriction ; owl:onProperty :origin ; owl:hasValue :Italy ] ) ] .
"""


def build(folder: Path, turtle: str, batch: int = 200_000) -> Index:
    prefixes = f"@prefix : <{EX}> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    prefixes += "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    (folder / "facts.ttl").write_text(prefixes + turtle, encoding="utf-8")
    build_index([folder / "facts.ttl"], folder / "index", batch=batch)
    return Index(folder / "index")


def answers(kb: Index, relation: str, name: str) -> set[str]:
    program = parse(f"(JOIN <{EX}{relation}>_inv <{EX}{name}>)", Names(kb.profile))
    terms = kb.terms(execute(program, kb).nodes.ids)
    return {term.value.removeprefix(EX) for term in terms if isinstance(term, Iri)}


def test_what_some_value_is_said_of_is_a_fact(tmp_path: Path) -> None:
    kb = build(tmp_path, KINDS + SAID)
    assert answers(kb, "topping", "Rosa") == {"Cheese"}
    assert answers(kb, "topping", "Soho") == {"Garlic"}
    assert answers(kb, "origin", "Soho") == {"Italy"}
    # That there is nothing but thin bases does not say that there is one.
    assert EX + "base" not in {relation.iri for relation in kb.schema.relations}


def test_what_is_said_may_be_spread_over_batches(tmp_path: Path) -> None:
    kb = build(tmp_path, KINDS + SAID, batch=3)
    assert answers(kb, "topping", "Soho") == {"Garlic"}


def test_where_there_are_members_classes_have_nothing(tmp_path: Path) -> None:
    members = "\n".join(f":pizza{number} a :Rosa ; :topping :Cheese ." for number in range(30))
    kb = build(tmp_path, KINDS + SAID + members)
    assert answers(kb, "topping", "pizza1") == {"Cheese"}
    whose = parse(f"(JOIN <{EX}topping> <{EX}Cheese>)", Names(kb.profile))
    assert len(execute(whose, kb).nodes) == 30
