"""A program as a list of what it says, each with the words for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.called import label_of
from arcaneqa.kb.schema import Class, Relation, ValueKind
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form, forms_of
from arcaneqa.verdict.words import roots_of_name


class ClaimKind(Enum):
    CLASS = auto()
    RELATION = auto()
    NAMED = auto()
    """Something that the question names or states."""
    CONSTANT = auto()
    """Something that the program names by itself."""


@dataclass(frozen=True, slots=True)
class Claim:
    """`span` is where the question names it; `words` are its label."""

    kind: ClaimKind
    words: str
    span: tuple[int, int] | None = None
    relation: Relation | None = None

    @property
    def roots(self) -> frozenset[str]:
        return roots_of_name(self.words)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a superlative or a comparison goes by: a relation, or None for a count. `is_much` says whether it
    takes the larger ones; `number` is what it is compared with."""

    relation: Relation | None
    is_much: bool
    comparison: Comparison | None = None
    number: str | None = None


@dataclass(frozen=True)
class Claims:
    """`last` is what tells the answers: the relation or class that a program ends with."""

    said: tuple[Claim, ...]
    forms: frozenset[Form]
    measured: tuple[Measure, ...]
    numbers: frozenset[str]
    last: Relation | Class | None

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [claim.span for claim in self.said if claim.span is not None]


def claims_of(found: Found, kb: KnowledgeBase) -> Claims:
    nodes = ex.post_order(found.program)
    said = dict.fromkeys(claim for node in nodes for claim in _said(node, found, kb))
    return Claims(
        tuple(said),
        forms_of(found.program),
        tuple(one for node in nodes for one in _measured(node, kb)),
        frozenset(node.literal.lexical for node in nodes if isinstance(node, ex.Value)),
        _last(found.program, kb),
    )


def relation_of(relation: ex.Relation, kb: KnowledgeBase) -> Relation | None:
    number = kb.schema.relation_ids.get(relation.iri)
    return None if number is None else kb.schema.relations[number]


def class_of(klass: ex.Class, kb: KnowledgeBase) -> Class | None:
    number = kb.schema.class_ids.get(klass.iri)
    return None if number is None else kb.schema.classes[number]


def _said(node: ex.Expression, found: Found, kb: KnowledgeBase) -> Iterator[Claim]:
    match node:
        case ex.Entity() | ex.Value():
            spans = [(one.words.start, one.words.end) for one in found.topics if one.term == node]
            words = (label_of(kb, node.term) or "") if isinstance(node, ex.Entity) else node.literal.lexical
            if spans:
                yield from (Claim(ClaimKind.NAMED, words, span) for span in spans)
            else:
                yield Claim(ClaimKind.CONSTANT, words)
        case ex.Cons(_, _, constant):
            yield from _said(constant, found, kb)
        case ex.Class() if (klass := class_of(node, kb)) is not None:
            yield Claim(ClaimKind.CLASS, klass.label)
    for relation in ex.relations(node):
        if (known := relation_of(relation, kb)) is not None:
            yield Claim(ClaimKind.RELATION, known.label, relation=known)


_UPWARDS = (Comparison.GT, Comparison.GE)


def _measured(node: ex.Expression, kb: KnowledgeBase) -> Iterator[Measure]:
    match node:
        case ex.Extreme(direction, _, key):
            path = () if isinstance(key, ex.Counted) else ex.path_of(key)
            relation = relation_of(path[-1], kb) if path else None
            yield Measure(relation, direction is ex.Direction.LARGEST)
        case ex.Compare(comparison, key, value):
            path = () if isinstance(key, ex.Counted) else ex.path_of(key)
            relation = relation_of(path[-1], kb) if path else None
            number = value.literal.lexical if isinstance(value, ex.Value) else None
            yield Measure(relation, comparison in _UPWARDS, comparison, number)
        case ex.Join(relation, ex.Value(literal)) if not relation.inverse:
            known = relation_of(relation, kb)
            if known is not None and known.comparable:
                yield Measure(known, False, Comparison.EQ, literal.lexical)
        case ex.Aggregate((ex.Aggregation.MAX | ex.Aggregation.MIN) as function, _, path) if path:
            yield Measure(relation_of(path[-1], kb), function is ex.Aggregation.MAX)


def _last(program: ex.Expression, kb: KnowledgeBase) -> Relation | Class | None:
    match program:
        case ex.Join(relation, argument):
            return relation_of(relation, kb) if relation.inverse else _domain(relation, kb)
        case ex.Class():
            return class_of(program, kb)
        case ex.And(left, right):
            one, other = _last(left, kb), _last(right, kb)
            return one if isinstance(left, ex.Class) or other is None else other
        case ex.Count(argument, path):
            return relation_of(path[-1], kb) if path else _last(argument, kb)
        case ex.Aggregate(_, _, path):
            return relation_of(path[-1], kb) if path else None
        case ex.Not(argument) | ex.Or(argument) | ex.Sort(argument) | ex.Extreme(_, argument):
            return _last(argument, kb)
        case ex.Cons(argument) | ex.During(argument) | ex.Show(argument) | ex.Per(argument):
            return _last(argument, kb)
        case ex.Compare(_, key) if path := ex.path_of(key):
            return _domain(path[0], kb)
        case ex.Has(relation):
            return relation_of(relation, kb) if relation.inverse else _domain(relation, kb)
    return None


def _domain(relation: ex.Relation, kb: KnowledgeBase) -> Class | None:
    known = relation_of(relation, kb)
    return None if known is None or known.domain is None else kb.schema.classes[known.domain]


def is_value(relation: Relation) -> bool:
    return ValueKind.ENTITY not in relation.kinds
