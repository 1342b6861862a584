"""What each entity is called: one label in the preferred language, and its other names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcaneqa.kb.build.classes import Classes, read_pairs
from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.name_attributes import NameRule
from arcaneqa.kb.build.sorted_facts import SortedFacts
from arcaneqa.kb.index.store import Array, IndexDraft, narrow
from arcaneqa.kb.names.called import FOREIGN, tier_of
from arcaneqa.support.ragged import offsets_of, ranges

_SENTENCE = 60
"""Bytes of a text with a full stop behind it that is no name."""


def language_tiers(types: list[str], language: str) -> Array:
    """For each literal type (a datatype, or `@` and a language): preferred, in no language, or foreign."""
    return np.array(
        [tier_of(name[1:].lower() if name.startswith("@") else "", language) for name in types], np.int8
    )


class Labels:
    """A literal for each entity; the number of nodes where there is none; from there on, joined names."""

    def __init__(self, facts: SortedFacts, dictionary: Dictionary, tiers: Array, draft: IndexDraft) -> None:
        self.facts, self._dictionary, self._draft = facts, dictionary, draft
        self._tiers, self._types = tiers, draft.load("literal.types")
        # As many joined names as entities are possible; they are counted from behind "none".
        most = dictionary.nodes + 1 + dictionary.entities
        self.literals: Array = np.full(dictionary.entities, dictionary.nodes, narrow(max(most, 1 << 16)))
        self._joined: list[Array] = []

    @property
    def are_given(self) -> Array:
        given: Array = self.literals != self._dictionary.nodes
        return given

    def read(
        self, label_relations: list[int], alias_relations: list[int], defining_relations: list[int]
    ) -> None:
        """From predicates that are known to name; what is not the label is an alias. What only repeats a
        definition names nothing."""
        definitions = np.unique(read_pairs(self.facts, defining_relations)[1])
        names: list[Array] = []
        for place, relation in enumerate((*label_relations, *alias_relations)):
            nodes, values = self._spoken(relation)
            if place < len(label_relations):
                are_told = self._describe(values, definitions)
                nodes, values = nodes[~are_told], values[~are_told]
            is_alias = np.full(len(nodes), place >= len(label_relations), np.int64)
            order = np.full(len(nodes), place, np.int64)
            names.append(np.stack([nodes, is_alias, self._tier(values), order, values]))
        rows = np.concatenate(names, axis=1) if names else np.empty((5, 0), np.int64)
        nodes, is_alias, tier, _, values = rows[:, np.lexsort((rows[4], rows[3], rows[2], rows[1], rows[0]))]
        chosen = _first_of_each(nodes) & (is_alias == 0)
        self.literals[nodes[chosen]] = values[chosen]
        other = ~chosen & (tier != FOREIGN)
        nodes, values = nodes[other], values[other]
        counts = np.bincount(nodes, minlength=self._dictionary.entities)
        self._draft.save("aliases.offsets", offsets_of(counts))
        self._draft.save("aliases.values", values.astype(self.literals.dtype))

    def name_by(self, rules: Sequence[NameRule], classes: Classes, is_schema: Array) -> list[int]:
        """Entities that have no label yet are called as the rules say; how many each rule named."""
        order = np.argsort(classes.classes, kind="stable")
        ends = np.cumsum(np.bincount(classes.classes, minlength=len(classes.iris)))
        named = []
        for rule in rules:
            if rule.klass is None:
                is_loose = ~is_schema
                is_loose[classes.nodes] = False
                members = np.flatnonzero(is_loose)
            else:
                first = ends[rule.klass - 1] if rule.klass else 0
                members = classes.nodes[order[first : ends[rule.klass]]]
            members = members[self.literals[members] == self._dictionary.nodes]
            nodes, values = self._best(rule.relations[0], members)
            for second in rule.relations[1:]:
                others, seconds = self._best(second, members)
                self.literals[others] = seconds
                both, at, other_at = np.intersect1d(nodes, others, assume_unique=True, return_indices=True)
                self._join(both, values[at], seconds[other_at])
                alone = self.literals[nodes] == self._dictionary.nodes
                nodes, values = nodes[alone], values[alone]
            self.literals[nodes] = values
            named.append(int((self.literals[members] != self._dictionary.nodes).sum()))
        return named

    def tier(self, literal: int) -> int:
        """How good a literal is as a name, by its language."""
        return int(self._tier(np.array([literal], np.int64))[0])

    def save(self) -> None:
        self._draft.save("labels", self.literals)
        pairs = np.concatenate(self._joined, axis=1) if self._joined else np.empty((2, 0), np.int64)
        heap, offsets = self._draft.load("literal.heap"), self._draft.load("literal.offsets")
        starts, lengths = offsets[pairs], offsets[pairs + 1] - offsets[pairs]
        sizes = lengths.sum(0) + 1
        ends = np.cumsum(sizes)
        text = np.full(int(sizes.sum()), ord(" "), np.uint8)
        firsts = ends - sizes
        text[ranges(firsts, lengths[0])] = heap[ranges(starts[0], lengths[0])]
        text[ranges(firsts + lengths[0] + 1, lengths[1])] = heap[ranges(starts[1], lengths[1])]
        self._draft.save("joined.heap", text)
        self._draft.save("joined.offsets", np.concatenate(([0], ends)).astype(np.int64))

    def _spoken(self, relation: int) -> tuple[Array, Array]:
        nodes, values = read_pairs(self.facts, [relation])
        spoken = values >= self._dictionary.entities
        return nodes[spoken], values[spoken]

    def _describe(self, values: Array, definitions: Array) -> Array:
        """Which of these texts are sentences that define something as well."""
        heap, offsets = self._draft.load("literal.heap"), self._draft.load("literal.offsets")
        found: Array = np.isin(values, definitions)
        literals = values[found] - self._dictionary.entities
        ends = offsets[literals + 1]
        found[found] = (ends - offsets[literals] >= _SENTENCE) & (heap[ends - 1] == ord("."))
        return found

    def _tier(self, values: Array) -> Array:
        tiers: Array = self._tiers[self._types[values - self._dictionary.entities]].astype(np.int64)
        return tiers

    def _best(self, relation: int, members: Array) -> tuple[Array, Array]:
        """Members (in order) with this attribute, and the best text of each."""
        rows = self.facts.rows("out", relation)
        if not len(rows.keys):
            return members[:0], members[:0]
        places = np.searchsorted(rows.keys, members.astype(rows.keys.dtype))
        places[places == len(rows.keys)] = 0
        places = places[rows.keys[places] == members]
        lengths = rows.counts[places]
        nodes = rows.keys[places].astype(np.int64).repeat(lengths)
        values = rows.values[ranges(rows.offsets[places], lengths)].astype(np.int64)
        spoken = values >= self._dictionary.entities
        nodes, values = nodes[spoken], values[spoken]
        order = np.lexsort((values, self._tier(values), nodes))
        nodes, values = nodes[order], values[order]
        first = _first_of_each(nodes)
        return nodes[first], values[first]

    def _join(self, nodes: Array, firsts: Array, seconds: Array) -> None:
        before = sum(pairs.shape[1] for pairs in self._joined)
        self._joined.append(np.stack([firsts, seconds]) - self._dictionary.entities)
        self.literals[nodes] = self._dictionary.nodes + 1 + before + np.arange(len(nodes))


def _first_of_each(nodes: Array) -> Array:
    first = np.ones(len(nodes), bool)
    first[1:] = nodes[1:] != nodes[:-1]
    return first
