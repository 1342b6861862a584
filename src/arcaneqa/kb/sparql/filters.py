"""Conditions on values as SPARQL text, with the meaning of `arcaneqa.kb.values`.

Servers disagree on comparisons across datatypes and on times without an offset, and some compare a number
with a date. So each datatype has a branch of its own, and calendar times compare as text of fixed width:
the first four, seven or ten characters of a year, a month and a day are in the order of time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto

import numpy as np

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.sparql.terms import iri, quoted, written
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import NUMBERS, Number, value_of

_DOUBLE, _FLOAT, _DECIMAL = XSD + "double", XSD + "float", XSD + "decimal"
_DATE_TIME = iri(XSD + "dateTime")
_DATE_TIMES = f"{_DATE_TIME}, {iri(XSD + 'dateTimeStamp')}"
_BINARY = ", ".join(map(iri, (_DOUBLE, _FLOAT)))
_EXACT = ", ".join(map(iri, sorted(NUMBERS - {_DOUBLE, _FLOAT})))

_OFFSET = "(Z|[+-][0-9][0-9]:[0-9][0-9])"
_YEAR = "^-?[0-9]{4}"
_MONTH = "-(0[1-9]|1[0-2])"
_DAY = "-(0[1-9]|[12][0-9]|3[01])"
_CLOCK = "T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]([.][0-9]+)?"
_SECONDS_A_DAY = 86400
"""Of a calendar day: RDF knows no leap seconds."""
# Exact numbers beyond this do not fit the decimals of every server.
_LARGEST_DECIMAL = Decimal(10) ** 17


@dataclass(frozen=True, slots=True)
class _Calendar:
    """A datatype that names a stretch of days; `width` characters tell one from the next."""

    datatype: str
    width: int
    form: str

    def period(self, days: int) -> str:
        """The year, month or day that holds this day (counted from 1970-01-01)."""
        year, month, day = _civil(days)
        text = _date_text(year, month, day)
        return text[: len(text) - 10 + self.width]

    def starts(self, days: int) -> bool:
        _, month, day = _civil(days)
        return (self.width >= 7 or month == 1) and (self.width >= 10 or day == 1)


_CALENDARS = (
    _Calendar(XSD + "gYear", 4, f"{_YEAR}{_OFFSET}?$"),
    _Calendar(XSD + "gYearMonth", 7, f"{_YEAR}{_MONTH}{_OFFSET}?$"),
    _Calendar(XSD + "date", 10, f"{_YEAR}{_MONTH}{_DAY}{_OFFSET}?$"),
)
_DATE_TIME_FORM = f"^-?[0-9]+{_MONTH}{_DAY}{_CLOCK}{_OFFSET}?$"
_LOCAL_FORM = f"^-?[0-9]+{_MONTH}{_DAY}{_CLOCK}$"


class TimeBound(Enum):
    """What is asked of a stretch of time, given a moment."""

    STARTS_BEFORE = auto()
    STARTS_FROM = auto()
    ENDS_BY = auto()
    ENDS_AFTER = auto()


def is_number(variable: str) -> str:
    numeric = f"DATATYPE({variable}) IN ({_BINARY}, {_EXACT}) && isNumeric({variable})"
    return f'({numeric} && STR({variable}) != "NaN")'


def number_family(variable: str) -> str:
    """Text that names a datatype for the number: one for those in floating point, one for exact ones."""
    return f"IF(DATATYPE({variable}) IN ({_BINARY}), {quoted(_DOUBLE)}, {quoted(_DECIMAL)})"


def number_key(variable: str) -> str:
    """What sorts the numbers of a family."""
    return f"IF(DATATYPE({variable}) IN ({_BINARY}), {_double(variable)}, {variable})"


def is_time(variable: str) -> str:
    return _any([is_calendar(variable), is_instant(variable)])


def is_calendar(variable: str) -> str:
    """A day, a month or a year."""
    regular = (_calendar(variable, kind) for kind in _CALENDARS)
    return _any([*regular, _far(variable, "-"), _far(variable, "")])


def compares(variable: str, comparison: Comparison, literal: Literal) -> str:
    """`variable` holds a value that is <, <=, >, >= or = the literal; false where they are of two kinds."""
    if comparison is Comparison.EQ:
        return equals(variable, literal)
    match value_of(literal):
        case Number() as number:
            return _number(variable, comparison.sign, literal, number)
        case Window(start, end):
            bound, moment = {
                Comparison.LT: (TimeBound.ENDS_BY, start),
                Comparison.LE: (TimeBound.ENDS_BY, end),
                Comparison.GT: (TimeBound.STARTS_FROM, end),
                Comparison.GE: (TimeBound.STARTS_FROM, start),
            }[comparison]
            return bounded(variable, bound, moment)
        case _:
            return "false"


def equals(variable: str, literal: Literal) -> str:
    """`variable` holds the same value; text and booleans written otherwise are other literals."""
    match value_of(literal):
        case Number() as number:
            return _number(variable, "=", literal, number)
        case Window(start, _) as window:
            for kind in _CALENDARS:
                if kind.datatype == literal.datatype:
                    period = kind.period(math.floor(start / _SECONDS_A_DAY))
                    valid = _any([_calendar(variable, kind), _far(variable, "-"), _far(variable, "")])
                    is_kind = f"DATATYPE({variable}) = {iri(kind.datatype)}"
                    return f"({is_kind} && {valid} && {_names(variable, period)})"
            return f"({is_instant(variable)} && {instant(variable)} = {_moment(window.start)})"
        case bool() as truth:
            forms = '"true", "1"' if truth else '"false", "0"'
            return f"(DATATYPE({variable}) = {iri(literal.datatype)} && STR({variable}) IN ({forms}))"
        case _:
            return f"sameTerm({variable}, {written(literal)})"


def meets(variable: str, window: Window) -> str:
    before = bounded(variable, TimeBound.STARTS_BEFORE, window.end)
    return f"({before} && {bounded(variable, TimeBound.ENDS_AFTER, window.start)})"


def bounded(variable: str, bound: TimeBound, moment: float) -> str:
    """`variable` holds a time that starts before, starts from, ends by or ends after a moment."""
    earlier = bound in (TimeBound.STARTS_BEFORE, TimeBound.ENDS_BY)
    operator = "<" if earlier else ">="
    branches = []
    for kind in _CALENDARS:
        days = math.floor(moment / _SECONDS_A_DAY)
        if bound in (TimeBound.STARTS_BEFORE, TimeBound.STARTS_FROM):
            # The first period that starts no earlier than the moment.
            while days * _SECONDS_A_DAY < moment or not kind.starts(days):
                days += 1
        compared = _compared(variable, kind, operator, kind.period(days))
        branches.append(f"({_calendar(variable, kind)} && {compared})")
    branches.append(f"({is_instant(variable)} && {_instant_compared(variable, operator, moment)})")
    branches.append(_far(variable, "-" if earlier else ""))
    return _any(branches)


def _instant_compared(variable: str, operator: str, moment: float) -> str:
    """`operator` is < or >=. Virtuoso takes years before 0 for later than all others, so these are told by
    their sign, where the moment is not among them itself."""
    compared = f"{instant(variable)} {operator} {_moment(moment)}"
    if _civil(math.floor(moment / _SECONDS_A_DAY))[0] < 1:
        return compared
    return f'IF(STRSTARTS(STR({variable}), "-"), {"true" if operator == "<" else "false"}, {compared})'


def _any(branches: list[str]) -> str:
    return "(" + " || ".join(branches) + ")"


def _double(variable: str) -> str:
    # By way of its digits: 0.1 as a float is the double 0.1, not the nearest float's 0.100000001.
    # Virtuoso tries a cast even where the condition before it rules it out, hence the guard.
    return f'{iri(_DOUBLE)}(IF(isNumeric({variable}), STR({variable}), "0"))'


def _number(variable: str, operator: str, literal: Literal, number: Number) -> str:
    nearest = f'"{_float_text(number.nearest)}"^^{iri(_DOUBLE)}'
    compared = f"{_double(variable)} {operator} {nearest}"
    binary = f"(DATATYPE({variable}) IN ({_BINARY}) && isNumeric({variable}) && {compared})"
    if _is_float(number.nearest):
        # As a float it compares exactly, however a server writes its floats.
        short = f'{variable} {operator} "{_float_text(number.nearest)}"^^{iri(_FLOAT)}'
        binary = f"IF(DATATYPE({variable}) = {iri(_FLOAT)}, isNumeric({variable}) && {short}, {binary})"
    right = nearest
    if math.isfinite(number.nearest):
        exact = Decimal(literal.lexical.strip())
        if abs(exact) < _LARGEST_DECIMAL:
            right = f'"{exact:f}"^^{iri(_DECIMAL)}'
    return (
        f"({binary} || (DATATYPE({variable}) IN ({_EXACT}) && isNumeric({variable})"
        f" && {variable} {operator} {right}))"
    )


def _is_float(number: float) -> bool:
    """Whether a float has these very digits."""
    return abs(number) < 1e38 and Decimal(repr(number)) == Decimal(str(np.float32(number)))


def _float_text(number: float) -> str:
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    return repr(number).replace("e", "E") if "e" in repr(number) else f"{number!r}E0"


def _calendar(variable: str, kind: _Calendar) -> str:
    return f"(DATATYPE({variable}) = {iri(kind.datatype)} && REGEX(STR({variable}), {quoted(kind.form)}))"


def _compared(variable: str, kind: _Calendar, operator: str, period: str) -> str:
    """A calendar time with a year of four digits against a period; `operator` is < or >=."""
    text = f"STR({variable})"
    width = kind.width + period.startswith("-")
    if len(period) != width:
        # The period is far outside of what four digits can say.
        is_past = period.startswith("-")
        return "true" if operator == (">=" if is_past else "<") else "false"
    if not period.startswith("-"):
        return f"SUBSTR({text}, 1, {width}) {operator} {quoted(period)}"
    # Before the year 0 the larger number is the earlier year, but months and days run on as ever.
    year, rest = f"SUBSTR({text}, 2, 4)", f"SUBSTR({text}, 6, {width - 5})"
    earlier = f"{year} > {quoted(period[1:5])}"
    if kind.width > 4:
        earlier += f" || ({year} = {quoted(period[1:5])} && {rest} < {quoted(period[5:])})"
    before = f'STRSTARTS({text}, "-") && ({earlier})'
    return f"({before})" if operator == "<" else f"!({before})"


def _names(variable: str, period: str) -> str:
    """The variable is this period, with or without an offset."""
    offsets = (f"STRSTARTS(STR({variable}), {quoted(period + sign)})" for sign in "Z+-")
    return _any([f"STR({variable}) = {quoted(period)}", *offsets])


def is_instant(variable: str) -> str:
    return f"(DATATYPE({variable}) IN ({_DATE_TIMES}) && REGEX(STR({variable}), {quoted(_DATE_TIME_FORM)}))"


def instant(variable: str) -> str:
    # Guarded for the same reason as a double's.
    local = f"DATATYPE({variable}) IN ({_DATE_TIMES}) && REGEX(STR({variable}), {quoted(_LOCAL_FORM)})"
    text = f'IF({local}, CONCAT(STR({variable}), "Z"), "1970-01-01T00:00:00Z")'
    return f"IF({local}, {_DATE_TIME}({text}), {variable})"


def _moment(seconds: float) -> str:
    # Data is no finer than a microsecond, so what starts from a moment starts from the next whole one.
    micros = math.ceil(Decimal(seconds) * 1_000_000)
    whole, fraction = divmod(micros, 1_000_000)
    days, clock = divmod(whole, _SECONDS_A_DAY)
    year, month, day = _civil(days)
    text = _date_text(year, month, day)
    text += f"T{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
    if fraction:
        text += f".{fraction:06d}".rstrip("0")
    return f"{quoted(text + 'Z')}^^{_DATE_TIME}"


def _date_text(year: int, month: int, day: int) -> str:
    sign = "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def _far(variable: str, sign: str) -> str:
    """Years of more than four digits: beyond every moment that a question is likely to name."""
    kinds = ", ".join(iri(kind.datatype) for kind in _CALENDARS)
    return f'(DATATYPE({variable}) IN ({kinds}) && REGEX(STR({variable}), "^{sign}[0-9]{{5}}"))'


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of the proleptic Gregorian calendar, from days since 1970-01-01."""
    era, of_era = divmod(days + 719468, 146097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    day = of_year - (153 * shifted + 2) // 5 + 1
    return year_of_era + era * 400 + (month <= 2), month, day
