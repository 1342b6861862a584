"""The program language as typed, immutable trees.

Names are full IRIs, so a program means the same on every knowledge base that holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.terms import Blank, Iri, Literal


@dataclass(frozen=True, slots=True)
class Relation:
    """`(JOIN r u)` leads from objects to subjects; `inverse` (`r_inv`) from subjects to objects."""

    iri: str
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Entity:
    term: Iri | Blank


@dataclass(frozen=True, slots=True)
class Value:
    literal: Literal


@dataclass(frozen=True, slots=True)
class Class:
    iri: str


@dataclass(frozen=True, slots=True)
class Join:
    relation: Relation
    argument: Expression


@dataclass(frozen=True, slots=True)
class And:
    left: Expression
    right: Expression


class Direction(StrEnum):
    LARGEST = "ARGMAX"
    SMALLEST = "ARGMIN"


@dataclass(frozen=True, slots=True)
class Extreme:
    """`path` is read from the argument outwards: a plain relation leads subject to object, as in
    `(ARGMAX u r)`; an inverse step leads object to subject."""

    direction: Direction
    argument: Expression
    path: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    comparison: Comparison
    relation: Relation
    value: Value


@dataclass(frozen=True, slots=True)
class Count:
    argument: Expression


@dataclass(frozen=True, slots=True)
class Cons:
    argument: Expression
    relation: Relation
    constant: Entity | Value


class Now:
    """The moment the profile calls NOW; there is one of it, `NOW`."""

    def __repr__(self) -> str:
        return "NOW"


NOW = Now()


@dataclass(frozen=True, slots=True)
class During:
    """`(TC u r v)`: members of the argument that are valid at `when`."""

    argument: Expression
    relation: Relation
    when: Value | Now


Expression = Entity | Value | Class | Join | And | Extreme | Compare | Count | Cons | During


def children(expression: Expression) -> tuple[Expression, ...]:
    """The arguments that are sets or topics, left to right; a CONS constant is part of its node."""
    match expression:
        case Join(_, argument) | Extreme(_, argument, _) | Count(argument) | Cons(argument, _, _):
            return (argument,)
        case And(left, right):
            return (left, right)
        case Compare(_, _, value):
            return (value,)
        case During(argument, _, when):
            return (argument,) if isinstance(when, Now) else (argument, when)
        case _:
            return ()


def post_order(expression: Expression) -> Iterator[Expression]:
    """Every node after its arguments, arguments left to right."""
    stack: list[tuple[Expression, bool]] = [(expression, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)))


def mentioned(expression: Expression) -> list[Entity]:
    """The entities a program names, CONS constants included, each once, in order of appearance."""
    found: dict[Entity, None] = {}
    for node in post_order(expression):
        if isinstance(node, Entity):
            found[node] = None
        elif isinstance(node, Cons) and isinstance(node.constant, Entity):
            found[node.constant] = None
    return list(found)
