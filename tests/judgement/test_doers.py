"""Who did something is what a column of yes and no calls the one who does it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.small_words import ways_of_doing
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import parse
from arcaneqa.links import Links
from tests.judgement.found_programs import found

COOKS = "cook,series,series_winner\nAnn,1,true\nBob,1,false\nCid,2,false\nDot,2,true\nEve,2,false\n"
C = "column:cooks."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("cooks")
    (folder / "cooks.csv").write_text(COOKS)
    build_index([folder / "cooks.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "way"),
    [("series winner", "series win"), ("bus driver", "bus drive"), ("group leader", "group lead")],
)
def test_a_doer_is_said_by_what_is_done(name: str, way: str) -> None:
    assert way.split() in list(ways_of_doing(name))


@pytest.mark.parametrize(
    ("question", "is_won"),
    [("who won series 2?", True), ("who was in series 2?", False), ("who led series 2?", False)],
)
def test_of_two_that_are_as_likely_one_takes_up_more_words(kb: Index, question: str, is_won: bool) -> None:
    of_series, winners = f"(JOIN {C}series 2)", f"(CONS table:cooks {C}series_winner true^^xsd:boolean)"
    readings = Outcome((found(f"(AND table:cooks {of_series})", kb),), is_complete=True)
    best = weighed(question, Links(question), readings, kb).found[0].program
    expected = f"(AND {winners if is_won else 'table:cooks'} {of_series})"
    assert best == parse(expected, Names(kb.profile), kb.schema)
