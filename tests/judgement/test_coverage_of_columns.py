"""Words that ask for a number which the data has need no form that computes it."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.asked import signs
from arcaneqa.judgement.columns import is_column
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language.forms import Form
from tests.induction.plain import PlainKb

SIZE = Literal("5", XSD + "integer")
KB = PlainKb(
    [
        ("anna", "votes", SIZE),
        ("anna", "totalMedals", SIZE),
        ("anna", "meanSeaPressure", SIZE),
        ("anna", "filmBudget", SIZE),
        ("anna", "awards", "oscar"),
        ("flat", "bedroomCount", SIZE),
        ("anna", "lapsInFront", SIZE),
        ("anna", "winPercent", SIZE),
        ("anna", "medianIncome", SIZE),
        ("anna", "totalenrollment", SIZE),
        ("anna", "fdaApproved", Literal("Yes")),
        ("bert", "fdaApproved", Literal("No")),
        ("bert", "smoker", Literal("heavy")),
    ]
)


@pytest.mark.parametrize(
    ("question", "form", "expected"),
    [
        ("who has the most votes?", Form.BY_COUNT, True),
        ("who has the highest number of medals?", Form.BY_COUNT, True),
        ("clubs with less than 10 medals", Form.COUNT_COMPARED, True),
        ("who made the most films?", Form.BY_COUNT, False),
        ("who won the most awards?", Form.BY_COUNT, False),
        ("days with an average sea pressure above 30", Form.AVERAGE, True),
        ("what is the average budget?", Form.AVERAGE, False),
        ("flats with more than two bedrooms", Form.COUNT_COMPARED, True),
        ("flats with 12 or more bedrooms", Form.COUNT_COMPARED, True),
        ("which song spent the most laps in front?", Form.BY_COUNT, True),
        ("who ran the most laps?", Form.BY_COUNT, False),
        ("what is the total number of members?", Form.TOTAL, True),
        ("what is the total number of votes?", Form.TOTAL, False),
        ("teams with a percentage of wins above 50", Form.SHARE, True),
        ("towns with a median income above 3", Form.SPREAD, True),
        ("who has the most number of votes?", Form.BY_COUNT, True),
        ("who has the most number of films?", Form.BY_COUNT, False),
        ("schools with more than 400 total enrollment", Form.TOTAL, True),
        ("medicines that are not approved by the FDA", Form.EXCEPT, True),
        ("people who are not approved", Form.EXCEPT, False),
        ("who is not a smoker?", Form.EXCEPT, False),
    ],
)
def test_a_number_of_the_data_is_not_computed(question: str, form: Form, expected: bool) -> None:
    (sign,) = (sign for sign in signs(question) if sign.form is form)
    assert is_column(question, sign, KB) is expected
