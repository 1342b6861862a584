"""The encoder's vectors of questions alone: read once, for whoever wants to know what a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from arcaneqa.model.reader import Reader, parts
from arcaneqa.model.stored import Floats
from arcaneqa.model.tokens import CLS, SEP, Pieces, WordPieces

REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question's word pieces, as many as are read, and their vectors; the closing mark's comes last."""

    pieces: Pieces
    vectors: Floats


class QuestionReader:
    """Threads may share it."""

    def __init__(self, reader: Reader, words: WordPieces) -> None:
        self._reader = reader
        self._words = words
        ids, ends = words.specials.ids, words.specials.offsets
        self._opening, self._closing = (ids[ends[mark] : ends[mark + 1]] for mark in (CLS, SEP))
        self.one = lru_cache(REMEMBERED)(self._one)

    def _one(self, question: str) -> ReadQuestion:
        [found] = self.read([question])
        return found

    def read(self, questions: Sequence[str]) -> list[ReadQuestion]:
        pieces = self._words.questions(questions)
        rows = [np.concatenate([self._opening, np.array(own.ids, np.int32), self._closing]) for own in pieces]
        lengths = np.array([len(row) for row in rows], np.int64)
        read: list[Floats] = []
        for part in parts(lengths):
            vectors = self._reader.read(np.concatenate(rows[part]).astype(np.int32), lengths[part])
            read += np.split(vectors, np.cumsum(lengths[part])[:-1])
        first = len(self._opening)
        return [ReadQuestion(own, vectors[first:]) for own, vectors in zip(pieces, read, strict=True)]
