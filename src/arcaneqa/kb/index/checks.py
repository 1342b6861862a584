"""Whether what an index holds is in range: compiled loops read its arrays without asking.

Looked at once, when a build that was not made here is opened first; the folder is then known to be sound.
"""

from __future__ import annotations

import codecs
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.diagnosis import Diagnosis
from arcaneqa.kb.index.store import Array, map_array
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.profile import profile_from_json
from arcaneqa.kb.schema import Schema
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import plain_json

_PIECE = 1 << 22
"""Elements that are compared at a time."""
_COUNTS = ("facts", "entities", "numbers", "times", "booleans", "text")


def check_contents(folder: Path, manifest: dict[str, Any]) -> None:
    """A ValueError where the files do not fit together, though each is what the manifest says."""
    counts = manifest["counts"]
    _require(all(type(counts[each]) is int and counts[each] >= 0 for each in _COUNTS), "counts")
    types, spellings = manifest["types"], manifest.get("spellings", {})
    _require(all(isinstance(each, str) for each in (*types, *spellings, *spellings.values())), "types")
    try:
        profile_from_json(manifest["profile"], str(folder))
    except InputError as error:
        raise ValueError(str(error)) from None
    if (told := manifest.get("diagnosis")) is not None:
        list(Diagnosis.from_json(told).lines())
    schema = Schema.from_json(plain_json(folder / "schema.json"))
    _check_schema(schema)
    checks = _Checks(lambda name: map_array(folder / f"{name}.bin", manifest["arrays"][name]), counts)
    checks.facts(len(schema.relations))
    checks.lists(len(schema.relations), len(schema.classes))
    checks.terms(len(types))
    checks.values(len(schema.relations))
    try:
        Surfaces(folder).check(checks.nodes)
    except sqlite3.Error as error:
        raise ValueError(f"surfaces: {error}") from None


