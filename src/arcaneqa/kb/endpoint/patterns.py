"""Sets as the graph patterns that define them, so that a large set travels as its query.

Each pattern binds one variable to the members of its set. Inner variables are named when the text is
written: equal sets give equal text (and so share a cached result), different sets never share a variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import iri, quoted
from arcaneqa.kb.terms import Literal


def fresh_variables() -> Iterator[str]:
    return (f"?v{number}" for number in count())


# Conditions on a value --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compares:
    comparison: Comparison
    literal: Literal

    def text(self, variable: str) -> str:
        return filters.compares(variable, self.comparison, self.literal)


@dataclass(frozen=True, slots=True)
class Equals:
    """The value of one of the literals."""

    literals: tuple[Literal, ...]

    def text(self, variable: str) -> str:
        return " || ".join(filters.equals(variable, literal) for literal in self.literals)


@dataclass(frozen=True, slots=True)
class Bounded:
    bound: filters.TimeBound
    moment: float

    def text(self, variable: str) -> str:
        return filters.bounded(variable, self.bound, self.moment)


@dataclass(frozen=True, slots=True)
class Meets:
    window: Window

    def text(self, variable: str) -> str:
        return filters.meets(variable, self.window)


@dataclass(frozen=True, slots=True)
class Contains:
    """A literal with this in its text, upper and lower case being the same."""

    text_in_it: str

    def text(self, variable: str) -> str:
        return f"isLiteral({variable}) && CONTAINS(LCASE(STR({variable})), {quoted(self.text_in_it.lower())})"


@dataclass(frozen=True, slots=True)
class Spells:
    """A literal with this text, upper and lower case being the same."""

    whole_text: str

    def text(self, variable: str) -> str:
        return f"isLiteral({variable}) && LCASE(STR({variable})) = {quoted(self.whole_text.lower())}"


Condition = Contains | Spells | Compares | Equals | Bounded | Meets


# Sets -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedNodes:
    """Named one by one; `terms` are SPARQL text."""

    terms: tuple[str, ...]

    def where(self, variable: str, fresh: Iterator[str]) -> str:  # noqa: ARG002
        return f"VALUES {variable} {{ {' '.join(self.terms)} }}"


@dataclass(frozen=True, slots=True)
class Along:
    """Where a relation leads from a set: to objects, or `inverse` to subjects."""

    relation: str
    inverse: bool
    source: Pattern

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        start = next(fresh)
        return f"{self.source.where(start, fresh)} {hop(start, self.relation, variable, self.inverse)}"


@dataclass(frozen=True, slots=True)
class Having:
    """Whatever has some object by a relation, or `inverse` is one."""

    relation: str
    inverse: bool

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        return hop(variable, self.relation, next(fresh), self.inverse)


@dataclass(frozen=True, slots=True)
class Around:
    """Where any relation but the hidden ones leads from a set."""

    source: Pattern
    inverse: bool
    hidden: tuple[str, ...]

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        start, relation = next(fresh), next(fresh)
        ends = (variable, start) if self.inverse else (start, variable)
        fact = f"{ends[0]} {relation} {ends[1]} ."
        return f"{self.source.where(start, fresh)} {fact} {unlike(relation, self.hidden)}"


@dataclass(frozen=True, slots=True)
class Members:
    """Instances of any of the classes by any of the type predicates."""

    types: tuple[str, ...]
    classes: tuple[str, ...]

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        if len(self.classes) == 1:
            return f"{variable} {either(self.types)} {iri(self.classes[0])} ."
        klass = next(fresh)
        listed = ListedNodes(tuple(map(iri, self.classes))).where(klass, fresh)
        return f"{listed} {variable} {either(self.types)} {klass} ."


@dataclass(frozen=True, slots=True)
class With:
    """Members of `source` (or any node) with a value at the end of a path that meets the condition."""

    source: Pattern | None
    path: tuple[tuple[str, bool], ...]
    condition: Condition

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        start = f"{self.source.where(variable, fresh)} " if self.source else ""
        value = next(fresh)
        hops = walked(variable, self.path, value, fresh)
        return f"{start}{hops} FILTER({self.condition.text(value)})"


@dataclass(frozen=True, slots=True)
class Values:
    """Literals with this value among the objects of the relations."""

    relations: tuple[str, ...]
    condition: Condition

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        relation, subject = next(fresh), next(fresh)
        listed = ListedNodes(tuple(map(iri, self.relations))).where(relation, fresh)
        return f"{listed} {subject} {relation} {variable} . FILTER({self.condition.text(variable)})"


@dataclass(frozen=True, slots=True)
class Both:
    left: Pattern
    right: Pattern

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        return f"{self.left.where(variable, fresh)} {self.right.where(variable, fresh)}"


@dataclass(frozen=True, slots=True)
class Without:
    left: Pattern
    right: Pattern

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        left = self.left.where(variable, fresh)
        if isinstance(self.right, ListedNodes):
            # MINUS with a VALUES block alone takes nothing away on some servers.
            names = [term for term in self.right.terms if term.startswith("<")]
            others = [term for term in self.right.terms if not term.startswith("<")]
            tests = [f"{variable} NOT IN ({', '.join(names)})"] if names else []
            if others:
                same = " || ".join(f"sameTerm({variable}, {term})" for term in others)
                tests.append(f"(!isLiteral({variable}) || !({same}))")
            return f"{left} FILTER({' && '.join(tests)})"
        return f"{left} MINUS {{ {self.right.where(variable, fresh)} }}"


@dataclass(frozen=True, slots=True)
class Undated:
    """Members to which the relation gives no time."""

    source: Pattern
    relation: str

    def where(self, variable: str, fresh: Iterator[str]) -> str:
        members, value = self.source.where(variable, fresh), next(fresh)
        times = f"{hop(variable, self.relation, value, False)} FILTER({filters.is_time(value)})"
        return f"{members} FILTER NOT EXISTS {{ {times} }}"


Pattern = ListedNodes | Along | Having | Around | Members | With | Values | Both | Without | Undated


def hop(start: str, relation: str, end: str, inverse: bool) -> str:
    return f"{end} {iri(relation)} {start} ." if inverse else f"{start} {iri(relation)} {end} ."


def walked(start: str, path: tuple[tuple[str, bool], ...], end: str, fresh: Iterator[str]) -> str:
    """A walk of some hops from one variable to another."""
    stops = [start, *(next(fresh) for _ in path[1:]), end]
    return " ".join(
        hop(here, relation, there, inverse)
        for here, (relation, inverse), there in zip(stops[:-1], path, stops[1:], strict=True)
    )


def unlike(variable: str, names: tuple[str, ...]) -> str:
    return f"FILTER({variable} NOT IN ({', '.join(map(iri, names))}))" if names else ""


def either(predicates: tuple[str, ...]) -> str:
    return "|".join(map(iri, predicates))
