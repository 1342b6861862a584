"""Word pieces of strings met before: a search asks for the same few again and again."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np

from arcaneqa.induction.scorer import Candidate
from arcaneqa.model.word_pieces import EMPTY, Packed, Pieces, TokenTable, WordPieces, pack


class Asked(NamedTuple):
    """All that the encoder reads of a decision; equal ones are encoded once.

    A candidate is its text and its types; without a text the encoder does not see it."""

    question: str
    context: str
    candidates: tuple[tuple[str | None, str], ...]


class KnownPieces:
    """Keeps `limit` strings; when there are more it begins anew, so that memory stays flat.

    Threads may share it."""

    def __init__(self, words: WordPieces, limit: int = 20_000) -> None:
        self._words = words
        self._limit = limit
        self._known: dict[tuple[str, str], list[int]] = {}
        self._questions: dict[str, Pieces] = {}
        self._lock = Lock()
        specials = words.specials
        self._specials = [ids.tolist() for ids in np.split(specials.ids, specials.offsets[1:-1])]

    @property
    def size(self) -> int:
        """Strings kept."""
        return len(self._known) + len(self._questions)

    def asked(self, question: str, context: str, candidates: Sequence[Candidate], topics: int = 0) -> Asked:
        """`topics` is how many of the first variables are linked entities."""
        config = self._words.config
        named = tuple((self._text(one, topics), one.types if config.types else "") for one in candidates)
        return Asked(question, context if config.context else "", named)

    def _text(self, candidate: Candidate, topics: int) -> str | None:
        if candidate.variable is None:
            return candidate.text
        config = self._words.config
        is_read = config.entity_text if candidate.variable < topics else config.made_text
        return candidate.text if is_read else None

    def question(self, text: str) -> Pieces:
        with self._lock:
            if text not in self._questions:
                if len(self._questions) >= self._limit // 20:
                    self._questions.clear()
                self._questions[text] = self._words.questions([text])[0]
            return self._questions[text]

    def pack(self, decisions: Sequence[Asked]) -> Packed:
        """The encoder inputs of decisions, exactly as training lays them out."""
        named = [pair for asked in decisions for pair in asked.candidates]
        first = len(self._specials)
        table = TokenTable.of(
            [
                *self._specials,
                *(self.question(asked.question).ids for asked in decisions),
                *self._rows("contexts", [asked.context for asked in decisions]),
                *self._rows("texts", [text or "" for text, _ in named]),
                *self._rows("types", [types for _, types in named]),
            ]
        )
        questions = first + np.arange(len(decisions))
        contexts = questions + len(decisions)
        texts = first + 2 * len(decisions) + np.arange(len(named))
        types = texts + len(named)
        texts[[text is None for text, _ in named]] = EMPTY
        lengths = table.lengths
        return pack(
            table,
            questions,
            np.where(lengths[contexts] == 0, EMPTY, contexts),
            np.array([len(asked.candidates) for asked in decisions]),
            texts,
            np.where(lengths[types] == 0, EMPTY, types),
            self._words.config,
        )

    def _rows(self, role: str, texts: Sequence[str]) -> list[list[int]]:
        with self._lock:
            missing = list(dict.fromkeys(text for text in texts if (role, text) not in self._known))
            if missing:
                if len(self._known) + len(missing) > self._limit:
                    self._known.clear()
                    missing = list(dict.fromkeys(texts))
                table: TokenTable = getattr(self._words, role)(missing)
                for number, text in enumerate(missing):
                    ids = table.ids[table.offsets[number] : table.offsets[number + 1]]
                    self._known[role, text] = ids.tolist()
            return [self._known[role, text] for text in texts]
