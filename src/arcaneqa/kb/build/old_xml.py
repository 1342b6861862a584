"""XML as old tools write it, in another encoding than UTF-8 or with entities in single quotes: the parser
reads neither."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from arcaneqa.errors import InputError

_DECLARED = re.compile(rb"""(<\?xml[^>]{0,100}?encoding\s*=\s*["'])([A-Za-z][\w.-]{0,40})""")
_ENTITY = re.compile(rb"""(<!ENTITY\s+[\w.-]+\s+)'([^'"<>]*)'(?=\s*>)""")
_START = 1 << 14
"""Bytes within which XML declares its encoding and its entities."""


class OldXml:
    """A file of XML as UTF-8, whatever it was written in."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._waiting = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._start = _ENTITY.sub(rb'\1"\2"', file.read(_START))
        declared = _DECLARED.match(self._start)
        if declared is not None and _codec(declared[2], name) not in ("utf-8", "ascii"):
            self._decoder = codecs.getincrementaldecoder(declared[2].decode())()
            self._start = declared[1] + b"UTF-8" + self._start[declared.end() :]

    def read(self, size: int = -1) -> bytes:
        """No more than `size` bytes: what takes more as UTF-8 waits."""
        if not self._waiting:
            self._waiting = self._next(size)
        size = len(self._waiting) if size < 0 else size
        piece, self._waiting = self._waiting[:size], self._waiting[size:]
        return piece

    def _next(self, size: int) -> bytes:
        piece = self._start or self._file.read(size)
        self._start = b""
        if self._decoder is None:
            return piece
        try:
            text = self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            raise InputError(f"{self._name} is not in the encoding that it declares: {error}.") from error
        # Half a character alone must not look like the end.
        return text.encode() if text or not piece else self._next(size)


def _codec(encoding: bytes, name: str) -> str:
    try:
        return codecs.lookup(encoding.decode()).name
    except LookupError as error:
        raise InputError(f"{name} declares an encoding that nobody knows: {encoding.decode()}.") from error
