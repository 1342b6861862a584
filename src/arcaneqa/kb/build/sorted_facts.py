"""Third pass: statements with final ids, sorted both ways, and what touches each node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from arcaneqa.kb.build.batches import Batches
from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.index.store import Array, ArrayWriter, IndexDraft, narrow
from arcaneqa.kb.interface import ordered
from arcaneqa.support.compiled import compiled
from arcaneqa.support.terminal import Progress

# Compiled loops of the build.


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


# Third pass: statements with final ids, sorted by relation, both ways, without repeats.


_BUCKET = 1 << 22
"""Facts sorted at a time (4 million, or all of one relation), which bounds memory."""


@dataclass(frozen=True)
class SortedRows:
    """One relation one way: `keys` in order, and `values[offsets[i]:offsets[i + 1]]` of `keys[i]`."""

    keys: Array
    offsets: Array
    values: Array

    @property
    def counts(self) -> Array:
        return np.diff(self.offsets)

    def any(self, flags: Array) -> Array:
        """For each key, whether the flag of any of its values is set."""
        if not len(self.keys):
            return np.zeros(0, bool)
        return np.logical_or.reduceat(flags, self.offsets[:-1])


class SortedFacts:
    """The sorted facts of a draft, relation by relation."""

    def __init__(self, draft: IndexDraft, relations: int) -> None:
        self.relations = relations
        self._ways = {
            way: [draft.load(f"{way}.{part}") for part in ("starts", "keys", "offsets", "values")]
            for way in ("out", "in")
        }

    def rows(self, way: str, relation: int) -> SortedRows:
        starts, keys, offsets, values = self._ways[way]
        first, last = int(starts[relation]), int(starts[relation + 1])
        spans = offsets[first : last + 1].astype(np.int64)
        return SortedRows(keys[first:last], spans - spans[0], values[spans[0] : spans[-1]])

    def every(self, way: str) -> Iterator[tuple[int, SortedRows]]:
        for relation in range(self.relations):
            yield relation, self.rows(way, relation)


def write_facts(
    batches: Batches, dictionary: Dictionary, draft: IndexDraft, progress: Progress
) -> SortedFacts:
    relations = len(batches.predicates)
    counts = np.array([batches.facts_of_predicates[iri] for iri in batches.predicates], np.int64)
    buckets = _deal(batches, dictionary, counts, progress)
    node = narrow(max(dictionary.nodes, 1 << 16))
    span = narrow(max(batches.statements + 1, 1 << 16))
    ways = {way: _Way(draft, way, node, span) for way in ("out", "in")}
    for number, (first, last) in enumerate(buckets):
        dealt = np.fromfile(batches.folder / f"bucket.{number}", np.int64).reshape(-1, 3)
        dealt = dealt[stable_order(dealt[:, 0] - first, last - first)]
        ends = np.searchsorted(dealt[:, 0], np.arange(first, last + 1))
        pieces = [dealt[start:end, 1:] for start, end in pairwise(ends)]
        with ThreadPoolExecutor() as threads:  # sorting holds no lock
            for out, into in threads.map(partial(_both_ways, nodes=dictionary.nodes), pieces):
                ways["out"].append(*out)
                ways["in"].append(*into)
        (batches.folder / f"bucket.{number}").unlink()
        progress("sorting facts", number + 1, len(buckets))
    for way in ways.values():
        way.close()
    return SortedFacts(draft, relations)


def _both_ways(piece: Array, nodes: int) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    subjects, objects = sorted_pairs(piece[:, 0], piece[:, 1], nodes)
    return (subjects, objects), sorted_pairs(objects, subjects, nodes)


def stable_order(numbers: Array, below: int) -> Array:
    """How to sort small numbers, equal ones in the order they have. Sixteen bits sort in linear time."""
    return np.argsort(numbers.astype(np.uint16) if below <= 1 << 16 else numbers, kind="stable")


def sorted_pairs(left: Array, right: Array, nodes: int) -> tuple[Array, Array]:
    """Distinct pairs in order; packed into one integer where two ids fit."""
    if nodes < 1 << 32:
        packed = ordered(left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64))
        return packed >> np.uint64(32), packed & np.uint64(0xFFFFFFFF)
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    fresh = np.ones(len(left), bool)
    fresh[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    return left[fresh], right[fresh]


def _deal(
    batches: Batches, dictionary: Dictionary, counts: Array, progress: Progress
) -> list[tuple[int, int]]:
    """Statements into files of whole relations; returns each file's first and last relation."""
    bucket_of = (np.cumsum(counts) - counts) // _BUCKET
    _, bucket_of = np.unique(bucket_of, return_inverse=True)
    edges = np.searchsorted(bucket_of, np.arange(bucket_of.max(initial=-1) + 2))
    buckets = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    files = [(batches.folder / f"bucket.{number}").open("wb") for number in range(len(buckets))]
    for batch in range(len(batches)):
        ids = dictionary.of_batch(batch)
        relations = batches.predicates_of(batch)
        rows = np.empty((len(relations), 3), np.int64)
        rows[:, 0] = relations
        rows[:, 1] = ids[batches.load(batch, "subjects", np.uint32)]
        rows[:, 2] = ids[batches.load(batch, "objects", np.uint32)]
        numbers = bucket_of[relations]
        ordered = rows[stable_order(numbers, len(buckets))] if len(buckets) > 1 else rows
        ends = np.cumsum(np.bincount(numbers, minlength=len(buckets)))
        for file, piece in zip(files, np.split(ordered, ends[:-1]), strict=True):
            file.write(np.ascontiguousarray(piece).data)
        progress("dealing facts", batch + 1, len(batches))
    for file in files:
        file.close()
    return buckets


