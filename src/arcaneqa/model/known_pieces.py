"""Word pieces of strings met before: a search asks for the same few again and again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np

from arcaneqa.induction.scorer import Candidate
from arcaneqa.model.pieces_of_words import Ids, PiecesOfWords
from arcaneqa.model.word_pieces import CLS, COLON, SEMICOLON, SEP, Packed, Pieces, WordPieces


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
        self._pieces = PiecesOfWords(words.tokenizer)
        self._limit = limit
        self._contexts: dict[str, Ids] = {}
        self._candidates: dict[tuple[str | None, str], Ids] = {}
        self._questions: dict[str, Pieces] = {}
        self._lock = Lock()
        specials = words.specials
        self.specials = [ids.tolist() for ids in np.split(specials.ids, specials.offsets[1:-1])]

    @property
    def size(self) -> int:
        """Strings kept."""
        return len(self._contexts) + len(self._candidates) + len(self._questions)

    def asked(self, question: str, context: str, candidates: Sequence[Candidate]) -> Asked:
        config, texts = self._words.config, self._texts(candidates)
        types = [one.types for one in candidates] if config.types else [""] * len(texts)
        return Asked(question, context if config.context else "", tuple(zip(texts, types, strict=True)))

    def _texts(self, candidates: Sequence[Candidate]) -> Sequence[str | None]:
        return [one.text for one in candidates]

    def question(self, text: str) -> Pieces:
        with self._lock:
            if text not in self._questions:
                if len(self._questions) >= self._limit // 20:
                    self._questions.clear()
                self._questions[text] = self._words.question(text)
            return self._questions[text]

    def pack(self, decisions: Sequence[Asked]) -> Packed:
        """The encoder inputs of decisions, exactly as training lays them out: `word_pieces.pack` does so for
        thousands at once, and takes longer for a handful."""
        laid = _Laid(self.specials, self._words.config.max_tokens)
        for asked in decisions:
            question = self.question(asked.question).ids
            with self._lock:
                context = self._context(asked.context)
                known = self._candidates
                candidates = [known.get(pair) or self._candidate(pair) for pair in asked.candidates]
            laid.add(question, context, candidates, [text is not None for text, _ in asked.candidates])
        return laid.packed()

    def _context(self, text: str) -> Ids:
        if (known := self._contexts.get(text)) is None:
            self._make_room()
            # The end of the program so far matters most, so the beginning is what gets cut.
            known = self._contexts[text] = self._pieces.of(text)[-self._words.config.max_context :]
        return known

    def _candidate(self, pair: tuple[str | None, str]) -> Ids:
        """Its text, a colon and its types."""
        if (known := self._candidates.get(pair)) is None:
            self._make_room()
            (text, types), config = pair, self._words.config
            more = self._pieces.of(types)[: config.max_types]
            known = [] if text is None else self._pieces.of(text)[: config.max_text]
            known = self._candidates[pair] = [*known, *self.specials[COLON], *more] if more else known
        return known

    def _make_room(self) -> None:
        if len(self._contexts) + len(self._candidates) >= self._limit:
            self._contexts.clear()
            self._candidates.clear()


class _Laid:
    """Inputs as they are laid out, one decision after the other."""

    def __init__(self, specials: Sequence[Ids], most: int) -> None:
        self._opening, self._closing, self._mark = specials[CLS], specials[SEP], specials[SEMICOLON]
        self._most = most
        self._ids: Ids = []
        self._input_starts: list[int] = []
        self._input_decisions: list[int] = []
        self._question_lengths: list[int] = []
        self._candidate_inputs: list[int] = []
        self._candidate_starts: list[int] = []
        self._candidate_lengths: list[int] = []
        self._candidate_decisions: list[int] = []

    def add(self, question: Ids, context: Ids, candidates: Sequence[Ids], is_marked: Sequence[bool]) -> None:
        """`is_marked`: which candidates are told apart from the next; of others the encoder sees no text."""
        ids, decision = self._ids, len(self._question_lengths)
        start = [*self._opening, *question, *self._closing, *context, *(self._closing if context else ())]
        sizes = [
            len(own) + (len(self._mark) if marked else 0)
            for own, marked in zip(candidates, is_marked, strict=True)
        ]
        total, room = sum(sizes), self._most - len(start) - 1
        parts = [0] * len(sizes) if total <= room else _parts(sizes, room)
        part, was_marked = -1, False
        for own, here, marked in zip(candidates, parts, is_marked, strict=True):
            if here != part:
                if part >= 0:
                    ids += self._closing
                part = here
                self._input_starts.append(len(ids))
                self._input_decisions.append(decision)
                ids += start
            elif was_marked:
                ids += self._mark
            self._candidate_inputs.append(len(self._input_starts) - 1)
            self._candidate_starts.append(len(ids))
            ids += own
            was_marked = marked
        ids += self._closing
        self._candidate_lengths += map(len, candidates)
        self._question_lengths.append(len(question))
        self._candidate_decisions += [decision] * len(candidates)

    def packed(self) -> Packed:
        starts = self._input_starts
        lists = (
            starts,
            [end - start for start, end in pairwise([*starts, len(self._ids)])],
            self._input_decisions,
            self._question_lengths,
            self._candidate_inputs,
            self._candidate_starts,
            self._candidate_lengths,
            self._candidate_decisions,
        )
        # One array for all of them: to make eight takes longer than to fill them.
        whole = np.array(list(chain.from_iterable(lists)), np.int64)
        ends = accumulate(map(len, lists), initial=0)
        return Packed(np.array(self._ids, np.int32), *(whole[start:end] for start, end in pairwise(ends)))


def _parts(sizes: Sequence[int], room: int) -> list[int]:
    """Which of several inputs each candidate goes into: where its first token falls, so that a part may run
    over by one candidate."""
    stride, last = room - max(sizes), sum(sizes) - 1
    # What the encoder does not see may come behind all that it sees, and opens no input of its own.
    return [min(before, last) // stride for before in accumulate(sizes[:-1], initial=0)]
