"""JSON-LD that leaves its context on the web: nothing is fetched, but schema.org's words need no list, and
most pages and packages speak in them."""

from __future__ import annotations

import re
from typing import BinaryIO

_KNOWN = re.compile(
    rb'("@context"\s{0,80}:\s{0,80}(?:\[\s{0,80})?)'
    rb'"https?://(?:(?:www\.)?schema\.org(?:/?|/docs/jsonldcontext\.jsonl?d?)'
    rb'|w3id\.org/ro/crate/[\w.-]{1,20}/context|(?:w3id\.org/codemeta|doi\.org/10\.5063/schema/codemeta)[\w./-]{0,20})"'
)
"""The contexts of schema.org, of packages of research data (RO-Crate) and of software (CodeMeta), whose words
are those of schema.org."""
_LONGEST = 512
"""Bytes of such a context with the key before it."""
_WORDS = rb'\1{"@vocab": "http://schema.org/"}'


class KnownContexts:
    """A file of JSON-LD, with contexts that are known written into it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._held, self._waiting = b"", b""

    def read(self, size: int = -1) -> bytes:
        """No more than `size` bytes: what a context takes more waits."""
        while not self._waiting:
            piece = self._file.read(size)
            text = _KNOWN.sub(_WORDS, self._held + piece)
            # A context may go on in the next piece.
            end = len(text) - _LONGEST if piece and size >= 0 else len(text)
            self._waiting, self._held = text[: max(end, 0)], text[max(end, 0) :]
            if not piece:
                break
        size = len(self._waiting) if size < 0 else size
        piece, self._waiting = self._waiting[:size], self._waiting[size:]
        return piece
