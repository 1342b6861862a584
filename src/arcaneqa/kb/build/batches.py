"""First pass: statements → batches on disk, each with its own small dictionary.

A batch holds the terms it met for the first time, in that order, and its statements as positions in that
list. Nothing grows with the size of the input: one batch (one a process) is in memory at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pyoxigraph import BlankNode, Literal, NamedNode, Quad

from arcaneqa.errors import InputError
from arcaneqa.kb.lookup import literal_type, term_digest, term_key
from arcaneqa.kb.store import Array

ENTITY = 0xFFFFFFFF
"""In a batch's `types`: the term is not a literal."""

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Summary:
    """What a batch's files do not say: its sizes, and what its predicate and type numbers stand for."""

    terms: int
    statements: int
    predicates: list[str]
    types: list[str]


class Batch:
    """Collects statements, then writes them. `scope` sets the blank nodes of one file apart."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._positions: dict[str, int] = {}
        self._predicates: dict[str, int] = {}
        self._types: dict[str, int] = {}
        self._heap, self._digests = bytearray(), bytearray()
        self._columns = {
            name: array("I") for name in ("subjects", "predicates", "objects", "lengths", "types")
        }

    def __len__(self) -> int:
        return len(self._columns["predicates"])

    def add(self, quad: Quad) -> None:
        subject, object_ = quad.subject, quad.object
        positions, columns = self._positions, self._columns
        name = str(subject)
        position = positions.get(name)
        columns["subjects"].append(self._new(name, subject) if position is None else position)
        name = str(object_)
        position = positions.get(name)
        columns["objects"].append(self._new(name, object_) if position is None else position)
        predicates = self._predicates
        columns["predicates"].append(predicates.setdefault(quad.predicate.value, len(predicates)))

    def _new(self, name: str, term: object) -> int:
        position = self._positions[name] = len(self._positions)
        kind = ENTITY
        if isinstance(term, NamedNode):
            text = key = term.value.encode()
        elif isinstance(term, BlankNode):
            text = key = f"_:{self._scope}{term.value}".encode()
        elif isinstance(term, Literal):
            spelled = literal_type(term.datatype.value, term.language or "")
            kind = self._types.setdefault(spelled, len(self._types))
            text, key = term.value.encode(), term_key(term.value, spelled)
        else:
            raise InputError(f"The statement about {name} quotes another statement, which cannot be indexed.")
        self._heap += text
        self._digests += term_digest(key)
        self._columns["lengths"].append(len(text))
        self._columns["types"].append(kind)
        return position

    def write(self, folder: Path, number: int) -> Summary:
        (folder / f"{number}.heap").write_bytes(self._heap)
        (folder / f"{number}.digests").write_bytes(self._digests)
        for name, column in self._columns.items():
            (folder / f"{number}.{name}").write_bytes(column)
        return Summary(len(self._positions), len(self), list(self._predicates), list(self._types))


@dataclass
class Batches:
    """What the first pass left in its working folder, with one numbering of predicates and types."""

    folder: Path
    summaries: list[Summary]
    prefixes: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.summaries)

    @cached_property
    def statements(self) -> int:
        return sum(summary.statements for summary in self.summaries)

    @cached_property
    def predicates(self) -> list[str]:
        return sorted({iri for summary in self.summaries for iri in summary.predicates})

    @cached_property
    def types(self) -> list[str]:
        return sorted({name for summary in self.summaries for name in summary.types})

    @cached_property
    def _predicate_numbers(self) -> dict[str, int]:
        return {iri: number for number, iri in enumerate(self.predicates)}

    @cached_property
    def _type_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.types)}

    def load(self, batch: int, name: str, dtype: Any) -> Array:
        return np.fromfile(self.folder / f"{batch}.{name}", dtype)

    def predicates_of(self, batch: int) -> Array:
        """The relation of each statement: its predicate's place in `predicates`."""
        known = [self._predicate_numbers[iri] for iri in self.summaries[batch].predicates]
        return np.array(known, np.int64)[self.load(batch, "predicates", np.uint32)]

    def types_of(self, batch: int) -> Array:
        """The type of each term: its place in `types`, or ENTITY."""
        known = [self._type_numbers[name] for name in self.summaries[batch].types]
        types = self.load(batch, "types", np.uint32)
        literals = types != ENTITY
        types[literals] = np.array(known, np.uint32)[types[literals]]
        return types

    def heap(self, batch: int) -> bytes:
        return (self.folder / f"{batch}.heap").read_bytes()
