"""Words into word pieces, decisions into encoder inputs, and the pieces of strings met before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from arcaneqa.induction.scorer import Candidate
from arcaneqa.model.config import ModelConfig
from arcaneqa.support.errors import ModelError
from arcaneqa.support.ragged import Ints, offsets_of, ranges

# Words into word pieces, and decisions into encoder inputs.


# The first rows of every table.
EMPTY, CLS, SEP, COLON, SEMICOLON = range(5)


@dataclass(frozen=True, slots=True)
class TokenTable:
    """Token ids of many strings, end to end."""

    ids: NDArray[np.int32]
    offsets: Ints

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> TokenTable:
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        flat = [token for row in rows for token in row]
        return cls(np.array(flat, np.int32), offsets_of(lengths))

    def followed_by(self, other: TokenTable) -> TokenTable:
        return TokenTable(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
        )

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A question's word pieces with the characters each stands for."""

    ids: list[int]
    spans: list[tuple[int, int]]

    def find(self, start: int, end: int) -> tuple[int, int]:
        """The pieces that a stretch of characters touches; empty where there are none."""
        touched = [i for i, (a, b) in enumerate(self.spans) if a < end and b > start]
        return (touched[0], touched[-1] + 1) if touched else (0, 0)


class WordPieces:
    """A tokenizer file of any BERT-like model, cut to the lengths of the configuration."""

    def __init__(self, tokenizer: Tokenizer, config: ModelConfig) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        self.config = config
        wrapped: list[int] = tokenizer.encode("").ids
        if len(wrapped) < 2:
            raise ModelError("the tokenizer does not put its own marks around a sentence, as BERT's does")
        self.separator = wrapped[-1]
        marks = [[], [wrapped[0]], [self.separator], self._ids(":"), self._ids(";")]
        self.specials = TokenTable.of(marks)

    @property
    def blank(self) -> int:
        """What stands for a word that is hidden."""
        found: int | None = self.tokenizer.token_to_id("[MASK]")
        if found is None:
            raise ModelError("this tokenizer has no [MASK]; train without --blanks")
        return found

    @classmethod
    def read(cls, path: Path, config: ModelConfig) -> WordPieces:
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises plain Exception
            raise ModelError(f"{path} is not a readable tokenizer ({error})") from error
        return cls(tokenizer, config)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def question(self, text: str) -> Pieces:
        """One alone: a batch would wake threads of the tokenizer's own, and wait for them."""
        limit, found = self.config.max_question, self.tokenizer.encode(text, add_special_tokens=False)
        return Pieces(found.ids[:limit], found.offsets[:limit])

    def questions(self, texts: Sequence[str]) -> list[Pieces]:
        limit = self.config.max_question
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [Pieces(piece.ids[:limit], piece.offsets[:limit]) for piece in found]

    def contexts(self, texts: Sequence[str]) -> TokenTable:
        """The end of the program so far matters most, so the beginning is what gets cut."""
        limit = self.config.max_context
        found = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return TokenTable.of([piece.ids[-limit:] for piece in found])

    def texts(self, texts: Sequence[str]) -> TokenTable:
        return self._head(texts, self.config.max_text)

    def types(self, texts: Sequence[str]) -> TokenTable:
        return self._head(texts, self.config.max_types)

    def _head(self, texts: Sequence[str], limit: int) -> TokenTable:
        found = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return TokenTable.of([piece.ids[:limit] for piece in found])


@dataclass(frozen=True, slots=True)
class Packed:
    """Encoder inputs of many decisions, end to end and not padded.

    Starts are positions in `ids`. Inputs are in the order of their decisions; a decision whose
    candidates did not fit has several, each with the whole question.
    """

    ids: NDArray[np.int32]
    input_starts: Ints
    input_lengths: Ints
    input_decisions: Ints
    question_lengths: Ints
    candidate_inputs: Ints
    candidate_starts: Ints
    candidate_lengths: Ints
    candidate_decisions: Ints


