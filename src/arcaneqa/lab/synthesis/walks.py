"""Sets drawn from a knowledge base step by step, every relation and class about equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from random import Random

import numpy as np

from arcaneqa.induction.vocabulary import Vocabulary
from arcaneqa.kb.interface import KnowledgeBase, NodeSet, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.lab.synthesis.facts import Deck, FoundSet, SampledFacts
from arcaneqa.language import expression as ex

FEW = 2000
"""Members that are looked at to find out what a set can be asked."""
_LARGEST_SET = 20_000
"""Members of a set that a program goes on from: what has more is not about anything in particular."""
_TRIES = 6
"""To draw a step that leads somewhere."""


class DrawnWalks:
    """Each kind of program has its own deck of relations, so that rare ones are asked about too."""

    def __init__(self, kb: KnowledgeBase, facts: SampledFacts, vocabulary: Vocabulary, rng: Random) -> None:
        self.kb, self.facts, self.vocabulary, self.rng = kb, facts, vocabulary, rng
        self.relations, self.classes = kb.schema.relations, kb.schema.classes
        shown = [relation for relation in self.relations if not relation.hidden and relation.facts]
        self._cards = {
            "any": [relation.id for relation in shown],
            "number": [r.id for r in shown if r.comparable and not r.is_identifier],
            "class": [klass.id for klass in self.classes if not klass.hidden and klass.members],
            "dated": sorted(vocabulary.dated),
            "closed": sorted(vocabulary.closed),
        }
        self._decks: dict[str, Deck] = {}
        self._used: Counter[tuple[int, bool]] = Counter()

    def deal(self, kind: str, cards: str) -> int | None:
        return self._decks.setdefault(f"{kind}/{cards}", Deck(self._cards[cards], self.rng)).deal()

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def is_twin(self, relation: int) -> bool:
        """Whether another relation says the same the other way round: this one is walked ahead only."""
        return self.relations[relation].inverse is not None

    # Steps from a set ------------------------------------------------------------------------

    def start(self, kind: str) -> FoundSet | None:
        """One step from something the question names; across nodes without a name, two."""
        relation = self.deal(kind, "any")
        fact = None if relation is None else self.facts.fact(relation, self.rng)
        if relation is None or fact is None:
            return None
        subject, value = fact
        backwards = not self.is_twin(relation) and self.chance(0.12 if self.facts.is_literal(value) else 0.5)
        topic = value if backwards else subject
        source = self._topic(topic) if self.facts.is_named(topic) else self.into(topic)
        found = source and self.join(source, relation, backwards)
        return found and self.named(found)

    def into(self, node: int) -> FoundSet | None:
        """A set that holds a nameless node, one step from something with a name."""
        return next(self._holding(node), None)

    def around(self, node: int, other: ex.Expression) -> FoundSet | None:
        """Another set that holds the node, one step from something with a name."""
        topics = _topics(other)
        return next((found for found in self._holding(node) if _topics(found.expression) != topics), None)

    def _holding(self, node: int) -> Iterator[FoundSet]:
        """Sets one step from a named neighbour of a node, walked from the neighbour."""
        for relation, backwards in list(self.steps(self.facts.one(node)))[:_TRIES]:
            near = self.kb.walk(Step(relation, backwards), self.facts.one(node)).ids[:50].tolist()
            named = [n for n in near if self.facts.is_named(n) and not self.facts.is_literal(n)]
            if named and (backwards or not self.is_twin(relation)):
                found = self.join(self._topic(self.rng.choice(named)), relation, not backwards)
                if found is not None:
                    yield found

    def _topic(self, node: int) -> FoundSet:
        return FoundSet(self.facts.term(node), self.facts.one(node))

    def steps(self, nodes: NodeSet) -> Iterator[tuple[int, bool]]:
        """Relations that touch a set and whether they are walked backwards, the least used first."""
        ahead = self.vocabulary.shown(self.kb.out_relations(nodes)).tolist()
        back = self.vocabulary.shown(self.kb.in_relations(nodes)).tolist()
        steps = [(relation, False) for relation in ahead]
        steps += [(relation, True) for relation in back if not self.is_twin(relation)]
        self.rng.shuffle(steps)
        yield from sorted(steps[:_TRIES], key=lambda step: self._used[step])
        yield from steps[_TRIES:]

    def join(self, source: FoundSet, relation: int, backwards: bool) -> FoundSet | None:
        nodes = self.kb.walk(Step(relation, backwards), source.nodes)
        if not 0 < len(nodes) <= _LARGEST_SET:
            return None
        self._used[relation, backwards] += 1
        taken = ex.Relation(self.relations[relation].iri, not backwards)
        return FoundSet(ex.Join(taken, source.expression), nodes)

    def hop(self, source: FoundSet, to_entities: bool = False) -> FoundSet | None:
        """One step on that does not lead back; two across nodes without a name."""
        steps = map(astuple, self.neighbours(source.nodes)) if to_entities else self.steps(source.nodes)
        for relation, backwards in steps:
            if not self._undoes(source.expression, relation, backwards):
                found = self.join(source, relation, backwards)
                return self.named(found) if found else None
        return None

    def named(self, found: FoundSet) -> FoundSet | None:
        """The set, or one step on where its members have no names."""
        if not self.facts.is_nameless(found.nodes):
            return found
        for relation, backwards in self.steps(found.nodes):
            if not self._undoes(found.expression, relation, backwards) and relation not in self._dates:
                onward = self.join(found, relation, backwards)
                if onward is not None and not self.facts.is_nameless(onward.nodes):
                    return onward
        return None

    @property
    def _dates(self) -> set[int]:
        pairs = self.kb.schema.time_pairs
        return {*pairs, *(end for end in pairs.values() if end is not None)}

    def _undoes(self, expression: ex.Expression, relation: int, backwards: bool) -> bool:
        while isinstance(expression, ex.During | ex.Cons | ex.Extreme):
            expression = expression.argument
        step = ex.Relation(self.relations[relation].iri, backwards)
        return isinstance(expression, ex.Join) and expression.relation == step

    # Classes ---------------------------------------------------------------------------------

    def of_class(self, found: FoundSet) -> FoundSet:
        """The members of a class in a set: mostly the narrowest class that holds nearly all of it."""
        classes = [c for c in self.kb.classes(found.nodes).tolist() if not self.classes[c].hidden]
        if not classes:
            return found
        some = self.kb.nodes(found.nodes.ids[:100])
        held = {c: len(self.kb.intersection(some, self.kb.members(c))) for c in classes[:30]}
        wide = [c for c in held if held[c] >= 0.8 * len(some)]
        if wide and self.chance(0.7):
            klass = min(wide, key=lambda c: (self.classes[c].members, c))
        else:
            klass = self.rng.choice(sorted(held))
        nodes = self.kb.intersection(found.nodes, self.kb.members(klass))
        return FoundSet(ex.And(ex.Class(self.classes[klass].iri), found.expression), nodes)

    def some_class(self, kind: str) -> FoundSet | None:
        """A class of at least three."""
        klass = self.deal(kind, "class")
        members = None if klass is None else self.kb.members(klass)
        if klass is None or members is None or len(members) < 3 or self.facts.is_nameless(members):
            return None
        return FoundSet(ex.Class(self.classes[klass].iri), members)

    # What can be asked of a set ----------------------------------------------------------------

    def some(self, nodes: NodeSet) -> NodeSet:
        return self.kb.nodes(nodes.ids[:FEW])

    def neighbours(self, nodes: NodeSet) -> list[Step]:
        """Steps from a set to other entities, in any order."""
        steps = (Step(*step) for step in self.steps(self.some(nodes)))
        return [s for s in steps if s.inverse or ValueKind.ENTITY in self.relations[s.relation].kinds]

    def numbers(self, nodes: NodeSet) -> list[ex.Relation]:
        """Relations that give members numbers or times worth calculating with, identifiers apart."""
        found = self.vocabulary.shown(self.kb.comparable_relations(self.some(nodes))).tolist()
        good = [ex.Relation(self.relations[r].iri) for r in found if not self.relations[r].is_identifier]
        self.rng.shuffle(good)
        return good

    def attributes(self, nodes: NodeSet) -> list[ex.Relation]:
        """Relations that many of the members have, whatever they lead to."""
        some = self.some(nodes)
        out = self.vocabulary.shown(self.kb.out_relations(some)).tolist()
        named = [r for r in out if not self.facts.leads_to_nameless(r, inverse=True)]
        held = [r for r in named if 2 * len(self.kb.values(r, some).subjects) >= len(some)]
        self.rng.shuffle(held)
        return [ex.Relation(self.relations[relation].iri) for relation in held]

    def kinds_of(self, nodes: NodeSet) -> list[ex.Relation]:
        """Relations whose values say of what kind a member is: few of them, shared by many."""
        found = []
        for relation in self.attributes(nodes):
            pairs = self.kb.values(self.id(relation), self.some(nodes))
            if 1 < len(np.unique(pairs.objects)) <= max(2, 0.6 * len(pairs.subjects)):
                found.append(relation)
        return found

    def countable(self, found: FoundSet) -> tuple[Step, list[int]] | None:
        """A step along which members have different numbers of neighbours, and these numbers."""
        for step in self.neighbours(found.nodes)[:8]:
            reached = self.kb.subjects(step.relation, found.nodes) if step.inverse else found.nodes
            pairs = self.kb.values(step.relation, reached)
            members = (
                pairs.objects[np.isin(pairs.objects, found.nodes.ids)] if step.inverse else pairs.subjects
            )
            counts = np.unique(members, return_counts=True)[1].tolist()
            if len(counts) > 1 and max(counts) > 1:
                return step, sorted(counts)
        return None

    def partial(self, found: FoundSet) -> Step | None:
        """A step that some of the members cannot take."""
        for step in self.neighbours(found.nodes)[:8]:
            some = self.kb.walk(Step(step.relation, not step.inverse), self.kb.walk(step, found.nodes))
            if self.kb.difference(found.nodes, some):
                return step
        return None

    def member(self, nodes: NodeSet) -> ex.Entity | None:
        """A member with a name."""
        for node in self.rng.choices(nodes.ids[:FEW].tolist(), k=_TRIES):
            term = self.facts.term(node) if self.facts.is_named(node) else None
            if isinstance(term, ex.Entity):
                return term
        return None

    def values_of(self, nodes: NodeSet, relation: ex.Relation, count: int) -> list[ex.Entity | ex.Value]:
        """So many different values of the members, or none where there are fewer."""
        pairs = self.kb.values(self.id(relation), self.some(nodes))
        different = [node for node in np.unique(pairs.objects).tolist() if self.facts.is_named(node)]
        chosen = self.rng.sample(different, count) if len(different) >= count else []
        return [self.facts.term(node) for node in chosen]

    def id(self, relation: ex.Relation) -> int:
        return self.kb.schema.relation_ids[relation.iri]

    def step(self, step: Step) -> ex.Relation:
        return ex.Relation(self.relations[step.relation].iri, step.inverse)

    def is_number(self, relation: ex.Relation) -> bool:
        kinds = self.relations[self.id(relation)].kinds
        return ValueKind.NUMBER in kinds and ValueKind.TIME not in kinds

    def is_values(self, found: FoundSet) -> bool:
        return self.facts.is_literal(int(found.nodes.ids[0])) if found.nodes else True


def _topics(expression: ex.Expression) -> frozenset[ex.Expression]:
    return frozenset(node for node in ex.post_order(expression) if isinstance(node, ex.Entity | ex.Value))
