"""What programs are drawn from: facts, names, cards without early repeats, and values worth asking about."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import final

import numpy as np

from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Window
from arcaneqa.kb.names.called import said_name
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import value_of
from arcaneqa.language.expression import Entity, Expression, Value
from arcaneqa.support.errors import InputError

_MOST_PAIRS = 2000
"""Facts of a relation that are drawn from."""
_LONGEST_NAME = 60
"""Characters of a name that a question can hold."""


@final
@dataclass(frozen=True, slots=True)
class FoundSet:
    """A program in the making and what it denotes."""

    expression: Expression
    nodes: NodeSet


class SampledFacts:
    """Samples the facts of each relation and knows which nodes have a name."""

    def __init__(self, kb: KnowledgeBase, rng: Random) -> None:
        self.kb = kb
        self._rng = rng
        self._subjects = NodeSet(_entities(kb))
        self._pairs: dict[int, tuple[Ids, Ids]] = {}
        self._named: dict[int, bool] = {}
        self._nameless: dict[tuple[int, bool], bool] = {}

    def pairs(self, relation: int) -> tuple[Ids, Ids]:
        """Subjects and objects of some facts of a relation: all of them, or a sample that stays the same."""
        if relation not in self._pairs:
            found = self.kb.values(relation, self._subjects)
            count = len(found.subjects)
            few = count <= _MOST_PAIRS
            chosen = slice(None) if few else sorted(self._rng.sample(range(count), _MOST_PAIRS))
            self._pairs[relation] = found.subjects[chosen], found.objects[chosen]
        return self._pairs[relation]

    def fact(self, relation: int, rng: Random) -> tuple[int, int] | None:
        subjects, objects = self.pairs(relation)
        if len(subjects) == 0:
            return None
        place = rng.randrange(len(subjects))
        return int(subjects[place]), int(objects[place])

    def is_named(self, node: int) -> bool:
        """Whether a person could write the node in a question: literals always, entities by a name."""
        if node not in self._named:
            self._named[node] = self.is_literal(node) or is_name(said_name(self.kb, node))
        return self._named[node]

    def is_nameless(self, nodes: NodeSet) -> bool:
        """Whether a set is one of mediating nodes: none of the first few has a name."""
        return not any(self.is_named(int(node)) for node in nodes.ids[:5])

    def leads_to_nameless(self, relation: int, inverse: bool) -> bool:
        """Whether JOIN with this relation finds nodes without names, as the compound nodes of Freebase."""
        if (relation, inverse) not in self._nameless:
            subjects, objects = self.pairs(relation)
            nodes = (objects if inverse else subjects)[:8].tolist()
            self._nameless[relation, inverse] = bool(nodes) and not any(map(self.is_named, nodes))
        return self._nameless[relation, inverse]

    def is_literal(self, node: int) -> bool:
        return bool(self.kb.are_literals(np.array([node], np.int64))[0])

    def one(self, node: int) -> NodeSet:
        return self.kb.nodes(np.array([node], np.int64))

    def term(self, node: int) -> Entity | Value:
        (term,) = self.kb.terms(np.array([node], np.int64))
        return Value(term) if isinstance(term, Literal) else Entity(term)

    def literal(self, node: int) -> Literal | None:
        (term,) = self.kb.terms(np.array([node], np.int64))
        return term if isinstance(term, Literal) else None


def is_name(text: str | None) -> bool:
    """Whether a person would write this in a question."""
    return text is not None and 1 < len(text.strip()) <= _LONGEST_NAME and any(map(str.isalnum, text))


def _entities(kb: KnowledgeBase) -> Ids:
    if isinstance(kb, Index):
        return kb.entities()
    members = [kb.members(klass.id).ids for klass in kb.schema.classes if not klass.hidden]
    if not members:
        raise InputError(
            "This knowledge base has no classes to start from; index it with `arcaneqa index` first."
        )
    return np.unique(np.concatenate(members))


class Deck:
    """Deals every card once before any comes again."""

    def __init__(self, cards: Sequence[int], rng: Random) -> None:
        self._cards, self._rng = list(cards), rng
        self._left: list[int] = []

    def deal(self) -> int | None:
        if not self._left:
            self._left = list(self._cards)
            self._rng.shuffle(self._left)
        return self._left.pop() if self._left else None


# Values ----------------------------------------------------------------------------------------------


def threshold(values: Sequence[Literal | None], comparison: Comparison, rng: Random) -> Literal | None:
    """A value to compare with, near those that exist; rounded most of the time."""
    known = [value for value in values if value is not None and value_of(value) is not None]
    if not known:
        return None
    literal = rng.choice(known)
    if isinstance(value_of(literal), Window):
        return _year(literal, rng)
    up = comparison in (Comparison.LT, Comparison.LE)
    rounded = None if rng.random() < 0.25 else _rounded(float(literal.lexical), rng, up)
    number = float(literal.lexical) if rounded is None else rounded
    if math.isfinite(number) and number == int(number) and abs(number) < 10**15:
        return Literal(str(int(number)), XSD + "integer")
    return literal if rounded is None else Literal(f"{rounded:g}", XSD + "decimal")


def moment(literal: Literal, rng: Random) -> tuple[Literal, Window] | None:
    """A year or the day itself, with the stretch of time it names."""
    chosen = _year(literal, rng)
    window = value_of(chosen)
    return (chosen, window) if isinstance(window, Window) else None


def _year(literal: Literal, rng: Random) -> Literal:
    found = re.match(r"\d{4}(?=-|$)", literal.lexical)
    return Literal(found[0], XSD + "gYear") if found and rng.random() < 0.75 else literal


def _rounded(number: float, rng: Random, up: bool) -> float | None:
    if number == 0 or not math.isfinite(number):
        return None
    digits = rng.choice((1, 1, 2))
    scale = 10.0 ** (math.floor(math.log10(abs(number))) - digits + 1)
    rounded = (math.ceil if up else math.floor)(number / scale) * scale
    return float(f"{rounded:.12g}") or None
