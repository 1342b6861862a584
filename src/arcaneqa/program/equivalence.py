"""Whether two programs ask the same thing.

A program is a tree of conditions hung from the question node, so two programs are isomorphic exactly when
their canonical texts are equal, and equality of texts is symmetric and transitive by construction.

Conditions on a node are a set: order and repetition do not matter. CONS is a JOIN to its constant.
Superlatives and counts keep what they range over, because `(AND c (ARGMAX u r))` and `(ARGMAX (AND c u) r)`
differ. With an ontology, a class that the relations at a node imply is left out, and a relation goes by one
name with its declared inverse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arcaneqa.kb.interface import Window
from arcaneqa.kb.terms import Blank, Iri, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Now,
    Relation,
    Value,
)
from arcaneqa.program.ontology import Ontology

_EMPTY = Ontology()
_NOTHING: frozenset[str] = frozenset()


def equivalent(left: Expression, right: Expression, ontology: Ontology | None = None) -> bool:
    return canonical(left, ontology) == canonical(right, ontology)


def canonical(expression: Expression, ontology: Ontology | None = None) -> str:
    """A text that two programs share exactly if they are equivalent; not a program itself."""
    return _node(expression, ontology or _EMPTY, _NOTHING).text


@dataclass(frozen=True, slots=True)
class _Filter:
    """What TC asks of every member, on its own."""

    relation: Relation
    when: Value | Now


@dataclass(frozen=True, slots=True)
class _Node:
    """`classes` are those its members are known to have, asked for or implied."""

    text: str
    classes: frozenset[str]


def _node(expression: Expression, ontology: Ontology, implied: frozenset[str]) -> _Node:
    """`implied` are the classes that the way to this node already grants its members."""
    asked: set[str] = set()
    granted = set(implied)
    conditions: set[str] = set()
    for part in _conditions(expression):
        match part:
            case Class(iri):
                asked.add(_representative(iri, ontology))
            case Entity(Iri(value)) if value in ontology.classes:
                # Text alone does not tell a class from an entity where JOIN takes its argument.
                asked.add(_representative(value, ontology))
            case Entity(term):
                conditions.add(repr(f"_:{term.label}" if isinstance(term, Blank) else term.value))
            case Value(literal):
                conditions.add(literal_key(literal))
            case Join(relation, argument):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"{edge.name} {_node(argument, ontology, edge.far).text}")
            case Compare(comparison, relation, value):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"{comparison} {edge.name} {literal_key(value.literal)}")
            case Extreme(direction, argument, path):
                edges = [ontology.edge(relation) for relation in path]
                # Only members with a value compete, and those have the class of the path's first step.
                inner = _node(argument, ontology, edges[0].near)
                granted |= inner.classes
                names = ", ".join(edge.name for edge in edges)
                conditions.add(f"{direction} {inner.text} by [{names}]")
            case Count(argument):
                conditions.add(f"COUNT {_node(argument, ontology, _NOTHING).text}")
            case _Filter(relation, when):
                # Not by its inverse's name: the profile pairs a start with its end by this one.
                moment = "NOW" if isinstance(when, Now) else literal_key(when.literal)
                conditions.add(f"TC {relation.iri!r} {relation.inverse} {moment}")
    return _Node(_text(conditions, asked, granted, ontology), frozenset(asked | granted))


def _text(conditions: set[str], asked: set[str], granted: set[str], ontology: Ontology) -> str:
    known = _NOTHING.union(*(ontology.ancestors(klass) for klass in granted))
    wider = _NOTHING.union(*(ontology.ancestors(klass) - {klass} for klass in asked))
    named = {f"a {klass!r}" for klass in asked if klass not in known and klass not in wider}
    return "{" + "; ".join(sorted(conditions | named)) + "}"


def _representative(klass: str, ontology: Ontology) -> str:
    """One name for classes that an ontology declares to be kinds of each other."""
    return min(other for other in ontology.ancestors(klass) if klass in ontology.ancestors(other))


def _conditions(expression: Expression) -> Iterator[Expression | _Filter]:
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case And(left, right):
                waiting += (right, left)
            case Cons(argument, relation, constant):
                yield Join(relation, constant)
                waiting.append(argument)
            case During(argument, relation, when):
                yield _Filter(relation, when)
                waiting.append(argument)
            case part:
                yield part


def literal_key(literal: Literal) -> str:
    """Equal for literals of equal value, as the knowledge base compares them."""
    match value_of(literal):
        case Number(nearest, rest):
            return f"number {nearest!r} {rest!r}"
        case Window(start, end):
            return f"time {start!r} {end!r}"
        case bool(truth):
            return f"boolean {truth}"
        case _:
            return repr((literal.lexical, literal.datatype, literal.language.lower()))
