"""The network: encoder, question LSTM and decoder, with the paper's equations as methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from arcaneqa.lab.training.calls import Call, tensor
from arcaneqa.lab.training.encoder import Encoder
from arcaneqa.model.config import KIND_INDEX, ModelConfig
from arcaneqa.model.word_pieces import Packed
from arcaneqa.support.ragged import Ints, offsets_of, ranges

# Packed decisions as tensors: encoder calls of similar length, and where to find what in their
# outputs.


_ALIKE = 0.7
"""Inputs of one call are at least this long, compared with the longest."""


@dataclass(frozen=True, slots=True)
class PackedInputs:
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


def arrange(packed: Packed, tokens_per_call: int) -> PackedInputs:
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
    return PackedInputs(
        calls=tuple(calls),
        words=tensor(starts[:, None] + within),
        word_mask=torch.from_numpy(mask),
        input_decisions=tensor(packed.input_decisions),
        inputs_each=tensor(np.bincount(packed.input_decisions, minlength=len(lengths))),
        pieces=tensor(ranges(packed.candidate_starts + shift, packed.candidate_lengths)),
        piece_candidates=tensor(np.repeat(np.arange(len(each)), packed.candidate_lengths)),
        pieces_each=tensor(each),
    )


# The network: encoder, question LSTM and decoder, with the paper's equations as methods.


_NEVER = -1e30
"""Less than any score, and still a number: there may be nothing else to attend to."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Candidates `[N, width]` of all decisions end to end; words of questions, as read and after the LSTM,
    and what `barred` adds to their scores in attention."""

    candidates: Tensor
    words: Tensor
    questions: Tensor
    barred: Tensor


@dataclass(frozen=True, slots=True)
class Sequences:
    """Programs of a batch: rows are questions, columns are steps, forced ones included.

    Decisions (steps with a choice) are ordered by step and then row: those of step t are
    `decision_rows[t]`. `chosen` indexes the candidates, followed by the kinds of forced tokens. A
    variable made by the program is the state of the step after its `)`. Those chosen at step t come from the
    steps `variable_sources[t]`, and `variables` says from which of these (-1 is none); for candidates the
    lists `made_*` do. `topic_*` list the candidates that are linked entities with their mentions.
    """

    inputs: PackedInputs
    kinds: Tensor
    candidate_decisions: Tensor
    gold: Tensor
    chosen: Tensor
    variables: Tensor
    decision_rows: tuple[Tensor, ...]
    topic_candidates: Tensor
    topic_decisions: Tensor
    topic_spans: Tensor
    made_candidates: Tensor
    made_rows: Tensor
    made_steps: Tensor
    variable_sources: tuple[tuple[int, ...], ...]

    def to(self, device: torch.device) -> Sequences:
        """On a GPU without waiting for it: from memory that it may read by itself."""
        if device.type == "cuda":
            moved = exchanged(self, lambda one: one.pin_memory().to(device, non_blocking=True))
        else:
            moved = exchanged(self, lambda one: one.to(device))
        assert isinstance(moved, Sequences)
        return moved


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """Negative log-likelihood of each decision's gold, and whether it scored highest."""

    losses: Tensor
    right: Tensor


