"""What subprograms denote, computed once, with everything induction asks about a set.

A `Meaning` stands for all subprograms that differ only in the order of their conjuncts: equal meanings are
the same object within a `Meanings`, so that search compares programs by identity.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from threading import Lock

import numpy as np

from arcaneqa.induction.vocabulary import NOTHING, Options, Vocabulary
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Step, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import value_of
from arcaneqa.program.execute import now_window
from arcaneqa.program.expression import Entity, Now, Value

WIDE = 1000
"""The neighbourhood of a larger set is not looked at: it may cover much of the knowledge base."""


class Meaning:
    """A denotation: a set of nodes, or the number COUNT gives.

    What is asked about the set is computed when asked and kept.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        nodes: NodeSet,
        parts: frozenset[Hashable] | None = None,
        number: int | None = None,
    ) -> None:
        self._kb = vocabulary.kb
        self._vocabulary = vocabulary
        self.nodes = nodes
        self._parts = parts
        self.number = number

    @property
    def parts(self) -> frozenset[Hashable]:
        """The conjuncts of a conjunction, or the meaning itself."""
        # Not kept: an object that holds itself is let go of late, and its sets with it.
        return frozenset((self,)) if self._parts is None else self._parts

    def __len__(self) -> int:
        return 1 if self.number is not None else len(self.nodes)

    def __bool__(self) -> bool:
        return self.number is not None or bool(self.nodes)

    @cached_property
    def forward(self) -> Ids:
        return self._vocabulary.shown(self._kb.out_relations(self.nodes))

    @cached_property
    def backward(self) -> Ids:
        return self._vocabulary.shown(self._kb.in_relations(self.nodes))

    @cached_property
    def joins(self) -> Options:
        return self._vocabulary.joins(self.forward, self.backward)

    @property
    def is_walkable(self) -> bool:
        return len(self.forward) > 0 or len(self.backward) > 0

    @cached_property
    def has_entities(self) -> bool:
        """False for a set of values, which ends a program, is counted, or is walked back from."""
        return self.number is None and not bool(self._kb.are_literals(self.nodes.ids).all())

    @cached_property
    def classes(self) -> Ids:
        found = self._kb.classes(self.nodes)
        return found[self._vocabulary.visible_classes[found]]

    @cached_property
    def comparable(self) -> Ids:
        return self._vocabulary.shown(self._kb.comparable_relations(self.nodes))

    @cached_property
    def value_steps(self) -> list[Step]:
        """Steps to a neighbour that has a number or a time, hidden ones included."""
        return self._kb.steps_to_values(self.nodes)

    @property
    def walks(self) -> list[Step]:
        forward = [Step(relation) for relation in self.forward.tolist()]
        return forward + [Step(relation, inverse=True) for relation in self.backward.tolist()]

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
        terms = self._kb.terms(self._kb.objects(relation, self.nodes).ids)
        return any(isinstance(term, Literal) and isinstance(value_of(term), Window) for term in terms)

    @cached_property
    def neighbours(self) -> NodeSet:
        """Nodes one visible step away."""
        return self._kb.neighbours(self.nodes)

    @property
    def kept_nodes(self) -> int:
        """Nodes around the set that it holds on to."""
        kept = (self.__dict__.get(name) for name in ("neighbours", "surroundings"))
        return sum(len(nodes) for nodes in kept if nodes is not None)

    @cached_property
    def neighbourhood(self) -> Meaning:
        """The neighbours as a set one can ask about."""
        return Meaning(self._vocabulary, self.neighbours)

    @cached_property
    def surroundings(self) -> NodeSet:
        """The set and its neighbours; of a wide set, the set alone."""
        if len(self.nodes) > WIDE:
            return self.nodes
        return self._kb.nodes(np.concatenate([self.nodes.ids, self.neighbours.ids]))


