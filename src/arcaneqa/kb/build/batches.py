"""First pass: statements → batches on disk, each with its own small dictionary.

A batch holds the terms it met for the first time, in that order, and its statements as positions in that
list. Nothing grows with the size of the input: one batch (one a process) is in memory at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from pyoxigraph import Literal, Quad, RdfFormat, parse

from arcaneqa.errors import InputError
from arcaneqa.kb.lookup import term_digest, term_key
from arcaneqa.kb.store import Array
from arcaneqa.kb.terms import XSD_STRING

ENTITY = 0xFFFFFFFF
"""In a batch's `types`: the term is not a literal."""

Progress = Callable[[str, int, int | None], None]


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

    Terms are told apart by their N-Triples form, which is cheap to have; what they are is worked out once
    for each, when the batch is written.
    """

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._terms: dict[str, int] = {}
        self._predicates: dict[str, int] = {}
        self._types: dict[str, int] = {}
        self._subjects, self._numbers, self._objects = array("I"), array("I"), array("I")

    def __len__(self) -> int:
        return len(self._numbers)

    def fill(self, quads: Iterator[Quad], most: int | None = None) -> bool:
        """Take statements, `most` of them if given; whether there may be more."""
        terms, predicates = self._terms, self._predicates
        term, predicate = terms.setdefault, predicates.setdefault
        subject, number, object_ = self._subjects.append, self._numbers.append, self._objects.append
        for quad in islice(quads, most):
            subject(term(str(quad.subject), len(terms)))
            object_(term(str(quad.object), len(terms)))
            number(predicate(quad.predicate.value, len(predicates)))
        return len(self) == most

    def write(self, folder: Path, number: int, spellings: dict[str, str]) -> Summary:
        terms = list(self._terms)
        heap = [term[1:-1].encode() for term in terms]
        keys = heap.copy()
        kinds = array("I", [ENTITY]) * len(terms)
        for place in [place for place, term in enumerate(terms) if term[0] != "<" or " " in term]:
            term = terms[place]
            if term[0] == '"':
                lexical, spelled = _literal(term)
                kinds[place] = self._types.setdefault(spelled, len(self._types))
                heap[place], keys[place] = lexical.encode(), term_key(lexical, spelled)
            elif term[0] == "_":
                heap[place] = keys[place] = f"_:{self._scope}{term[2:]}".encode()
            else:  # no IRI has a space
                raise InputError(f"The statement {term} is quoted by another, which cannot be indexed.")
        (folder / f"{number}.heap").write_bytes(b"".join(heap))
        (folder / f"{number}.digests").write_bytes(b"".join([term_digest(key) for key in keys]))
        columns = {
            "subjects": self._subjects,
            "predicates": self._numbers,
            "objects": self._objects,
            "lengths": array("I", map(len, heap)),
            "types": kinds,
        }
        for name, column in columns.items():
            (folder / f"{number}.{name}").write_bytes(column)
        return Summary(len(terms), len(self), list(self._predicates), list(self._types), dict(spellings))


def _literal(term: str) -> tuple[str, str]:
    """Lexical form and type of a literal in N-Triples form."""
    close = term.rindex('"')
    lexical, suffix = term[1:close], term[close + 1 :]
    if "\\" in lexical:
        quad = next(parse(f"<a:a> <a:a> {term} .", format=RdfFormat.N_TRIPLES))
        assert isinstance(quad.object, Literal)
        lexical = quad.object.value
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
    def types(self) -> list[str]:
        return sorted({name for summary in self.summaries for name in summary.types})

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
