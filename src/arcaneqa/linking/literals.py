"""Values that a question states: numbers and times as people write them, typed as the facts are."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name, monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import CARDINALS
from arcaneqa.kb.names.name_forms import ORDINALS as ORDINAL_WORDS
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import CURRENCIES, converted
from arcaneqa.linking.question_words import UNITS, WORDS
from arcaneqa.links import LiteralLink

# Times as questions write them: ISO and numeric dates, months by name, years, decades, BC.


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


# Numbers as questions write them: digits with commas, powers of ten, words, ordinals, percentages,
# units.


ONES = {word: value for value, word in enumerate(CARDINALS[:20])}
TENS = {word: value * 10 for value, word in enumerate(WORDS["tens"], 2)}
SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
# First and second are left out: they are superlatives and units far more often than the numbers 1 and 2.
ORDINALS = {word: value for value, word in enumerate(ORDINAL_WORDS[3:13], 3)}

_DIGITS = re.compile(
    r"(?P<currency>[$€£¥₹]\s?)?"
    r"(?P<sign>(?<![\w.])(?:[-−+]|(?:minus|negative)\s+))?"
    r"(?<![\w.,])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:(?P<exponent>e[-+]?\d{1,3})(?!\w)"
    r"|\s?(?:[x×*·]\s?)10\s?(?:\^|\*\*)\s?(?P<power>[-−+]?\d{1,3})"
    r"|\^(?P<raised>[-−+]?\d{1,3})(?!\w))?"
    r"(?P<ordinal>st|nd|rd|th)?"
    r"(?:[\s-](?P<scale>hundred|thousand|million|billion|trillion|dozen)s?\b|(?P<letter>k|bn)\b)?"
    r"(?P<percent>\s?%|\s?percent\b|\sper\scent\b)?",
    re.IGNORECASE,
)
_SHARED_SCALE = re.compile(
    r"\s?(?:and|to|or|-|–)\s?\d+(?:\.\d+)?[\s-]?(thousand|million|billion|trillion|k|bn)\b", re.IGNORECASE
)
"""Behind the first of two numbers that are counted alike: between 5 and 6 million."""
_GLUED = re.compile(r"(?<=[a-z]{3})\d+\.\d+(?![\w.])", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_NEXT_WORD = re.compile(r"\s?([^\W\d_]+)")
_SCALES = {**SCALES, "k": 10**3, "bn": 10**9}


@dataclass(frozen=True, slots=True)
class StatedNumber:
    """`values` are what it may mean, likeliest first: 5% is 5 in most knowledge bases and 0.05 in some, and
    2 million is 2 where facts are counted in millions."""

    start: int
    end: int
    values: tuple[Decimal, ...]
    whole: bool
    unit: str | None = None


def numbers(text: str) -> Iterator[StatedNumber]:
    """The numbers of a text from left to right, not overlapping."""
    found = [*_written_in_digits(text), *_written_in_words(text)]
    end = 0
    for number in sorted(found, key=lambda number: (number.start, -number.end)):
        if number.start >= end:
            end = number.end
            yield number


def _written_in_digits(text: str) -> Iterator[StatedNumber]:
    for match in _DIGITS.finditer(text):
        digits = match["digits"].replace(",", "")
        following = text[match.end() : match.end() + 1]
        if following and (following.isalnum() or following == "_") and not _unit_at(text, match.end()):
            continue  # part of a name: 3D, R2D2, 747s
        try:
            value = Decimal(digits)
            if match["raised"]:
                value = value ** int(match["raised"].replace("−", "-"))
            elif match["power"]:
                value = value.scaleb(int(match["power"].replace("−", "-")))
            elif match["exponent"]:
                value = Decimal(digits + match["exponent"])
        except InvalidOperation:
            continue
        if match["sign"] and match["sign"].strip() != "+":
            value = -value
        scale = match["scale"] or match["letter"]
        if scale is None and (shared := _SHARED_SCALE.match(text, match.end())):
            scale = shared[1]
        scaled = value * _SCALES.get((scale or "").lower(), 1)
        unit = CURRENCIES.get((match["currency"] or "").strip()) or _unit_at(text, match.end())
        values = (scaled,) if scaled == value else (scaled, value)
        if match["percent"]:
            unit, values = "percent", (scaled, scaled / 100)
        exact = "." not in digits and not match["exponent"]
        whole = exact and scaled == scaled.to_integral_value()
        yield StatedNumber(match.start(), match.end(), values, whole, unit)
    for match in _GLUED.finditer(text):
        yield StatedNumber(match.start(), match.end(), (Decimal(match[0]),), False)


def _unit_at(text: str, position: int) -> str | None:
    match = _NEXT_WORD.match(text, position)
    return match[1].lower() if match and match[1].lower() in UNITS else None


def _written_in_words(text: str) -> Iterator[StatedNumber]:
    """`two hundred and fifty thousand`, `twenty-five`, `half a million`, `fifth`."""
    tokens = list(_WORD.finditer(text))
    position = 0
    while position < len(tokens):
        end, value = _read_words([token[0].lower() for token in tokens[position : position + 12]])
        if value is None:
            position += 1
            continue
        start, stop = tokens[position].start(), tokens[position + end - 1].end()
        if text[stop - 3 : stop].lower() != "one" or end > 1:  # "which one" counts nothing
            whole = value == value.to_integral_value()
            yield StatedNumber(start, stop, (value,), whole, _unit_at(text, stop))
        position += end


def _read_words(words: list[str]) -> tuple[int, Decimal | None]:
    """How many words make up the number that begins here, and the number."""
    if words[0] in ORDINALS:
        return 1, Decimal(ORDINALS[words[0]])
    total, group, used = Decimal(0), Decimal(0), 0
    position = 0
    if words[:2] == ["half", "a"] and len(words) > 2 and words[2] in SCALES:
        return 3, Decimal(SCALES[words[2]]) / 2
    if words[0] == "a" and len(words) > 1 and words[1] in SCALES:
        group, position = Decimal(1), 1
    last = None
    while position < len(words):
        word = words[position]
        kind = "one" if word in ONES else "ten" if word in TENS else "scale" if word in SCALES else None
        if kind is None and not (word == "and" and last == "scale"):
            break
        if kind == "scale" and last is None and group == 0:
            break
        if (kind == "one" and last == "one") or (kind == "ten" and last in ("ten", "one")):
            break
        if kind == "one":
            group += ONES[word]
        elif kind == "ten":
            group += TENS[word]
        elif kind == "scale":
            scale = SCALES[word]
            if scale <= 100:
                group *= scale
            else:
                total, group = total + group * scale, Decimal(0)
        if kind is not None:
            last, used = kind, position + 1
        position += 1
    return (used, total + group) if used and last else (0, None)


# Values a question states, in the XSD types that this knowledge base really uses.


WHOLE = ("integer", "int", "long", "nonNegativeInteger", "positiveInteger", "short", "byte")
BROKEN = ("double", "float", "decimal")
# Where a knowledge base does not say which types it uses.
USUAL = {
    XSD + name: 1 for name in ("integer", "decimal", "double", "dateTime", "date", "gYear", "gYearMonth")
}
# How a time is written in another type; a coarser type takes what it can of it.
FINER = ("gYear", "gYearMonth", "date", "dateTime")
MOST_DIGITS = 40
"""Before or behind the point; longer numbers are noise."""
MOST_LITERALS = 8
"""Of one question."""


def used_types(kb: KnowledgeBase) -> Mapping[str, int]:
    """Datatypes of this knowledge base's numbers and times, with how often they occur."""
    used = kb.datatypes()
    return USUAL if used is None else used


