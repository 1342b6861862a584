"""What a reading leaves out counts against it, and only so much."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcaneqa.induction.found import Found, Outcome, Trace
from arcaneqa.judgement.answer_kinds import is_impossible
from arcaneqa.judgement.rules import LEFT_OUT
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import Links
from tests.judgement.test_coverage import KB, found, mention

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:firm rdfs:label "Firm" ; :page <http://firm.example/> ; :site "https://firm.example/about" ; :town :Rome .
"""


@pytest.mark.parametrize(("lead", "wins"), [(0.5, True), (5.0, False)])
def test_a_reading_that_takes_up_more_wins_where_it_is_about_as_likely(lead: float, wins: bool) -> None:
    question = "which female workers are there?"
    links = Links(question, (mention(question, "female"),))
    plain = replace(found("ex:Worker", "worker"), score=-1.0)
    whole = replace(found("(JOIN ex:gender ex:female)", "gender", topic=("female", 6, 12)), score=-1.0 - lead)
    outcome = weighed(question, links, Outcome((plain, whole), is_complete=True), KB)
    best, second = outcome.found
    assert (best.program == whole.program) is wins
    dropped = best if best.program == plain.program else second
    assert dropped.score == dropped.reading - 1.0 == pytest.approx(-1.0 - LEFT_OUT)
    left_out = {one.program: outcome.left_out_by(one).unused for one in outcome.found}
    assert left_out == {plain.program: ("female",), whole.program: ()}


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("who is the boss?", "(JOIN ex:born_inv ex:anna)", True),
        ("who is the boss?", "(JOIN ex:boss_inv ex:anna)", False),
        ("who is the height of anna?", "(JOIN ex:height_inv ex:anna)", False),  # as the data calls it
        ("where is anna?", "(JOIN ex:height_inv ex:anna)", True),
        ("when did anna marry?", "(JOIN ex:married_inv ex:anna)", True),
        ("when was anna born?", "(JOIN ex:born_inv ex:anna)", False),
        ("when did the firm win?", "(JOIN ex:motto_inv ex:firm)", True),
        ("when did the shop win?", "(JOIN ex:motto_inv ex:shop)", False),
        ("when did anna win?", "(JOIN ex:boss_inv ex:anna)", False),  # an event may be called by anything
        ("which worker is tall?", "(JOIN ex:height_inv ex:anna)", False),
        ("how tall is anna?", "(JOIN ex:boss_inv ex:anna)", True),
        ("how tall is anna?", "(JOIN ex:height_inv ex:anna)", False),
        ("how many bosses does anna have?", "(JOIN ex:boss_inv ex:anna)", False),  # they can be counted
        ("how long is anna?", "(JOIN ex:born_inv ex:anna)", True),
        ("how old is anna?", "(JOIN ex:born_inv ex:anna)", False),
        ("how long ago was anna born?", "(JOIN ex:born_inv ex:anna)", False),
        ("what did anna die of?", "(JOIN ex:born_inv ex:anna)", True),
        ("what year is anna from?", "(JOIN ex:born_inv ex:anna)", False),
        ("what is anna made of?", "(JOIN ex:boss_inv ex:anna)", False),
    ],
)
def test_nobody_is_a_number(question: str, program: str, expected: bool) -> None:
    assert is_impossible(question, found(program), KB) is expected


@pytest.mark.parametrize(
    ("question", "relation", "expected"),
    [
        ("Where is the firm based?", "page", True),
        ("Who is the firm?", "site", True),
        ("Where can I find the firm?", "page", False),
        ("Who is the page of the firm?", "page", False),  # as the data calls it
        ("Where is the firm based?", "town", False),
    ],
)
def test_nobody_is_a_website(kb: Index, question: str, relation: str, expected: bool) -> None:
    program = parse(f"(JOIN :{relation}_inv :firm)", Names(kb.profile), kb.schema)
    read = Found(program, -1.0, execute(program, kb), (), Trace((), []))
    assert is_impossible(question, read, kb) is expected


def test_whether_is_answered_by_yes_or_no() -> None:
    question = "is anna a worker?"
    listed = replace(found("ex:Worker", "worker"), score=-1.0)
    truth = replace(found("(MEET ex:Worker ex:anna)", "worker", topic=("anna", 3, 7)), score=-2.5)
    best, _ = weighed(question, Links(question), Outcome((listed, truth), is_complete=True), KB).found
    assert best.program == truth.program
