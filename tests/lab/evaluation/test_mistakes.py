from __future__ import annotations

import pytest

from arcaneqa.lab.evaluation.judge import ANY_PROFILE, MEANING, Mistake, TolerantNames, classify
from arcaneqa.language.equivalence import Ontology
from arcaneqa.language.text import parse

NAMES = TolerantNames(ANY_PROFILE)
ONTOLOGY = Ontology(inverses={NAMES.expand("a.b.c"): NAMES.expand("a.b.d")})
GOLD = "(AND x.y (AND (JOIN a.b.c m.0a) (LT a.b.n 5^^xsd:integer)))"


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (None, Mistake.NO_PROGRAM),
        ("(AND x.y (AND (JOIN a.b.c m.0z) (LT a.b.n 5^^xsd:integer)))", Mistake.LINKING),
        ("(JOIN a.b.c m.0a)", Mistake.FUNCTION),
        ("(AND x.y (AND (JOIN a.b.c m.0a) (GT a.b.n 5^^xsd:integer)))", Mistake.FUNCTION),
        ("(AND x.y (AND (JOIN a.b.e m.0a) (LT a.b.n 5^^xsd:integer)))", Mistake.RELATION),
        ("(AND x.y (AND (JOIN a.b.c_inv m.0a) (LT a.b.n 5^^xsd:integer)))", Mistake.DIRECTION),
        ("(AND x.y (AND (JOIN a.b.d m.0a) (LT a.b.n 5^^xsd:integer)))", Mistake.DIRECTION),
        ("(AND x.z (AND (JOIN a.b.d_inv m.0a) (LT a.b.n 5^^xsd:integer)))", Mistake.CLASS),
        ("(AND x.y (AND (JOIN a.b.c m.0a) (LT a.b.n 6^^xsd:integer)))", Mistake.LITERAL),
        ("(JOIN a.b.c (AND x.y (AND (ENTITY m.0a) (LT a.b.n 5.0^^xsd:float))))", Mistake.STRUCTURE),
    ],
)
def test_kinds(predicted: str | None, expected: Mistake) -> None:
    program = None if predicted is None else parse(predicted, NAMES)
    assert classify(parse(GOLD, NAMES), program, False, ONTOLOGY) is expected


def test_right_answers_come_first_and_a_missing_gold_program_is_said() -> None:
    program = parse("(JOIN a.b.e m.0a)", NAMES)
    assert classify(parse(GOLD, NAMES), program, True, ONTOLOGY) is Mistake.EQUAL_ANSWERS
    assert classify(None, program, False, ONTOLOGY) is Mistake.NO_GOLD


def test_every_kind_is_explained() -> None:
    assert set(MEANING) == set(Mistake)
