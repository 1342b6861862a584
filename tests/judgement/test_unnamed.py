"""Who, where and when are told by what has a name or a date, not by the nodes between."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.unnamed import beyond_unnamed, is_unnamed
from arcaneqa.kb.index import Index
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:vase a :Object ; rdfs:label "Vase" ; :producedBy :p1 ; :owner :unlisted ; :material :clay .
:mug a :Object ; rdfs:label "Mug" ; :maker :kim .
:jug a :Object ; rdfs:label "Jug" ; :producedBy :p2 ; :lastRepair [ :note "glued" ] .
:bowl a :Object ; rdfs:label "Bowl" ; :fair :f1 .
:f1 a :Fair ; :opened "1990-01-01"^^xsd:date ; :closed "1990-05-01"^^xsd:date .
:p1 a :Production ; :carriedOutBy :ina ; :tookPlaceAt :delft ; :span [ :within "1712"^^xsd:gYear ] .
:p2 a :Production ; :carriedOutBy :ina, :jan ; :technique :throwing .
:ina a :Person ; rdfs:label "Ina" . :jan a :Person ; rdfs:label "Jan" .
:kim a :Person ; :pupil :jan .
:delft a :Town ; rdfs:label "Delft" . :clay a :Material ; rdfs:label "clay" .
"""


@pytest.mark.parametrize(
    ("question", "program", "meant"),
    [
        ("Who made the vase?", "(JOIN :producedBy_inv :vase)", "(JOIN :carriedOutBy_inv {})"),
        ("Where was the vase made?", "(JOIN :producedBy_inv :vase)", "(JOIN :tookPlaceAt_inv {})"),
        (
            "When was the vase made?",
            "(JOIN :producedBy_inv :vase)",
            "(JOIN :within_inv (JOIN :span_inv {}))",
        ),
        ("Who made the jug?", "(JOIN :producedBy_inv :jug)", "(JOIN :carriedOutBy_inv {})"),
        # Of two dates the one that is said, else neither.
        ("When was the fair of the bowl opened?", "(JOIN :fair_inv :bowl)", "(JOIN :opened_inv {})"),
        ("When was the fair of the bowl?", "(JOIN :fair_inv :bowl)", None),
        ("Where was the jug made?", "(JOIN :producedBy_inv :jug)", None),
        # Other questions may be about such nodes, and what has a name is an answer.
        ("What produced the vase?", "(JOIN :producedBy_inv :vase)", None),
        ("Who is of clay?", "(JOIN :material :clay)", None),
    ],
)
def test_one_goes_on_to_what_has_a_name(kb: Index, question: str, program: str, meant: str | None) -> None:
    one = found(program, kb)
    expected = found(meant.format(program), kb).program if meant else one.program
    assert beyond_unnamed(question, one, kb).program == expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("When was the jug last repaired?", "(JOIN :lastRepair_inv :jug)", True),
        ("What was the last repair of the jug?", "(JOIN :lastRepair_inv :jug)", False),
        ("Who made the jug?", "(JOIN :carriedOutBy_inv (JOIN :producedBy_inv :jug))", False),
        # Nothing is told of the owner, not even a name: it is somebody all the same.
        ("Who owns the vase?", "(JOIN :owner_inv :vase)", False),
        # Others of the kind have names, so this one's is only missing.
        ("Who made the mug?", "(JOIN :maker_inv :mug)", False),
        ("When was it within?", "(JOIN :within_inv (JOIN :span_inv :p1))", False),
    ],
)
def test_a_node_without_a_name_is_nobody(kb: Index, question: str, program: str, expected: bool) -> None:
    assert is_unnamed(question, found(program, kb), kb) is expected