class _Way:
    def __init__(self, draft: IndexDraft, way: str, node: np.dtype, span: np.dtype) -> None:
        self._draft, self._name = draft, way
        self._keys: ArrayWriter = draft.writer(f"{way}.keys", node)
        self._offsets: ArrayWriter = draft.writer(f"{way}.offsets", span)
        self._values: ArrayWriter = draft.writer(f"{way}.values", node)
        self._starts = [0]
        self._facts = 0

    def append(self, keys: Array, values: Array) -> None:
        fresh = np.ones(len(keys), bool)
        fresh[1:] = keys[1:] != keys[:-1]
        self._keys.append(keys[fresh])
        self._offsets.append(np.flatnonzero(fresh) + self._facts)
        self._values.append(values)
        self._facts += len(values)
        self._starts.append(self._keys.length)

    def close(self) -> None:
        self._offsets.append(np.array([self._facts]))
        for writer in (self._keys, self._offsets, self._values):
            writer.close()
        self._draft.save(f"{self._name}.starts", np.array(self._starts, np.int64))


# What touches each node, as one list a node: relations out and in, those with values, steps to
# values.


Entries = Callable[[], Iterator[tuple[int, Array]]]


def write_lists(
    facts: SortedFacts, dictionary: Dictionary, hidden: Array, draft: IndexDraft, progress: Progress
) -> None:
    """`hidden` relations are in no list: nobody may be offered them."""
    visible = np.flatnonzero(~hidden).tolist()
    first, last = dictionary.entities, dictionary.entities + dictionary.numbers + dictionary.times
    has_value = np.zeros(dictionary.nodes, bool)

    def compared(relation: int) -> Array:
        rows = facts.rows("out", relation)
        return rows.keys[rows.any((rows.values >= first) & (rows.values < last))]

    def out() -> Iterator[tuple[int, Array]]:
        return ((relation, facts.rows("out", relation).keys) for relation in visible)

    def into() -> Iterator[tuple[int, Array]]:
        return ((relation, facts.rows("in", relation).keys) for relation in visible)

    def comparable() -> Iterator[tuple[int, Array]]:
        return ((relation, compared(relation)) for relation in visible)

    def steps() -> Iterator[tuple[int, Array]]:
        for relation in visible:
            rows = facts.rows("out", relation)
            yield 2 * relation, rows.keys[rows.any(has_value[rows.values])]
            rows = facts.rows("in", relation)
            yield 2 * relation + 1, rows.keys[rows.any(has_value[rows.values])]

    code = narrow(2 * facts.relations)
    invert(draft, "relations.out", out, dictionary.entities, code)
    progress("listing relations", 1, 4)
    invert(draft, "relations.in", into, dictionary.nodes, code)
    progress("listing relations", 2, 4)
    for _, nodes in comparable():
        has_value[nodes] = True
    invert(draft, "relations.comparable", comparable, dictionary.entities, code)
    progress("listing relations", 3, 4)
    invert(draft, "steps", steps, dictionary.nodes, code)
    progress("listing relations", 4, 4)


def invert(draft: IndexDraft, name: str, entries: Entries, nodes: int, code: np.dtype) -> None:
    """Code → its nodes, turned into node → its codes in order; `entries` is read twice."""
    counts = np.zeros(nodes + 1, np.int64)
    for _, members in entries():
        counts[members.astype(np.int64) + 1] += 1
    np.cumsum(counts, out=counts)
    total = int(counts[-1])
    draft.save(f"{name}.offsets", counts.astype(narrow(max(total, 1 << 16))))
    codes = draft.scatter(f"{name}.codes", code, total)
    cursors = counts
    for number, members in entries():
        places = cursors[members]
        codes[places] = number
        cursors[members] = places + 1
