"""Programs in English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.program.expression import Expression
from arcaneqa.program.phrase import paraphrase
from arcaneqa.program.text import parse
from tests.program.worlds import EX, PROFILE, indexed, programs, whole_graph

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NUMBER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
YEAR = "^^<http://www.w3.org/2001/XMLSchema#gYear>"

GRAPH = "\n".join(
    f"{subject} {predicate} {value} ."
    for subject, predicate, value in [
        (f"<{EX}paris>", f"<{RDF_TYPE}>", f"<{EX}City>"),
        (f"<{EX}paris>", f"<{RDFS}label>", '"Paris"@en'),
        (f"<{EX}france>", f"<{RDFS}label>", '"France"@en'),
        (f"<{EX}paris>", f"<{EX}locatedIn>", f"<{EX}france>"),
        (f"<{EX}paris>", f"<{EX}population>", f'"2100000"{NUMBER}'),
        (f"<{EX}paris>", f"<{EX}founded>", f'"0250"{YEAR}'),
        (f"<{EX}paris>", f"<{EX}mayor>", f"<{EX}anne_hidalgo>"),
        (f"<{EX}paris>", f"<{EX}office>", f"<{EX}term>"),
        (f"<{EX}term>", f"<{EX}from>", f'"2014"{YEAR}'),
    ]
)


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with indexed(GRAPH) as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(ARGMAX (AND ex:City (JOIN ex:locatedIn ex:france)) ex:population)",
            "cities located in France with the largest population",
        ),
        ("(JOIN ex:mayor_inv ex:paris)", "the mayor of Paris"),
        ("(JOIN ex:locatedIn_inv ex:paris)", "what Paris is located in"),
        ("(COUNT (JOIN ex:mayor ex:anne_hidalgo))", "the number of cities whose mayor is anne hidalgo"),
        (
            "(AND ex:City (AND (GT ex:population 5^^xsd:integer) (JOIN ex:mayor ex:anne_hidalgo)))",
            "cities whose population is more than 5 and whose mayor is anne hidalgo",
        ),
        ("(LT ex:founded 1000^^xsd:gYear)", "cities whose founded is before 1000"),
        ("(ARGMIN ex:City ex:founded)", "cities with the earliest founded"),
        ("(TC (JOIN ex:office_inv ex:paris) ex:from NOW)", "the office of Paris valid now"),
        ("(CONS ex:City ex:mayor ex:anne_hidalgo)", "cities whose mayor is anne hidalgo"),
        ("(AND ex:City (JOIN ex:office_inv ex:paris))", "cities that are the office of Paris"),
    ],
)
def test_phrases(kb: KnowledgeBase, text: str, expected: str) -> None:
    assert paraphrase(parse(text, Names(PROFILE), kb.schema), kb) == expected


@pytest.fixture(scope="module")
def whole() -> Iterator[KnowledgeBase]:
    with indexed(whole_graph()) as opened:
        yield opened


@given(program=programs)
def test_every_program_has_a_phrase(program: Expression, whole: KnowledgeBase) -> None:
    phrase = paraphrase(program, whole)
    assert phrase.strip() == phrase != ""
    assert "http" not in phrase
    assert "  " not in phrase
