"""Forms that are asked for and lacking: words tell, and an encoder may doubt them or hear more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from arcaneqa.judgement.asked import signs
from arcaneqa.judgement.lacking import lacking
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.program.forms import PAPER, Form
from tests.induction.plain import PlainKb

KB = PlainKb([("anna", "averageScore", Literal("5", XSD + "integer"))])
EVERY = frozenset(Form)


@dataclass
class Hearing:
    """An encoder that hears what it is told to."""

    told: dict[str, float]
    heeded: float = 0.2
    sure: float = 0.95
    asked: list[Mapping[str, bool]] = field(default_factory=list)

    def chances(self, question: str, signs: Mapping[str, bool]) -> Mapping[str, float]:  # noqa: ARG002
        self.asked.append(signs)
        return {form.name: self.told.get(form.name, 0.0) for form in Form}


def found(question: str, had: frozenset[Form], hearing: Hearing | None) -> tuple[str, str] | None:
    sign = lacking(question, signs(question), had, KB, hearing)
    return None if sign is None else (sign.form.name, question[sign.start : sign.end])


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ({"AVERAGE": 0.3}, ("AVERAGE", "average")),
        ({"AVERAGE": 0.1}, None),
        ({"AVERAGE": 0.1, "TABLE": 0.97}, ("TABLE", "the average price")),
        ({"TABLE": 0.9, "GROUPS": 0.8}, ("TABLE", "the average price")),
        ({"TABLE": 0.9}, None),
        ({"ORDER": 1.0, "EXTREME_VALUE": 1.0}, None),
    ],
)
def test_an_encoder_confirms_doubts_and_adds(
    chances: dict[str, float], expected: tuple[str, str] | None
) -> None:
    assert found("the average price", PAPER, Hearing(chances)) == expected


def test_words_decide_alone_where_there_is_no_encoder() -> None:
    assert found("the average price", PAPER, None) == ("AVERAGE", "average")
    assert found("the average price", PAPER | {Form.AVERAGE}, None) is None


def test_what_the_data_has_as_a_column_is_not_heard() -> None:
    hearing = Hearing({"AVERAGE": 1.0})
    assert lacking("the average score", [], PAPER, KB, hearing) is None
    assert hearing.asked == [{"AVERAGE": True}]


def test_who_lacks_nothing_asks_no_encoder() -> None:
    hearing = Hearing({})
    assert found("why is the average so low?", EVERY - {Form.REASON}, hearing) == ("REASON", "why")
    assert not hearing.asked
