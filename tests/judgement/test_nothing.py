"""What has none of something: of a number 0, and else no facts of what the question names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.nothing import denies_unsaid
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import parse, print_program
from arcaneqa.links import Links
from tests.judgement.found_programs import found

MEALS = """item,shop,sugar,fiber,vitamin,rank
Soup,Oak,0,,1,1
Stew,Elm,0,2,,
Cake,Oak,30,1,3,2
Rice,Elm,1,,4,
Milk,Oak,5,1,,3
"""
SALES = "sale_id,item,order_date\n0,Soup,2020-01-02\n1,Cake,2020-01-03\n2,Cake,2020-01-04\n"
M = "column:meals."
OAK = f'(JOIN {M}shop "Oak")'
ZERO = "0^^http://www.w3.org/2001/XMLSchema#integer"
NONE = f"(AND table:meals (JOIN {M}sugar {ZERO}))"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("meals")
    (folder / "meals.csv").write_text(MEALS)
    (folder / "sales.csv").write_text(SALES)
    build_index([folder / "meals.csv", folder / "sales.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("items without sugar", "table:meals", NONE),
        ("items that contain no sugar at all", f"(NOT table:meals (HAS {M}vitamin))", NONE),
        ("items that don't have any sugar", f"(ARGMAX table:meals {M}sugar)", NONE),
        # The shop is not what is denied.
        ("Oak items without sugar", f"(NOT table:meals {OAK})", f"(AND {NONE} {OAK})"),
        ("items without sugar at Oak", f"(AND table:meals {OAK})", f"(AND {NONE} {OAK})"),
        ("how many items have no sugar?", "(COUNT table:meals)", f"(COUNT {NONE})"),
        # No vitamin is 0: what has none is not known to have any. And less is not none.
        ("items without vitamin", f"(NOT table:meals (HAS {M}vitamin))", None),
        ("items with no more sugar than 5", f"(LE {M}sugar 5)", None),
        ("items without sugar and not at Oak", f"(NOT table:meals {OAK})", None),
    ],
)
def test_there_is_none_of_a_number_where_it_is_0(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    names = Names(kb.profile)
    readings = Outcome((found(program, kb),), is_complete=True)
    best = weighed(question, Links(question), readings, kb).found[0]
    assert best.program == parse(expected or program, names, kb.schema), print_program(best.program, names)
    if expected is not None:
        assert not coverage(question, Links(question), best, kb).unmet


@pytest.mark.parametrize(
    ("question", "program", "is_unsaid"),
    [
        ("items without sugar", f"(NOT table:meals (HAS {M}vitamin))", True),
        ("items without vitamins", f"(NOT table:meals (HAS {M}vitamin))", False),
        ("items that are not ranked", f"(NOT table:meals (HAS {M}rank))", False),
        # Rows are what they have; and the word that says who they are says nothing of what they lack.
        ("meals without orders", "(NOT table:meals (HAS column:sales.item_inv))", False),
        ("meals without a cook", "(NOT table:meals (HAS column:sales.item_inv))", True),
        ("meals of those still alive", f"(NOT table:meals (HAS {M}vitamin))", False),
    ],
)
def test_what_is_denied_was_said(kb: Index, question: str, program: str, is_unsaid: bool) -> None:
    assert denies_unsaid(question, found(program, kb), kb) is is_unsaid
