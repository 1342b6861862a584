"""Files made to take all memory or time are refused while they are read, before a parser sees them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

import numpy as np

from arcaneqa.kb.index.store import Array
from arcaneqa.support.compiled import compiled
from arcaneqa.support.errors import InputError

# How deep a text is nested, byte by byte: what stands in strings, comments and IRIs is no depth.


_NEWLINE, _SPACE, _BANG, _QUOTE, _HASH = ord("\n"), ord(" "), ord("!"), ord('"'), ord("#")
_APOSTROPHE, _OPEN, _CLOSE, _COMMA, _HYPHEN = ord("'"), ord("("), ord(")"), ord(","), ord("-")
_SLASH, _LESS, _GREATER, _QUESTION = ord("/"), ord("<"), ord(">"), ord("?")
_SQUARE, _ESCAPE, _SQUARED, _CURLY, _CURLED = ord("["), ord("\\"), ord("]"), ord("{"), ord("}")

_PLAIN, _ESCAPED, _BEGUN, _SHORT, _EMPTY, _LONG, _COMMENT, _IRI = range(8)
_BEGINS, _TAG, _VALUE, _ENDING, _DECLARED, _REMARK, _DATA, _ORDER = range(1, 9)
STATE = 8
"""Numbers in a state, which begins with zeros."""


@compiled
def turtle_depth(text: Array, state: Array) -> int:
    """Turtle, TriG, N3 and lines of N-Triples: brackets of every kind, and statements quoted by others."""
    mode, depth, mark, run, back = state[0], state[1], state[2], state[3], state[4]
    deepest = depth
    for byte in text:
        if mode == _ESCAPED:
            mode = back
            continue
        if mode == _BEGUN:  # after the first mark of a string
            mode = _EMPTY if byte == mark else _SHORT
            if mode == _EMPTY:
                continue
        elif mode == _EMPTY:  # after the second: the string was empty, or it is a long one
            mode, run = (_LONG, 0) if byte == mark else (_PLAIN, 0)
            if mode == _LONG:
                continue
        elif mode == _IRI and (byte <= _SPACE or byte in (_LESS, _QUOTE, _CURLY, _CURLED)):
            # It was none: a second bracket quotes a statement, and N3 has arrows.
            mode = _PLAIN
            if byte == _LESS:
                depth += 1
                deepest = max(deepest, depth)
                continue
        if byte == _ESCAPE and mode != _COMMENT:
            back, mode, run = mode, _ESCAPED, 0
        elif mode == _SHORT:
            if byte in (mark, _NEWLINE):
                mode = _PLAIN
        elif mode == _LONG:
            run = run + 1 if byte == mark else 0
            if run == 3:
                mode, run = _PLAIN, 0
        elif mode == _COMMENT:
            if byte == _NEWLINE:
                mode = _PLAIN
        elif mode == _IRI:
            if byte == _GREATER:
                mode, run = _PLAIN, 0
        elif byte in (_QUOTE, _APOSTROPHE):
            mode, mark = _BEGUN, byte
        elif byte == _HASH:
            mode = _COMMENT
        elif byte == _LESS:
            mode = _IRI
        elif byte in (_SQUARE, _OPEN, _CURLY):
            depth += 1
            deepest = max(deepest, depth)
        elif byte in (_SQUARED, _CLOSE, _CURLED):
            depth = max(0, depth - 1)
        elif byte == _GREATER:  # two of them end a quoted statement
            run += 1
            if run == 2:
                depth, run = max(0, depth - 1), 0
            continue
        if mode == _PLAIN:
            run = 0
    state[0], state[1], state[2], state[3], state[4] = mode, depth, mark, run, back
    return int(deepest)


@compiled
def json_depth(text: Array, state: Array) -> int:
    """Objects and arrays. Of the outermost object, which parsers hold as a whole, `state` has the bytes and
    the values so far (at 4 and 5)."""
    quoted, escaped, depth, outermost, size, values = (
        state[0],
        state[1],
        state[2],
        state[3],
        state[4],
        state[5],
    )
    deepest = depth
    for byte in text:
        size += outermost > 0
        if escaped:
            escaped = 0
        elif quoted:
            escaped = int(byte == _ESCAPE)
            quoted = int(byte != _QUOTE)
        elif byte == _QUOTE:
            quoted = 1
        elif byte == _COMMA:
            values += 1
        elif byte in (_SQUARE, _CURLY):
            depth += 1
            deepest = max(deepest, depth)
            if byte == _CURLY and not outermost:
                outermost, size, values = depth, 0, 0
        elif byte in (_SQUARED, _CURLED):
            if depth == outermost:
                outermost, size, values = 0, 0, 0
            depth -= 1
    state[0], state[1], state[2], state[3], state[4], state[5] = (
        quoted,
        escaped,
        depth,
        outermost,
        size,
        values,
    )
    return int(deepest)


@compiled
def xml_depth(text: Array, state: Array) -> int:
    """Elements. A declaration ends where its bracket closes or another opens."""
    mode, depth, mark, last, before = state[0], state[1], state[2], state[3], state[4]
    deepest = depth
    for byte in text:
        if mode == _REMARK:
            if byte == _GREATER and last == _HYPHEN and before == _HYPHEN:
                mode = _PLAIN
        elif mode == _DATA:
            if byte == _GREATER and last == _SQUARED and before == _SQUARED:
                mode = _PLAIN
        elif mode == _ORDER:
            if byte == _GREATER and last == _QUESTION:
                mode = _PLAIN
        elif mode == _VALUE:
            if byte == mark:
                mode = _TAG
        elif mode == _BEGINS:
            if byte == _SLASH:
                mode = _ENDING
            elif byte == _BANG:
                mode = _DECLARED
            elif byte == _QUESTION:
                mode = _ORDER
            else:
                mode = _TAG
        elif mode == _TAG:
            if byte in (_QUOTE, _APOSTROPHE):
                mode, mark = _VALUE, byte
            elif byte == _GREATER:
                mode = _PLAIN
                depth += last != _SLASH
                deepest = max(deepest, depth)
        elif mode == _ENDING:
            if byte == _GREATER:
                mode, depth = _PLAIN, max(0, depth - 1)
        elif byte == _LESS:
            mode = _BEGINS
        elif mode == _DECLARED:
            if byte == _GREATER:
                mode = _PLAIN
            elif last == _BANG and byte == _SQUARE:
                mode = _DATA
            elif last == _HYPHEN and byte == _HYPHEN and before == _BANG:
                mode = _REMARK
        before, last = last, byte
    state[0], state[1], state[2], state[3], state[4] = mode, depth, mark, last, before
    return int(deepest)


def begun() -> Array:
    return np.zeros(STATE, np.int64)


# Files made to take all memory or time are refused while they are read, before a parser sees them.


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


class ByteBound(Protocol):
    def see(self, piece: bytes) -> None: ...


class XmlEntities:
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

        self._name, self._measure, self._deepest, self._what = name, measure, deepest, what
        self._state = begun()

    @classmethod
    def of_xml(cls, name: str) -> Depth:

        return cls(name, xml_depth, DEEPEST_XML, "elements")

    @classmethod
    def of_turtle(cls, name: str) -> Depth:

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
