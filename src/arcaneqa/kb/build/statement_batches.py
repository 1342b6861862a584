"""First pass: statements → batches on disk, each with its own small dictionary.

A batch holds the terms it met for the first time, in that order, and its statements as positions in that
list. Nothing grows with the size of the input: one batch (one a process) is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
from pyoxigraph import Literal, RdfFormat, parse, serialize

from arcaneqa.errors import InputError
from arcaneqa.kb.build.numbering import numbered
from arcaneqa.kb.build.sources import Statement
from arcaneqa.kb.index.lookup import term_digests, term_key
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.terms import XSD, XSD_STRING

ENTITY = 0xFFFFFFFF
"""In a batch's `types`: the term is not a literal."""
DIGEST = np.dtype([("first", "<u8"), ("second", "<u8")])
MENDED = tuple(
    XSD + name for name in ("integer", "decimal", "date", "dateTime", "gYearMonth", "gYear", "boolean")
)
"""Datatypes that literals of others may get."""
_IRI = ord("<")


@dataclass(frozen=True)
class Summary:
    """What a batch's files do not say: its sizes, what its predicate and type numbers stand for, and how the
    source wrote language tags that have capital letters."""

    terms: int
    statements: int
    predicates: list[str]
    types: list[str]
    spellings: dict[str, str]


class Batch:
    """Collects statements, then writes them. `scope` sets the blank nodes of one file apart.

    The parser's library writes what it has read in a form that needs no parsing: so statements never become
    objects here, and what a term is gets worked out once for each, when the batch is written.
    """

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._statements = b""
        self._length = 0
        self._types: dict[str, int] = {}

    def __len__(self) -> int:
        return self._length

    def fill(self, statements: Iterator[Statement], most: int | None = None) -> bool:
        """Take statements, `most` of them if given; whether there may be more."""
        taken: Iterator[Any] = islice(statements, most)
        written = serialize(taken, format=RdfFormat.N_TRIPLES)
        assert written is not None
        self._statements, self._length = written, written.count(b"\n")
        return self._length == most

    def write(self, folder: Path, number: int, spellings: dict[str, str]) -> Summary:
        found = numbered(self._statements)
        terms = found.terms
        heap = [term[1:-1] for term in terms]
        keys = heap.copy()
        kinds = np.full(len(terms), ENTITY, np.uint32)
        for place in [place for place, term in enumerate(terms) if term[0] != _IRI or term[1] == _IRI]:
            term = terms[place]
            if term.startswith(b'"'):
                heap[place], spelled = _literal(term)
                kinds[place] = self._types.setdefault(spelled, len(self._types))
                keys[place] = term_key(heap[place], spelled)
            elif term.startswith(b"_"):
                heap[place] = keys[place] = b"_:%b%b" % (self._scope.encode(), term[2:])
            else:
                quoted = shorten(term[3:-3].decode(), 200, placeholder=" …")
                raise InputError(f"The statement {quoted} is quoted by another, which cannot be indexed.")
        columns = {
            "subjects": found.subjects,
            "predicates": found.predicates,
            "objects": found.objects,
            "lengths": np.fromiter(map(len, heap), np.uint32, len(heap)),
            "types": kinds,
        }
        (folder / f"{number}.heap").write_bytes(b"".join(heap))
        (folder / f"{number}.digests").write_bytes(term_digests(keys))
        for name, column in columns.items():
            (folder / f"{number}.{name}").write_bytes(column.data)
        predicates = [iri[1:-1].decode() for iri in found.relations]
        return Summary(len(terms), len(self), predicates, list(self._types), dict(spellings))


def _literal(term: bytes) -> tuple[bytes, str]:
    """Lexical form and type of a literal in N-Triples form."""
    close = term.rindex(b'"')
    lexical, suffix = term[1:close], term[close + 1 :].decode()
    if b"\\" in lexical:
        quad = next(parse(b"<a:a> <a:a> %b ." % term, format=RdfFormat.N_TRIPLES))
        assert isinstance(quad.object, Literal)
        lexical = quad.object.value.encode()
    return lexical, suffix if suffix.startswith("@") else suffix[3:-1] or XSD_STRING


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
    def facts_of_predicates(self) -> dict[str, int]:
        """How many statements have each predicate, repeated ones included."""
        counts = np.zeros(len(self.predicates), np.int64)
        for batch in range(len(self)):
            counts += np.bincount(self.predicates_of(batch), minlength=len(counts))
        return dict(zip(self.predicates, counts.tolist(), strict=True))

    @cached_property
    def types(self) -> list[str]:
        return sorted({*MENDED, *(name for summary in self.summaries for name in summary.types)})

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Types that are language tags with capital letters, and how they were first written."""
        written = {
            f"@{tag}": f"@{text}"
            for summary in reversed(self.summaries)
            for tag, text in summary.spellings.items()
        }
        return {name: written[name] for name in self.types if name in written}

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
