"""When something was is told by a day where there is one in the year."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.whole_dates import on_the_day
from arcaneqa.kb.index import Index
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:sandy a :Storm ; rdfs:label "Sandy" ; :year 2012 ; :landfall "2012-10-29"^^xsd:date .
:hugo a :Storm ; rdfs:label "Hugo" ; :year 1989 ; :landfall "1989-09-22"^^xsd:date .
:film a :Film ; rdfs:label "Alien" ; :filmed 1978 ; :Year 1979 ; :shown "1980-01-02"^^xsd:date .
:race a :Race ; rdfs:label "Derby" ; :raceYear 2001 ; :opened "2001-05-01"^^xsd:date .
"""


@pytest.mark.parametrize(
    ("question", "program", "meant"),
    [
        ("When did Sandy make landfall?", "(JOIN :year_inv :sandy)", "(JOIN :landfall_inv :sandy)"),
        ("when was Hugo", "(JOIN :year_inv :hugo)", "(JOIN :landfall_inv :hugo)"),
        ("Which year was Sandy?", "(JOIN :year_inv :sandy)", None),
        ("When, in what year, was Sandy?", "(JOIN :year_inv :sandy)", None),
        # A day in another year tells something else, and so may a year that says of what it is.
        ("When was Alien made?", "(JOIN :Year_inv :film)", None),
        ("When was the Derby?", "(JOIN :raceYear_inv :race)", None),
    ],
)
def test_the_day_is_told_and_not_its_year(kb: Index, question: str, program: str, meant: str | None) -> None:
    one = found(program, kb)
    expected = one.program if meant is None else found(meant, kb).program
    assert on_the_day(question, one, kb).program == expected
