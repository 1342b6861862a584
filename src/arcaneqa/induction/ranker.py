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
_MOST_ASKED = 64
"""Questions whose scores are kept: so many are searched for at a time, and each ranks several lists."""
_WORD = re.compile(r"[^\W_]+")
Vectors = NDArray[np.float32]
Places = NDArray[np.int64]
# Words of questions and of candidates' wording that say nothing about which relation or class is meant.
_EMPTY = """
    a an and are by did do does for from had has have how in is it its of on or that the their to was were
    what when where which who whom whose why with thing
"""
_NONE: Vectors = np.empty(0, np.float32)
_EMPTY_WORDS = frozenset(_EMPTY.split())


class WordRanker:
    """Ranks texts by the words and parts of words they share with the question.

    Each text becomes a vector of its words and of the pieces of three letters in them, so that inflection and
    typing errors do little harm. Vectors are made once and kept, side by side; a question is compared with
    all of them at once, and a list looks up its own.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((_WIDTH, 1024), np.float32)
        self._lists: dict[int, tuple[Sequence[str], Places]] = {}
        self._scores: dict[str, Vectors] = {}
        self._lock = Lock()

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        if not texts:
            return []
        is_known = id(texts) in self._lists or all(map(self._rows.__contains__, texts))
        fresh = {} if is_known else {text: _vector(text) for text in texts if text not in self._rows}
        with self._lock:
            places = self._places(texts, fresh)
            scores = self._scored(question)[places]
        order: list[int] = np.argsort(-scores, kind="stable")[:limit].tolist()
        return order

    def _places(self, texts: Sequence[str], fresh: dict[str, Vectors]) -> Places:
        """Where the texts' vectors are, the new ones added; of a list that comes again this is kept, and the
        list with it. Only under the lock: other threads add and clear too, so it is asked again here."""
        if (known := self._lists.get(id(texts))) is not None:
            return known[1]
        if len(self._rows) + len(fresh) > _MOST_TEXTS:
            for kept in (self._rows, self._lists, self._scores):
                kept.clear()
            self._vectors = np.zeros((_WIDTH, 1024), np.float32)
        for text in (text for text in texts if text not in self._rows):
            place = len(self._rows)
            if place == self._vectors.shape[1]:
                self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)], axis=1)
            self._vectors[:, place] = fresh[text] if text in fresh else _vector(text)
            self._rows[text] = place
        places = np.fromiter(map(self._rows.__getitem__, texts), np.int64, len(texts))
        if len(texts) >= _LASTING:
            if len(self._lists) >= _MOST_KEPT:
                self._lists.clear()
            self._lists[id(texts)] = (texts, places)
        return places

    def _scored(self, question: str) -> Vectors:
        """How well each text so far is met by the question."""
        known = self._scores.get(question, _NONE)
        if len(known) < len(self._rows):
            asked = _vector(question)
            said = np.flatnonzero(asked)  # a question has few pieces
            added = self._vectors[said, len(known) : len(self._rows)]
            # Not a matrix product, whose threads would wait for a free processor.
            known = np.concatenate([known, np.einsum("i,ij->j", asked[said], added)])
            if len(self._scores) >= _MOST_ASKED:
                self._scores.clear()
            self._scores[question] = known
        return known


def _vector(text: str) -> Vectors:
    vector = np.zeros(_WIDTH, np.float32)
    for word in _WORD.findall(text.lower()):
        if word not in _EMPTY_WORDS:
            padded = f" {word} "
            for piece in {padded, *(padded[i : i + 3] for i in range(len(padded) - 2))}:
                vector[crc32(piece.encode()) % _WIDTH] += 1.0
    norm = np.sqrt(np.linalg.norm(vector))
    return vector / norm if norm else vector
