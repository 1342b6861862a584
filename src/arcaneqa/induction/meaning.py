"""What subprograms denote, computed once a search, with everything induction asks about a set."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property, reduce
from threading import Lock

import numpy as np

from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Step, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import Number, kind_of, value_of
from arcaneqa.language.expression import Denotation, Entity, Expression, Now, Sort, Value, denotes
from arcaneqa.language.run import Budget, Execution, Result, evaluate, now_window, with_zeros

# What subprograms denote, computed once, with everything induction asks about a set.


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


# The meanings of one search, each computed once; those of topics and classes are kept between
# searches.


Given = Mapping[Expression, Meaning]
"""The arguments of a program that are known already."""
UNHURRIED = Budget(seconds=3600.0)
"""A search has a deadline of its own."""


class Meanings:
    """The meanings of one search. Those of topics may be shared between searches (`roots`)."""

    def __init__(self, vocabulary: Vocabulary, roots: Roots | None = None) -> None:
        self.vocabulary = vocabulary
        self.kb: KnowledgeBase = vocabulary.kb
        self._roots = roots or Roots()
        self._known: dict[Hashable, Meaning] = {}
        self._meet: dict[tuple[NodeSet, NodeSet], bool] = {}
        self._near: dict[tuple[Meaning, Meaning], bool] = {}
        self._covers: dict[tuple[Meaning, Meaning], bool] = {}
        self._into: dict[tuple[Meaning, NodeSet], list[Step]] = {}
        self._comparing: dict[tuple[Comparison, Literal], Ids] = {}
        self._comparing_into: dict[tuple[Comparison, Literal, NodeSet], Ids] = {}
        self._counts: dict[tuple[Meaning, tuple[Step, ...], Meaning | None], Ids] = {}
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

    def either(self, left: Meaning, right: Meaning) -> Meaning:
        return self._once(("or", frozenset((left, right))), lambda: self.kb.union(left.nodes, right.nodes))

    def without(self, left: Meaning, right: Meaning) -> Meaning:
        return self._once(("not", left, right), lambda: self.kb.difference(left.nodes, right.nodes))

    def covers(self, large: Meaning, small: Meaning) -> bool:
        """Whether nothing would be left of the small set without the large one."""
        key = (large, small)
        found = self._covers.get(key)
        if found is None:
            fits = len(large.nodes) >= len(small.nodes)
            found = self._covers[key] = fits and self.kb.includes(large.nodes, small.nodes)
        return found

    def having_some(self, step: Step) -> Meaning:
        return self._once(("has", step), lambda: self.kb.having(step))

    def like(self, relation: int, text: str) -> Meaning:
        return self._once(("like", relation, text), lambda: self.kb.containing(relation, text))

    def named(self, text: str) -> Meaning:
        return self._once(("named", text), lambda: self.kb.named(text))

    def compared(self, comparison: Comparison, relation: int, values: Meaning) -> Meaning:
        """A comparison with all values of a program: with the one that is hardest to pass."""
        literal = self.edge(comparison, values)
        assert literal is not None, "only numbers and times are offered"
        return self.compare(comparison, relation, literal)

    def edge(self, comparison: Comparison, values: Meaning) -> Literal | None:
        """Of the numbers or times a program denotes, the one that is hardest to pass."""
        if not values.is_set:
            return values.result.value
        return next(iter(self.kb.edges(comparison, values.nodes)), None)

    def picked(self, key: Hashable, program: Expression, given: Given) -> Meaning:
        """A set by keys that are computed from its members."""
        return self._once(key, lambda: self._evaluated(program, given).nodes)

    def answer(self, key: Hashable, program: Expression, given: Given) -> Meaning:
        """A number, truth value, list or table: computed when somebody looks."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Meaning(
                self.vocabulary,
                self.nothing.nodes,
                denotes=denotes(program),
                evaluate=lambda: self._evaluated(program, given),
                listed=given.get(program.argument) if isinstance(program, Sort) else None,
            )
        return found

    def _evaluated(self, program: Expression, given: Given) -> Result:
        run = Execution(self.kb, UNHURRIED, [])
        run.known.update({(part, False): meaning.nodes for part, meaning in given.items() if meaning.is_set})
        return evaluate(program, run)

    def counts(self, source: Meaning, path: tuple[Step, ...], within: Meaning | None = None) -> Ids:
        """How many nodes the path leads to from each member."""
        key = (source, path, within)
        found = self._counts.get(key)
        if found is None:
            inside = None if within is None else within.nodes
            tally = self.kb.tally(source.nodes, path, inside)
            counts = with_zeros(source.nodes.ids, tally.nodes, tally.counts)
            found = self._counts[key] = counts.astype(np.int64)
        return found

    def telling_apart(self, source: Meaning) -> tuple[set[int], set[int]]:
        """Relations of which some members have more than others, as subjects and as objects."""
        ahead, back = (
            self.kb.relations_telling_apart(source.nodes, relations, inverse)
            for relations, inverse in ((source.forward, False), (source.backward, True))
        )
        return set(ahead.tolist()), set(back.tolist())

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
        if len(waiting.nodes) > WIDE or not self.steps_into(waiting, topic.neighbours):
            return False
        # Of values such a step may lead back from an equal one that is written otherwise.
        return waiting.near is not None and self.kb.intersects(topic.neighbours, waiting.near)

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

    def steps_into(self, source: Meaning, target: NodeSet) -> list[Step]:
        """The steps by which a set leads to some member of the target."""
        key = (source, target)
        found = self._into.get(key)
        if found is None:
            ahead = self.kb.relations_into(source.nodes, source.forward, target)
            back = self.kb.relations_into(source.nodes, source.backward, target, inverse=True)
            found = self._into[key] = self.vocabulary.steps(ahead, back)
        return found


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
