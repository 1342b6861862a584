"""First pass: statements → batches on disk, each with its own small dictionary.

A batch holds the terms it met for the first time, in that order, and its statements as positions in that
list. Nothing grows with the size of the input: one batch is in memory at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pyoxigraph import BlankNode, Literal, NamedNode, Quad

from arcaneqa.errors import InputError
from arcaneqa.kb.build.sources import Source
from arcaneqa.kb.lookup import literal_type, term_digest, term_key
from arcaneqa.kb.store import Array

ENTITY = 0xFFFFFFFF
"""In a batch's `types`: the term is not a literal."""

Progress = Callable[[str, int, int | None], None]


@dataclass
class Batches:
    """What the first pass left in its working folder."""

    folder: Path
    terms: list[int] = field(default_factory=list)
    """How many terms each batch has."""
    predicates: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    """Datatype IRI, or `@` and language → number."""
    prefixes: dict[str, str] = field(default_factory=dict)
    statements: int = 0

    def __len__(self) -> int:
        return len(self.terms)

    def load(self, batch: int, name: str, dtype: Any) -> Array:
        return np.fromfile(self.folder / f"{batch}.{name}", dtype)

    def heap(self, batch: int) -> bytes:
        return (self.folder / f"{batch}.heap").read_bytes()


def read_batches(sources: Iterable[Source], folder: Path, size: int, progress: Progress) -> Batches:
    batches = Batches(folder)
    sources = list(sources)
    for number, source in enumerate(sources):
        # A blank node's label holds within its file only.
        scope = f"s{number}_" if len(sources) > 1 else ""
        batch = _Batch(batches, scope)
        for quad in source.quads():
            batch.add(quad)
            if len(batch.predicates) >= size:
                batch.write()
                batch = _Batch(batches, scope)
                progress("reading statements", batches.statements, None)
        batch.write()
        for prefix, namespace in source.prefixes.items():
            batches.prefixes.setdefault(prefix, namespace)
    progress("reading statements", batches.statements, batches.statements)
    return batches


class _Batch:
    def __init__(self, batches: Batches, scope: str) -> None:
        self._batches, self._scope = batches, scope
        self._positions: dict[str, int] = {}
        self._heap = bytearray()
        self._lengths = array("I")
        self._types = array("I")
        self._digests = bytearray()
        self.subjects, self.predicates, self.objects = array("I"), array("I"), array("I")

    def add(self, quad: Quad) -> None:
        subject, predicate, object_ = quad.subject, quad.predicate.value, quad.object
        name = str(subject)
        position = self._positions.get(name)
        self.subjects.append(self._new(name, subject) if position is None else position)
        name = str(object_)
        position = self._positions.get(name)
        self.objects.append(self._new(name, object_) if position is None else position)
        known = self._batches.predicates
        number = known.get(predicate)
        if number is None:
            number = known[predicate] = len(known)
        self.predicates.append(number)

    def _new(self, name: str, term: object) -> int:
        position = self._positions[name] = len(self._positions)
        kind = ENTITY
        if isinstance(term, NamedNode):
            text = key = term.value.encode()
        elif isinstance(term, BlankNode):
            text = key = f"_:{self._scope}{term.value}".encode()
        elif isinstance(term, Literal):
            types = self._batches.types
            spelled = literal_type(term.datatype.value, term.language or "")
            kind = types.setdefault(spelled, len(types))
            text, key = term.value.encode(), term_key(term.value, spelled)
        else:
            raise InputError(f"The statement about {name} quotes another statement, which cannot be indexed.")
        self._heap += text
        self._lengths.append(len(text))
        self._types.append(kind)
        self._digests += term_digest(key)
        return position

    def write(self) -> None:
        if not self.predicates:
            return
        number, folder = len(self._batches), self._batches.folder
        (folder / f"{number}.heap").write_bytes(self._heap)
        (folder / f"{number}.digests").write_bytes(self._digests)
        for name in ("subjects", "predicates", "objects"):
            (folder / f"{number}.{name}").write_bytes(getattr(self, name))
        (folder / f"{number}.lengths").write_bytes(self._lengths)
        (folder / f"{number}.types").write_bytes(self._types)
        self._batches.terms.append(len(self._positions))
        self._batches.statements += len(self.predicates)
