"""Literals match by value, 5 finds 5.0, and by a condition: every server joins literals in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arcaneqa.kb.endpoint.patterns import (
    Along,
    Around,
    Both,
    Equals,
    Listed,
    Members,
    Pattern,
    Undated,
    With,
    Without,
)
from arcaneqa.kb.endpoint.sets import RemoteSet
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of

_VALUES = frozenset((ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN))
_CONDITIONS = 16
"""Values in one condition of a query."""


@dataclass(frozen=True, slots=True)
class Match:
    """Some literals of one kind, and the relations that may hold their value."""

    relations: tuple[str, ...]
    condition: Equals


class Matching:
    def __init__(self, schema: Schema, listed: int) -> None:
        self._listed = listed
        self._kinds = {relation.iri: relation.kinds for relation in schema.relations}

    def of(self, nodes: RemoteSet) -> Iterator[Match]:
        """How to find what has the values of this set."""
        if nodes.small is None and not any(map(self._gives_values, nodes.parts)):
            return
        values = nodes.values
        for kind in sorted({kind_of(literal) for literal in values}):
            yield from self.having(kind, [literal for literal in values if kind_of(literal) is kind])

    def having(self, kind: ValueKind, literals: list[Literal]) -> Iterator[Match]:
        names = [name for name, kinds in self._kinds.items() if kind in kinds]
        for start in range(0, len(literals), _CONDITIONS):
            condition = Equals(tuple(literals[start : start + _CONDITIONS]))
            for first in range(0, len(names), self._listed):
                yield Match(tuple(names[first : first + self._listed]), condition)

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
            case Members() | Listed():
                return False
            case _:
                return True
