"""What questions of the newer forms start from: sets with a name, and what can be asked of their members."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.interface import NodeSet, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program.expression import And, Class, Entity, Expression, Has, Join, Relation, Value
from arcaneqa.synthesis.sampled_facts import Found
from arcaneqa.synthesis.sampling import Sampler

FEW = 2000
"""Members that are looked at to find out what a class can be asked."""


class Drawing:
    """Draws from the same decks and sets as the sampler of the paper's forms."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.kb, self.facts, self.rng = sampler.kb, sampler.facts, sampler.rng

    def some_class(self, kind: str) -> Found | None:
        """A class of at least three."""
        klass = self.sampler.deal(kind, "class")
        if klass is None or self.kb.schema.classes[klass].members < 3:
            return None
        members = self.kb.members(klass)
        if self.facts.is_nameless(members):
            return None
        return Found(Class(self.kb.schema.classes[klass].iri), members)

    def some_set(self, kind: str) -> Found | None:
        """A class, or in one of three cases those of it that meet a condition."""
        found = self.some_class(kind)
        if found is None or self.rng.random() < 0.65:
            return found
        member = int(self.rng.choice(found.nodes.ids[:500].tolist()))
        condition = self.sampler.around(member, found.expression)
        if condition is None:
            return found
        nodes = self.kb.intersection(found.nodes, condition.nodes)
        return Found(And(found.expression, condition.expression), nodes) if len(nodes) > 2 else found

    def steps(self, nodes: NodeSet) -> list[Step]:
        """Steps from a set to other entities, in any order."""
        some = self.kb.nodes(nodes.ids[:FEW])
        found = [
            Step(relation, backwards)
            for relation, backwards in self.sampler.steps(some)
            if not self._leads_to_literals(relation, backwards)
        ]
        self.rng.shuffle(found)
        return found

    def _leads_to_literals(self, relation: int, backwards: bool) -> bool:
        return not backwards and ValueKind.ENTITY not in self.kb.schema.relations[relation].kinds

    def numbers(self, nodes: NodeSet) -> list[Relation]:
        """Relations that give members numbers or times worth calculating with, identifiers apart."""
        found = self.sampler.vocabulary.shown(self.kb.comparable_relations(self.kb.nodes(nodes.ids[:FEW])))
        schema = [self.kb.schema.relations[relation] for relation in found.tolist()]
        good = [Relation(relation.iri) for relation in schema if not relation.is_identifier]
        self.rng.shuffle(good)
        return good

    def attributes(self, nodes: NodeSet) -> list[Relation]:
        """Relations that many of the members have, whatever they lead to."""
        some = self.kb.nodes(nodes.ids[:FEW])
        out = self.sampler.vocabulary.shown(self.kb.out_relations(some)).tolist()
        found = [
            Relation(self.kb.schema.relations[relation].iri)
            for relation in out
            if 2 * len(self.kb.values(relation, some).subjects) >= len(some)
        ]
        self.rng.shuffle(found)
        return found

    def kinds_of(self, nodes: NodeSet) -> list[Relation]:
        """Relations whose values say of what kind a member is: few of them, shared by many."""
        some = self.kb.nodes(nodes.ids[:FEW])
        found = []
        for relation in self.attributes(nodes):
            pairs = self.kb.values(self.kb.schema.relation_ids[relation.iri], some)
            different = len(np.unique(pairs.objects))
            if 1 < different <= max(2, 0.6 * len(pairs.subjects)):
                found.append(relation)
        return found

    def relation(self, step: Step) -> Relation:
        return Relation(self.kb.schema.relations[step.relation].iri, step.inverse)

    def counts(self, nodes: NodeSet, step: Step) -> dict[int, int]:
        """How many different neighbours each member has; those with none are left out."""
        if step.inverse:
            around = self.kb.subjects(step.relation, nodes)
            pairs = self.kb.values(step.relation, around)
            inside = np.isin(pairs.objects, nodes.ids)
            members = pairs.objects[inside]
        else:
            members = self.kb.values(step.relation, nodes).subjects
        ids, counts = np.unique(members, return_counts=True)
        return dict(zip(ids.tolist(), counts.tolist(), strict=True))

    def countable(self, found: Found) -> tuple[Step, dict[int, int]] | None:
        """A step along which members have different numbers of neighbours."""
        for step in self.steps(found.nodes)[:8]:
            counts = self.counts(found.nodes, step)
            if len(counts) > 1 and max(counts.values()) > 1:
                return step, counts
        return None

    def named(self, nodes: NodeSet) -> Entity | None:
        for _ in range(6):
            node = int(self.rng.choice(nodes.ids[:FEW].tolist()))
            term = self.facts.term(node) if self.facts.is_named(node) else None
            if isinstance(term, Entity):
                return term
        return None

    def is_number(self, relation: Relation) -> bool:
        kinds = self.kb.schema.relations[self.kb.schema.relation_ids[relation.iri]].kinds
        return ValueKind.NUMBER in kinds and ValueKind.TIME not in kinds

    def values_of(self, nodes: NodeSet, relation: Relation, count: int) -> list[Entity | Value]:
        pairs = self.kb.values(self.kb.schema.relation_ids[relation.iri], self.kb.nodes(nodes.ids[:FEW]))
        different = [int(node) for node in np.unique(pairs.objects) if self.facts.is_named(int(node))]
        chosen = self.rng.sample(different, count) if len(different) >= count else []
        return [self.facts.term(node) for node in chosen]

    def with_some(self, step: Step) -> Expression:
        """Members with some neighbour: of a class where the relation comes from there, else any."""
        relation = self.relation(step)
        domain = self.kb.schema.relations[step.relation].domain
        if step.inverse and domain is not None:
            return Join(relation, Class(self.kb.schema.classes[domain].iri))
        return Has(relation)
