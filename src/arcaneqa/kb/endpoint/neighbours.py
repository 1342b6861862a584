"""What touches a set: relations, classes, values that match, least and greatest values."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.patterns import (
    Along,
    Around,
    Both,
    Bounded,
    Compares,
    Condition,
    Equals,
    ListedNodes,
    Members,
    Pattern,
    Undated,
    With,
    Without,
    either,
    fresh_variables,
    unlike,
    walked,
)
from arcaneqa.kb.endpoint.queries import Queries, SelectQuery, batches, iris, whole_number
from arcaneqa.kb.endpoint.sets import Parts, RemoteSet
from arcaneqa.kb.interface import Comparison, Ids, Step, Window
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import iri, quoted
from arcaneqa.kb.terms import XSD, Iri, Literal, Term
from arcaneqa.kb.values import Number, Value, kind_of, value_of

# Literals match by value, 5 finds 5.0, and by a condition: every server joins literals in its own
# way.


_VALUES = frozenset((ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN))
_CONDITIONS = 16
"""Values in one condition of a query."""


@dataclass(frozen=True, slots=True)
class LiteralMatch:
    """Some literals of one kind, and the relations that may hold their value."""

    relations: tuple[str, ...]
    condition: Equals


class Matching:
    def __init__(self, schema: Schema, listed: int) -> None:
        self._listed = listed
        self._kinds = {relation.iri: relation.kinds for relation in schema.relations}

    def of(self, nodes: RemoteSet) -> Iterator[LiteralMatch]:
        """How to find what has the values of this set."""
        if nodes.small is None and not any(map(self._gives_values, nodes.parts)):
            return
        values = nodes.values
        for kind in sorted({kind_of(literal) for literal in values}):
            yield from self.having(kind, [literal for literal in values if kind_of(literal) is kind])

    def having(self, kind: ValueKind, literals: list[Literal]) -> Iterator[LiteralMatch]:
        names = [name for name, kinds in self._kinds.items() if kind in kinds]
        for start in range(0, len(literals), _CONDITIONS):
            condition = Equals(tuple(literals[start : start + _CONDITIONS]))
            for first in range(0, len(names), self._listed):
                yield LiteralMatch(tuple(names[first : first + self._listed]), condition)

    def in_relation(self, relation: str, nodes: RemoteSet) -> Iterator[Pattern]:
        """Subjects to which the relation gives one of the set's values."""
        for match in self.of(nodes) if self._kinds[relation] & _VALUES else ():
            if relation in match.relations:
                yield With(None, ((relation, False),), match.condition)

    def _gives_values(self, pattern: Pattern) -> bool:
        match pattern:
            case Around(_, inverse):
                return not inverse
            case Along(relation, inverse):
                return not inverse and bool(self._kinds[relation] & _VALUES)
            case Both(left, right):
                return self._gives_values(left) and self._gives_values(right)
            case Without(source) | Undated(source):
                return self._gives_values(source)
            case With(source):
                return source is not None and self._gives_values(source)
            case Members() | ListedNodes():
                return False
            case _:
                return True


# What touches a set: relations out and in, classes, where numbers and times are to be had, how many
# neighbours its members have.


_NAMED = 64
"""Relations that a query names; where more would be left, it names those that are hidden."""
_COMPARED = frozenset((ValueKind.NUMBER, ValueKind.TIME))


