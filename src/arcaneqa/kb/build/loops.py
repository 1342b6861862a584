"""Compiled loops of the build."""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.kb.index.store import Array

_SPACE, _LINE = ord(" "), ord("\n")
# So many lines are looked at together: their terms' slots, and what these point to, are then read all at
# once and not one after the other.
_PIECE = 128


def slots_for(most: int) -> Array:
    """Room to number so many terms: in turn half of a term's hash with its number, and where it begins.
    Made by numpy, which asks for large pages."""
    return np.zeros(2 << max(4, int(4 * most // 3).bit_length()), np.uint64)


@compiled
def number(text: Array, lines: int, term_slots: Array, predicate_slots: Array) -> tuple[Array, Array, Array]:
    """Canonical N-Triples: for each line the numbers of subject, predicate and object, in three rows; and for
    each distinct term and each distinct predicate where it is first met, from and to."""
    columns = np.empty((3, lines), np.uint32)
    terms, predicates = np.empty((2 * lines, 2), np.int64), np.empty((lines, 2), np.int64)
    starts, ends = np.empty((_PIECE, 3), np.int64), np.empty((_PIECE, 3), np.int64)
    hashes, read = np.empty((_PIECE, 3), np.uint64), np.empty((_PIECE, 3), np.uint64)
    term_count = predicate_count = at = 0
    for first in range(0, lines, _PIECE):
        size = min(_PIECE, lines - first)
        for line in range(size):
            for part in range(3):
                starts[line, part] = at
                hashes[line, part], at = _hashed(text, at, part == 2)
                ends[line, part] = at
                at += 1
            # Before the end of the line are a space and a full stop.
            at += 2
        mask = np.uint64(len(term_slots) // 2 - 1)
        for line in range(size):
            for part in range(0, 3, 2):
                read[line, part] = term_slots[2 * (hashes[line, part] & mask) + np.uint64(1)]
        for line in range(size):
            for part in range(0, 3, 2):
                read[line, part] = text[read[line, part]]
        for line in range(size):
            for part in range(0, 3, 2):
                start, end = starts[line, part], ends[line, part]
                place = _place(text, start, end, hashes[line, part], term_slots, terms, term_count)
                term_count += place == term_count
                columns[part, first + line] = place
            start, end = starts[line, 1], ends[line, 1]
            place = _place(text, start, end, hashes[line, 1], predicate_slots, predicates, predicate_count)
            predicate_count += place == predicate_count
            columns[1, first + line] = place
    return columns, terms[:term_count], predicates[:predicate_count]


@compiled
def _hashed(text: Array, at: int, is_object: bool) -> tuple[np.uint64, int]:
    """The hash of the term that begins here, and where it ends."""
    end = at
    if is_object:
        while text[end] != _LINE:
            end += 1
        end -= 2
    else:
        while text[end] != _SPACE:
            end += 1
    mixed = np.uint64(0xCBF29CE484222325)
    for place in range(at, end):
        mixed = (mixed ^ np.uint64(text[place])) * np.uint64(0x100000001B3)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return mixed >> np.uint64(32), end


@compiled
def _place(
    text: Array, start: int, end: int, mixed: np.uint64, slots: Array, known: Array, count: int
) -> int:
    """The number of a term; the next one, `count`, if it is not known yet."""
    mask = np.uint64(len(slots) // 2 - 1)
    slot = mixed & mask
    while slots[2 * slot]:
        if slots[2 * slot] >> np.uint64(32) == mixed:
            first = np.int64(slots[2 * slot + np.uint64(1)])
            same = 0
            while same < end - start and text[first + same] == text[start + same]:
                same += 1
            # No term is the beginning of another that goes on with a space.
            if same == end - start and text[first + same] == _SPACE:
                return int(slots[2 * slot] & np.uint64(0xFFFFFFFF)) - 1
        slot = (slot + np.uint64(1)) & mask
    slots[2 * slot] = mixed << np.uint64(32) | np.uint64(count + 1)
    slots[2 * slot + np.uint64(1)] = start
    known[count, 0], known[count, 1] = start, end
    return count


@compiled
def count_groups(subjects: Array, predicates: Array, objects: Array, counts: Array) -> None:
    """Count each statement in two groups: that of its subject, and that of its object."""
    for at in range(len(subjects)):
        counts[_slot(objects[at], predicates[at], False, len(counts))] += 1
        counts[_slot(subjects[at], predicates[at], True, len(counts))] += 1


@compiled
def sign(
    subjects: Array, predicates: Array, objects: Array, ranks: Array, signatures: Array, popularity: Array
) -> None:
    """Note the groups of each entity, the largest first, and how many facts lead to it."""
    for at in range(len(subjects)):
        subject, object_ = subjects[at], objects[at]
        _join_group(signatures[subject], ranks[_slot(object_, predicates[at], False, len(ranks))])
        if object_ < len(popularity):
            popularity[object_] += 1
            _join_group(signatures[object_], ranks[_slot(subject, predicates[at], True, len(ranks))])


@compiled
def _slot(node: int, predicate: int, is_subject: bool, slots: int) -> int:
    """Where the group of a node and a relation is counted; `slots` is a power of two."""
    mixed = np.uint64(node) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(2 * predicate + is_subject)
    mixed *= np.uint64(0xC2B2AE3D27D4EB4F)
    return int(mixed >> np.uint64(32)) & (slots - 1)


@compiled
def _join_group(signature: Array, rank: int) -> None:
    """Keep the smallest ranks, in order."""
    for place in range(len(signature)):
        other = signature[place]
        if rank == other:
            return
        if rank < other:
            signature[place], rank = rank, other


@compiled
def relabel(ids: Array, places: Array) -> None:
    """Put the place of an entity where its id is; other ids stay."""
    for at in range(len(ids)):
        if ids[at] < len(places):
            ids[at] = places[ids[at]]


@compiled
def names(text: Array, offsets: Array, order: Array) -> tuple[Array, Array]:
    """The texts of these entities, end to end, and where each ends."""
    ends = np.empty(len(order), np.int64)
    total = 0
    for at in range(len(order)):
        total += offsets[order[at] + 1] - offsets[order[at]]
        ends[at] = total
    written = np.empty(total, np.uint8)
    count = 0
    for entity in order:
        for place in range(offsets[entity], offsets[entity + 1]):
            written[count] = text[place]
            count += 1
    return written, ends
