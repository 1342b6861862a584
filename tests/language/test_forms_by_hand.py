"""The forms beyond the paper on a small shop, worked out by hand; SPARQL on pyoxigraph has to agree."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph
import pytest

from arcaneqa.answer.describe import items_of_result, table_of_result
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.equivalence import equivalent
from arcaneqa.language.run import Result, answer_terms, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import parse
from tests.language.forms import by_index, by_query
from tests.language.worlds import PROFILE, indexed, stored

SHOP = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ann a :Customer ; rdfs:label "Ann" ; :country :fr ; :phone "11" , "12" .
:bob a :Customer ; rdfs:label "Bob" ; :country :de .
:cat a :Customer ; rdfs:label "Cat" ; :country :fr ; :phone "31" .
:dan a :Customer ; rdfs:label "Dan" ; :country :it .
:o1 a :Order ; :by :ann ; :total 10.1 ; :item :tea .
:o2 a :Order ; :by :ann ; :total 10.1 ; :item :jam .
:o3 a :Order ; :by :bob ; :total 20.2 ; :item :tea .
:o4 a :Order ; :by :cat ; :total 5 ; :item :tea , :jam .
:tea a :Product ; rdfs:label "Green Tea" ; :price 3 ; :sold true .
:jam a :Product ; rdfs:label "Jam" ; :price 4.5 ; :sold false .
:oil a :Product ; rdfs:label "Oil" ; :price 4.5 ; :sold true .
"""
NAMES = Names(PROFILE)


