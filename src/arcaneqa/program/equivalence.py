"""Whether two programs ask the same thing.

A program is a tree of conditions hung from the question node, so two programs are isomorphic exactly when
their canonical texts are equal, and equality of texts is symmetric and transitive by construction.

Conditions on a node are a set: order and repetition do not matter. CONS is a JOIN to its constant, and what
NOT takes away is a condition. Counts are whole numbers: more than two is at least three, at least one is HAS.
Superlatives and counts keep what they range over, because `(AND c (ARGMAX u r))` and `(ARGMAX (AND c u) r)`
differ. With an ontology, a class that the relations at a node imply is left out, and a relation goes by one
name with its declared inverse.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.program import expression as ex
from arcaneqa.program.ontology import Ontology
from arcaneqa.program.rewrite import leaves

_EMPTY = Ontology()
_NOTHING: frozenset[str] = frozenset()


def equivalent(left: ex.Expression, right: ex.Expression, ontology: Ontology | None = None) -> bool:
    return canonical(left, ontology) == canonical(right, ontology)


def canonical(expression: ex.Expression, ontology: Ontology | None = None) -> str:
    """A text that two programs share exactly if they are equivalent; not a program itself."""
    return _node(expression, ontology or _EMPTY, _NOTHING).text


@dataclass(frozen=True, slots=True)
class _Filter:
    """What TC asks of every member, on its own."""

    relation: ex.Relation
    when: ex.Value | ex.Now


@dataclass(frozen=True, slots=True)
class _Taken:
    """What NOT takes away from every member's set."""

    part: ex.Expression


@dataclass(frozen=True, slots=True)
class _Node:
    """`classes` are those its members are known to have, asked for or implied."""

    text: str
    classes: frozenset[str]


def _node(expression: ex.Expression, ontology: Ontology, implied: frozenset[str]) -> _Node:
    """`implied` are the classes that the way to this node already grants its members."""
    asked: set[str] = set()
    granted = set(implied)
    conditions: set[str] = set()
    for part in _conditions(expression):
        match part:
            case ex.Class(iri):
                asked.add(_representative(iri, ontology))
            case ex.Entity(Iri(value)) if value in ontology.classes:
                # Text alone does not tell a class from an entity where JOIN takes its argument.
                asked.add(_representative(value, ontology))
            case ex.Entity(term):
                conditions.add(repr(f"_:{term.label}" if isinstance(term, Blank) else term.value))
            case ex.Value(literal):
                conditions.add(literal_key(literal))
            case ex.Join(relation, argument):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"{edge.name} {_node(argument, ontology, edge.far).text}")
            case ex.Has(relation):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"HAS {edge.name}")
            case ex.Like(relation, text):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"LIKE {edge.name} {text.literal.lexical.lower()!r}")
            case ex.Named(text):
                conditions.add(f"NAMED {text.literal.lexical.lower()!r}")
            case ex.Compare(comparison, key, value):
                if isinstance(key, ex.Relation):
                    granted |= ontology.edge(key).near
                conditions.add(f"{comparison} {_key(key, ontology)} {_limit(value, ontology)}")
            case ex.Extreme(direction, argument, key, first, last):
                # Only members with a value compete, and those have the class of the path's first step; but
                # members with nothing to count compete too.
                counts = isinstance(key, ex.Counted)
                near = _NOTHING if counts else ontology.edge(ex.path_of(key)[0]).near
                inner = _node(argument, ontology, near)
                granted |= inner.classes
                ranks = "" if first == last == 1 else f" {first} to {last}"
                conditions.add(f"{direction} {inner.text} by {_key(key, ontology)}{ranks}")
            case ex.Or():
                sides = sorted({_text_of(side, ontology) for side in leaves(part, ex.Or)})
                conditions.add(f"OR [{', '.join(sides)}]")
            case ex.Count(argument, path):
                conditions.add(f"COUNT {_text_of(argument, ontology)} {_path(path, ontology)}")
            case ex.Aggregate(function, argument, path):
                conditions.add(f"{function} {_text_of(argument, ontology)} {_path(path, ontology)}")
            case ex.Meet(left, right):
                sides = sorted((_text_of(left, ontology), _text_of(right, ontology)))
                conditions.add(f"MEET {' '.join(sides)}")
            case ex.Sort(argument, key, descending):
                order = "descending" if descending else "ascending"
                conditions.add(f"SORT {_text_of(argument, ontology)} {_key(key, ontology)} {order}")
            case ex.Show(argument, columns):
                shown = "; ".join(_key(column, ontology) for column in columns)
                conditions.add(f"SHOW {_text_of(argument, ontology)} [{shown}]")
            case ex.Per(argument, path, columns):
                shown = "; ".join(_key(column, ontology) for column in (path, *columns))
                conditions.add(f"PER {_text_of(argument, ontology)} [{shown}]")
            case _Taken(taken):
                conditions.add(f"NOT {_text_of(taken, ontology)}")
            case _Filter(relation, when):
                # Not by its inverse's name: the profile pairs a start with its end by this one.
                moment = "NOW" if isinstance(when, ex.Now) else literal_key(when.literal)
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


