"""The SPARQL conditions mean what `arcaneqa.kb.values` means, by the word of a SPARQL engine."""

from __future__ import annotations

from collections.abc import Callable

import pyoxigraph as ox
from hypothesis import assume, given
from hypothesis import strategies as st

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import written
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import Number, Value, value_of
from tests.induction.plain import plainly_holds

STORE = ox.Store()

offsets = st.sampled_from(("", "", "", "Z", "-08:00", "+05:30"))
years = st.one_of(st.integers(1995, 2006), st.sampled_from((0, 1, -44, -45, -100, 9999, 12000, -12000)))


def _year(year: int) -> str:
    return f"-{-year:04d}" if year < 0 else f"{year:04d}"


@st.composite
def times(draw: st.DrawFn) -> Literal:
    year, month, day = _year(draw(years)), draw(st.integers(1, 12)), draw(st.integers(1, 28))
    offset = draw(offsets)
    match draw(st.integers(0, 3)):
        case 0:
            return Literal(f"{year}{offset}", XSD + "gYear")
        case 1:
            return Literal(f"{year}-{month:02d}{offset}", XSD + "gYearMonth")
        case 2:
            return Literal(f"{year}-{month:02d}-{day:02d}{offset}", XSD + "date")
        case _:
            clock = draw(st.sampled_from(("00:00:00", "12:30:15", "23:59:59", "12:30:15.5")))
            return Literal(f"{year}-{month:02d}-{day:02d}T{clock}{offset}", XSD + "dateTime")


# A moment that a question names has a year of four digits.
asked = times().filter(lambda literal: "12000" not in literal.lexical)


integers = st.integers(-3, 3) | st.sampled_from((90071992547409921, 90071992547409923))
numbers = st.one_of(
    st.builds(lambda n: Literal(str(n), XSD + "integer"), integers),
    st.builds(lambda n: Literal(f"{n / 10}", XSD + "decimal"), st.integers(-30, 30)),
    st.builds(lambda n: Literal(f"{n / 10}", XSD + "double"), st.integers(-30, 30)),
    st.builds(lambda n: Literal(f"{n / 10}", XSD + "float"), st.integers(-30, 30)),
    st.sampled_from(("INF", "-INF", "NaN", "1E300")).map(lambda text: Literal(text, XSD + "double")),
)
others = st.sampled_from(
    (
        Literal("1999"),
        Literal("true", XSD + "boolean"),
        Literal("abc", XSD + "integer"),
        Literal("1999-13-01", XSD + "date"),
        Literal("5", XSD + "duration"),
    )
)
literals = st.lists(numbers | times() | others, min_size=1, max_size=12, unique=True)


def _selected(data: list[Literal], condition: str) -> set[Literal]:
    rows = " ".join(f"({position} {written(literal)})" for position, literal in enumerate(data))
    query = f"SELECT ?i WHERE {{ VALUES (?i ?v) {{ {rows} }} FILTER({condition}) }}"
    solutions = STORE.query(query)
    assert isinstance(solutions, ox.QuerySolutions)
    return {data[int(row["i"].value)] for row in solutions if isinstance(row["i"], ox.Literal)}


def _expected(data: list[Literal], test: Callable[[Value], bool]) -> set[Literal]:
    return {literal for literal in data if (value := value_of(literal)) is not None and test(value)}


@given(literals)
def test_kinds(data: list[Literal]) -> None:
    assert _selected(data, filters.is_number("?v")) == _expected(data, lambda v: isinstance(v, Number))
    assert _selected(data, filters.is_time("?v")) == _expected(data, lambda v: isinstance(v, Window))


@given(literals, numbers | asked | others, st.sampled_from(Comparison))
def test_comparisons(data: list[Literal], literal: Literal, comparison: Comparison) -> None:
    to = value_of(literal)
    assume(comparison is not Comparison.EQ or isinstance(to, Number | Window))  # else it is `equals`, below
    expected = set() if to is None else _expected(data, lambda v: plainly_holds(v, comparison, to))
    assert _selected(data, filters.compares("?v", comparison, literal)) == expected


@given(literals, numbers | times())
def test_equality(data: list[Literal], literal: Literal) -> None:
    to = value_of(literal)
    expected = _expected(data, lambda v: v == to) if to is not None else set()
    assert _selected(data, filters.equals("?v", literal)) - {literal} == expected - {literal}


@given(literals, asked, asked)
def test_windows(data: list[Literal], first: Literal, second: Literal) -> None:
    left, right = value_of(first), value_of(second)
    assert isinstance(left, Window)
    assert isinstance(right, Window)
    window = Window(min(left.start, right.start), max(left.end, right.end))
    expected = _expected(
        data, lambda v: isinstance(v, Window) and v.start < window.end and v.end > window.start
    )
    assert _selected(data, filters.meets("?v", window)) == expected