@pytest.fixture(scope="module")
def facts() -> str:
    quads = pyoxigraph.parse(SHOP, format=pyoxigraph.RdfFormat.TURTLE)
    text = pyoxigraph.serialize((quad.triple for quad in quads), format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert text is not None
    return text.decode()


@pytest.fixture(scope="module")
def shop(facts: str) -> Iterator[Index]:
    with indexed(facts) as kb:
        yield kb


@pytest.fixture(scope="module")
def store(facts: str) -> pyoxigraph.Store:
    return stored(facts)


def run(text: str, kb: Index, store: pyoxigraph.Store) -> Result:
    program = parse(text, NAMES, kb.schema)
    result = execute(program, kb)
    found = by_query(store, to_sparql(program, PROFILE, kb.schema), program)
    assert by_index(result, kb, program) == found
    return result


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(OR (JOIN ex:country ex:de) (JOIN ex:country ex:it))", "bob dan"),
        ("(NOT ex:Customer (JOIN ex:by_inv ex:Order))", "dan"),
        ("(NOT ex:Customer ex:ann)", "bob cat dan"),
        ("(NOT ex:Customer (OR ex:ann (HAS ex:phone)))", "bob dan"),
        ("(HAS ex:phone)", "ann cat"),
        ("(HAS ex:by_inv)", "ann bob cat"),
        ('(LIKE rdfs:label "TEA")', "tea"),
        ('(NAMED "ann")', "ann"),
        ("(JOIN ex:sold true)", "oil tea"),
        ("(ARGMAX ex:Product ex:price)", "jam oil"),
        ("(ARGMAX ex:Product ex:price 2 2)", ""),
        ("(ARGMAX ex:Product ex:price 2 3)", "tea"),
        ("(ARGMIN ex:Product ex:price 2 2)", "jam oil"),
        ("(ARGMIN ex:Product ex:price 9)", "jam oil tea"),
        ("(ARGMAX ex:Customer (COUNT ex:by_inv))", "ann"),
        ("(ARGMIN ex:Customer (COUNT ex:by_inv))", "dan"),
        ("(ARGMAX ex:Customer (COUNT ex:by_inv (JOIN ex:item ex:tea)))", "ann bob cat"),
        ("(ARGMAX ex:Customer (COUNT (JOIN ex:by_inv ex:item)))", "ann cat"),
        # Two orders of 10.10 make exactly 20.20.
        ("(ARGMAX ex:Customer (SUM (JOIN ex:by_inv ex:total)))", "ann bob"),
        ("(ARGMIN ex:Customer (AVG (JOIN ex:by_inv ex:total)))", "cat"),
        ("(GE (COUNT ex:by_inv) 2)", "ann"),
        ("(AND ex:Customer (LT (COUNT ex:by_inv) 1))", "dan"),
        ("(AND ex:Customer (LE (COUNT ex:by_inv (JOIN ex:item ex:jam)) 0))", "bob dan"),
        ("(AND (EQ (COUNT ex:by_inv) 1) ex:Customer)", "bob cat"),
        ("(GT (SUM (JOIN ex:by_inv ex:total)) 20)", "ann bob"),
        ("(GT ex:price (JOIN ex:price_inv ex:tea))", "jam oil"),
        ("(GT ex:total (AVG ex:Order ex:total))", "o3"),
        ("(EQ ex:total (MAX ex:Order ex:total))", "o3"),
        ("(AND ex:Customer (GT (COUNT ex:by_inv) (COUNT (JOIN ex:country ex:de))))", "ann"),
        ("(ARGMAX (JOIN ex:country_inv ex:Customer) (COUNT ex:country_inv ex:Customer))", "fr"),
    ],
)
def test_sets(program: str, expected: str, shop: Index, store: pyoxigraph.Store) -> None:
    found = answer_terms(run(program, shop, store), shop)
    assert [term.removeprefix("ex:") for term in found] == expected.split()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(SUM ex:Order ex:total)", "45.4"),
        ("(AVG ex:Product ex:price)", "4"),
        ("(MAX ex:Product ex:price)", "4.5"),
        ("(MIN (JOIN ex:by ex:ann) ex:total)", "10.1"),
        # Each order of each customer, however many share a price.
        ("(SUM ex:Customer (JOIN ex:by_inv (JOIN ex:item ex:price)))", "18"),
        ("(COUNT ex:Customer ex:country)", "3"),
        ("(COUNT (NOT ex:Customer ex:Customer))", "0"),
        ("(MEET ex:tea (JOIN ex:sold true))", "true"),
        ("(MEET ex:jam (JOIN ex:sold true))", "false"),
        ("(MEET ex:jam (GT ex:price (JOIN ex:price_inv ex:tea)))", "true"),
    ],
)
def test_values(program: str, expected: str, shop: Index, store: pyoxigraph.Store) -> None:
    (item,) = items_of_result(shop, run(program, shop, store))
    assert item.value == expected


def test_nothing_to_sum_up_is_no_zero(shop: Index, store: pyoxigraph.Store) -> None:
    assert items_of_result(shop, run("(SUM ex:Customer ex:total)", shop, store)) == ()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(SORT ex:Product ex:price)", "tea jam oil"),
        ("(SORT ex:Product ex:price DESC)", "jam oil tea"),
        ("(SORT ex:Customer (COUNT ex:by_inv) DESC)", "ann bob cat dan"),
        ("(SORT ex:Customer ex:total)", "ann bob cat dan"),
        ("(SORT ex:Customer SELF DESC)", "dan cat bob ann"),
        ("(SORT ex:Customer ex:phone DESC)", "cat ann bob dan"),
    ],
)
def test_lists(program: str, expected: str, shop: Index, store: pyoxigraph.Store) -> None:
    found = answer_terms(run(program, shop, store), shop)
    assert [term.removeprefix("ex:") for term in found] == expected.split()
    query = to_sparql(parse(program, NAMES, shop.schema), PROFILE, shop.schema)
    rows = store.query(query)
    assert isinstance(rows, pyoxigraph.QuerySolutions)
    assert [row["x"].value.rpartition("/")[2] for row in rows] == expected.split()


