"""Files made to take all memory or time are refused while they are read, before a parser sees them.

A bound watches the text of a file piece by piece and raises at the piece that goes too far. Ordinary files
are nowhere near: the limits are some hundred times what is found in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol
from xml.parsers import expat

from arcaneqa.errors import InputError

LONGEST_VALUE = 1 << 24
"""Bytes in one value or one line; the parsers themselves hold no more (16 MiB)."""
DEEPEST_XML = 1_000
"""Elements within each other; RDF/XML by people has some ten."""
DEEPEST_JSON = 200
"""Elements and objects within each other; the parsers' time grows with the square of it."""
LONGEST_ENTITY = 10_000
"""Characters that a DTD's entity may stand for; in OWL files they are namespaces, some fifty long."""
_FREE = 1 << 24
"""Bytes of text (16 MiB) before growth is looked at."""
_MOST_GROWTH = 20
"""Entities may make of a text so many times its length, beyond the first 16 MiB."""

_ENTITY = re.compile(rb"""<!ENTITY\s+(?:%\s*)?([^\s>]+)\s+(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^\s;&<]{1,200});")
_MARK = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)


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


class XmlDepth:
    """Elements within each other. Counting brackets is cheap but takes comments for elements too, so that a
    count that is too high is only a reason to look closely, once, with a parser of plain XML."""

    def __init__(self, name: str, open_again: Callable[[], AbstractContextManager[BinaryIO]]) -> None:
        self._name, self._open_again = name, open_again
        self._depth = 0
        self._last = b""
        self._is_known_good = False

    def see(self, piece: bytes) -> None:
        if self._is_known_good:
            return
        text = self._last + piece  # a bracket of two characters may be cut apart
        self._depth += piece.count(b"<") - 2 * text.count(b"</") - text.count(b"/>")
        self._last = b"" if not text or text[-1:] not in b"</" else text[-1:]
        if self._depth > DEEPEST_XML:
            self._look_closely()
            self._is_known_good = True

    def _look_closely(self) -> None:
        depth = 0

        def opened(*_: object) -> None:
            nonlocal depth
            depth += 1
            if depth > DEEPEST_XML:
                raise InputError(
                    f"{self._name} has more than {DEEPEST_XML:,} elements within each other, which is not "
                    "read; write it as N-Triples or Turtle."
                )

        def closed(_: object) -> None:
            nonlocal depth
            depth -= 1

        plain = expat.ParserCreate()
        plain.StartElementHandler, plain.EndElementHandler = opened, closed
        try:
            with self._open_again() as file:
                plain.ParseFile(file)
        except expat.ExpatError:
            return  # not XML: the parser of RDF stops there too, and says so


class JsonDepth:
    """Objects and arrays within each other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._depth = 0
        self._is_text = False
        self._rest = b""

    def see(self, piece: bytes) -> None:
        text = self._rest + piece
        end = 0
        for found in _MARK.finditer(text):
            end = found.end()
            mark = found[0]
            if mark == b'"':
                self._is_text = not self._is_text
            elif not self._is_text and len(mark) == 1:
                self._depth += 1 if mark in b"[{" else -1
                if self._depth > DEEPEST_JSON:
                    raise InputError(
                        f"{self._name} has more than {DEEPEST_JSON} objects within each other, which is not "
                        "read; write it as N-Triples or Turtle."
                    )
        # Of an escape, the second character may come with the next piece.
        self._rest = text[-1:] if end < len(text) and text.endswith(b"\\") else b""


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
