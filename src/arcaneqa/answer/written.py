"""Values as people write them: 1,234,567, 5 October 1968 and yes."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of

GROUPED_FROM = 10_000
"""2022 may be a year, and reads well as it is."""
EXACT = 6
"""Decimals that somebody may have written down; a number with more was computed, and is rounded."""
SIGNIFICANT = 4
"""Digits that a rounded number has at least."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_TIME = re.compile(
    r"(-?)(\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?"
)


def written(literal: Literal) -> str:
    """The value in words; what is not understood stays as it is.

    >>> from arcaneqa.kb.terms import XSD
    >>> [written(Literal(text, XSD + "decimal")) for text in ("2022", "43250.5", "33.333333333333336")]
    ['2022', '43,250.5', '33.33']
    >>> written(Literal("1968-10-05", XSD + "date"))
    '5 October 1968'
    """
    match kind_of(literal):
        case ValueKind.NUMBER:
            return _number(literal.lexical)
        case ValueKind.TIME:
            return _time(literal.lexical)
        case ValueKind.BOOLEAN:
            return "Yes" if literal.lexical in ("true", "1") else "No"
    return literal.lexical


def _number(text: str) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    if not value.is_finite() or abs(value.adjusted()) > 15:
        return text
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and -exponent > EXACT:
        value = round(value, max(2, SIGNIFICANT - 1 - value.adjusted()))
    value = value.normalize()
    return f"{value:,f}" if abs(value) >= GROUPED_FROM else f"{value:f}"


def _time(text: str) -> str:
    found = _TIME.fullmatch(text)
    if found is None:
        return text
    before, year, month, day, moment = found.groups()
    if month is not None and not 1 <= int(month) <= len(_MONTHS):
        return text
    named = _MONTHS[int(month) - 1] if month else ""
    era = f"{int(year)} BC" if before else f"{int(year)}"
    said = " ".join(part for part in (str(int(day)) if day else "", named, era) if part)
    return said if moment in (None, "00:00") else f"{said}, {moment}"
