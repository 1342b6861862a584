"""Literals compare by what they mean."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, Literal
from arcaneqa.kb.values import Number, Value, holds, kind_of, value_of
from tests.induction.plain import plainly_holds


def number(lexical: str, datatype: str = "integer") -> Number:
    found = value_of(Literal(lexical, XSD + datatype))
    assert isinstance(found, Number)
    return found


def window(lexical: str, datatype: str) -> Window:
    found = value_of(Literal(lexical, XSD + datatype))
    assert isinstance(found, Window)
    return found


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("5", "integer"), ("5.0", "decimal")),
        (("5", "byte"), ("+05.00", "decimal")),
        (("0.1", "float"), ("0.1", "double")),
        (("0.1", "decimal"), ("1e-1", "double")),
        (("0", "integer"), ("-0.0", "double")),
        (("100", "nonNegativeInteger"), ("1E2", "float")),
        (("123456789012345678901234567890", "integer"), ("123456789012345678901234567890.0", "decimal")),
        (("1e400", "double"), ("INF", "double")),
    ],
)
def test_equal_numbers(left: tuple[str, str], right: tuple[str, str]) -> None:
    assert number(*left) == number(*right)


def test_neighbours_that_share_a_double_differ() -> None:
    assert number("9007199254740992") < number("9007199254740993") < number("9007199254740994")


@given(st.integers(-(10**28), 10**28), st.integers(-(10**28), 10**28))
def test_integers_are_exact(left: int, right: int) -> None:
    assert (number(str(left)) < number(str(right))) == (left < right)
    assert (number(str(left)) == number(str(right))) == (left == right)


decimals = st.decimals(-(10**6), 10**6, places=10, allow_nan=False, allow_infinity=False)


@given(decimals, decimals)
def test_decimals_are_exact(left: Decimal, right: Decimal) -> None:
    one, other = number(f"{left:f}", "decimal"), number(f"{right:f}", "decimal")
    assert (one < other) == (Fraction(left) < Fraction(right))
    assert (one == other) == (left == right)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)), st.integers(-14, 14))
def test_date_times_are_moments(moment: datetime, hours: int) -> None:
    moment = moment.replace(microsecond=0)
    zoned = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    found = window(zoned.isoformat(), "dateTime")
    since = zoned - datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017
    assert found.start == since.total_seconds()
    assert found.start < found.end <= math.nextafter(found.start, math.inf)


@given(st.dates(), st.sampled_from(["", "Z", "-08:00", "+13:00"]))
def test_dates_are_days_whatever_their_offset(day: date, offset: str) -> None:
    found = window(f"{day.isoformat()}{offset}", "date")
    assert found.start == (day - date(1970, 1, 1)).days * 86400
    assert found.end - found.start == 86400


def test_partial_dates_are_stretches() -> None:
    assert window("2000", "gYear").end - window("2000", "gYear").start == 366 * 86400
    assert window("1900", "gYear").end - window("1900", "gYear").start == 365 * 86400
    february = window("2000-02", "gYearMonth")
    assert (february.start, february.end) == (
        window("2000-02-01", "date").start,
        window("2000-02-29", "date").end,
    )
    assert window("1999-12", "gYearMonth").end == window("2000", "gYear").start
    assert window("-0044", "gYear").end == window("-0043", "gYear").start
    assert window("-0001", "gYear").end == window("0000", "gYear").start
    assert window("12000", "gYear").start > window("9999-12-31", "date").start
    assert window("1999-12-31T24:00:00", "dateTime") == window("2000-01-01T00:00:00Z", "dateTime")
    huge = window("-13800000000", "gYear")
    assert huge.start < huge.end


@pytest.mark.parametrize(
    ("lexical", "datatype", "kind"),
    [
        ("5", "integer", ValueKind.NUMBER),
        (" 5 ", "integer", ValueKind.NUMBER),
        ("5.0", "integer", ValueKind.TEXT),
        ("", "integer", ValueKind.TEXT),
        ("1e5", "decimal", ValueKind.TEXT),
        (".", "decimal", ValueKind.TEXT),
        ("1_000", "integer", ValueKind.TEXT),
        ("٣", "integer", ValueKind.TEXT),
        ("NaN", "double", ValueKind.TEXT),
        ("-INF", "float", ValueKind.NUMBER),
        ("inf", "double", ValueKind.TEXT),
        ("1999-02-30", "date", ValueKind.TEXT),
        ("1999-13", "gYearMonth", ValueKind.TEXT),
        ("99", "gYear", ValueKind.TEXT),
        ("01999", "gYear", ValueKind.TEXT),
        ("1999-01-01T25:00:00", "dateTime", ValueKind.TEXT),
        ("1999-01-01T00:00:00+15:00", "dateTime", ValueKind.TEXT),
        ("12:00:00", "time", ValueKind.TEXT),
        ("true", "boolean", ValueKind.BOOLEAN),
        ("TRUE", "boolean", ValueKind.TEXT),
        ("5", "string", ValueKind.TEXT),
        ("9" * 5000, "gYear", ValueKind.TEXT),
        ("9" * 5000, "integer", ValueKind.NUMBER),
    ],
)
def test_kinds(lexical: str, datatype: str, kind: ValueKind) -> None:
    assert kind_of(Literal(lexical, XSD + datatype)) == kind


def test_other_literals_are_text() -> None:
    assert value_of(Literal("5", RDF_LANG_STRING, "en")) is None
    assert value_of(Literal("5", "http://example.org/metre")) is None


numbers = st.integers(0, 3).map(lambda whole: number(str(whole)))
times = st.sampled_from(
    [("2000", "gYear"), ("2000-02", "gYearMonth"), ("2000-02-29", "date"), ("2001", "gYear")]
)
values: st.SearchStrategy[Value] = st.one_of(numbers, times.map(lambda time: window(*time)), st.booleans())


@given(values, st.sampled_from(Comparison), values)
def test_comparing_as_its_plain_twin_does(value: Value, comparison: Comparison, limit: Value) -> None:
    if isinstance(value, bool) and isinstance(limit, bool):
        assert holds(value, comparison, limit) == (comparison is Comparison.EQ and value == limit)
    else:
        assert holds(value, comparison, limit) == plainly_holds(value, comparison, limit)
