"""Third pass: statements with final ids, sorted by relation, both ways, without repeats.

Statements are first dealt into buckets of neighbouring relations, so that only one bucket is in memory.
For each relation the folder then holds its distinct subjects in order with their objects (`out`), and its
distinct objects in order with their subjects (`in`), as compressed rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.statement_batches import Batches
from arcaneqa.kb.index.sets import ordered
from arcaneqa.kb.index.store import Array, ArrayWriter, Draft, narrow
from arcaneqa.terminal import Progress

_BUCKET = 1 << 22
"""Facts sorted at a time (4 million, or all of one relation), which bounds memory."""


@dataclass(frozen=True)
class Rows:
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


class Facts:
    """The sorted facts of a draft, relation by relation."""

    def __init__(self, draft: Draft, relations: int) -> None:
        self.relations = relations
        self._ways = {
            way: [draft.load(f"{way}.{part}") for part in ("starts", "keys", "offsets", "values")]
            for way in ("out", "in")
        }

    def rows(self, way: str, relation: int) -> Rows:
        starts, keys, offsets, values = self._ways[way]
        first, last = int(starts[relation]), int(starts[relation + 1])
        spans = offsets[first : last + 1].astype(np.int64)
        return Rows(keys[first:last], spans - spans[0], values[spans[0] : spans[-1]])

    def every(self, way: str) -> Iterator[tuple[int, Rows]]:
        for relation in range(self.relations):
            yield relation, self.rows(way, relation)


def write_facts(batches: Batches, dictionary: Dictionary, draft: Draft, progress: Progress) -> Facts:
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
    return Facts(draft, relations)


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
    def __init__(self, draft: Draft, way: str, node: np.dtype, span: np.dtype) -> None:
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
