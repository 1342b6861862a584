"""Second pass: the batches' dictionaries → one, with ids that keep together what is asked together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcaneqa.kb.build.batches import DIGEST, ENTITY, Batches
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.store import Array, IndexDraft, narrow, new_array
from arcaneqa.kb.interface import Window
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import BOOLEAN, NUMBERS, TIMES, Number, value_of
from arcaneqa.support.ragged import offsets_of, ranges
from arcaneqa.support.terminal import Progress

# Second pass: the batches' small dictionaries → one, with ids.


_RECORD = np.dtype([("first", "<u8"), ("second", "<u8"), ("at", "<i8")])


@dataclass(frozen=True)
class Dictionary:
    """Where each kind of node begins; for every term of every batch, end to end, its final id and where the
    same term was first met."""

    entities: int
    numbers: int
    times: int
    booleans: int
    text: int
    bases: Array
    ids: Array
    owners: Array

    @property
    def nodes(self) -> int:
        return self.entities + self.numbers + self.times + self.booleans + self.text

    def of_batch(self, batch: int) -> Array:
        return self.ids[self.bases[batch] : self.bases[batch + 1]]


def merge(batches: Batches, draft: IndexDraft, progress: Progress) -> Dictionary:
    bases = np.concatenate(
        ([0], np.cumsum([each.terms for each in batches.summaries], dtype=np.int64))
    ).astype(np.int64)
    owners = _owners(batches, bases, progress)
    ids = new_array(batches.folder / "ids", np.int64, int(bases[-1]))
    literals = _Literals(batches.types)
    entities = 0
    with draft.writer("entity.heap", np.uint8) as heap, draft.writer("entity.offsets", np.int64) as offsets:
        offsets.append(np.zeros(1, np.int64))
        written = 0
        for batch in range(len(batches)):
            start, end = bases[batch], bases[batch + 1]
            fresh = owners[start:end] == np.arange(start, end)
            types = batches.types_of(batch)
            lengths = batches.load(batch, "lengths", np.uint32).astype(np.int64)
            text = np.frombuffer(batches.heap(batch), np.uint8)
            new_entities = fresh & (types == ENTITY)
            chosen = np.repeat(new_entities, lengths)
            heap.append(text[chosen])
            ends = written + np.cumsum(lengths[new_entities])
            offsets.append(ends)
            written = int(ends[-1]) if len(ends) else written
            count = int(new_entities.sum())
            ids[start:end][new_entities] = np.arange(entities, entities + count)
            entities += count
            literals.take(np.flatnonzero(fresh & (types != ENTITY)), types, lengths, text, int(start))
            progress("merging names", batch + 1, len(batches))
    counts = literals.write(draft, ids, entities)
    for batch in range(len(batches)):
        start, end = bases[batch], bases[batch + 1]
        ids[start:end] = ids[owners[start:end]]
    return Dictionary(entities, *counts, bases, ids, owners)


def _owners(batches: Batches, bases: Array, progress: Progress) -> Array:
    """For every term of every batch, where the same term was first met."""
    total = int(bases[-1])
    parts = min(max(1, total >> 22), 4096)
    files = [(batches.folder / f"part.{part}").open("wb") for part in range(parts)]
    for batch in range(len(batches)):
        digests = batches.load(batch, "digests", DIGEST)
        records = np.empty(len(digests), _RECORD)
        records["first"], records["second"] = digests["first"], digests["second"]
        records["at"] = np.arange(bases[batch], bases[batch + 1])
        if parts == 1:
            files[0].write(records.data)
            continue
        part_of = _part(records["first"], parts)
        ordered = records[np.argsort(part_of.astype(np.uint16), kind="stable")]
        ends = np.cumsum(np.bincount(part_of, minlength=parts))
        for file, piece in zip(files, np.split(ordered, ends[:-1]), strict=True):
            file.write(piece.data)
    owners = new_array(batches.folder / "owners", np.int64, total)
    for part, file in enumerate(files):
        file.close()
        records = np.fromfile(file.name, _RECORD)
        # Stable, so that the first of equal digests is the first that was met.
        first, second = records["first"], records["second"]
        order = np.argsort(first, kind="stable")
        if np.any(_same(first[order]) & ~_same(second[order])):
            order = np.lexsort((second, first))
        fresh = ~(_same(first[order]) & _same(second[order]))
        at = records["at"][order]
        owners[at] = at[fresh][np.cumsum(fresh) - 1]
        progress("finding equal names", part + 1, parts)
    return owners


def _part(digests: Array, parts: int) -> Array:
    return ((digests >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


def _same(values: Array) -> Array:
    return np.concatenate(([False], values[1:] == values[:-1])) if len(values) else np.zeros(0, bool)


def write_lookup(batches: Batches, dictionary: Dictionary, draft: IndexDraft) -> None:
    """Digests in order, each with its node: how a term finds its id. Eight bytes of digest are enough to
    find it, because the term itself is compared in the end."""
    digests = np.empty(dictionary.nodes, np.uint64)
    for batch in range(len(batches)):
        start, end = dictionary.bases[batch], dictionary.bases[batch + 1]
        fresh = dictionary.owners[start:end] == np.arange(start, end)
        digests[dictionary.of_batch(batch)[fresh]] = batches.load(batch, "digests", DIGEST)["first"][fresh]
    order = np.argsort(digests)
    draft.save("lookup.digests", digests[order])
    draft.save("lookup.nodes", order.astype(narrow(dictionary.nodes)))


class _Literals:
    """New literals of all batches; those that compare are set apart with their values."""

    def __init__(self, types: list[str]) -> None:
        self._types = types
        self._comparable = np.array([name in NUMBERS | TIMES | {BOOLEAN} for name in types], bool)
        self._at: dict[str, list[Array]] = {"number": [], "time": [], "boolean": [], "text": []}
        self._keys: dict[str, list[Array]] = {"number": [], "time": [], "boolean": []}
        self._pieces: list[tuple[Array, Array, Array, Array]] = []

    def take(self, positions: Array, types: Array, lengths: Array, text: Array, base: int) -> None:
        if not len(positions):
            return
        ends = np.cumsum(lengths)[positions]
        starts = ends - lengths[positions]
        kinds = types[positions]
        self._pieces.append((positions + base, kinds, lengths[positions], _gather(text, starts, ends)))
        comparable = self._comparable[kinds]
        at: dict[str, list[int]] = {"number": [], "time": [], "boolean": []}
        keys: dict[str, list[tuple[float, float]]] = {"number": [], "time": [], "boolean": []}
        plain = [positions[~comparable] + base]
        uncomparable: list[int] = []
        raw = text.data
        for index in np.flatnonzero(comparable):
            lexical = str(raw[starts[index] : ends[index]], "utf-8")
            where = int(positions[index]) + base
            match value_of(Literal(lexical, self._types[kinds[index]])):
                case Number(nearest, rest):
                    at["number"].append(where)
                    keys["number"].append((nearest, rest))
                case Window(start, end):
                    at["time"].append(where)
                    keys["time"].append((start, end))
                case bool(truth):
                    at["boolean"].append(where)
                    keys["boolean"].append((float(truth), 0.0))
                case _:
                    uncomparable.append(where)
        for kind in at:
            self._at[kind].append(np.array(at[kind], np.int64))
            self._keys[kind].append(np.array(keys[kind], np.float64).reshape(-1, 2))
        self._at["text"].append(np.concatenate([*plain, np.array(uncomparable, np.int64)]))

    def write(self, draft: IndexDraft, ids: Array, first: int) -> tuple[int, int, int, int]:
        """Give ids by kind and value, and write types, values and text in the order of ids."""
        literal_base, counts = first, []
        groups, groups_before = [np.empty(0, np.int64)], 0
        for kind in ("number", "time", "boolean", "text"):
            at = _joined(self._at[kind], np.int64)
            if kind != "text":
                keys = np.concatenate(self._keys[kind]) if self._keys[kind] else np.empty((0, 2))
                order = np.lexsort((keys[:, 1], keys[:, 0]))
                at, keys = at[order], keys[order]
                fresh = np.ones(len(at), bool)
                fresh[1:] = np.any(keys[1:] != keys[:-1], axis=1)
                groups.append(groups_before + np.cumsum(fresh))
                groups_before += int(fresh.sum())
                draft.save(f"{kind}.major", np.ascontiguousarray(keys[:, 0]))
                draft.save(f"{kind}.minor", np.ascontiguousarray(keys[:, 1]))
            ids[at] = np.arange(first, first + len(at))
            first += len(at)
            counts.append(len(at))
        draft.save("literal.groups", np.concatenate(groups).astype(np.uint32))
        self._write_text(draft, ids, literal_base, first - literal_base)
        return counts[0], counts[1], counts[2], counts[3]

    def _write_text(self, draft: IndexDraft, ids: Array, base: int, count: int) -> None:
        lengths, types = np.zeros(count, np.int64), np.zeros(count, np.uint32)
        for at, kinds, sizes, _ in self._pieces:
            lengths[ids[at] - base], types[ids[at] - base] = sizes, kinds
        offsets = offsets_of(lengths)
        heap = draft.scatter("literal.heap", np.uint8, int(offsets[-1]))
        for at, _, sizes, text in self._pieces:
            starts = offsets[ids[at] - base]
            heap[ranges(starts, sizes)] = text
        draft.save("literal.offsets", offsets)
        draft.save("literal.types", types)


def _joined(pieces: list[Array], dtype: type) -> Array:
    return np.concatenate(pieces) if pieces else np.empty(0, dtype)


def _gather(text: Array, starts: Array, ends: Array) -> Array:
    return text[ranges(starts, ends - starts)]


# Between second and third pass: entities that are asked about together get neighbouring ids.


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
    from arcaneqa.kb.build import sorted_facts

    ranks = _ranks(batches, dictionary, progress)
    signatures = np.full((dictionary.entities, _LEVELS), _NONE, np.uint16)
    popularity = np.zeros(dictionary.entities, np.uint32)
    for batch in range(len(batches)):
        sorted_facts.sign(*_statements(batches, dictionary, batch), ranks, signatures, popularity)
        progress("grouping entities", batch + 1, len(batches))
    order = np.argsort(_NONE - np.frexp(popularity)[1].astype(np.uint16), kind="stable")
    for level in reversed(range(_LEVELS)):
        order = order[np.argsort(signatures[order, level], kind="stable")]
    is_popular = popularity[order] > _POPULAR * popularity.mean()
    order = np.concatenate((order[is_popular], order[~is_popular]))
    places = np.empty(dictionary.entities, np.int64)
    places[order] = np.arange(dictionary.entities)
    sorted_facts.relabel(dictionary.ids, places)
    return order


def _ranks(batches: Batches, dictionary: Dictionary, progress: Progress) -> Array:
    """By slot of a group, how many groups are larger. Groups that share a slot by chance count as one: that
    makes the order a little worse and nothing wrong."""
    from arcaneqa.kb.build import sorted_facts

    counts = np.zeros(1 << (batches.statements // _FACTS_A_SLOT).bit_length(), np.uint32)
    for batch in range(len(batches)):
        sorted_facts.count_groups(*_statements(batches, dictionary, batch), counts)
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


def rewrite_names(order: Array, draft: IndexDraft) -> None:
    """Put the names of entities into this order."""
    from arcaneqa.kb.build import sorted_facts

    text, ends = draft.take("entity.heap"), draft.take("entity.offsets")
    with draft.writer("entity.heap", np.uint8) as heap, draft.writer("entity.offsets", np.int64) as offsets:
        offsets.append(np.zeros(1, np.int64))
        for first in range(0, len(order), _PIECE):
            piece = order[first : first + _PIECE]
            written, own = sorted_facts.names(text, ends, piece)
            offsets.append(own + heap.length)
            heap.append(written)
