"""A shortlist of a very large set of candidates by the model's own encoder.

Question and candidates are read apart, so that a candidate is read once and its vectors are kept. A candidate
is as good as its word pieces are met, each by the nearest piece of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.ranker import WordRanker
from arcaneqa.model.reader import QuestionReader, Reader, parts
from arcaneqa.model.stored import Floats
from arcaneqa.model.word_pieces import WordPieces

Halves = NDArray[np.float16]

MOST_READ = 512
"""Of more candidates than this the words choose: reading thousands would keep the first question waiting."""
_LONGEST = 48
"""Word pieces of a candidate that are read."""


class EncoderRanker:
    """Implements `induction.scorer.Ranker`; threads may share it."""

    beyond = 64

    def __init__(self, questions: QuestionReader, reader: Reader, words: WordPieces) -> None:
        self._by_words = WordRanker()
        self._questions = questions
        self._texts = _Vectors(reader, words, most=8_192)

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        places, met = self.nearest(question, texts)
        return [places[rank] for rank in np.argsort(-np.array(met), kind="stable")[:limit].tolist()]

    def nearest(self, question: str, texts: Sequence[str]) -> tuple[Sequence[int], Sequence[float]]:
        """Places of texts, and how well each is met (at most 1); of very many the words choose some."""
        places: Sequence[int] = range(len(texts))
        if len(texts) > MOST_READ:
            places = sorted(self._by_words.rank(question, texts, MOST_READ))
        if not places:
            return [], []
        read = self._questions.one(question).vectors
        # The closing mark stands for no word; where there are none it is all there is.
        asked = _units(read[:-1] if len(read) > 1 else read)
        pieces = self._texts.of([texts[place] for place in places])
        counts = np.array([len(own) for own in pieces])
        nearest = (np.concatenate(pieces).astype(np.float32) @ asked.T).max(1)
        met = np.add.reduceat(nearest, np.cumsum(counts) - counts) / counts
        return places, met.tolist()


class _Vectors:
    """A unit vector for every word piece of a text; those of at most so many texts are kept."""

    def __init__(self, reader: Reader, words: WordPieces, most: int) -> None:
        self._reader = reader
        self._tokenizer = words.tokenizer
        self._most = most
        self._known: dict[str, Halves] = {}
        self._lock = Lock()

    def of(self, texts: Sequence[str]) -> list[Halves]:
        with self._lock:
            missing = list(dict.fromkeys(text for text in texts if text not in self._known))
            if missing and len(self._known) + len(missing) > self._most:
                self._known.clear()
                missing = list(dict.fromkeys(texts))
            self._known |= zip(missing, self._read(missing), strict=True)
            return [self._known[text] for text in texts]

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