class Meanings:
    """The meanings of one search. Those of topics may be shared between searches (`roots`)."""

    def __init__(self, vocabulary: Vocabulary, roots: Roots | None = None) -> None:
        self.vocabulary = vocabulary
        self.kb: KnowledgeBase = vocabulary.kb
        self._roots = roots or Roots()
        self._known: dict[Hashable, Meaning] = {}
        self._meet: dict[tuple[NodeSet, NodeSet], bool] = {}
        self._near: dict[tuple[Meaning, Meaning], bool] = {}
        self._into: dict[tuple[Meaning, NodeSet], Options] = {}
        self._comparing: dict[tuple[Comparison, Literal], Ids] = {}
        self._comparing_into: dict[tuple[Comparison, Literal, NodeSet], Ids] = {}
        self.nothing = Meaning(vocabulary, self.kb.nodes(np.empty(0, np.int64)))

    def _once(self, key: Hashable, nodes: Callable[[], NodeSet]) -> Meaning:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Meaning(self.vocabulary, nodes())
        return found

    def topic(self, term: Entity | Value) -> Meaning:
        return self._root(term, lambda: self._topic_nodes(term))

    def _topic_nodes(self, term: Entity | Value) -> NodeSet:
        if isinstance(term, Value):
            return self.kb.equal(term.literal)
        node = self.kb.node(term.term)
        return self.kb.nodes(np.array([] if node is None else [node], np.int64))

    def members(self, klass: int) -> Meaning:
        return self._root(("class", klass), lambda: self.kb.members(klass))

    def _root(self, key: Hashable, nodes: Callable[[], NodeSet]) -> Meaning:
        found = self._known.get(key)
        if found is None:
            found = self._roots.get(key, lambda: Meaning(self.vocabulary, nodes()))
            self._known[key] = found
        return found

    def join(self, source: Meaning, step: Step) -> Meaning:
        return self._once((source, step), lambda: self.kb.walk(step, source.nodes))

    def compare(self, comparison: Comparison, relation: int, literal: Literal) -> Meaning:
        return self._once(
            (comparison, relation, literal), lambda: self.kb.compare(comparison, relation, literal)
        )

    def extreme(self, source: Meaning, path: tuple[Step, ...], largest: bool) -> Meaning:
        return self._once((source, path, largest), lambda: self.kb.extreme(source.nodes, path, largest))

    def during(self, source: Meaning, relation: int, when: Value | Now) -> Meaning:
        def nodes() -> NodeSet:
            window = now_window(self.kb.profile) if isinstance(when, Now) else value_of(when.literal)
            assert isinstance(window, Window), "only times are offered to TC"
            end = self.kb.schema.time_pairs.get(relation)
            return self.kb.valid_during(source.nodes, relation, end, window)

        return self._once((source, relation, when), nodes)

    def both(self, left: Meaning, right: Meaning) -> Meaning:
        parts = left.parts | right.parts
        found = self._known.get(parts)
        if found is None:
            found = Meaning(self.vocabulary, self.kb.intersection(left.nodes, right.nodes), parts)
            self._known[parts] = found
        return found

    def constant(self, source: Meaning, relation: int, constant: Entity | Value) -> Meaning:
        """CONS: the same as AND with a JOIN."""
        return self.both(source, self.join(self.topic(constant), Step(relation, inverse=True)))

    def count(self, source: Meaning) -> Meaning:
        key = ("count", source)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Meaning(self.vocabulary, self.nothing.nodes, number=len(source.nodes))
        return found

    def within(self, source: Meaning, target: NodeSet) -> Meaning:
        """The members of a set that are in the target: a help for induction, not a subprogram."""
        return self._once(("within", source, target), lambda: self.kb.intersection(source.nodes, target))

    def meet(self, left: NodeSet, right: NodeSet) -> bool:
        key = (left, right)
        found = self._meet.get(key)
        if found is None:
            found = self._meet[key] = self.kb.intersects(left, right)
        return found

    def is_near(self, topic: Meaning, waiting: Meaning) -> bool:
        """Whether a neighbour of the topic is in the waiting set's surroundings."""
        key = (topic, waiting)
        found = self._near.get(key)
        if found is None:
            found = self._near[key] = self._is_near(topic, waiting)
        return found

    def _is_near(self, topic: Meaning, waiting: Meaning) -> bool:
        if self.kb.intersects(topic.neighbours, waiting.nodes):
            return True
        if len(waiting.nodes) > WIDE:
            return False
        around = topic.neighbourhood
        arriving, leaving = set(around.backward.tolist()), set(around.forward.tolist())
        steps = [step for step in waiting.walks if step.relation in (leaving if step.inverse else arriving)]
        return any(self.meet(self.join(waiting, step).nodes, around.nodes) for step in steps)

    def relations_comparing(self, comparison: Comparison, literal: Literal) -> Ids:
        key = (comparison, literal)
        found = self._comparing.get(key)
        if found is None:
            found = self._comparing[key] = self.kb.relations_comparing(comparison, literal)
        return found

    def comparing_into(
        self, comparison: Comparison, literal: Literal, relations: Ids, target: NodeSet
    ) -> Ids:
        """Those of the relations by which the comparison finds a member of the target."""
        key = (comparison, literal, target)
        found = self._comparing_into.get(key)
        if found is None:
            # Few of all relations with numbers give one to a member of the target.
            candidates = relations[np.isin(relations, self.kb.comparable_relations(target))]
            meets = [
                self.meet(self.compare(comparison, relation, literal).nodes, target)
                for relation in candidates.tolist()
            ]
            found = self._comparing_into[key] = candidates[np.array(meets, bool)]
        return found

    def joins_into(self, source: Meaning, target: NodeSet) -> Options:
        """The JOINs of a set whose result meets the target."""
        key = (source, target)
        found = self._into.get(key)
        if found is None:
            found = self._into[key] = self._joins_into(source, target)
        return found

    def _joins_into(self, source: Meaning, target: NodeSet) -> Options:
        kb = self.kb
        if len(source.nodes) == 1:
            # A topic's neighbours are known by now, and few of them are in the target.
            target = kb.intersection(source.neighbours, target)
        arriving, leaving = set(kb.in_relations(target).tolist()), set(kb.out_relations(target).tolist())
        forward = [
            relation
            for relation in source.forward.tolist()
            if relation in arriving and self.meet(self.join(source, Step(relation)).nodes, target)
        ]
        backward = [
            relation
            for relation in source.backward.tolist()
            if relation in leaving and self.meet(self.join(source, Step(relation, True)).nodes, target)
        ]
        if not forward and not backward:
            return NOTHING
        return self.vocabulary.joins(np.array(forward, np.int64), np.array(backward, np.int64))


class Roots:
    """Meanings of topics and classes, kept between searches; the least recently used go first.

    What a meaning knows grows while it is in use, so weights are taken anew every now and then.
    """

    def __init__(self, most: int = 128, most_nodes: int = 4_000_000) -> None:
        self._most = most
        self._most_nodes = most_nodes
        self._known: OrderedDict[Hashable, Meaning] = OrderedDict()
        self._made = 0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Meaning]) -> Meaning:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = make()
        with self._lock:
            found = self._known.setdefault(key, made)
            self._made += 1
            if len(self._known) > self._most:
                self._known.popitem(last=False)
            if self._made % 64 == 0:
                self._trim()
        return found

    def _trim(self) -> None:
        nodes = sum(meaning.kept_nodes for meaning in self._known.values())
        while len(self._known) > 1 and nodes > self._most_nodes:
            _, oldest = self._known.popitem(last=False)
            nodes -= oldest.kept_nodes
