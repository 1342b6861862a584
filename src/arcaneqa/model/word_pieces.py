"""Words into word pieces, and decisions into encoder inputs.

An input is a sequence of rows of a token table: `[CLS] question [SEP] context [SEP] text : types ;
text : types [SEP]`. Building it is array work only, so that training packs thousands at once; the
scorer uses the very same code for a handful.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from arcaneqa.errors import ModelError
from arcaneqa.model.config import ModelConfig
from arcaneqa.ragged import Ints, offsets_of, ranges

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