@pytest.mark.parametrize(
    ("program", "columns", "rows"),
    [
        (
            "(SHOW (JOIN ex:country ex:fr) SELF ex:phone)",
            ("name", "phone"),
            [("Ann", "11"), ("Ann", "12"), ("Cat", "31")],
        ),
        (
            "(SHOW (SORT ex:Customer (COUNT ex:by_inv)) SELF ex:phone (SUM (JOIN ex:by_inv ex:total)))",
            ("name", "phone", "total by → total"),
            [
                ("Dan", None, None),
                ("Bob", None, "20.2"),
                ("Cat", "31", "5"),
                ("Ann", "11", "20.2"),
                ("Ann", "12", "20.2"),
            ],
        ),
        (
            "(SHOW ex:Product (AVG ex:price) (MAX ex:price) COUNT)",
            ("average price", "largest price", "count"),
            [("4", "4.5", "3")],
        ),
        (
            "(SORT (PER ex:Order ex:by COUNT (SUM ex:total)) COUNT DESC)",
            ("by", "count", "total total"),
            [("Ann", "2", "20.2"), ("Bob", "1", "20.2"), ("Cat", "1", "5")],
        ),
    ],
)
def test_tables(
    program: str,
    columns: tuple[str, ...],
    rows: list[tuple[str | None, ...]],
    shop: Index,
    store: pyoxigraph.Store,
) -> None:
    table = table_of_result(shop, run(program, shop, store))
    assert table is not None
    assert table.columns == columns
    assert list(table.labels) == rows


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("(OR (HAS ex:a) (OR (HAS ex:b) (HAS ex:a)))", "(OR (HAS ex:b) (HAS ex:a))", True),
        ("(NOT (NOT ex:C (HAS ex:a)) (HAS ex:b))", "(NOT ex:C (OR (HAS ex:b) (HAS ex:a)))", True),
        ("(AND (NOT ex:C (HAS ex:a)) (HAS ex:b))", "(NOT (AND (HAS ex:b) ex:C) (HAS ex:a))", True),
        ("(NOT ex:C (HAS ex:a))", "(AND ex:C (EQ (COUNT ex:a) 0))", True),
        ("(GT (COUNT ex:a) 2)", "(GE (COUNT ex:a) 3)", True),
        ("(GE (COUNT ex:a) 1)", "(HAS ex:a)", True),
        ("(GE (COUNT ex:a ex:C) 1)", "(JOIN ex:a (CLASS ex:C))", True),
        ("(GE (COUNT ex:a) 2)", "(HAS ex:a)", False),
        ("(ARGMAX ex:C ex:a 2)", "(ARGMAX ex:C ex:a)", False),
        ("(ARGMAX ex:C (COUNT ex:a))", "(ARGMAX ex:C ex:a)", False),
        ("(NOT ex:C (HAS ex:a))", "(NOT (HAS ex:a) (CLASS ex:C))", False),
        ("(MEET (HAS ex:a) (HAS ex:b))", "(MEET (HAS ex:b) (HAS ex:a))", True),
        ("(SHOW ex:C ex:a ex:b)", "(SHOW ex:C ex:b ex:a)", False),
        ("(SUM ex:C ex:a)", "(AVG ex:C ex:a)", False),
        ('(LIKE ex:a "Sauce")', '(LIKE ex:a "sauce")', True),
        ("(EQ ex:a 3)", "(JOIN ex:a 3.0)", True),
    ],
)
def test_what_asks_the_same(left: str, right: str, same: bool) -> None:
    assert equivalent(parse(left, NAMES), parse(right, NAMES)) is same


def test_a_table_holds_nodes_and_what_was_computed(shop: Index, store: pyoxigraph.Store) -> None:
    """Terms come at the door: a node is no term until somebody reads it."""
    found = run("(SHOW (JOIN ex:country ex:fr) SELF ex:phone (COUNT ex:by_inv))", shop, store)
    assert found.table is not None
    assert [[type(cell).__name__ for cell in row] for row in found.table.rows[:1]] == [
        ["int", "int", "Literal"]
    ]
    (first, *_) = found.table.terms(shop)
    assert [getattr(term, "lexical", None) for term in first] == [None, "11", "2"]
