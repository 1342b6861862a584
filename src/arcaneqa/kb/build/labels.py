"""What each entity is called: one label in the preferred language, and its other names."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.build.classes import read_pairs
from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.facts import Facts
from arcaneqa.kb.index.store import Array, Draft, narrow

PREFERRED, UNTAGGED, FOREIGN = 0, 1, 2


def language_tiers(types: list[str], language: str) -> Array:
    """For each literal type: in the preferred language, in none, or in another."""

    def tier(name: str) -> int:
        if not name.startswith("@"):
            return UNTAGGED
        tag = name[1:].lower()
        return PREFERRED if tag == language or tag.startswith(f"{language}-") else FOREIGN

    return np.array([tier(name) for name in types], np.int8)


def write_labels(
    facts: Facts,
    dictionary: Dictionary,
    label_relations: list[int],
    alias_relations: list[int],
    tiers: Array,
    draft: Draft,
) -> Array:
    """Writes `labels` (a literal for each entity, or the number of nodes for none) and `aliases`."""
    types = draft.load("literal.types")
    names: list[Array] = []
    for place, relation in enumerate((*label_relations, *alias_relations)):
        nodes, values = read_pairs(facts, [relation])
        spoken = values >= dictionary.entities
        nodes, values = nodes[spoken], values[spoken]
        tier = tiers[types[values - dictionary.entities]].astype(np.int64)
        is_alias = np.full(len(nodes), place >= len(label_relations), np.int64)
        order = np.full(len(nodes), place, np.int64)
        names.append(np.stack([nodes, is_alias, tier, order, values]))
    rows = np.concatenate(names, axis=1) if names else np.empty((5, 0), np.int64)
    nodes, is_alias, tier, order, values = rows[:, np.lexsort((rows[4], rows[3], rows[2], rows[1], rows[0]))]
    labels = np.full(dictionary.entities, dictionary.nodes, narrow(max(dictionary.nodes, 1 << 16)))
    first = np.ones(len(nodes), bool)
    first[1:] = nodes[1:] != nodes[:-1]
    chosen = first & (is_alias == 0)
    labels[nodes[chosen]] = values[chosen]
    draft.save("labels", labels)
    other = ~chosen & (tier != FOREIGN)
    nodes, values = nodes[other], values[other]
    counts = np.bincount(nodes, minlength=dictionary.entities)
    draft.save("aliases.offsets", np.concatenate(([0], np.cumsum(counts))).astype(np.int64))
    draft.save("aliases.values", values.astype(labels.dtype))
    return labels
