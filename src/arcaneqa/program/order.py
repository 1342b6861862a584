"""Values as SPARQL expressions that can be ordered and matched: doubles for numbers, moments for times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arcaneqa.kb.endpoint.filters import is_number, is_time
from arcaneqa.kb.endpoint.terms import quoted
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD

_YEAR, _MONTH, _DATE = f"<{XSD}gYear>", f"<{XSD}gYearMonth>", f"<{XSD}date>"
_DATE_TIME, _STAMP = f"<{XSD}dateTime>", f"<{XSD}dateTimeStamp>"
_BOOLEAN, _INTEGER, _DOUBLE = f"<{XSD}boolean>", f"<{XSD}integer>", f"<{XSD}double>"
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
    text = fresh()
    stripped = f"BIND({_calendar(value)} AS {text})"
    moment = _moment(value, text, largest)
    if ValueKind.NUMBER not in kinds:
        return Key((f"FILTER({is_time(value)})", stripped, f"BIND({moment} AS {key})"), (key,))
    kind = fresh()
    lines = (
        f"BIND(IF({is_number(value)}, 1, IF({is_time(value)}, 0, -1)) AS {kind})",
        f"FILTER({kind} >= 0)",
        stripped,
        f"BIND(IF({kind} = 1, {_number(value)}, {moment}) AS {key})",
    )
    return Key(lines, (kind, key))


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
    # By way of its digits, so that a float and a double written alike are alike.
    return f"{_DOUBLE}(STR({variable}))"


def _calendar(variable: str) -> str:
    return f'REPLACE(STR({variable}), {quoted(_OFFSET)}, "")'


def _instant(variable: str) -> str:
    text = f"STR({variable})"
    return f'{_DATE_TIME}(IF(REGEX({text}, {quoted(_OFFSET)}), {text}, CONCAT({text}, "Z")))'


def _moment(value: str, text: str, end: bool) -> str:
    """The first moment of a time, or its last one: a microsecond before the next year, month or day.

    `text` is a variable with the calendar text of `value`, free of its offset.
    """
    clock = "T23:59:59.999999Z" if end else "T00:00:00Z"
    year_rest = f'"-12-31{clock}"' if end else f'"-01-01{clock}"'
    month_rest = f'"-", {_last_day(text)}, "{clock}"' if end else f'"-01{clock}"'
    branches = (
        (_DATE, f'CONCAT({text}, "{clock}")'),
        (_MONTH, f"CONCAT({text}, {month_rest})"),
        (_YEAR, f"CONCAT({text}, {year_rest})"),
    )
    result = _instant(value)
    for datatype, moment in branches:
        result = f"IF(DATATYPE({value}) = {datatype}, {_DATE_TIME}({moment}), {result})"
    return result


def _last_day(year_and_month: str) -> str:
    year = f"{_INTEGER}(SUBSTR({year_and_month}, 1, STRLEN({year_and_month}) - 3))"
    month = f"SUBSTR({year_and_month}, STRLEN({year_and_month}) - 1)"
    fourth, hundredth, four_hundredth = (f"FLOOR({year} / {n}) * {n} = {year}" for n in (4, 100, 400))
    february = f'IF({fourth} && (!({hundredth}) || {four_hundredth}), "29", "28")'
    return f'IF({month} = "02", {february}, IF({month} IN ("04", "06", "09", "11"), "30", "31"))'