class Touching:
    """Each answer is kept with its set, so that it is asked for once. Hidden items are in no answer."""

    def __init__(self, queries: Queries, discovery: Discovery, matching: Matching) -> None:
        self._queries = queries
        self._matching = matching
        schema = discovery.schema
        self._relations = {r.iri: r.id for r in schema.relations if not r.hidden}
        self._classes = {c.iri: c.id for c in schema.classes if not c.hidden}
        self._types = either(discovery.profile.type)
        self._superclasses: dict[str, list[str]] = {}
        for high, below in discovery.subclasses.items():
            for low in below:
                self._superclasses.setdefault(low, []).append(high)
        shown = [r for r in schema.relations if not r.hidden and r.comparable]
        self._always_compared = np.array([r.id for r in shown if r.kinds <= _COMPARED], np.int64)
        self._has_values = bool(shown)
        self._surely_compared = [r.iri for r in shown if r.kinds <= _COMPARED]
        self._sometimes_compared = [r.iri for r in shown if not r.kinds <= _COMPARED]
        self.hidden = tuple(r.iri for r in schema.relations if r.hidden)
        self._hidden_values = tuple(r.iri for r in schema.relations if r.hidden and r.comparable)
        self._members = {c.iri: c.members for c in schema.classes}
        self._sometimes_ids = np.array([self._relations[name] for name in self._sometimes_compared], np.int64)

    def rows(self, parts: Sequence[Pattern], variables: tuple[str, ...], where: str) -> list[Row]:
        """Distinct rows over all members `?x` of the parts."""
        questions = [
            SelectQuery(variables, f"{part.where('?x', fresh_variables())} {where}") for part in parts
        ]
        return [row for rows in self._queries.all(questions) for row in rows]

    def out_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "out", lambda: self._named(nodes, "?x ?r ?o", self._relations))

    def in_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "in", lambda: self._leading_to(nodes, "?s", ""))

    def classes(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "classes", lambda: self._classes_of(nodes))

    def comparable_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "comparable", lambda: self._compared(nodes))

    def steps_to_values(self, nodes: RemoteSet) -> list[Step]:
        codes = self._kept(nodes, "steps", lambda: self._steps(nodes))
        return [Step(code >> 1, bool(code & 1)) for code in codes.tolist()]

    def orderable_classes(self, hops: int) -> Ids:
        """Classes with a member that has a value, or a neighbour with one. Found class by class, because
        one member is enough; what one kind of path has shown, the next need not."""
        if not self._has_values:
            return np.empty(0, np.int64)
        seen = unlike("?r", self.hidden)
        ways = [self._valued("?x")]
        if hops > 1:
            ways += [f"?x ?r ?y . {seen} {self._valued('?y')}", f"?y ?r ?x . {seen} {self._valued('?y')}"]
        found: set[str] = set()
        for way in ways:
            left = [name for name, members in self._members.items() if members and name not in found]
            found |= self._with_member(left, way)
            found |= {above for name in found for above in self._superclasses.get(name, ())}
        return np.array(sorted(self._classes[name] for name in found if name in self._classes), np.int64)

    def classes_having(self, relations: Sequence[str], inverse: bool) -> Ids:
        """Classes with a member that is the subject of such a fact, or the object."""
        if not relations:
            return np.empty(0, np.int64)
        chosen = f"FILTER(?r IN ({', '.join(map(iri, relations))}))"
        # Of many relations it is quicker to say which are not meant.
        some = chosen if len(relations) <= _NAMED else unlike("?r", self.hidden)
        fact = "?y ?r ?x ." if inverse else "?x ?r ?y ."
        found = self._with_member(
            [name for name, members in self._members.items() if members], f"{fact} {some}"
        )
        found |= {above for name in found for above in self._superclasses.get(name, ())}
        return np.array(sorted(self._classes[name] for name in found if name in self._classes), np.int64)

    def _with_member(self, classes: Sequence[str], where: str) -> set[str]:
        questions = []
        for batch in batches(classes):
            each = (
                f"{{ SELECT ({iri(name)} AS ?c) WHERE {{ ?x {self._types} {iri(name)} . {where} }} LIMIT 1 }}"
                for name in batch
            )
            questions.append(SelectQuery(("?c",), " UNION ".join(each)))
        rows = [row for rows in self._queries.all(questions) for row in rows]
        return {row[0].value for row in rows if isinstance(row[0], Iri)}

    def _valued(self, subject: str) -> str:
        """The subject has a number or a time, not only by a hidden relation."""
        fact, value = f"{subject} ?w ?v .", f"isLiteral(?v) && {_has_value('?v')}"
        names = [*self._surely_compared, *self._sometimes_compared]
        if len(names) > _NAMED:
            return f"{fact} FILTER({value}) {unlike('?w', self._hidden_values)}"
        # To look at the relation first is quicker, as long as there are few.
        always = f"FILTER(?w IN ({', '.join(map(iri, names))}))"
        unsure = f"FILTER(?w IN ({', '.join(map(iri, self._surely_compared))}) || ({value}))"
        return f"{fact} {always} {unsure if self._sometimes_compared else ''}"

    def _kept(self, nodes: RemoteSet, name: str, asked: Callable[[], Ids]) -> Ids:
        found = nodes.kept.get(name)
        if found is None:
            found = nodes.kept[name] = asked()
        return found

    def _named(self, nodes: RemoteSet, where: str, ids: dict[str, int]) -> Ids:
        return self._ids(self.rows(nodes.sources, ("?r",), where), ids)

    @staticmethod
    def _ids(rows: Sequence[Row], ids: dict[str, int]) -> Ids:
        names = {row[0].value for row in rows if isinstance(row[0], Iri)}
        return np.array(sorted(ids[name] for name in names if name in ids), np.int64)

    def _classes_of(self, nodes: RemoteSet) -> Ids:
        rows = self.rows(nodes.sources, ("?c",), f"?x {self._types} ?c")
        names = {row[0].value for row in rows if isinstance(row[0], Iri)}
        names |= {above for name in names for above in self._superclasses.get(name, ())}
        return np.array(sorted(self._classes[name] for name in names if name in self._classes), np.int64)

    def _compared(self, nodes: RemoteSet) -> Ids:
        out = self.out_relations(nodes)
        surely = np.intersect1d(out, self._always_compared)
        unsure = np.intersect1d(out, self._sometimes_ids)
        if not len(unsure):
            return surely
        asked = [name for name in self._sometimes_compared if self._relations[name] in unsure]
        values = f"VALUES ?r {{ {' '.join(map(iri, asked))} }} ?x ?r ?v . FILTER({_has_value('?v')})"
        return np.union1d(surely, self._named(nodes, values, self._relations))

    def _steps(self, nodes: RemoteSet) -> Ids:
        """Steps as numbers: twice the relation, and one more for an inverse step."""
        if not self._has_values:
            return np.empty(0, np.int64)
        valued = self._valued("?y")
        forwards = self._named(nodes, f"?x ?r ?y . {valued}", self._relations)
        return np.union1d(2 * forwards, 2 * self._leading_to(nodes, "?y", valued) + 1)

    def _leading_to(self, nodes: RemoteSet, subject: str, also: str) -> Ids:
        """Relations from some subject to a member, or to a literal of the same value."""
        found = self._named(nodes, f"{subject} ?r ?x . {also}", self._relations)
        questions = [
            SelectQuery(
                ("?r",),
                f"VALUES ?r {{ {' '.join(map(iri, match.relations))} }} {subject} ?r ?x . "
                f"FILTER({match.condition.text('?x')}) {also}",
            )
            for match in self._matching.of(nodes)
        ]
        rows = [row for rows in self._queries.all(questions) for row in rows]
        return np.union1d(found, self._ids(rows, self._relations))


