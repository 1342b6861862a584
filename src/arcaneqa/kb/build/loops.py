"""Compiled loops of the build."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.kernels import compiled
from arcaneqa.kb.store import Array

_SPACE, _LINE = ord(" "), ord("\n")


@compiled
def number(text: Array, lines: int) -> tuple[Array, Array, Array]:
    """Canonical N-Triples: for each line the numbers of subject, predicate and object, in three rows; and for
    each distinct term and each distinct predicate where it is first met, from and to."""
    columns = np.empty((3, lines), np.uint32)
    terms, predicates = np.empty((2 * lines, 2), np.int64), np.empty((lines, 2), np.int64)
    term_slots, predicate_slots = _slots(2 * lines), _slots(lines)
    term_count = predicate_count = at = 0
    for line in range(lines):
        end = _find(text, at, _SPACE)
        place = _place(text, at, end, term_slots, terms, term_count)
        term_count += place == term_count
        columns[0, line] = place
        at = end + 1
        end = _find(text, at, _SPACE)
        place = _place(text, at, end, predicate_slots, predicates, predicate_count)
        predicate_count += place == predicate_count
        columns[1, line] = place
        at = end + 1
        # Before the end of the line are a space and a full stop.
        end = _find(text, at, _LINE) - 2
        place = _place(text, at, end, term_slots, terms, term_count)
        term_count += place == term_count
        columns[2, line] = place
        at = end + 3
    return columns, terms[:term_count], predicates[:predicate_count]


@compiled
def _find(text: Array, at: int, wanted: int) -> int:
    while text[at] != wanted:
        at += 1
    return at


@compiled
def _slots(most: int) -> Array:
    """Room for so many numbers, half empty: each with half of its term's hash, the other half says where."""
    size = 16
    while size < 2 * most:
        size *= 2
    return np.zeros(size, np.uint64)


@compiled
def _place(text: Array, start: int, end: int, slots: Array, known: Array, count: int) -> int:
    """The number of a term; the next one, `count`, if it is not known yet."""
    mixed = np.uint64(0xCBF29CE484222325)
    for at in range(start, end):
        mixed = (mixed ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    tag = mixed & np.uint64(0xFFFFFFFF00000000)
    mask = np.uint64(len(slots) - 1)
    slot = (mixed >> np.uint64(8)) & mask
    while slots[slot]:
        if slots[slot] & np.uint64(0xFFFFFFFF00000000) == tag:
            number = int(slots[slot] & np.uint64(0xFFFFFFFF)) - 1
            first = known[number, 0]
            if known[number, 1] - first == end - start:
                same = 0
                while same < end - start and text[first + same] == text[start + same]:
                    same += 1
                if same == end - start:
                    return number
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = tag | np.uint64(count + 1)
    known[count, 0], known[count, 1] = start, end
    return count
