"""A shortlist of a very large set of candidates by their words, where no learned ranker is at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from threading import Lock
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

_WIDTH = 512
_LASTING = 512
_MOST_KEPT = 16
_MOST_TEXTS = 32_768
"""Texts whose vectors are kept: 64 MB of them, at 2 KB each. A single larger list is kept as well."""
_WORD = re.compile(r"[^\W_]+")
# Words of questions and of candidates' wording that say nothing about which relation or class is meant.
_EMPTY = """
    a an and are by did do does for from had has have how in is it its of on or that the their to was were
    what when where which who whom whose why with thing
"""
_EMPTY_WORDS = frozenset(_EMPTY.split())


class WordRanker:
    """Ranks texts by the words and parts of words they share with the question.

    Each text becomes a vector of its words and of the pieces of three letters in them, so that inflection and
    typing errors do little harm. Vectors are made once and kept.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._vectors: NDArray[np.float32] = np.zeros((1024, _WIDTH), np.float32)
        self._kept: dict[int, tuple[Sequence[str], NDArray[np.float32]]] = {}
        self._lock = Lock()

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        asked = _vector(question)
        said = np.flatnonzero(asked)
        # A question has few pieces. Not a matrix product, whose threads would wait for a free processor.
        scores = np.einsum("i,ij->j", asked[said], self._columns(texts)[said])
        order: list[int] = np.argsort(-scores, kind="stable")[:limit].tolist()
        return order

    def _columns(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' vectors side by side; those of a list that comes again are kept, and the list too."""
        known = self._kept.get(id(texts))
        if known is not None:
            return known[1]
        fresh = {text: _vector(text) for text in texts if text not in self._rows}
        with self._lock:
            places = self._places(texts, fresh)
            columns = self._vectors[places].T
            if len(texts) >= _LASTING:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                columns = np.ascontiguousarray(columns)
                self._kept[id(texts)] = (texts, columns)
        return columns

    def _places(self, texts: Sequence[str], fresh: dict[str, NDArray[np.float32]]) -> list[int]:
        """Rows of the texts, the new ones added. Only under the lock: other threads add and clear too, so
        whether a text is new is asked again here."""
        if len(self._rows) + len(fresh) > _MOST_TEXTS:
            self._rows.clear()
            self._vectors = np.zeros((1024, _WIDTH), np.float32)
        for text in texts:
            if text not in self._rows:
                row = len(self._rows)
                if row == len(self._vectors):
                    self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
                self._vectors[row] = fresh[text] if text in fresh else _vector(text)
                self._rows[text] = row
        return [self._rows[text] for text in texts]


def _vector(text: str) -> NDArray[np.float32]:
    vector = np.zeros(_WIDTH, np.float32)
    for word in _WORD.findall(text.lower()):
        if word not in _EMPTY_WORDS:
            padded = f" {word} "
            for piece in {padded, *(padded[i : i + 3] for i in range(len(padded) - 2))}:
                vector[crc32(piece.encode()) % _WIDTH] += 1.0
    norm = np.sqrt(np.linalg.norm(vector))
    return vector / norm if norm else vector
