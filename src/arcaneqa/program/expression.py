"""The program language as typed, immutable trees.

Names are full IRIs, so a program means the same on every knowledge base that holds them.
"""

from __future__ import annotations

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