def _has_value(variable: str) -> str:
    return f"({filters.is_number(variable)} || {filters.is_time(variable)})"


def neighbour_counts(
    queries: Queries, members: Parts, path: tuple[tuple[str, bool], ...], within: Parts | None
) -> dict[Term, int]:
    """For each member how many different nodes (of the set `within`) the path leads to, if any."""
    questions = []
    for part in members:
        fresh = fresh_variables()
        lines = [part.where("?x", fresh), walked("?x", path, "?y", fresh)]
        if within is not None:
            inside = (f"{{ {other.where('?y', fresh)} }}" for other in within)
            lines.append(" UNION ".join(inside) or "FILTER(false)")
        count = f"SELECT ?x (COUNT(DISTINCT ?y) AS ?n) WHERE {{ {' '.join(lines)} }} GROUP BY ?x"
        questions.append(SelectQuery(("?x", "?n"), f"{{ {count} }}"))
    return {
        row[0]: whole_number(row[1]) for rows in queries.all(questions) for row in rows if row[0] is not None
    }


# Least and greatest values, found by the server within each datatype and compared across them here.


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
            return Bounded(filters.TimeBound.ENDS_AFTER, math.nextafter(end, -math.inf))
        if windows:
            start = min(window.start for window in windows)
            return Bounded(filters.TimeBound.STARTS_BEFORE, math.nextafter(start, math.inf))
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

    def __call__(self, kept: str, where: str) -> SelectQuery:
        made = " ".join(f"({text} AS {name})" for name, text in self._groups.items())
        inner = f"SELECT {kept} {made} ({self._key} AS ?k) WHERE {{ {where} FILTER({self._condition}) }}"
        names = (*((kept,) if kept else ()), *self._groups)
        outer = f"SELECT {' '.join(names)} (STR({self._aggregate}(?k)) AS ?m) WHERE {{ {{ {inner} }} }}"
        grouped = f"{outer} GROUP BY {' '.join(names)}" if names else outer
        return SelectQuery((*names, "?m"), f"{{ {grouped} }}")


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
    questions: list[SelectQuery] = []
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