def pack(
    table: TokenTable,
    questions: Ints,
    contexts: Ints,
    counts: Ints,
    texts: Ints,
    types: Ints,
    config: ModelConfig,
) -> Packed:
    """Lay out decisions; all arguments but `counts` (candidates a decision) are rows of the table.

    A row of `EMPTY` stands for no context and for no types; as a text, for a candidate that the encoder does
    not see.
    """
    lengths = table.lengths
    decisions = np.repeat(np.arange(len(counts)), counts)
    colons = np.where(types == EMPTY, EMPTY, COLON)
    marks = np.where(texts == EMPTY, EMPTY, SEMICOLON)
    sizes = lengths[texts] + lengths[colons] + lengths[types] + lengths[marks]
    ends = np.cumsum(sizes)
    totals = np.bincount(decisions, sizes, len(counts)).astype(np.int64)
    before = ends - sizes - np.repeat(np.cumsum(totals) - totals, counts)
    closers = np.where(contexts == EMPTY, EMPTY, SEP)
    room = config.max_tokens - (lengths[questions] + lengths[contexts] + lengths[closers] + 3)
    # A candidate goes where its first token falls, so a part may run over by one candidate.
    longest = np.zeros(len(counts), np.int64)
    np.maximum.at(longest, decisions, sizes)
    stride = np.where(totals <= room, np.maximum(totals, 1), room - longest)
    # What the encoder does not see may come behind all that it sees, and opens no input of its own.
    parts = np.minimum(before, np.maximum(totals - 1, 0)[decisions]) // stride[decisions]
    new_input = np.ones(len(texts), bool)
    new_input[1:] = (decisions[1:] != decisions[:-1]) | (parts[1:] != parts[:-1])
    inputs = np.cumsum(new_input) - 1
    input_decisions = decisions[new_input]
    last = np.ones(len(texts), bool)
    last[:-1] = new_input[1:]

    held = np.bincount(inputs, minlength=len(input_decisions))
    rows = np.empty(6 * len(held) + 4 * len(texts), np.int64)
    row_starts = offsets_of(6 + 4 * held)[:-1]
    rows[row_starts] = CLS
    rows[row_starts + 1] = questions[input_decisions]
    rows[row_starts + 2] = SEP
    rows[row_starts + 3] = contexts[input_decisions]
    rows[row_starts + 4] = closers[input_decisions]
    rows[row_starts + 5 + 4 * held] = SEP
    place_of = row_starts[inputs] + 5 + 4 * (np.arange(len(texts)) - offsets_of(held)[:-1][inputs])
    rows[place_of] = texts
    rows[place_of + 1] = colons
    rows[place_of + 2] = types
    rows[place_of + 3] = np.where(last, EMPTY, marks)

    row_lengths = lengths[rows]
    token_starts = np.cumsum(row_lengths) - row_lengths
    starts = token_starts[row_starts]
    total = int(row_lengths.sum())
    return Packed(
        ids=table.ids[ranges(table.offsets[rows], row_lengths)],
        input_starts=starts,
        input_lengths=np.diff(np.append(starts, total)),
        input_decisions=input_decisions,
        question_lengths=lengths[questions],
        candidate_inputs=inputs,
        candidate_starts=token_starts[place_of],
        candidate_lengths=lengths[texts] + lengths[colons] + lengths[types],
        candidate_decisions=decisions,
    )


# The word pieces of a text, put together from those of its words.


Ids = list[int]

_MOST = 50_000
"""Words kept; when there are more it begins anew."""


class PiecesOfWords:
    """Threads may share it: at worst a word is looked at twice."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        normalizer = tokenizer.normalizer
        self._is_like_bert = (
            isinstance(normalizer, BertNormalizer)
            and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
            and isinstance(tokenizer.model, WordPiece)
        )
        self._lowers = self._is_like_bert and normalizer.lowercase
        self._known: dict[str, Ids] = {}

    def of(self, text: str) -> Ids:
        if not self._is_like_bert:
            return self._look(text)
        if len(self._known) > _MOST:
            self._known = {}
        known, found = self._known, []
        for word in text.split(" "):
            if (own := known.get(word)) is None:
                own = known[word] = self._of_word(word)
            found += own
        return found

    def _of_word(self, word: str) -> Ids:
        # A word is cut where its longest known beginning ends: one that is known is its only piece.
        if word.isascii() and word.isalpha():
            number: int | None = self._tokenizer.token_to_id(word.lower() if self._lowers else word)
            if number is not None:
                return [number]
        return self._look(word)

    def _look(self, text: str) -> Ids:
        # Not in a batch: that would wake threads of the tokenizer's own.
        ids: Ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


# Word pieces of strings met before: a search asks for the same few again and again.


class EncoderInput(NamedTuple):
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

    def asked(self, question: str, context: str, candidates: Sequence[Candidate]) -> EncoderInput:
        config, texts = self._words.config, self._texts(candidates)
        types = [one.types for one in candidates] if config.types else [""] * len(texts)
        return EncoderInput(
            question, context if config.context else "", tuple(zip(texts, types, strict=True))
        )

    def _texts(self, candidates: Sequence[Candidate]) -> Sequence[str | None]:
        return [one.text for one in candidates]

    def question(self, text: str) -> Pieces:
        with self._lock:
            if text not in self._questions:
                if len(self._questions) >= self._limit // 20:
                    self._questions.clear()
                self._questions[text] = self._words.question(text)
            return self._questions[text]

    def pack(self, decisions: Sequence[EncoderInput]) -> Packed:
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
