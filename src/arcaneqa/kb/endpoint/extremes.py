"""Least and greatest values, found by the server within each datatype and compared across them here."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from arcaneqa.kb.endpoint.patterns import Bounded, Compares, Condition, Pattern, fresh_variables, walked
from arcaneqa.kb.endpoint.queries import Queries, Question, batches, iris
from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import quoted
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.kb.values import Number, Value, value_of

Path = tuple[tuple[str, bool], ...]


def best(
    queries: Queries, parts: Sequence[Pattern], path: Path, largest: bool, kinds: frozenset[ValueKind]
) -> Condition | None:
    """What a value at the end of the path must fulfil to be the extreme one; None where there is no value."""
    aggregate = "MAX" if largest else "MIN"
    if ValueKind.NUMBER in kinds:
        numbers = [
            pair for row in _ask(queries, parts, path, [_numbers(aggregate)]) if (pair := _number(row))
        ]
        if numbers:
            _, literal = (max if largest else min)(numbers, key=lambda pair: pair[0])
            return Compares(Comparison.GE if largest else Comparison.LE, literal)
    if ValueKind.TIME in kinds:
        found_times = _ask(queries, parts, path, [_calendars(aggregate), _instants(aggregate)])
        windows = [window for row in found_times if (window := _window(row)) is not None]
        if windows and largest:
            end = max(window.end for window in windows)
            return Bounded(filters.Bound.ENDS_AFTER, math.nextafter(end, -math.inf))
        if windows:
            start = min(window.start for window in windows)
            return Bounded(filters.Bound.STARTS_BEFORE, math.nextafter(start, math.inf))
    return None


def of_relations(queries: Queries, relations: Sequence[str]) -> dict[str, list[Value]]:
    """Of each relation, values among which are its least and its greatest, whatever order is asked."""
    found: dict[str, list[Value]] = defaultdict(list)
    questions = []
    for batch in batches(relations):
        where = f"VALUES ?r {{ {iris(batch)} }} ?x ?r ?v ."
        for aggregate in ("MIN", "MAX"):
            for selection in (_numbers(aggregate), _calendars(aggregate), _instants(aggregate)):
                questions.append(selection("?r", where))
    for rows in queries.all(questions):
        for relation, *row in rows:
            literal = _literal(row)
            value = None if literal is None else value_of(literal)
            if isinstance(relation, Iri) and value is not None:
                found[relation.value].append(value)
    return found


class _Selection:
    """An aggregate over the values `?v` of one family; `key` sorts them, `groups` keeps apart what does
    not compare by that key."""

    def __init__(self, aggregate: str, condition: str, key: str, groups: dict[str, str]) -> None:
        self._aggregate, self._condition, self._key, self._groups = aggregate, condition, key, groups

    def __call__(self, kept: str, where: str) -> Question:
        made = " ".join(f"({text} AS {name})" for name, text in self._groups.items())
        inner = f"SELECT {kept} {made} ({self._key} AS ?k) WHERE {{ {where} FILTER({self._condition}) }}"
        names = (*((kept,) if kept else ()), *self._groups)
        outer = f"SELECT {' '.join(names)} (STR({self._aggregate}(?k)) AS ?m) WHERE {{ {{ {inner} }} }}"
        grouped = f"{outer} GROUP BY {' '.join(names)}" if names else outer
        return Question((*names, "?m"), f"{{ {grouped} }}")


def _numbers(aggregate: str) -> _Selection:
    # Exact numbers and doubles apart: not every server compares them exactly.
    return _Selection(
        aggregate, filters.is_number("?v"), filters.number_key("?v"), {"?d": filters.number_family("?v")}
    )


def _calendars(aggregate: str) -> _Selection:
    # Years before 1 and beyond 9999 do not sort as text, so each of them comes by itself.
    regular = 'REGEX(STR(?v), "^[0-9]{4}([^0-9]|$)")'
    groups = {"?d": "DATATYPE(?v)", "?own": f'IF({regular}, "", STR(?v))'}
    return _Selection(aggregate, filters.is_calendar("?v"), "STR(?v)", groups)


def _instants(aggregate: str) -> _Selection:
    return _Selection(
        aggregate, filters.is_instant("?v"), filters.instant("?v"), {"?d": quoted(XSD + "dateTime")}
    )


def _ask(
    queries: Queries, parts: Sequence[Pattern], path: Path, selections: list[_Selection]
) -> Iterator[Sequence[object]]:
    questions: list[Question] = []
    for part in parts:
        fresh = fresh_variables()
        hops = walked("?x", path, "?v", fresh)
        where = f"{part.where('?x', fresh)} {hops}"
        questions.extend(selection("", where) for selection in selections)
    for rows in queries.all(questions):
        yield from rows


def _literal(row: Sequence[object]) -> Literal | None:
    """A row begins with a datatype and ends with the extreme one as text, in which no digit is lost."""
    match row:
        case [Iri(datatype) | Literal(datatype), *_, Literal(lexical)]:
            return Literal(lexical, datatype)
        case _:
            return None


def _number(row: Sequence[object]) -> tuple[Number, Literal] | None:
    literal = _literal(row)
    number = None if literal is None else value_of(literal)
    return (number, literal) if literal is not None and isinstance(number, Number) else None


def _window(row: Sequence[object]) -> Window | None:
    literal = _literal(row)
    window = None if literal is None else value_of(literal)
    return window if isinstance(window, Window) else None
