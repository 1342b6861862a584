"""How near stretches of a question are to texts, by the vectors of the model's own encoder.

Question and texts are read apart, so that a text is read once and its vectors are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.model.reader import Reader, parts
from arcaneqa.model.word_pieces import CLS, SEP, KnownPieces, WordPieces

Halves = NDArray[np.float16]

_LONGEST = 48
"""Word pieces of a text that are read."""
_MOST_KEPT = 8_192
"""Texts whose vectors are kept."""


class TextNearness:
    """Threads may share it."""

    def __init__(self, reader: Reader, words: WordPieces, known: KnownPieces) -> None:
        self._reader = reader
        self._tokenizer = words.tokenizer
        self._questions = known
        self._texts: dict[str, Halves] = {}
        self._lock = Lock()

    def of(self, question: str, spans: Sequence[tuple[int, int]], texts: Sequence[str]) -> Floats:
        """Average, over the word pieces of each stretch, the likeness to the nearest piece of each text."""
        pieces = self._questions.question(question)
        opening, closing = self._questions.specials[CLS], self._questions.specials[SEP]
        row = np.array([*opening, *pieces.ids, *closing], np.int32)
        asked = _units(self._reader.read(row, np.array([len(row)], np.int64)))[len(opening) :]
        vectors = self._of_texts(texts)
        starts = np.cumsum([0, *(len(own) for own in vectors)])[:-1]
        nearest = np.maximum.reduceat(asked @ np.concatenate(vectors).astype(np.float32).T, starts, axis=1)
        places = [pieces.find(start, end) for start, end in spans]
        return np.stack([nearest[first : max(last, first + 1)].mean(0) for first, last in places])

    def _of_texts(self, texts: Sequence[str]) -> list[Halves]:
        with self._lock:
            missing = list(dict.fromkeys(text for text in texts if text not in self._texts))
            if missing and len(self._texts) + len(missing) > _MOST_KEPT:
                self._texts.clear()
                missing = list(dict.fromkeys(texts))
            self._texts |= zip(missing, self._read(missing), strict=True)
            return [self._texts[text] for text in texts]

    def _read(self, texts: Sequence[str]) -> list[Halves]:
        rows = [found.ids[:_LONGEST] for found in self._tokenizer.encode_batch_fast(list(texts))]
        lengths = np.array([len(row) for row in rows], np.int64)
        found: list[Halves] = []
        for part in parts(lengths) if rows else []:
            ids = np.array([token for row in rows[part] for token in row], np.int32)
            read = _units(self._reader.read(ids, lengths[part])).astype(np.float16)
            ends = np.cumsum(lengths[part])
            # The marks around a sentence stand for no word of it; without words they are all there is.
            found += [own[1:-1] if len(own) > 2 else own for own in np.split(read, ends[:-1])]
        return found


def _units(vectors: Floats) -> Floats:
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return found
