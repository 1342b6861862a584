"""SQL and the program made of it find the same, in all three habits of graphs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.sql.mapping import Style
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.translate import agrees, program_of, translations
from arcaneqa.lab.datasets.sql.variables import Unsayable
from arcaneqa.language.expression import Expression
from arcaneqa.language.text import print_program
from tests.lab.datasets.sql.shop import graph, recorded, sqlite


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    with sqlite() as opened:
        yield opened


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableFacts]:
    with graph(tmp_path_factory.mktemp("shop"), Style.LABELLED) as facts:
        yield facts


@pytest.fixture(scope="module", params=list(Style))
def facts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableFacts]:
    with graph(tmp_path_factory.mktemp("shop"), request.param) as opened:
        yield opened


def spelled(program: Expression, facts: TableFacts) -> str:
    """A program with the last words of its names only."""
    text = print_program(program, Names(facts.kb.profile))
    for start in ("relation/", "class/", "value/", ""):
        text = text.replace(f"<http://example.org/shop/{start}", "<")
    return text.replace("<", "").replace(">", "").replace("^^http://www.w3.org/2001/XMLSchema#integer", "")


JOINED = "product AS p JOIN maker AS m ON p.maker_id = m.id"
WALKED = "sale AS s JOIN product AS p ON s.product_id = p.id JOIN maker AS m ON p.maker_id = m.id"


@pytest.mark.parametrize(
    ("sql", "program"),
    [
        ("SELECT count(*) FROM product", "(COUNT product)"),
        ("SELECT name FROM product WHERE price > 10", "(AND product (GT product.price 10))"),
        ("SELECT price FROM product WHERE name = 'lamp'", "(JOIN product.price_inv product/3)"),
        ("SELECT name FROM product WHERE kind = 'food'", "(AND product (JOIN product.kind kind/food))"),
        (
            f"SELECT p.name FROM {JOINED} WHERE m.country = 'France'",
            '(AND product (JOIN product.maker_id (JOIN maker.country "France")))',
        ),
        ("SELECT name FROM product ORDER BY price DESC LIMIT 1", "(ARGMAX product product.price)"),
        ("SELECT name FROM product ORDER BY price LIMIT 3", "(ARGMIN product product.price 3)"),
        (
            "SELECT m.name FROM " + JOINED + " GROUP BY p.maker_id ORDER BY count(*) DESC LIMIT 1",
            "(ARGMAX maker (COUNT product.maker_id_inv))",
        ),
        (
            "SELECT m.name FROM " + JOINED + " GROUP BY m.id HAVING count(*) >= 2",
            "(AND maker (GE (COUNT product.maker_id_inv) 2))",
        ),
        (
            "SELECT name FROM maker WHERE id NOT IN (SELECT m.id FROM " + JOINED + ")",
            "(NOT maker (JOIN product.maker_id_inv (CLASS product)))",
        ),
        (
            "SELECT name FROM product WHERE price > (SELECT avg(price) FROM product)",
            "(AND product (GT product.price (AVG product product.price)))",
        ),
        (
            "SELECT name FROM product WHERE price = (SELECT max(price) FROM product)",
            "(ARGMAX product product.price)",
        ),
        ("SELECT name FROM product WHERE name LIKE '%sauce%'", '(AND product (LIKE rdfs:label "sauce"))'),
        (
            "SELECT name FROM product WHERE kind != 'food'",
            "(NOT (AND product (HAS product.kind)) (JOIN product.kind kind/food))",
        ),
        ("SELECT count(DISTINCT country) FROM maker", "(COUNT maker maker.country)"),
        (
            "SELECT kind, count(*) FROM product WHERE kind IS NOT NULL GROUP BY kind",
            "(PER (AND product (HAS product.kind)) product.kind COUNT)",
        ),
        (
            "SELECT name, price FROM product WHERE kind = 'light' ORDER BY price DESC",
            "(SHOW (SORT (AND product (JOIN product.kind kind/light)) product.price DESC)"
            " SELF product.price)",
        ),
        (
            "SELECT avg(price), max(price) FROM product",
            "(SHOW product (AVG product.price) (MAX product.price))",
        ),
        (
            "SELECT city FROM sale GROUP BY city ORDER BY sum(amount) DESC LIMIT 1",
            "(ARGMAX (JOIN sale.city_inv (CLASS sale)) (SUM (JOIN sale.city_inv sale.amount)))",
        ),
        (
            "SELECT name FROM maker WHERE country = 'France' OR country = 'Italy'",
            '(AND maker (JOIN maker.country (OR "France" "Italy")))',
        ),
        (
            "SELECT name FROM maker EXCEPT SELECT m.name FROM " + JOINED + " WHERE p.kind = 'light'",
            "(NOT maker (JOIN product.maker_id_inv (JOIN product.kind kind/light)))",
        ),
    ],
)
def test_programs_are_those_that_a_person_would_say(
    sql: str, program: str, labelled: TableFacts, connection: sqlite3.Connection
) -> None:
    found = recorded(connection, sql)
    assert found is not None
    assert spelled(program_of(sql, found, labelled), labelled) == program


VALUES = {
    "p.price": ["2", "7", "11", "40"],
    "p.kind": ["'food'", "'light'"],
    "m.country": ["'France'", "'Spain'", "'Italy'"],
    "m.founded": ["1950", "1975"],
    "m.name": ["'Abbey'", "'Crown'"],
    "p.name": ["'lamp'", "'bread'"],
    "s.amount": ["3", "8"],
    "s.city": ["'Paris'", "'Oslo'"],
}
TABLES = {"product AS p": "p", "maker AS m": "m", JOINED: "pm", WALKED: "spm", "sale AS s": "s"}
NUMBERS = {"p.price", "m.founded", "s.amount"}


@st.composite
def conditions(draw: st.DrawFn, letters: str) -> str:
    column = draw(st.sampled_from(sorted(name for name in VALUES if name[0] in letters)))
    value = draw(st.sampled_from(VALUES[column]))
    signs = ["=", "!=", "<", ">", "<=", ">="] if column in NUMBERS else ["=", "!="]
    return f"{column} {draw(st.sampled_from(signs))} {value}"


@st.composite
def wheres(draw: st.DrawFn, letters: str) -> str:
    parts = draw(st.lists(conditions(letters), max_size=2, unique=True))
    return f" WHERE {draw(st.sampled_from([' AND ', ' OR '])).join(parts)}" if parts else ""


@st.composite
def queries(draw: st.DrawFn) -> str:
    source = draw(st.sampled_from(sorted(TABLES)))
    letters = TABLES[source]
    where = draw(wheres(letters))
    columns = sorted(name for name in VALUES if name[0] in letters)
    numbers = sorted(NUMBERS & set(columns))
    # The rows of a join are those of its first table.
    owned = [name for name in numbers if name[0] == letters[0]]
    kind = draw(st.sampled_from(["columns", "count", "total", "first", "table"]))
    if kind == "count":
        return f"SELECT count(*) FROM {source}{where}"
    if kind == "total" and owned:
        function = draw(st.sampled_from(["sum", "avg", "min", "max"]))
        return f"SELECT {function}({draw(st.sampled_from(owned))}) FROM {source}{where}"
    if kind == "first" and owned:
        shown = draw(st.sampled_from(columns))
        order = draw(st.sampled_from(["DESC", "ASC"]))
        key = draw(st.sampled_from(owned))
        filled = (
            f"{where} AND {key} IS NOT NULL" if where and " OR " not in where else f" WHERE {key} IS NOT NULL"
        )
        return f"SELECT {shown} FROM {source}{filled} ORDER BY {key} {order} LIMIT 1"
    size = 2 if kind == "table" else 1
    several = draw(st.lists(st.sampled_from(columns), min_size=size, max_size=size, unique=True))
    return f"SELECT {', '.join(several)} FROM {source}{where}"


def assert_same_as_sqlite(sql: str, facts: TableFacts, connection: sqlite3.Connection) -> None:
    """The first translation of a query, if it has one, finds what SQLite finds."""
    found = recorded(connection, sql)
    if found is None:
        return
    try:
        answer = next(translations(sql, facts))
    except Unsayable:
        return
    assert agrees(answer, found, facts), spelled(answer.program, facts)


@settings(max_examples=150, deadline=None)
@given(sql=queries())
def test_the_first_translation_finds_what_sqlite_finds(
    sql: str, facts: TableFacts, connection: sqlite3.Connection
) -> None:
    assert_same_as_sqlite(sql, facts, connection)


@settings(max_examples=60, deadline=None)
@given(
    where=wheres("pm"),
    having=st.sampled_from(["", " HAVING count(*) > 1", " HAVING count(*) = 1", " HAVING sum(p.price) > 10"]),
    shown=st.sampled_from(
        ["m.name", "m.name, count(*)", "m.name, avg(p.price)", "m.name, m.founded, count(*)"]
    ),
)
def test_groups_are_those_of_sqlite(
    where: str, having: str, shown: str, facts: TableFacts, connection: sqlite3.Connection
) -> None:
    sql = f"SELECT {shown} FROM {JOINED}{where} GROUP BY m.id{having}"
    assert_same_as_sqlite(sql, facts, connection)


@settings(max_examples=60, deadline=None)
@given(left=wheres("pm"), right=wheres("pm"), operation=st.sampled_from(["UNION", "INTERSECT", "EXCEPT"]))
def test_set_operations_are_those_of_sqlite(
    left: str, right: str, operation: str, facts: TableFacts, connection: sqlite3.Connection
) -> None:
    sides = [f"SELECT m.name FROM {JOINED}{where}" for where in (left, right)]
    sql = f" {operation} ".join(sides)
    assert_same_as_sqlite(sql, facts, connection)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT name FROM shelf", "table"),
        ("SELECT price * 2 FROM product", "no column"),
        ("SELECT name FROM product WHERE price > id", "compares columns"),
        ("SELECT name FROM (SELECT * FROM product)", "subquery"),
        ("SELECT name FROM product, maker", "without a link"),
        ("SELECT name FROM product WHERE kind = 'toy'", "does not have"),
        ("SELECT kind, count(*) FROM product GROUP BY kind, maker_id", "several columns"),
        ("SELECT max(name) FROM product", "text"),
        ("DELETE FROM product", "SELECT"),
        ("SELECT FROM WHERE", "SQL"),
    ],
)
def test_what_has_no_program_says_why(sql: str, reason: str, labelled: TableFacts) -> None:
    with pytest.raises(Unsayable, match=reason):
        next(translations(sql, labelled))
