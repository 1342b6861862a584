"""What a sampler draws from (facts of each relation, which nodes have a name, cards without early repeats)
and what it draws: programs in the making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from arcaneqa.errors import InputError
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Ids, KnowledgeBase, NodeSet
from arcaneqa.kb.names.called import said_name
from arcaneqa.kb.terms import Literal
from arcaneqa.program.expression import Entity, Expression, Value

_MOST_PAIRS = 2000
"""Facts of a relation that are drawn from."""
_LONGEST_NAME = 60
"""Characters of a name that a question can hold."""


class Facts:
    def __init__(self, kb: KnowledgeBase, rng: Random) -> None:
        self.kb = kb
        self._rng = rng
        self._subjects = NodeSet(_entities(kb))
        self._pairs: dict[int, tuple[Ids, Ids]] = {}
        self._named: dict[int, bool] = {}

    def pairs(self, relation: int) -> tuple[Ids, Ids]:
        """Some facts of a relation: all of them, or a sample that stays the same."""
        if relation not in self._pairs:
            found = self.kb.values(relation, self._subjects)
            count = len(found.subjects)
            chosen = (
                slice(None) if count <= _MOST_PAIRS else sorted(self._rng.sample(range(count), _MOST_PAIRS))
            )
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


@dataclass(frozen=True)
class Found:
    """A program in the making and what it denotes."""

    expression: Expression
    nodes: NodeSet


class Deck:
    """Deals every card once before any comes again."""

    def __init__(self, cards: Sequence[int], rng: Random) -> None:
        self._cards, self._rng = list(cards), rng
        self._left: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._cards)

    def deal(self) -> int:
        if not self._left:
            self._left = list(self._cards)
            self._rng.shuffle(self._left)
        return self._left.pop()
