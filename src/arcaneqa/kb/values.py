"""Literals as values that can be compared, and the units of one measure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from functools import total_ordering
from weakref import WeakKeyDictionary

from arcaneqa.kb.interface import Comparison, KnowledgeBase, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Literal

# Literals as values that can be compared: numbers with numbers, times with times, never across.


_INTEGERS = frozenset(
    XSD + name
    for name in [
        "integer",
        "long",
        "int",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedLong",
        "unsignedInt",
        "unsignedShort",
        "unsignedByte",
    ]
)
_FLOATS = frozenset((XSD + "double", XSD + "float"))
_DECIMAL = XSD + "decimal"
NUMBERS = _INTEGERS | _FLOATS | {_DECIMAL}
_DATE_TIMES = frozenset((XSD + "dateTime", XSD + "dateTimeStamp"))
_DATE, _YEAR, _MONTH = XSD + "date", XSD + "gYear", XSD + "gYearMonth"
TIMES = _DATE_TIMES | {_DATE, _YEAR, _MONTH}
BOOLEAN = XSD + "boolean"

_INTEGER_FORM = re.compile(r"[+-]?[0-9]+")
_DECIMAL_FORM = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_FLOAT_FORM = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITIES = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf}
_OFFSET = r"(?P<offset>Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?"
_YEARS = r"(?P<year>-?(?:[1-9]\d{4,17}|\d{4}))"
_FORMS = {
    _YEAR: re.compile(_YEARS + _OFFSET, re.ASCII),
    _MONTH: re.compile(_YEARS + r"-(?P<month>\d\d)" + _OFFSET, re.ASCII),
    _DATE: re.compile(_YEARS + r"-(?P<month>\d\d)-(?P<day>\d\d)" + _OFFSET, re.ASCII),
}
_DATE_TIME_FORM = re.compile(
    _YEARS + r"-(?P<month>\d\d)-(?P<day>\d\d)"
    r"T(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?P<fraction>\.\d+)?" + _OFFSET,
    re.ASCII,
)
CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen", "₹": "rupees"}
"""Signs beside amounts, in cells and in questions."""
_DAY = 86400
"""Seconds."""
# Enough for the difference between any number and its nearest double; longer numbers round here.
_WIDE = Context(prec=800)


@total_ordering
@dataclass(frozen=True, slots=True, eq=True)
class Number:
    """The nearest double, and what its shortest decimal form leaves out (0 up to 15 digits)."""

    nearest: float
    rest: float = 0.0

    def __lt__(self, other: Number) -> bool:
        return (self.nearest, self.rest) < (other.nearest, other.rest)


Value = Number | Window | bool


def value_of(literal: Literal) -> Value | None:
    """The literal's value, or None for text (and for NaN, which compares with nothing)."""
    datatype = literal.datatype
    if not datatype.startswith(XSD):
        return None
    lexical = literal.lexical.strip(" \t\r\n")
    if datatype in NUMBERS:
        return _number(lexical, datatype)
    if datatype in _DATE_TIMES:
        return _instant(lexical)
    if datatype in _FORMS:
        return _stretch(lexical, datatype)
    if datatype == BOOLEAN:
        return {"true": True, "1": True, "false": False, "0": False}.get(lexical)
    return None


def kind_of(literal: Literal) -> ValueKind:
    match value_of(literal):
        case Number():
            return ValueKind.NUMBER
        case Window():
            return ValueKind.TIME
        case bool():
            return ValueKind.BOOLEAN
        case _:
            return ValueKind.TEXT


def holds(value: Value, comparison: Comparison, limit: Value) -> bool:
    """Whether `value < limit`, and so on; never where they are of two kinds. A stretch of time is before
    another if all of it is, and at most another if it ends no later."""
    if isinstance(value, Number) and isinstance(limit, Number):
        match comparison:
            case Comparison.LT:
                return value < limit
            case Comparison.LE:
                return value <= limit
            case Comparison.GT:
                return value > limit
            case Comparison.GE:
                return value >= limit
    if isinstance(value, Window) and isinstance(limit, Window):
        match comparison:
            case Comparison.LT:
                return value.end <= limit.start
            case Comparison.LE:
                return value.end <= limit.end
            case Comparison.GT:
                return value.start >= limit.end
            case Comparison.GE:
                return value.start >= limit.start
    return comparison is Comparison.EQ and type(value) is type(limit) and value == limit


def _number(lexical: str, datatype: str) -> Number | None:
    if datatype in _FLOATS:
        if lexical in _INFINITIES:
            return Number(_INFINITIES[lexical])
        form = _FLOAT_FORM
    else:
        form = _INTEGER_FORM if datatype in _INTEGERS else _DECIMAL_FORM
    if not form.fullmatch(lexical):
        return None
    nearest = float(lexical) + 0.0  # no negative zero: it equals zero
    if len(lexical) <= 15 or math.isinf(nearest):
        return Number(nearest)
    try:
        rest = _WIDE.subtract(Decimal(lexical), Decimal(repr(nearest)))
    except InvalidOperation:
        return Number(nearest)
    return Number(nearest, float(rest) + 0.0)


