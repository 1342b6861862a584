"""Statements in canonical N-Triples → the distinct terms among them, and the statements as their numbers.

The form leaves nothing to parse: a line is a statement, no subject or predicate holds a space, and the object
goes on to the end of the line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcaneqa.kb.index.store import Array

_LARGE = 3 << 23
"""Bytes (24 MiB) from which on the compiled loop gains more than it takes to load."""


@dataclass(frozen=True)
class Numbered:
    """Terms and predicates in the order in which they were met, and for each statement the places of its
    subject and object among the terms, and of its predicate among the predicates."""

    subjects: Array
    predicates: Array
    objects: Array
    terms: list[bytes]
    relations: list[bytes]


def numbered(statements: bytes) -> Numbered:
    return _by_loop(statements) if len(statements) >= _LARGE else _by_line(statements)


def _by_line(statements: bytes) -> Numbered:
    terms: dict[bytes, int] = {}
    relations: dict[bytes, int] = {}
    lines = statements.split(b" .\n")
    columns = np.empty((3, len(lines) - 1), np.uint32)
    for place, line in enumerate(lines[:-1]):
        subject, predicate, object_ = line.split(b" ", 2)
        columns[0, place] = terms.setdefault(subject, len(terms))
        columns[1, place] = relations.setdefault(predicate, len(relations))
        columns[2, place] = terms.setdefault(object_, len(terms))
    return Numbered(columns[0], columns[1], columns[2], list(terms), list(relations))


def _by_loop(statements: bytes) -> Numbered:
    from arcaneqa.kb.build.loops import number, slots_for

    text, lines = np.frombuffer(statements, np.uint8), statements.count(b"\n")
    columns, terms, relations = number(text, lines, slots_for(2 * lines), slots_for(lines))
    return Numbered(
        columns[0], columns[1], columns[2], _slices(statements, terms), _slices(statements, relations)
    )


def _slices(text: bytes, spans: Array) -> list[bytes]:
    starts, ends = spans[:, 0].tolist(), spans[:, 1].tolist()
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
