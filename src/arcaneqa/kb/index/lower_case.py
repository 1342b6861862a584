"""Texts of a relation in lower case, end to end: one search through them finds all that hold some words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock

import numpy as np

from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.index.store import Strings
from arcaneqa.kb.interface import Ids
from arcaneqa.ragged import offsets_of

_BETWEEN = "\0"
MOST_KEPT = 8_000_000
"""Characters that are kept for the next question; up to four bytes each."""


class Spoken:
    """The texts that relations lead to, made when first asked for; the least recently used go first."""

    def __init__(self, into: Rows, literals: Strings, entities: int) -> None:
        self._into, self._literals, self._entities = into, literals, entities
        self._kept: OrderedDict[int, _Texts] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def holding(self, relation: int, words: str) -> Ids:
        """Rows of the texts that hold these words (in lower case)."""
        texts = self._texts(relation)
        return texts.first_row + np.fromiter(texts.holding(words), np.int64)

    def equal(self, relation: int, text: str) -> Ids:
        """Rows of the texts that are this one (in lower case)."""
        texts = self._texts(relation)
        # A text stands between two separators; one of its own would make it look like several.
        found = (place for place in texts.holding(text) if texts[place] == text)
        return texts.first_row + np.fromiter(found, np.int64)

    def _texts(self, relation: int) -> _Texts:
        with self._lock:
            if relation in self._kept:
                self._kept.move_to_end(relation)
                return self._kept[relation]
        first, last = self._into.starts[relation], self._into.starts[relation + 1]
        keys = self._into.keys[first:last]
        first += int(keys.searchsorted(keys.dtype.type(self._entities)))
        literals = self._into.keys[first:last].astype(np.int64) - self._entities
        made = _Texts(first, [text.lower() for text in self._literals.many(literals)])
        with self._lock:
            if relation not in self._kept:
                self._kept[relation] = made
                self._size += len(made.text)
            while self._size > MOST_KEPT:
                self._size -= len(self._kept.popitem(last=False)[1].text)
        return made


class _Texts:
    """Texts with a separator after each; `first_row` is where the first of them stands in the relation."""

    def __init__(self, first_row: int, texts: list[str]) -> None:
        self.first_row = first_row
        self.text = "".join(f"{text}{_BETWEEN}" for text in texts)
        self._starts = offsets_of(np.array([len(text) + 1 for text in texts], np.int64))

    def __getitem__(self, place: int) -> str:
        return self.text[self._starts[place] : self._starts[place + 1] - 1]

    def holding(self, words: str) -> Iterator[int]:
        at = self.text.find(words)
        while 0 <= at < len(self.text):
            place = int(self._starts.searchsorted(at, "right")) - 1
            end = int(self._starts[place + 1])
            # Words with a separator in them may begin in one text and end in the next.
            if at + len(words) < end:
                yield place
                at = self.text.find(words, end)
            else:
                at = self.text.find(words, at + 1)