def _stretch(lexical: str, datatype: str) -> Window | None:
    found = _FORMS[datatype].fullmatch(lexical)
    if not found:
        return None
    year = int(found["year"])
    if datatype == _YEAR:
        return _window(_days(year, 1, 1), _days(year + 1, 1, 1))
    month = int(found["month"])
    if not 1 <= month <= 12:
        return None
    if datatype == _MONTH:
        following = (year + 1, 1) if month == 12 else (year, month + 1)
        return _window(_days(year, month, 1), _days(*following, 1))
    day = int(found["day"])
    if not 1 <= day <= _month_length(year, month):
        return None
    start = _days(year, month, day)
    return _window(start, start + 1)


def _window(first: int, last: int) -> Window:
    start, end = float(first * _DAY), float(last * _DAY)
    # Beyond a hundred million years a day is less than a double can tell apart.
    return Window(start, max(end, math.nextafter(start, math.inf)))


def _instant(lexical: str) -> Window | None:
    found = _DATE_TIME_FORM.fullmatch(lexical)
    if not found:
        return None
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"])
    midnight_after = hour == 24 and minute == second == 0 and not (found["fraction"] or "").strip(".0")
    if not (1 <= month <= 12 and 1 <= day <= _month_length(year, month)):
        return None
    if not (midnight_after or (hour < 24 and minute < 60 and second < 60)):
        return None
    whole = _days(year, month, day) * _DAY + hour * 3600 + minute * 60 + second - _offset(found["offset"])
    start = whole + float(found["fraction"] or 0)
    return Window(start, math.nextafter(start, math.inf))


def _offset(text: str | None) -> int:
    if text is None or text == "Z":
        return 0
    seconds = int(text[1:3]) * 3600 + int(text[4:6]) * 60
    return -seconds if text[0] == "-" else seconds


def _month_length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar, for any year (0 is 1 BC)."""
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


# Units of one measure, so that 6 kg are found where a column is called body mass (g).


_MEASURES: tuple[dict[str, str], ...] = (
    {
        "mg": "0.001",
        "g gram grams": "1",
        "kg kilo kilos kilogram kilograms": "1000",
        "ton tons tonne tonnes": "1000000",
        "oz ounce ounces": "28.349523125",
        "lb lbs pound pounds": "453.59237",
    },
    {
        "mm millimeter millimeters millimetre millimetres": "0.001",
        "cm centimeter centimeters centimetre centimetres": "0.01",
        "m meter meters metre metres": "1",
        "km kilometer kilometers kilometre kilometres": "1000",
        "inch inches": "0.0254",
        "ft foot feet": "0.3048",
        "yard yards": "0.9144",
        "mi mile miles": "1609.344",
    },
    {
        "sec second seconds": "1",
        "min minute minutes": "60",
        "hr hrs hour hours": "3600",
        "day days": "86400",
        "week weeks": "604800",
    },
)
"""How many of one unit each is; tons are metric."""
_SIZES = [
    {name: Decimal(size) for names, size in measure.items() for name in names.split()}
    for measure in _MEASURES
]
_EXACT = Context(prec=12)
"""Digits: more than any table has, and no thirds without end."""
_USED: WeakKeyDictionary[KnowledgeBase, frozenset[str]] = WeakKeyDictionary()


_IN_MINUTES = frozenset(("runtime", "duration", "run time", "running time", "playing time"))
"""What is told in minutes where no unit is named."""


def converted(value: Decimal, unit: str | None, kb: KnowledgeBase) -> Iterator[Decimal]:
    """What a number with a unit is in the units that relations are called by, where none has its own."""
    for sizes in _SIZES:
        if unit in sizes:
            others = {sizes[name] for name in _used(kb) if name in sizes}
            if sizes[unit] in others:
                return
            yield from (_EXACT.divide(value * sizes[unit], other) for other in sorted(others))


def _used(kb: KnowledgeBase) -> Set[str]:
    """Units at the end of the names of numbers, or that go without saying; read once a knowledge base."""
    if kb not in _USED:
        numbers = (one for one in kb.schema.relations if ValueKind.NUMBER in one.kinds and not one.hidden)
        labels = [one.label.lower().strip() for one in numbers]
        untold = {"minutes"} if any(label in _IN_MINUTES for label in labels) else set()
        _USED[kb] = frozenset(label.split()[-1] for label in labels if label) | untold
    return _USED[kb]
