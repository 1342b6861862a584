"""Packed decisions as tensors: encoder calls of similar length, and where to find what in their outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from arcaneqa.model.call import Call, tensor
from arcaneqa.model.word_pieces import Packed
from arcaneqa.ragged import Ints, offsets_of, ranges

_ALIKE = 0.7
"""Inputs of one call are at least this long, compared with the longest."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """All encoder calls of a batch; positions count through their outputs, end to end.

    A question's words are averaged over its decision's inputs, a candidate's over its word pieces.
    """

    calls: tuple[Call, ...]
    words: Tensor
    word_mask: Tensor
    input_decisions: Tensor
    inputs_each: Tensor
    pieces: Tensor
    piece_candidates: Tensor
    pieces_each: Tensor


def exchanged(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure of dataclasses and tuples, with every tensor or array exchanged."""
    if isinstance(value, Tensor | np.ndarray):
        return change(value)
    if isinstance(value, tuple):
        return tuple(exchanged(part, change) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return replace(value, **{name: exchanged(getattr(value, name), change) for name in names})
    return value


def arrange(packed: Packed, tokens_per_call: int) -> Inputs:
    """Sort inputs by length and cut them into calls of at most `tokens_per_call` tokens, were they padded.

    A call that is a quarter full takes no input that would be mostly padding where there is some.
    """
    count = len(packed.input_lengths)
    order = np.argsort(-packed.input_lengths, kind="stable")
    falling = -packed.input_lengths[order]
    starts = np.empty(count, np.int64)
    calls = []
    done = 0
    used = 0
    while done < count:
        longest = int(packed.input_lengths[order[done]])
        alike = int(np.searchsorted(falling, falling[done] * _ALIKE, side="right")) - done
        enough = max(alike, tokens_per_call // 4 // longest)
        chosen = order[done : done + max(1, min(enough, tokens_per_call // longest))]
        lengths = packed.input_lengths[chosen]
        calls.append(Call.of(packed.ids[ranges(packed.input_starts[chosen], lengths)], lengths))
        starts[chosen] = used + offsets_of(lengths)[:-1]
        used += int(lengths.sum())
        done += len(chosen)

    lengths = packed.question_lengths
    longest_question = max(1, int(lengths.max()))
    column = np.arange(longest_question)
    mask = column < lengths[:, None]
    # Positions past a question's end repeat its first mark; the mask keeps them out.
    within = np.where(mask, column + 1, 0)[packed.input_decisions]
    shift: Ints = (starts - packed.input_starts)[packed.candidate_inputs]
    each = np.maximum(packed.candidate_lengths, 1)
    return Inputs(
        calls=tuple(calls),
        words=tensor(starts[:, None] + within),
        word_mask=torch.from_numpy(mask),
        input_decisions=tensor(packed.input_decisions),
        inputs_each=tensor(np.bincount(packed.input_decisions, minlength=len(lengths))),
        pieces=tensor(ranges(packed.candidate_starts + shift, packed.candidate_lengths)),
        piece_candidates=tensor(np.repeat(np.arange(len(each)), packed.candidate_lengths)),
        pieces_each=tensor(each),
    )
