"""Values as SPARQL expressions that can be ordered and matched: doubles for numbers, moments for times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.sparql.filters import is_number, is_time
from arcaneqa.kb.sparql.terms import quoted
from arcaneqa.kb.terms import XSD

_YEAR, _MONTH, _DATE = f"<{XSD}gYear>", f"<{XSD}gYearMonth>", f"<{XSD}date>"
_DATE_TIME, _STAMP = f"<{XSD}dateTime>", f"<{XSD}dateTimeStamp>"
_BOOLEAN, _INTEGER, _DOUBLE = f"<{XSD}boolean>", f"<{XSD}integer>", f"<{XSD}double>"
_DECIMAL = f"<{XSD}decimal>"
_OFFSET = "(Z|[+-][0-9][0-9]:[0-9][0-9])$"


@dataclass(frozen=True, slots=True)
class Key:
    """`lines` bind `variables`; values with equal variables have equal ranks, others are left out."""

    lines: tuple[str, ...]
    variables: tuple[str, ...]


def order_key(value: str, kinds: frozenset[ValueKind], largest: bool, fresh: Callable[[], str]) -> Key:
    """What orders the values of a variable, the most significant first.

    Numbers come before times where both are met; times go by their end for the largest, else by
    their start.
    """
    key = fresh()
    if ValueKind.TIME not in kinds:
        return Key((f"FILTER({is_number(value)})", f"BIND({_number(value)} AS {key})"), (key,))
    text, year = fresh(), fresh()
    parts = [f"BIND({_calendar(value)} AS {text})"]
    if largest:
        parts.append(f"BIND({_year_of_month(value, text)} AS {year})")
    moment = _moment(value, text, year if largest else None)
    if ValueKind.NUMBER not in kinds:
        return Key((f"FILTER({is_time(value)})", *parts, f"BIND({moment} AS {key})"), (key,))
    kind = fresh()
    lines = (
        f"BIND(IF({is_number(value)}, 1, IF({is_time(value)}, 0, -1)) AS {kind})",
        f"FILTER({kind} >= 0)",
        *parts,
        f"BIND(IF({kind} = 1, {_number(value)}, {moment}) AS {key})",
    )
    return Key(lines, (kind, key))


def summable(variable: str) -> str:
    """A number that adds up exactly where it has no exponent: as a decimal."""
    plain = f'REGEX(STR({variable}), "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)$")'
    return f'IF({plain}, {_DECIMAL}(IF({plain}, STR({variable}), "0")), {_number(variable)})'


def same_value(left: str, right: str) -> str:
    """Two variables hold literals of the same value, or the very same term."""
    same_type = f"DATATYPE({left}) = DATATYPE({right})"
    calendar = f"DATATYPE({left}) IN ({_YEAR}, {_MONTH}, {_DATE})"
    instants = " && ".join(f"DATATYPE({side}) IN ({_DATE_TIME}, {_STAMP})" for side in (left, right))
    branches = [
        f"sameTerm({left}, {right})",
        f"({is_number(left)} && {is_number(right)} && {_number(left)} = {_number(right)})",
        f"({same_type} && {calendar} && {_calendar(left)} = {_calendar(right)})",
        f"({instants} && {_instant(left)} = {_instant(right)})",
        f"({same_type} && DATATYPE({left}) = {_BOOLEAN} && {left} = {right})",
    ]
    return " || ".join(branches)


def _number(variable: str) -> str:
    # By way of its digits, so that a float and a double written alike are alike. Some servers try every
    # cast, whatever the conditions around it: so what is cast is always something that can be.
    return f'{_DOUBLE}(IF(isNumeric({variable}), STR({variable}), "0"))'


def _calendar(variable: str) -> str:
    return f'REPLACE(STR({variable}), {quoted(_OFFSET)}, "")'


def _instant(variable: str) -> str:
    return f"{_DATE_TIME}({_instant_text(variable)})"


def _instant_text(variable: str) -> str:
    text = f"STR({variable})"
    whole = f'IF(REGEX({text}, {quoted(_OFFSET)}), {text}, CONCAT({text}, "Z"))'
    return f'IF(DATATYPE({variable}) IN ({_DATE_TIME}, {_STAMP}), {whole}, "1970-01-01T00:00:00Z")'


def _year_of_month(value: str, text: str) -> str:
    return f'{_INTEGER}(IF(DATATYPE({value}) = {_MONTH}, SUBSTR({text}, 1, STRLEN({text}) - 3), "0"))'


def _moment(value: str, text: str, year: str | None) -> str:
    """The first moment of a time, or its last one: a microsecond before the next year, month or day.

    `text` is a variable with the calendar text of `value`, free of its offset; `year`, for the last
    moment, one with the year of a month.
    """
    clock = "T00:00:00Z" if year is None else "T23:59:59.999999Z"
    year_rest = f'"-01-01{clock}"' if year is None else f'"-12-31{clock}"'
    month_rest = f'"-01{clock}"' if year is None else f'"-", {_last_day(text, year)}, "{clock}"'
    branches = (
        (_DATE, f'CONCAT({text}, "{clock}")'),
        (_MONTH, f"CONCAT({text}, {month_rest})"),
        (_YEAR, f"CONCAT({text}, {year_rest})"),
    )
    result = _instant_text(value)
    for datatype, moment in branches:
        result = f"IF(DATATYPE({value}) = {datatype}, {moment}, {result})"
    return f"{_DATE_TIME}({result})"


def _last_day(text: str, year: str) -> str:
    month = f"SUBSTR({text}, STRLEN({text}) - 1)"
    fourth, hundredth, four_hundredth = (f"FLOOR({year} / {n}) * {n} = {year}" for n in (4, 100, 400))
    february = f'IF({fourth} && (!({hundredth}) || {four_hundredth}), "29", "28")'
    return f'IF({month} = "02", {february}, IF({month} IN ("04", "06", "09", "11"), "30", "31"))'