class _Checks:
    def __init__(self, load: Callable[[str], Array], counts: dict[str, int]) -> None:
        self._load, self._counts = load, counts
        self._entities = counts["entities"]
        self._valued = sum(counts[each] for each in ("numbers", "times", "booleans"))
        self.nodes = self._entities + self._valued + counts["text"]

    def facts(self, relations: int) -> None:
        for way in ("out", "in"):
            keys, values = self._load(f"{way}.keys"), self._load(f"{way}.values")
            starts = self._offsets(f"{way}.starts", relations, len(keys))
            offsets = self._offsets(f"{way}.offsets", len(keys), len(values), is_filled=True)
            self._ids(f"{way}.keys", keys, 0, self._entities if way == "out" else self.nodes, starts)
            self._ids(f"{way}.values", values, 0, self._entities if way == "in" else self.nodes, offsets)

    def lists(self, relations: int, classes: int) -> None:
        """The lists of codes, and the members of classes."""
        for name, rows, codes in (
            ("relations.out", self._entities, relations),
            ("relations.in", self.nodes, relations),
            ("relations.comparable", self._entities, relations),
            ("steps", self.nodes, 2 * relations),
            ("classes", self._entities, classes),
        ):
            found = self._load(f"{name}.codes")
            self._ids(name, found, 0, codes, self._offsets(f"{name}.offsets", rows, len(found)))
        members = self._load("members.nodes")
        offsets = self._offsets("members.offsets", classes, len(members))
        self._ids("members", members, 0, self._entities, offsets)

    def terms(self, types: int) -> None:
        literals = self.nodes - self._entities
        self._strings("entity", self._entities)
        self._strings("literal", literals)
        joined = len(self._load("joined.offsets")) - 1
        self._strings("joined", joined)
        self._within("literal.types", literals, 0, types)
        digests = self._load("lookup.digests")
        self._within("lookup.nodes", len(digests), 0, self.nodes)
        self._rising("lookup.digests", digests)
        self._within("labels", self._entities, self._entities, self.nodes + 1 + joined)
        self._within("degrees", self.nodes, 0, None)
        aliases = self._load("aliases.values")
        self._offsets("aliases.offsets", self._entities, len(aliases))
        self._within("aliases.values", len(aliases), self._entities, self.nodes)

    def values(self, relations: int) -> None:
        for kind, count in (("number", "numbers"), ("time", "times"), ("boolean", "booleans")):
            major = self._sized(f"{kind}.major", self._counts[count], "f")
            self._sized(f"{kind}.minor", self._counts[count], "f")
            self._rising(f"{kind}.major", major)
        self._rising("literal.groups", self._sized("literal.groups", self._valued, "iu"))
        starts = self._load("in.starts")
        spans = self._sized("relation.spans", 3 * relations, "iu").reshape(-1, 3)
        edges = np.column_stack((np.zeros(relations, np.int64), spans, starts[1:] - starts[:-1]))
        _require(bool((edges[:, 1:] >= edges[:, :-1]).all()), "relation.spans")
        self._sized("relation.numbers", 2 * relations, "iu")
        self._sized("relation.times", 2 * relations, "f")

    def _sized(self, name: str, length: int, kinds: str) -> Array:
        found = self._load(name)
        _require(len(found) == length and found.dtype.kind in kinds, name)
        return found

    def _within(self, name: str, length: int, low: int, end: int | None) -> None:
        _check_within(name, self._sized(name, length, "iu"), low, end)

    def _offsets(self, name: str, rows: int, end: int, is_filled: bool = False) -> Array:
        """Where so many rows begin and end in `end` places; none is empty if they are filled."""
        found = self._sized(name, rows + 1, "iu")
        _require(int(found[0]) == 0 and int(found[-1]) == end, name)
        for first in range(0, rows, _PIECE):
            before, after = found[first : first + _PIECE + 1][:-1], found[first + 1 : first + 1 + _PIECE]
            _require(bool((after > before if is_filled else after >= before).all()), name)
        return found

    def _ids(self, name: str, found: Array, low: int, end: int, offsets: Array) -> None:
        """Ids in their range, and in order within each row."""
        _require(found.dtype.kind in "iu", name)
        _check_within(name, found, low, end)
        begins = np.zeros(len(found) + 1, bool)
        begins[offsets] = True
        for first in range(1, len(found), _PIECE):
            after = found[first : first + _PIECE]
            before = found[first - 1 : first - 1 + len(after)]
            _require(bool(((after > before) | begins[first : first + len(after)]).all()), name)

    def _rising(self, name: str, found: Array) -> None:
        _require(bool((found[1:] >= found[:-1]).all()) and bool((found == found).all()), name)

    def _strings(self, name: str, count: int) -> None:
        heap = self._sized(f"{name}.heap", len(self._load(f"{name}.heap")), "u")
        offsets = self._offsets(f"{name}.offsets", count, len(heap))
        decode = codecs.getincrementaldecoder("utf-8")().decode
        for first in range(0, len(heap) + 1, _PIECE):  # a last piece that is empty ends the text
            decode(heap[first : first + _PIECE].tobytes(), final=first + _PIECE > len(heap))
        inner = offsets[(offsets > 0) & (offsets < len(heap))]
        _require(bool(((heap[inner] & 0xC0) != 0x80).all()), name)


def _check_schema(schema: Schema) -> None:
    relations, classes = len(schema.relations), len(schema.classes)
    for relation in schema.relations:
        _require(isinstance(relation.iri, str) and isinstance(relation.label, str), "schema")
        _require(_are_counts(relation.facts, relation.objects), "schema")
        ends = [each for each in (relation.domain, relation.range) if each is not None]
        _require(_are_places((*ends, *relation.other_domains), classes), "schema")
        _require(relation.inverse is None or _are_places([relation.inverse], relations), "schema")
    for klass in schema.classes:
        _require(isinstance(klass.iri, str) and isinstance(klass.label, str), "schema")
        _require(_are_counts(klass.members) and isinstance(klass.text, str | None), "schema")
    paired = [*schema.time_pairs, *(each for each in schema.time_pairs.values() if each is not None)]
    _require(_are_places(paired, relations), "schema")


def _are_counts(*numbers: object) -> bool:
    return all(isinstance(each, int) and each >= 0 for each in numbers)


def _are_places(numbers: Iterable[object], end: int) -> bool:
    return all(isinstance(each, int) and 0 <= each < end for each in numbers)


def _check_within(name: str, found: NDArray[Any], low: int, end: int | None) -> None:
    if len(found):
        _require(int(found.min()) >= low and (end is None or int(found.max()) < end), name)


def _require(is_so: bool, name: str) -> None:
    if not is_so:
        raise ValueError(f"{name} is out of range")
