"""What the decoder wants of the vectors that the encoder made: compiled, since every call asks for it."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.stored_arrays import Flags, Floats
from arcaneqa.model.word_pieces import Packed
from arcaneqa.ragged import Ints


def _part_of_it(function: Any) -> Any:
    return numba.njit(nogil=True)(function)


def is_gathered(packed: Packed) -> Flags:
    """Which rows of the encoder the decoder looks at: the question's words and the candidates."""
    found = np.zeros(len(packed.ids), np.bool_)
    _mark(
        packed.input_starts,
        packed.input_decisions,
        packed.question_lengths,
        packed.candidate_starts,
        packed.candidate_lengths,
        found,
    )
    return found


@compiled
def _mark(starts: Ints, decisions: Ints, lengths: Ints, firsts: Ints, counts: Ints, found: Flags) -> None:
    for number in range(len(starts)):
        for place in range(lengths[decisions[number]]):
            found[starts[number] + 1 + place] = True
    for candidate in range(len(firsts)):
        for row in range(firsts[candidate], firsts[candidate] + counts[candidate]):
            found[row] = True


def gathered(packed: Packed, tokens: Floats) -> tuple[Floats, Floats]:
    """The words of each decision's question, averaged over its inputs and padded with zeros: first the first
    words of all, as they are read next. And every candidate as the mean of its word pieces, zero where it has
    none."""
    width = tokens.shape[1]
    words = np.zeros((packed.question_lengths.max(), len(packed.question_lengths), width), np.float32)
    candidates = np.zeros((len(packed.candidate_lengths), width), np.float32)
    _gather(
        tokens,
        packed.input_starts,
        packed.input_decisions,
        packed.question_lengths,
        words,
        packed.candidate_starts,
        packed.candidate_lengths,
        candidates,
    )
    return words, candidates


@_part_of_it
def _add(total: Floats, more: Floats) -> None:
    for place in range(len(total)):
        total[place] += more[place]


@_part_of_it
def _scale(total: Floats, factor: np.float32) -> None:
    for place in range(len(total)):
        total[place] *= factor


@compiled
def _gather(
    tokens: Floats,
    starts: Ints,
    decisions: Ints,
    lengths: Ints,
    words: Floats,
    firsts: Ints,
    counts: Ints,
    means: Floats,
) -> None:
    first = 0
    while first < len(starts):
        decision, last = decisions[first], first
        while last < len(starts) and decisions[last] == decision:
            last += 1
        part = np.float32(1) / np.float32(last - first)
        for place in range(lengths[decision]):
            own = words[place, decision]
            for number in range(first, last):
                _add(own, tokens[starts[number] + 1 + place])
            if last - first > 1:
                _scale(own, part)
        first = last
    for candidate in range(len(firsts)):
        own = means[candidate]
        for row in range(firsts[candidate], firsts[candidate] + counts[candidate]):
            _add(own, tokens[row])
        if counts[candidate] > 1:
            _scale(own, np.float32(1) / np.float32(counts[candidate]))
