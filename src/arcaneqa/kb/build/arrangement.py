"""Between second and third pass: entities that are asked about together get neighbouring ids.

Nearly every large set in a question is a group: all subjects of one relation to one object (the members of
a class among them), or all objects of one relation from one subject. So entities are put in order by the
largest groups they are in: the largest of all lies in one piece, a smaller one in few. However large the
graph, what is known about such a set is then read from neighbouring places.

Where facts lead to is another matter: to few popular entities, far more often than not. These come first of
all, they too by their groups; and within equal groups the more popular first.

A small graph is in the processor's caches anyway; its entities stay in the order in which they were met.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.statement_batches import Batches
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.store import Array, Draft
from arcaneqa.terminal import Progress

MANY = 1 << 18
"""Fewer entities than this are left as they are."""
_LEVELS = 4
"""Groups of an entity that decide on its place, the largest ones."""
_POPULAR = 2
"""To a popular entity this many times as many facts lead as to others on average."""
_NONE = 0xFFFF
"""Stands for the rank of a group that is too small to have one."""
_FACTS_A_SLOT = 2
"""Facts for each slot of the table of counts, which has 4 bytes a slot."""
_PIECE = 1 << 20
"""Entities numbered at a time."""


def arrange(batches: Batches, dictionary: Dictionary, progress: Progress) -> Array | None:
    """Change the ids of entities in the dictionary; the order they are now in, if it is another."""
    if dictionary.entities < MANY:
        return None
    from arcaneqa.kb.build import loops

    ranks = _ranks(batches, dictionary, progress)
    signatures = np.full((dictionary.entities, _LEVELS), _NONE, np.uint16)
    popularity = np.zeros(dictionary.entities, np.uint32)
    for batch in range(len(batches)):
        loops.sign(*_statements(batches, dictionary, batch), ranks, signatures, popularity)
        progress("grouping entities", batch + 1, len(batches))
    order = np.argsort(_NONE - np.frexp(popularity)[1].astype(np.uint16), kind="stable")
    for level in reversed(range(_LEVELS)):
        order = order[np.argsort(signatures[order, level], kind="stable")]
    is_popular = popularity[order] > _POPULAR * popularity.mean()
    order = np.concatenate((order[is_popular], order[~is_popular]))
    places = np.empty(dictionary.entities, np.int64)
    places[order] = np.arange(dictionary.entities)
    loops.relabel(dictionary.ids, places)
    return order


def _ranks(batches: Batches, dictionary: Dictionary, progress: Progress) -> Array:
    """By slot of a group, how many groups are larger. Groups that share a slot by chance count as one: that
    makes the order a little worse and nothing wrong."""
    from arcaneqa.kb.build import loops

    counts = np.zeros(1 << (batches.statements // _FACTS_A_SLOT).bit_length(), np.uint32)
    for batch in range(len(batches)):
        loops.count_groups(*_statements(batches, dictionary, batch), counts)
        progress("finding groups", batch + 1, len(batches))
    large = np.flatnonzero(counts >= sets.LARGE)
    large = large[np.argsort(counts[large])[::-1]][:_NONE]
    ranks = np.full(len(counts), _NONE, np.uint16)
    ranks[large] = np.arange(len(large))
    return ranks


def _statements(batches: Batches, dictionary: Dictionary, batch: int) -> tuple[Array, Array, Array]:
    ids = dictionary.of_batch(batch)
    subjects, objects = (batches.load(batch, name, np.uint32) for name in ("subjects", "objects"))
    return ids[subjects], batches.predicates_of(batch), ids[objects]


def rewrite_names(order: Array, draft: Draft) -> None:
    """Put the names of entities into this order."""
    from arcaneqa.kb.build import loops

    text, ends = draft.take("entity.heap"), draft.take("entity.offsets")
    with draft.writer("entity.heap", np.uint8) as heap, draft.writer("entity.offsets", np.int64) as offsets:
        offsets.append(np.zeros(1, np.int64))
        for first in range(0, len(order), _PIECE):
            piece = order[first : first + _PIECE]
            written, own = loops.names(text, ends, piece)
            offsets.append(own + heap.length)
            heap.append(written)
