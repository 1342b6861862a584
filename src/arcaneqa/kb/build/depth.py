"""How deep a text is nested, byte by byte: what stands in strings, comments and IRIs is no depth.

Each loop reads one piece of a file and goes on from `state`, which the piece before it left; it gives back
how deep it was at most. Where a text is not well formed they rather see too much depth than too little.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.kb.index.store import Array

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