class Network(nn.Module):
    def __init__(self, encoder: Encoder, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = encoder
        hidden = config.hidden
        self.question_lstm = nn.LSTM(encoder.width, hidden, batch_first=True)
        self.cell = nn.LSTMCell(2 * hidden, hidden)
        self.dropout = nn.Dropout(config.dropout)
        self.query = nn.Linear(2 * hidden, hidden)
        self._build(encoder.width, hidden)

    def _build(self, width: int, hidden: int) -> None:
        """What rows of W_t are made of, and what stands for forced tokens and before the first one."""
        self.candidate: nn.Module = nn.Linear(width, hidden)
        self.span = nn.Linear(width, hidden, bias=False)
        self.made: nn.Module = nn.Linear(hidden, hidden, bias=False)
        self.kind = nn.Embedding(len(KIND_INDEX), hidden)
        self.forced = nn.Embedding(len(KIND_INDEX), hidden)
        self.start = nn.Parameter(torch.zeros(hidden))
        self.relevance = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, 1, bias=False))
        for table in (self.kind, self.forced):
            nn.init.normal_(table.weight, std=0.02)

    # Dynamic contextualised encoding ---------------------------------------------------------

    def encode(self, batch: Sequences, half: bool = False) -> Encoded:
        """Q_t and W_t of the paper for many decisions; `half` computes the encoder in bf16."""
        inputs = batch.inputs
        tokens = self.encoder(inputs.calls, half)
        words = self._words(inputs, tokens)
        sums = tokens.new_zeros(len(inputs.pieces_each), tokens.shape[-1])
        sums = sums.index_add(0, inputs.piece_candidates, take(tokens, inputs.pieces))
        questions = self._read_questions(words, inputs.word_mask)
        barred = ~inputs.word_mask[:, :, None] * _NEVER
        return Encoded(sums / inputs.pieces_each[:, None], words, questions, barred)

    def _words(self, inputs: PackedInputs, tokens: Tensor) -> Tensor:
        count, longest = inputs.word_mask.shape
        read = take(tokens, inputs.words)
        if len(inputs.input_decisions) == count:
            words = read
        else:
            words = read.new_zeros(count, longest, read.shape[-1])
            words = words.index_add(0, inputs.input_decisions, read)
            words = words / inputs.inputs_each[:, None, None]
        return words * inputs.word_mask[:, :, None]

    def _read_questions(self, words: Tensor, mask: Tensor) -> Tensor:
        """What stands behind a question's end is zero, as its words are."""
        read, _ = self.question_lstm(self.dropout(words))
        questions: Tensor = read * mask[:, :, None]
        return questions

    def embed(self, encoded: Encoded, batch: Sequences) -> tuple[Tensor, Tensor]:
        """Rows of W_t, in the decoder's width, and the relevance of each candidate by itself.

        Variables made by the program get their part later: it is a state of the decoder.
        """
        read = self.dropout(encoded.candidates)
        rows = self.candidate(read)
        # Without any topic these are sums over nothing, and every parameter still gets a gradient.
        means = self.span(mentions(encoded.words, batch.topic_decisions, batch.topic_spans))
        rows = rows.index_add(0, batch.topic_candidates, means)
        return rows + self.kind(batch.kinds), self.relevance(read).squeeze(-1)

    def begin(self, encoded: Encoded, count: int) -> tuple[Tensor, Tensor]:
        """What stands for the token before the first step, and the decoder's first state."""
        return self.start.expand(count, -1), encoded.questions.new_zeros(count, self.config.hidden)

    def unread(self, rows: Tensor) -> Tensor:  # noqa: ARG002 - of other networks
        """Rows behind those of candidates: for forced tokens by their kind, and what fills up programs."""
        return self.forced.weight

    def heard(self, hidden: Tensor) -> Tensor:
        """h_t as it attends and points."""
        kept: Tensor = self.dropout(hidden)
        return kept

    # Decoding --------------------------------------------------------------------------------

    def advance(self, token: Tensor, attended: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """h_t = LSTM(h_{t-1}, c_{t-1}), where c_{t-1} joins the last token and the attended question."""
        hidden, memory = self.cell(torch.cat([token, attended], -1), state)
        return hidden, memory

    def attend(self, hidden: Tensor, questions: Tensor, barred: Tensor) -> Tensor:
        """q_t: the question's words, weighted by a_t = softmax(Q_t h_t).

        A question without a single word piece attends to zeros. Every kernel counts: there are some for
        every step, and they wait for each other.
        """
        weights = torch.baddbmm(barred, questions, hidden[:, :, None]).softmax(1)
        return torch.bmm(weights.transpose(1, 2), questions)[:, 0]

    def point(self, hidden: Tensor, attended: Tensor) -> Tensor:
        """What candidates are multiplied with: h_t joined with q_t."""
        pointed: Tensor = self.query(torch.cat([hidden, attended], -1))
        return pointed

    def forward(self, batch: Sequences, half: bool = False) -> BatchOutcome:
        encoded = self.encode(batch, half)
        count, steps = batch.chosen.shape
        token, hidden = self.begin(encoded, count)
        memory = attended = torch.zeros_like(hidden)
        rows, worth = self.embed(encoded, batch)
        tokens = take(torch.cat([rows, self.unread(rows)]), batch.chosen).unbind(1)
        # In pieces once and for all: a slice at every step would get a gradient as large as the whole.
        sizes = [len(active) for active in batch.decision_rows]
        questions, barred = torch.split(encoded.questions, sizes), torch.split(encoded.barred, sizes)
        states: list[Tensor] = []
        deciding: list[Tensor] = []
        reads: list[Tensor] = []
        every_row = torch.arange(count, device=rows.device)
        for step in range(steps):
            hidden, memory = self.advance(token, attended, (hidden, memory))
            states.append(hidden)
            active = batch.decision_rows[step]
            if len(active):
                state = self.heard(hidden.index_select(0, active))
                read = self.attend(state, questions[step], barred[step])
                attended = attended.index_copy(0, active, read)
                deciding.append(state)
                reads.append(read)
            token = tokens[step]
            if sources := batch.variable_sources[step]:
                source = batch.variables[:, step]
                known = torch.cat([states[number] for number in sources])
                made = self.made(take(known, source.clamp(min=0) * count + every_row))
                token = token + made * (source >= 0)[:, None]
        made = self.made(take(torch.cat(states), batch.made_steps * count + batch.made_rows))
        rows = rows.index_add(0, batch.made_candidates, made)
        pointed = self.point(torch.cat(deciding), torch.cat(reads))
        scores = (rows * take(pointed, batch.candidate_decisions)).sum(-1) + worth
        return outcome(scores, batch.candidate_decisions, batch.gold)


def outcome(scores: Tensor, decisions: Tensor, gold: Tensor) -> BatchOutcome:
    """Softmax over the admissible tokens of each decision, which lie end to end."""
    count = len(gold)
    highest = scores.new_full((count,), float("-inf"))
    highest = highest.scatter_reduce(0, decisions, scores.detach(), "amax")
    mass = scores.new_zeros(count).index_add(0, decisions, (scores - highest[decisions]).exp())
    losses = mass.log() + highest - scores[gold]
    return BatchOutcome(losses, scores.detach()[gold] >= highest)


def mentions(words: Tensor, index: Tensor, spans: Tensor) -> Tensor:
    """The means of mentions' words, each over its span of the question at its index."""
    column = torch.arange(words.shape[1], device=words.device)
    inside = (column >= spans[:, :1]) & (column < spans[:, 1:])
    share = inside / inside.sum(1, keepdim=True).clamp(min=1)
    return torch.einsum("ml,mld->md", share, take(words, index))


def take(source: Tensor, index: Tensor) -> Tensor:
    """`source[index]`, whose gradient is a plain sum instead of a sort."""
    return source.index_select(0, index.reshape(-1)).view(*index.shape, *source.shape[1:])