def find_literals(question: str, kb: KnowledgeBase, used: Mapping[str, int]) -> list[LiteralLink]:
    """From left to right; none where the knowledge base has neither numbers nor times."""
    if not used:
        return []
    links: list[LiteralLink] = []
    found_times = list(times(question))
    for time in found_times:
        readings = [*_time_readings(time, used), *(r for r in _recast(time, used) if _occurs(kb, r))]
        links.append(_link(question, time.start, time.end, readings, None, kb))
    for number in numbers(question):
        if not any(number.start < time.end and number.end > time.start for time in found_times):
            more = tuple(converted(number.values[0], number.unit, kb))
            readings = list(_number_readings(replace(number, values=(*number.values, *more)), used))
            links.append(_link(question, number.start, number.end, readings, number.unit, kb))
    links = [link for link in links if link.readings]
    return sorted(links, key=lambda link: (link.start, link.end))[:MOST_LITERALS]


def _link(
    question: str, start: int, end: int, readings: Sequence[Literal], unit: str | None, kb: KnowledgeBase
) -> LiteralLink:
    # A value that occurs in the facts is likelier meant than one that only could.
    distinct = sorted(dict.fromkeys(readings), key=lambda reading: not _occurs(kb, reading))
    return LiteralLink(start, end, question[start:end], tuple(distinct), unit)


def _occurs(kb: KnowledgeBase, literal: Literal) -> bool:
    nodes = kb.equal(literal)
    if not nodes:
        return False
    return any(
        isinstance(term, Literal) and term.datatype == literal.datatype for term in kb.terms(nodes.ids[:16])
    )


def _by_use(names: tuple[str, ...], used: Mapping[str, int]) -> list[str]:
    return sorted((name for name in names if XSD + name in used), key=lambda name: -used[XSD + name])


def _number_readings(number: StatedNumber, used: Mapping[str, int]) -> Iterator[Literal]:
    for value in number.values:
        if abs(value.adjusted()) > MOST_DIGITS:
            continue
        whole, broken = _by_use(WHOLE, used), _by_use(BROKEN, used)
        if value == value.to_integral_value():
            ordered = [*whole, *broken] if number.whole else [*broken, *whole]
        else:
            ordered = broken
        for name in ordered:
            yield _number(value, name)


def _number(value: Decimal, name: str) -> Literal:
    if name in WHOLE:
        lexical = str(int(value))
    elif name == "decimal":
        lexical = format(value, "f")
    else:
        lexical = repr(float(value))
    return Literal(lexical, XSD + name)


def _time_readings(time: Time, used: Mapping[str, int]) -> Iterator[Literal]:
    """As it was said (a year is a stretch of time whatever type the facts have), or as a plain number."""
    if time.certain or any(XSD + name in used for name in FINER):
        for kind, lexical in time.readings:
            yield Literal(lexical, XSD + kind)
    if not time.certain:
        for name in _by_use((*WHOLE, *BROKEN), used):
            for _, year in time.readings:
                yield _number(Decimal(year), name)


def _recast(time: Time, used: Mapping[str, int]) -> Iterator[Literal]:
    """Its first moment in the other types of time: 1999 as a date is 1999-01-01. A month is a stretch of time
    however it is said, and nobody means its first day."""
    for kind, lexical in time.readings:
        if kind == "gYearMonth":
            continue
        sign, body = ("-", lexical[1:]) if lexical.startswith("-") else ("", lexical)
        day, _, clock = body.partition("T")
        parts = [*day.split("-"), "01", "01"][:3]
        for kept, other in enumerate(FINER, 1):
            if other != kind and XSD + other in used:
                text = sign + "-".join(parts[: min(kept, 3)])
                yield Literal(f"{text}T{clock or '00:00:00'}" if kept > 3 else text, XSD + other)