def _text_of(expression: ex.Expression, ontology: Ontology) -> str:
    return _node(expression, ontology, _NOTHING).text


def _path(path: ex.Path, ontology: Ontology) -> str:
    return f"[{', '.join(ontology.edge(relation).name for relation in path)}]"


def _key(key: ex.Key | ex.Relation, ontology: Ontology) -> str:
    match key:
        case ex.Relation():
            return ontology.edge(key).name
        case ex.Counted(path, within):
            return (
                f"COUNT {_path(path, ontology)}{'' if within is None else f' {_text_of(within, ontology)}'}"
            )
        case ex.Totalled(function, path):
            return f"{function} {_path(path, ontology)}"
        case _:
            return _path(key, ontology)


def _limit(value: ex.Expression, ontology: Ontology) -> str:
    return literal_key(value.literal) if isinstance(value, ex.Value) else _text_of(value, ontology)


def _counting(node: ex.Compare) -> ex.Expression | _Taken:
    """A comparison of counts, as HAS, JOIN or with the nearest whole number that can be reached."""
    limit = value_of(node.value.literal) if isinstance(node.value, ex.Value) else None
    key, comparison = node.key, node.comparison
    if not isinstance(key, ex.Counted) or not isinstance(limit, Number) or not math.isfinite(limit.nearest):
        return node
    number = limit.nearest
    if comparison in (Comparison.GT, Comparison.GE):
        is_strict = comparison is Comparison.GT
        comparison, number = Comparison.GE, math.floor(number) + 1 if is_strict else math.ceil(number)
    elif comparison in (Comparison.LT, Comparison.LE):
        is_strict = comparison is Comparison.LT
        comparison, number = Comparison.LE, math.ceil(number) - 1 if is_strict else math.floor(number)
    if len(key.path) == 1:
        some = ex.Has(key.path[0]) if key.within is None else ex.Join(key.path[0], key.within)
        if comparison is Comparison.GE and number == 1:
            return some
        if comparison is not Comparison.GE and number == 0:
            return _Taken(some)
    return ex.Compare(comparison, key, ex.Value(Literal(f"{number:g}", XSD + "decimal")))


def _conditions(expression: ex.Expression) -> Iterator[ex.Expression | _Filter | _Taken]:
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case ex.Not(argument, without):
                yield from map(_Taken, leaves(without, ex.Or))
                waiting.append(argument)
            case ex.Or(left, right) if len(leaves(ex.Or(left, right), ex.Or)) == 1:
                waiting.append(leaves(left, ex.Or)[0])
            case ex.Compare(Comparison.EQ, ex.Relation() as relation, ex.Value() as value):
                yield ex.Join(relation, value)
            case ex.Compare(_, ex.Counted(), _) as comparison:
                yield _counting(comparison)
            case ex.And(left, right):
                waiting += (right, left)
            case ex.Cons(argument, relation, constant):
                yield ex.Join(relation, constant)
                waiting.append(argument)
            case ex.During(argument, relation, when):
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
