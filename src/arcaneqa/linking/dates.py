"""Times as questions write them: ISO and numeric dates, months by name, years, decades, BC."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name, monthrange
from collections.abc import Iterator
from dataclasses import dataclass

from arcaneqa.linking.question_words import WORDS

FIRST_YEAR, LAST_YEAR = 1000, 2100
"""Four bare digits outside these years are a number, not a year."""

_MONTHS = {name.lower(): number for number, name in enumerate(month_name) if name}
_MONTHS |= {name.lower(): number for number, name in enumerate(month_abbr) if name} | {"sept": 9}
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>\d{4})\b(?!\s*(?:[.,]\d|%))"
_DECADES = {word: number for number, word in enumerate(WORDS["decades from twenties"], 2)}

_PATTERNS = [
    ("datetime", r"(?P<stamp>-?\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:\d\d)?)(?!\d)"),
    ("date", r"(?<![\d-])(?P<year>-?\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"),
    ("numeric", r"(?<![\d/])(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4})(?!\d)"),
    ("date", rf"\b{_MONTH},?\s+{_DAY},?\s+(?:of\s+|in\s+)?{_YEAR}"),
    ("date", rf"\b{_DAY}\s+(?:of\s+|day\s+of\s+)?{_MONTH},?\s+(?:of\s+|in\s+)?{_YEAR}"),
    ("month", rf"\b{_MONTH},?\s+(?:of\s+|in\s+)?(?:the\s+year\s+)?{_YEAR}"),
    ("month", r"(?<![\d-])(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])(?![\d-])"),
    ("before", r"\b(?P<year>\d{1,4})\s*(?:bce?\b|b\.\s?c\.(?:\s?e\.)?)"),
    ("year", r"\b(?:ad\b|a\.\s?d\.)\s*(?P<year>\d{1,4})\b|\b(?P<after>\d{1,4})\s*(?:ad\b|a\.\s?d\.|ce\b)"),
    ("decade", r"(?<![\d.,-])(?P<year>\d{3}0)['’]?s\b|(?<!\w)['’]?(?P<short>[2-9]0)['’]?s\b"),
    ("named", r"\b(?P<decade>" + "|".join(_DECADES) + r")\b"),
    ("bare", r"(?<![\w.,/-])(?P<year>[12]\d{3})(?![\w/]|[.,-]\d|\s*(?:%|percent|million|billion))"),
]
_MAY_BE_NUMBERS = ("bare", "decade", "named")
_COMPILED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS]


@dataclass(frozen=True, slots=True)
class Time:
    """`readings` are XSD names with lexical forms, likeliest first; not `certain` if it may be a number."""

    start: int
    end: int
    readings: tuple[tuple[str, str], ...]
    certain: bool = True


def times(text: str) -> Iterator[Time]:
    """The times of a text, not overlapping; the more a pattern says, the sooner it is tried."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < other_end and end > other_start for other_start, other_end in taken):
                continue
            readings = tuple(_readings(kind, match))
            if readings:
                taken.append((start, end))
                yield Time(start, end, readings, certain=kind not in _MAY_BE_NUMBERS)


def _readings(kind: str, match: re.Match[str]) -> Iterator[tuple[str, str]]:
    if kind == "datetime":
        day, clock = re.split(r"[T ]", match["stamp"].upper(), maxsplit=1)
        if clock.count(":") == 1 or re.fullmatch(r"\d\d:\d\d(Z|[-+]\d\d:\d\d)", clock):
            clock = clock[:5] + ":00" + clock[5:]
        yield "dateTime", f"{day}T{clock}"
    elif kind == "date":
        month = match["month"].lower()
        yield from _day(match["year"], _MONTHS.get(month) or _integer(month), int(match["day"]))
    elif kind == "numeric":
        first, second = int(match["first"]), int(match["second"])
        yield from _day(match["year"], first, second)
        if first != second:
            yield from _day(match["year"], second, first)
    elif kind == "month":
        month = match["month"].lower()
        yield "gYearMonth", f"{match['year']}-{_MONTHS.get(month) or int(month):02d}"
    elif kind == "before":
        yield "gYear", f"-{int(match['year']):04d}"
    elif kind == "year":
        yield "gYear", f"{int(match['year'] or match['after']):04d}"
    elif kind == "decade":
        year = int(match["year"]) if match["year"] else 1900 + int(match["short"])
        yield from (("gYear", f"{year:04d}"), ("gYear", f"{year + 9:04d}"))
    elif kind == "named":
        year = 1900 + 10 * _DECADES[match["decade"].lower()]
        yield from (("gYear", str(year)), ("gYear", str(year + 9)))
    elif FIRST_YEAR <= int(match["year"]) <= LAST_YEAR:
        yield "gYear", match["year"]


def _integer(digits: str) -> int:
    return int(digits) if digits.isdigit() else 0


def _day(year: str, month: int, day: int) -> Iterator[tuple[str, str]]:
    if 1 <= month <= 12 and 1 <= day <= monthrange(max(1, abs(int(year))), month)[1]:
        yield "date", f"{year}-{month:02d}-{day:02d}"
