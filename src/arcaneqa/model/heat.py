"""How candidates and the words of a question look at each other: schema linking made visible."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.scorer import Heat
from arcaneqa.model.reader import Reader
from arcaneqa.model.word_pieces import EncoderInput, KnownPieces, Pieces


def heat(reader: Reader, known: KnownPieces, asked: EncoderInput) -> Heat:
    packed = known.pack([asked])
    pieces = known.question(asked.question)
    length = len(pieces.ids)
    rows = np.zeros((2, len(asked.candidates), length), np.float32)
    for number, (start, size) in enumerate(zip(packed.input_starts, packed.input_lengths, strict=True)):
        looks = reader.looks(packed.ids[start : start + size])
        question = slice(1, 1 + length)
        for candidate in np.flatnonzero(packed.candidate_inputs == number):
            first = packed.candidate_starts[candidate] - start
            own = slice(first, first + max(1, packed.candidate_lengths[candidate]))
            rows[0, candidate] = looks[own, question].mean(0)
            # A name of many pieces is looked at no more than one of few.
            rows[1, candidate] = looks[question, own].mean(1)
    words, weights = _by_word(asked.question, pieces, rows[0])
    _, from_words = _by_word(asked.question, pieces, rows[1])
    return Heat(words, _shares(weights, 1), _shares(from_words, 0))


def _shares(weights: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    total = weights.sum(axis, keepdims=True)
    shares: NDArray[np.float32] = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return shares


def _by_word(
    question: str, pieces: Pieces, rows: NDArray[np.float32]
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Word pieces of one word are added up; what was cut off has no weight."""
    spans = [match.span() for match in re.finditer(r"\S+", question)]
    weights = np.zeros((len(rows), len(spans)), np.float32)
    for piece, (start, end) in enumerate(pieces.spans):
        for word, (first, last) in enumerate(spans):
            if start < last and end > first:
                weights[:, word] += rows[:, piece]
    return tuple(question[first:last] for first, last in spans), weights
