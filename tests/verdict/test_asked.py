"""What words ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.language.forms import NEVER, PAPER, Form
from arcaneqa.verdict.frame import Wanted, lacking, signs, wanted


@pytest.mark.parametrize(
    ("question", "form", "words"),
    [
        ("Why is the sky blue?", Form.REASON, "Why"),
        ("how to boil an egg", Form.MANNER, "how to"),
        ("How do I get to Lisbon?", Form.MANNER, "How do I"),
        ("Was Einstein born in Ulm?", Form.TRUTH, "Was"),
        ("isn’t lisbon the capital of portugal", Form.TRUTH, "isn’t"),
        ("Which supplier offers the most products?", Form.BY_COUNT, "the most products"),
        ("who has the largest number of medals", Form.BY_COUNT, "largest number of medals"),
        ("who has the most number of medals", Form.BY_COUNT, "most number of medals"),
        ("list the suppliers and their phone numbers", Form.TABLE, "and their"),
        ("the three largest planets", Form.RANKS, "three largest"),
        ("What is the second highest mountain?", Form.RANKS, "second highest"),
        ("who is taller than Darth Vader?", Form.COMPARED_WITH_OTHERS, "taller than Darth"),
        ("what is the average price?", Form.AVERAGE, "average"),
        ("countries with at least three official languages", Form.COUNT_COMPARED, None),
        ("which customers never ordered?", Form.EXCEPT, "never"),
        ("characters who don't have a homeworld", Form.EXCEPT, "don't"),
        ("French or German suppliers", Form.EITHER, "or"),
        ("who is taller than 2 m or shorter than 1 m?", Form.EITHER, "or"),
        ("the 3 planets with the largest mass", Form.RANKS, None),
        ("who has a higher salary than their boss?", Form.COMPARED_WITH_OTHERS, None),
        ("films that won at least twice", Form.COUNT_COMPARED, "at least twice"),
        ("who directed 3 or more films?", Form.COUNT_COMPARED, "3 or more films"),
        ("which hall has most members?", Form.BY_COUNT, "has most members"),
        ("towns with only 1 station", Form.COUNT_COMPARED, "only 1"),
        ("which dish is ordered the most often?", Form.BY_COUNT, "most often"),
        ("how many orders did each employee take?", Form.GROUPS, None),
        ("list the countries and the number of their lakes", Form.GROUPS, "and the number of"),
        ("Which boat won? Give me its name and year.", Form.TABLE, "and"),
        ("list the name, length, depth of all rivers", Form.TABLE, None),
        ("find the minimum and maximum price", Form.TABLE, None),
        ("songs with the word 'love'", Form.TEXT, None),
        ("show the name and phone number of suppliers", Form.TABLE, None),
        ("products with 'sauce' in their name", Form.TEXT, None),
        ("what percentage of people live in cities?", Form.SHARE, "percentage"),
        ("how much taller is Everest than K2?", Form.DIFFERENCE, None),
        ("for how long did he reign?", Form.DURATION, "for how long"),
        ("what is the median price of a house?", Form.SPREAD, "median"),
        ("standard deviation of the mass", Form.SPREAD, "standard deviation"),
        ("how many years had passed between the two wars?", Form.DURATION, None),
        ("has Chad won more or less medals than Peru?", Form.DIFFERENCE, "more or less"),
        ("what film came directly after Aaha?", Form.NEXT, "directly after"),
        ("which area is listed above Chicago?", Form.NEXT, "listed above"),
        ("who was the next sheriff after Brewster?", Form.NEXT, "next"),
        ("how many consecutive years did he win?", Form.IN_A_ROW, "consecutive"),
        ("who won twice in a row?", Form.IN_A_ROW, "in a row"),
        ("which students have taken all of the courses?", Form.ALL_OF, None),
    ],
)
def test_forms_are_heard(question: str, form: Form, words: str | None) -> None:
    found = {sign.form: question[sign.start : sign.end] for sign in signs(question)}
    assert form in found
    assert words is None or found[form] == words


@pytest.mark.parametrize(
    "question",
    [
        "how did elvis die?",
        "Can you name the rivers of Texas?",
        "do you know who wrote hamlet",
        "whyalla is in which state",
        "island in the pacific",
        "which forest is in the west of Everest?",
        "what is the capital of France?",
        "cities with 2 million people or more",
        "what are the first and last names of all guests?",
        "show the names of films in 1990 or after",
        "which rivers flow into the Rhine?",
        "which house is next to the church?",
        "who was the lake named after?",
        "what came out after 2004?",
        "",
    ],
)
def test_plain_questions_ask_for_no_form(question: str) -> None:
    assert not list(signs(question))


@pytest.mark.parametrize(
    "question",
    [
        "what is the most populous city?",
        "the most expensive noble gas",
        "which member has the fewest people?",
        "which are the least dangerous animals?",
        "what is the highest mountain?",
        "how many rivers are there?",
        "how many customer cards are there?",
        "who stayed in room 111 most recently?",
        "how many rivers are there in total?",
    ],
)
def test_the_papers_forms_are_no_others(question: str) -> None:
    assert {sign.form for sign in signs(question)} <= {Form.SUPERLATIVE, Form.NUMBER}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who directed Alien?", Wanted.PERSON),
        ("when was Rome founded?", Wanted.TIME),
        ("in which year did it end?", Wanted.TIME),
        ("where is Rome?", Wanted.PLACE),
        ("how tall is Yao Ming?", Wanted.AMOUNT),
        ("how many films did he make?", Wanted.COUNT),
        ("Is tungsten a metal?", Wanted.TRUTH),
        ("which films are long?", None),
    ],
)
def test_kinds_of_answer(question: str, kind: Wanted | None) -> None:
    assert wanted(question) is kind


@given(st.text(max_size=80))
def test_any_text_is_searched_and_places_lie_within_it(question: str) -> None:
    for sign in signs(question):
        assert 0 <= sign.start < sign.end <= len(question)
        assert sign.form in sign.met_by
        assert sign.form not in NEVER or sign.met_by == {sign.form}


def test_a_number_with_the_name_of_its_measure_is_a_number() -> None:
    found = {sign.form for sign in signs("stars brighter than magnitude 0")}
    assert Form.COMPARED_WITH_OTHERS not in found


def test_what_is_said_of_which_is_no_column() -> None:
    found = {sign.form for sign in signs("which colleges have players and their decisions are yes?")}
    assert Form.TABLE not in found


def test_the_first_form_that_is_lacking_is_told_by_its_words() -> None:
    question = "the average price and the total weight"

    def first(had: frozenset[Form]) -> str | None:
        sign = lacking(signs(question), had)
        return None if sign is None else question[sign.start : sign.end]

    assert first(PAPER) == "average"
    assert first(PAPER | {Form.AVERAGE}) == "total"
    assert first(PAPER | {Form.AVERAGE, Form.TOTAL}) is None


def test_what_the_published_forms_say_as_well_is_never_lacking() -> None:
    (sign,) = signs("the planets by mass in descending order")
    assert sign.form is Form.ORDER
    assert lacking([sign], PAPER) is None


def test_a_number_beside_what_is_asked_for_is_not_what_is_asked_for() -> None:
    assert wanted("In which city do most people live and how many of them live there?") is None
    assert wanted("Tell me how many people live there") is Wanted.COUNT
