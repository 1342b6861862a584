"""What subprograms denote, computed once, with everything induction asks about a set.

A `Meaning` stands for all subprograms that differ only in the order of their conjuncts: equal meanings are
the same object within a `Meanings`, so that search compares programs by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, reduce

import numpy as np

from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.kb.interface import Ids, NodeSet, Step, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import Number, kind_of, value_of
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Denotation

TELLING = 4
"""Things without classes are taken for one kind with whatever has one of their rarest relations; this many of
them are looked at."""
WIDE = 1000
"""The neighbourhood of a larger set is not looked at: it may cover much of the knowledge base."""


class Meaning:
    """A denotation: a set of nodes, or else what `evaluate` gives when somebody looks.

    What is asked about the set is computed when asked and kept.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        nodes: NodeSet,
        parts: frozenset[Hashable] | None = None,
        denotes: Denotation = Denotation.SET,
        evaluate: Callable[[], Result] | None = None,
        listed: Meaning | None = None,
    ) -> None:
        self._kb = vocabulary.kb
        self._vocabulary = vocabulary
        self.nodes = nodes
        self._parts = parts
        self.denotes = denotes
        self._evaluate = evaluate
        self.listed = listed
        """The set that a list puts in order."""

    @property
    def parts(self) -> frozenset[Hashable]:
        """The conjuncts of a conjunction, or the meaning itself."""
        # Not kept: an object that holds itself is let go of late, and its sets with it.
        return frozenset((self,)) if self._parts is None else self._parts

    @property
    def is_set(self) -> bool:
        return self._evaluate is None

    @cached_property
    def result(self) -> Result:
        return Result(self.nodes) if self._evaluate is None else self._evaluate()

    def __len__(self) -> int:
        return len(self.nodes) if self.is_set else 1

    def __bool__(self) -> bool:
        return not self.is_set or bool(self.nodes)

    @cached_property
    def forward(self) -> Ids:
        return self._vocabulary.shown(self._kb.out_relations(self.nodes))

    @cached_property
    def backward(self) -> Ids:
        return self._vocabulary.shown(self._kb.in_relations(self.nodes))

    @cached_property
    def joins(self) -> Options:
        return self._vocabulary.joins(self.forward, self.backward)

    @cached_property
    def steps(self) -> Options:
        """Relations that a path from here can begin with."""
        return self._vocabulary.paths(self.forward, self.backward)

    @property
    def is_walkable(self) -> bool:
        return len(self.forward) > 0 or len(self.backward) > 0

    @cached_property
    def has_entities(self) -> bool:
        """False for a set of values, which ends a program, is counted, or is walked back from."""
        return self.is_set and not bool(self._kb.are_literals(self.nodes.ids).all())

    @cached_property
    def classes(self) -> Ids:
        found = self._kb.classes(self.nodes)
        return found[self._vocabulary.visible_classes[found]]

    @cached_property
    def comparable(self) -> Ids:
        return self._vocabulary.shown(self._kb.comparable_relations(self.nodes))

    @cached_property
    def numeric(self) -> Ids:
        """Relations that give some member a number that can be added up."""
        relations = self._kb.schema.relations
        found = [
            relation
            for relation in self.comparable.tolist()
            if ValueKind.NUMBER in relations[relation].kinds
            and not relations[relation].is_identifier
            and (ValueKind.TIME not in relations[relation].kinds or self._gives(relation, Number))
        ]
        return np.array(found, np.int64)

    @cached_property
    def value_steps(self) -> list[Step]:
        """Steps to a neighbour that has a number or a time, hidden ones included."""
        return self._kb.steps_to_values(self.nodes)

    @property
    def walks(self) -> list[Step]:
        return self._vocabulary.steps(self.forward, self.backward)

    @cached_property
    def closed(self) -> list[int]:
        """Relations to CONS constants."""
        closed, taught = self._vocabulary.closed, self._vocabulary.taught
        return [
            relation
            for relation in self.forward.tolist()
            if relation in closed or (relation in taught and bool(self.constants(relation)))
        ]

    def constants(self, relation: int) -> NodeSet:
        """What CONS offers of a relation's objects: all of a closed range, else what was taught."""
        objects = self._kb.objects(relation, self.nodes)
        if relation in self._vocabulary.closed:
            return objects
        return self._kb.intersection(objects, self._vocabulary.taught[relation])

    @cached_property
    def dated(self) -> list[int]:
        """Relations whose facts, or whose partner's, say when members begin, end or take place."""
        pairs = self._vocabulary.dated
        forward = set(self.forward.tolist())
        found = [start for start, end in pairs.items() if start in forward or end in forward]
        return [start for start in found if self._gives_times(start) or self._gives_times(pairs[start])]

    def _gives_times(self, relation: int | None) -> bool:
        if relation is None or relation not in self.comparable:
            return False
        if ValueKind.NUMBER not in self._kb.schema.relations[relation].kinds:
            return True
        return self._gives(relation, Window)

    def _gives(self, relation: int, kind: type[Number] | type[Window]) -> bool:
        terms = self._kb.terms(self._kb.objects(relation, self.nodes).ids)
        return any(isinstance(term, Literal) and isinstance(value_of(term), kind) for term in terms)

    @cached_property
    def value_kind(self) -> ValueKind | None:
        """Numbers or times, where all members are such values; what a comparison compares with."""
        if not self.is_set or not self.nodes or not bool(self._kb.are_literals(self.nodes.ids).all()):
            return None
        terms = self._kb.terms(self.nodes.ids)
        # Whatever has no value (NaN among numbers) is as good as a text, and compares with nothing.
        kinds = {kind_of(term) for term in terms if isinstance(term, Literal)} - {ValueKind.TEXT}
        found = kinds & {ValueKind.NUMBER, ValueKind.TIME}
        return found.pop() if len(kinds) == 1 and found else None

    @cached_property
    def kin(self) -> Meaning:
        """What the set can be put side by side with: whatever shares a class with a member, or where members
        have none, one of their rarest relations, from both or to both."""
        alike = [self._kb.members(klass) for klass in self.classes.tolist()]
        if not alike:
            rarest = sorted(self.walks, key=lambda step: self._kb.schema.relations[step.relation].facts)
            alike = [self._kb.having(step) for step in rarest[:TELLING]]
        return Meaning(self._vocabulary, reduce(self._kb.union, alike, self.nodes))

    def is_akin(self, other: Meaning) -> bool:
        """Whether members of both share a class, or where either has none, a relation."""
        if len(self.classes) and len(other.classes):
            return _share(self.classes, other.classes)
        return _share(self.forward, other.forward) or _share(self.backward, other.backward)

    @cached_property
    def neighbours(self) -> NodeSet:
        """Nodes one visible step away."""
        return self._kb.neighbours(self.nodes)

    @property
    def kept_nodes(self) -> int:
        """Nodes around the set that it holds on to."""
        kept = (self.__dict__.get(name) for name in ("neighbours", "near", "nearby"))
        return sum(len(nodes) for nodes in kept if nodes is not None)

    def around(self, hops: int) -> NodeSet:
        """The set and, where a step may follow, its neighbours."""
        return self.nodes if hops < 1 else self.surroundings

    @property
    def surroundings(self) -> NodeSet:
        """The set and its neighbours; of a wide set, the set alone."""
        return self.nodes if self.near is None else self.near

    @cached_property
    def near(self) -> NodeSet | None:
        """Whatever is at most a step away; None of a wide set."""
        if len(self.nodes) > WIDE:
            return None
        literals = self._kb.nodes(self.nodes.ids[self._kb.are_literals(self.nodes.ids)])
        if not literals:
            return self._kb.union(self.nodes, self.neighbours)
        # Values are walked back from by what they say, but met as they are written: a step to 2.50 is none
        # into a set of 2.5.
        around = [self.nodes, self._kb.neighbours(self._kb.difference(self.nodes, literals))]
        for relation in self.backward.tolist():
            facts = self._kb.values(relation, self._kb.subjects(relation, literals))
            around.append(self._kb.nodes(facts.subjects[np.isin(facts.objects, literals.ids)]))
        return reduce(self._kb.union, around)

    @cached_property
    def nearby(self) -> NodeSet | None:
        """Whatever is at most two steps away; None where a step leads to many."""
        if self.near is None or len(self.near) > WIDE:
            return None
        return self._kb.union(self.near, self._kb.neighbours(self.near))


def _share(one: Ids, two: Ids) -> bool:
    return bool(np.isin(one, two).any())
