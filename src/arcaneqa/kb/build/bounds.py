"""Files made to take all memory or time are refused while they are read, before a parser sees them.

A bound watches the text of a file piece by piece and raises at the piece that goes too far. Ordinary files
are nowhere near: the limits are some hundred times what is found in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

import numpy as np

from arcaneqa.errors import InputError
from arcaneqa.kb.index.store import Array

LONGEST_VALUE = 1 << 24
"""Bytes in one value or one line; the parsers themselves hold no more (16 MiB)."""
DEEPEST_XML = 1_000
"""Elements within each other; RDF/XML by people has some ten."""
DEEPEST_JSON = 200
"""Elements and objects within each other; the parsers' time grows with the square of it."""
DEEPEST_TURTLE = 1_000
"""Brackets within each other: the parser keeps all that are open, and some 20,000 statements that quote each
other end the process."""
LARGEST_OBJECT = 1 << 26
MOST_VALUES = 4_000_000
"""Bytes and values in one object of JSON-LD; the parser was seen to hold 20 bytes a byte, or 400 a value."""
LONGEST_ENTITY = 10_000
"""Characters that a DTD's entity may stand for; in OWL files they are namespaces, some fifty long."""
_FREE = 1 << 24
"""Bytes of text (16 MiB) before growth is looked at."""
_MOST_GROWTH = 20
"""Entities may make of a text so many times its length, beyond the first 16 MiB."""

_ENTITY = re.compile(rb"""<!ENTITY\s+(?:%\s*)?([^\s>]+)\s+(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^\s;&<]{1,200});")


class Bound(Protocol):
    def see(self, piece: bytes) -> None: ...


class Entities:
    """XML's entities: what each stands for when written out, and how much text all their uses make."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sizes: dict[bytes, int] = {}
        self._rest = b""
        self._read = self._made = 0

    def see(self, piece: bytes) -> None:
        self._read += len(piece)
        text = self._rest + piece
        self._declare(text)
        if self._sizes:
            self._use(piece)
        # A declaration, or its first letters, may go on in the next piece.
        begun = text.rfind(b"<!ENTITY")
        self._rest = text[-16:] if begun < 0 or _ENTITY.match(text, begun) else text[begun:]
        if len(self._rest) > 2 * LONGEST_ENTITY:
            self._refuse("declares an entity without end")

    def _declare(self, text: bytes) -> None:
        for name, double, single in _ENTITY.findall(text):
            value = double or single
            size = len(value) + sum(self._sizes.get(inner, 1) for inner in _REFERENCE.findall(value))
            if size > LONGEST_ENTITY:
                self._refuse(f"declares an entity that stands for {size:,} characters")
            self._sizes[name] = size

    def _use(self, piece: bytes) -> None:
        self._made += sum(self._sizes.get(name, 1) for name in _REFERENCE.findall(piece))
        if self._made > _FREE + _MOST_GROWTH * self._read:
            self._refuse(f"makes {self._made:,} characters of {self._read:,} with its entities")

    def _refuse(self, what: str) -> None:
        raise InputError(f"{self._name} {what}: such files are made to fill memory, and are not read.")


class Depth:
    """Elements, objects or brackets within each other. The loops that measure it are compiled; to load what
    they need takes longer than to read a small file of lines, so only who measures does."""

    def __init__(self, name: str, measure: Callable[[Array, Array], int], deepest: int, what: str) -> None:
        from arcaneqa.kb.build.depth import begun

        self._name, self._measure, self._deepest, self._what = name, measure, deepest, what
        self._state = begun()

    @classmethod
    def of_xml(cls, name: str) -> Depth:
        from arcaneqa.kb.build.depth import xml_depth

        return cls(name, xml_depth, DEEPEST_XML, "elements")

    @classmethod
    def of_turtle(cls, name: str) -> Depth:
        from arcaneqa.kb.build.depth import turtle_depth

        return cls(name, turtle_depth, DEEPEST_TURTLE, "brackets")

    def see(self, piece: bytes) -> None:
        if self._measure(np.frombuffer(piece, np.uint8), self._state) > self._deepest:
            raise InputError(
                f"{self._name} has more than {self._deepest:,} {self._what} within each other, which is not "
                "read; write it as plain N-Triples."
            )


class JsonDepth(Depth):
    """Objects and arrays within each other; and how large the outermost object is, of which a parser hands
    out nothing before its end."""

    def __init__(self, name: str) -> None:
        from arcaneqa.kb.build.depth import json_depth

        super().__init__(name, json_depth, DEEPEST_JSON, "objects")

    def see(self, piece: bytes) -> None:
        super().see(piece)
        size, values = self._state[4:6]
        if size > LARGEST_OBJECT or values > MOST_VALUES:
            raise InputError(
                f"{self._name} has one object of more than {LARGEST_OBJECT >> 20} MiB or {MOST_VALUES:,} "
                "values, too large to hold; write it as an array of objects, or as N-Triples."
            )


class Stretches:
    """Text between two brackets of XML."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._length = 0

    def see(self, piece: bytes) -> None:
        last = max(piece.rfind(b"<"), piece.rfind(b">"))
        self._length = self._length + len(piece) if last < 0 else len(piece) - last
        if self._length > LONGEST_VALUE:
            raise InputError(too_long(self._name))


def too_long(name: str) -> str:
    return (
        f"{name} has a value or a line of more than {LONGEST_VALUE >> 20} MiB, too long to read; shorten it."
    )
