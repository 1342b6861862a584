"""Yes or no of one that is named, and all of whom it is so, where a column of yes and no has the name."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.truth_of_one import truth_said
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import print_program
from arcaneqa.links import Links
from tests.judgement.found_programs import found
from tests.judgement.test_both_named import asked

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:night a :Timetable ; rdfs:label "Night" ; :monday false ; :sunday true ; :seriesWinner true ; :meets :day .
:day a :Timetable ; rdfs:label "Day" ; :monday true ; :sunday false ; :seriesWinner false ; :meets :night .
:alf a :Driver ; rdfs:label "Alf" ; :drives :night .
"""


@pytest.mark.parametrize(
    ("question", "names", "truth"),
    [
        ("Does the Night service run on Mondays?", "Night", "false"),
        ("Does Night run on Sundays?", "Night", "true"),
        ("Did Day win the series?", "Day", "false"),
        ("is Night on sunday", "Night", "true"),
        # More is asked, something else, of somebody of whom the column says nothing, or not yes or no.
        ("Does Night run on Mondays or Sundays?", "Night", None),
        ("Does Night not run on Mondays?", "Night", None),
        ("Does Night meet another one on Mondays?", "Night", None),
        ("Does Night meet Day on Mondays?", "Night Day", None),
        ("Does any Monday train wait for Night?", "Night", None),
        ("Does Alf work on Mondays?", "Alf", None),
        ("Who drives the Night service on Mondays?", "Night", None),
        ("Does Night leave on time?", "Night", None),
    ],
)
def test_the_column_that_is_said_tells_it(kb: Index, question: str, names: str, truth: str | None) -> None:
    listed = found("(JOIN :drives_inv :alf)", kb)
    said = truth_said(asked(question, names, kb), [listed])
    assert (said is None) is (truth is None)
    if said is not None:
        (further,) = said.further([listed])
        assert [term.lexical for term in kb.terms(further.result.nodes.ids)] == [truth]  # type: ignore[union-attr]
        assert len(further.topics) == 1
        assert said.is_other(listed)
        assert not said.is_other(further)


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (
            "Which timetables run on Sundays?",
            "(AND :Timetable (JOIN :sunday (JOIN :sunday_inv :Timetable)))",
            "(AND :Timetable (JOIN :sunday true))",
        ),
        ("Which timetables won the series?", ":Timetable", "(CONS :Timetable :seriesWinner true)"),
        ("Which timetables are long?", ":Timetable", ":Timetable"),
    ],
)
def test_all_of_whom_it_is_so(kb: Index, question: str, program: str, expected: str) -> None:
    outcome = Outcome((found(program, kb),), is_complete=True)
    best = print_program(weighed(question, Links(question), outcome, kb).found[0].program, Names(kb.profile))
    assert best.replace("^^http://www.w3.org/2001/XMLSchema#boolean", "") == expected
