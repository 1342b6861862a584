"""Values a question states, in the XSD types that this knowledge base really uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.units import converted
from arcaneqa.linking.dates import Time, times
from arcaneqa.linking.numbers import Number, numbers
from arcaneqa.links import LiteralLink

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


def _number_readings(number: Number, used: Mapping[str, int]) -> Iterator[Literal]:
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
