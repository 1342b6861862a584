"""Which shop has the most items, where each row is an item."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.ranked import ranks_the_counted
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import parse
from arcaneqa.links import Links
from tests.judgement.found_programs import found

MEALS = "item,shop,sauce,price\nSoup,Oak,red,3\nStew,Elm,red,4\nCake,Oak,,5\nRice,Oak,red,6\nMilk,Ash,hot,7\n"
M = "column:meals."
SHOPS, ITEMS = (f"(JOIN {M}{name}_inv (CLASS table:meals))" for name in ("shop", "item"))


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("meals")
    (folder / "meals.csv").write_text(MEALS)
    build_index([folder / "meals.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("which shop has the most items?", "ARGMAX"),
        ("which shop offers the fewest meals?", "ARGMIN"),
        # Sauces name no rows, prices are numbers, and rows have no chain.
        ("which shop has the most sauces?", None),
        ("which price has the most items?", None),
        ("which chain has the most items?", None),
        ("which shop has the most items with red sauce?", None),
    ],
)
def test_rows_are_what_a_value_has_most_of(kb: Index, question: str, direction: str | None) -> None:
    nearest = found(f"(ARGMAX {ITEMS} (COUNT {M}item_inv))", kb)
    readings = Outcome((nearest,), is_complete=True)
    best = weighed(question, Links(question), readings, kb).found[0].program
    expected = f"({direction} {SHOPS} (COUNT {M}shop_inv))"
    if direction is None:
        assert best == nearest.program
    else:
        assert best == parse(expected, Names(kb.profile), kb.schema)


@pytest.mark.parametrize(
    ("question", "column", "is_counted"),
    [
        ("which chain lists the most items?", "item", True),
        ("which item has the most items?", "item", False),
        ("which chain lists the most items?", "shop", False),
    ],
)
def test_what_is_counted_is_not_ranked(kb: Index, question: str, column: str, is_counted: bool) -> None:
    program = f"(ARGMAX (JOIN {M}{column}_inv (CLASS table:meals)) (COUNT {M}{column}_inv))"
    assert ranks_the_counted(question, found(program, kb), kb) is is_counted


PLANETS = """@prefix : <http://example.org/> .
:hoth a :Planet ; :population 9 ; :resident :ann . :endor a :Planet ; :population 3 ; :resident :bob, :cid .
:ann a :Person ; :friend :bob . :bob a :Person . :cid a :Person .
"""


@pytest.mark.parametrize(
    ("question", "program"),
    [
        ("Which planet has the most residents?", "(ARGMAX :Planet (COUNT :resident))"),
        ("which planet has the fewest residents?", "(ARGMIN :Planet (COUNT :resident))"),
        ("which planet has the most population?", "(ARGMAX :Planet :population)"),
        ("which planet has the most friends?", "(ARGMAX :Planet :population)"),
    ],
)
def test_what_a_kind_has_by_that_name_is_counted(tmp_path: Path, question: str, program: str) -> None:
    (tmp_path / "planets.ttl").write_text(PLANETS)
    build_index([tmp_path / "planets.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as planets:
        nearest = (
            "(ARGMAX :Planet :population)",
            "(ARGMAX (JOIN :resident_inv (CLASS :Planet)) (COUNT :friend))",
        )
        readings = Outcome(tuple(found(one, planets) for one in nearest), is_complete=True)
        best = weighed(question, Links(question), readings, planets).found[0].program
        assert best == parse(program, Names(planets.profile), planets.schema)
