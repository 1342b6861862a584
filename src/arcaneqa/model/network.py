"""The network: encoder, question LSTM and decoder, with the paper's equations as methods.

Training (`forward`) runs whole sequences with known choices; the scorer calls the same methods one
step at a time. Both see a decision as its candidates' encodings and its question's words.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from arcaneqa.errors import ModelError
from arcaneqa.model.config import KIND_INDEX, ModelConfig
from arcaneqa.model.encoder import Encoder
from arcaneqa.model.inputs import Inputs, exchanged

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
    lists `made_*` do. `topic_*` list the candidates that are linked entities with their mentions. `alone` are
    the questions by themselves, for a network that starts from them.
    """

    inputs: Inputs
    alone: Inputs | None
    kinds: Tensor
    candidate_decisions: Tensor
    gold: Tensor
    chosen: Tensor
    variables: Tensor
    decision_rows: tuple[Tensor, ...]
    topic_candidates: Tensor
    topic_decisions: Tensor
    topic_rows: Tensor
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
class Outcome:
    """Negative log-likelihood of each decision's gold, and whether it scored highest."""

    losses: Tensor
    right: Tensor


class Network(nn.Module):
    def __init__(self, encoder: Encoder, config: ModelConfig) -> None:
        super().__init__()
        if not config.projected and config.hidden != encoder.width:
            raise ModelError(
                f"without a projection the decoder is as wide as the encoder ({encoder.width}), "
                f"not {config.hidden}"
            )
        self.config = config
        self.encoder = encoder
        hidden = config.hidden
        self.question_lstm = nn.LSTM(encoder.width, hidden, batch_first=True)
        self.candidate = nn.Linear(encoder.width, hidden) if config.projected else nn.Identity()
        spans = config.projected and not config.late_spans
        self.span = nn.Linear(encoder.width, hidden, bias=False) if spans else nn.Identity()
        self.made = nn.Linear(hidden, hidden, bias=False) if config.projected else nn.Identity()
        self.kind = nn.Embedding(len(KIND_INDEX), hidden) if config.kinds else None
        self.forced = None if config.reads_forced else nn.Embedding(len(KIND_INDEX), hidden)
        self.start = None if config.question_start else nn.Parameter(torch.zeros(hidden))
        self.alone = nn.Linear(encoder.width, encoder.width) if config.question_start else None
        self.cell = nn.LSTMCell(2 * hidden, hidden)
        self.dropout = nn.Dropout(config.dropout)
        self.query = nn.Linear(2 * hidden, hidden) if config.attentive else None
        self.relevance = (
            nn.Sequential(nn.Linear(encoder.width, hidden), nn.Tanh(), nn.Linear(hidden, 1, bias=False))
            if config.relevance
            else None
        )
        for table in (self.kind, self.forced):
            if table is not None:
                nn.init.normal_(table.weight, std=0.02)

    # Dynamic contextualised encoding ---------------------------------------------------------

    def encode(self, inputs: Inputs, half: bool = False) -> Encoded:
        """Q_t and W_t of the paper for many decisions; `half` computes the encoder in bf16."""
        tokens = self.encoder(inputs.calls, half)
        words = self._words(inputs, tokens)
        sums = tokens.new_zeros(len(inputs.pieces_each), tokens.shape[-1])
        sums = sums.index_add(0, inputs.piece_candidates, take(tokens, inputs.pieces))
        questions = self._read_questions(words, inputs.word_mask)
        barred = ~inputs.word_mask[:, :, None] * _NEVER
        return Encoded(sums / inputs.pieces_each[:, None], words, questions, barred)

    def read_alone(self, inputs: Inputs, half: bool = False) -> tuple[Tensor, Tensor]:
        """Questions by themselves after the LSTM, and their last word there: where the decoder starts."""
        assert self.alone is not None
        words = self.alone(self._words(inputs, self.encoder(inputs.calls, half)))
        questions = self._read_questions(words, inputs.word_mask)
        lengths = inputs.word_mask.sum(1)
        last = questions[torch.arange(len(lengths), device=lengths.device), (lengths - 1).clamp(min=0)]
        return questions, last * (lengths > 0)[:, None]

    def _words(self, inputs: Inputs, tokens: Tensor) -> Tensor:
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
        read, _ = self.question_lstm(self._early(words))
        questions: Tensor = self.dropout(read) if self.config.late_dropout else read
        return questions * mask[:, :, None]

    def _early(self, values: Tensor) -> Tensor:
        """Dropout wherever the published model has none."""
        kept: Tensor = values if self.config.late_dropout else self.dropout(values)
        return kept

    def embed(self, encoded: Encoded, batch: Sequences, alone: Tensor | None) -> tuple[Tensor, Tensor]:
        """Rows of W_t, in the decoder's width, and the relevance of each candidate by itself.

        Variables made by the program get their part later: it is a state of the decoder.
        """
        read = self._early(encoded.candidates)
        rows = self.candidate(read)
        worth = rows.new_zeros(len(rows)) if self.relevance is None else self.relevance(read).squeeze(-1)
        # Without any topic these are sums over nothing, and every parameter still gets a gradient.
        means = self._mentions(encoded, batch, alone)
        if not self.config.entity_text:
            rows = rows.index_fill(0, batch.topic_candidates, 0.0)
            worth = worth.index_fill(0, batch.topic_candidates, 0.0)
        if not self.config.made_text:
            rows = rows.index_fill(0, batch.made_candidates, 0.0)
            worth = worth.index_fill(0, batch.made_candidates, 0.0)
        rows = rows.index_add(0, batch.topic_candidates, self.span(means))
        return rows if self.kind is None else rows + self.kind(batch.kinds), worth

    def _mentions(self, encoded: Encoded, batch: Sequences, alone: Tensor | None) -> Tensor:
        """The means of mentions: as the encoder reads them, or after the LSTM, of the question alone if it
        was read so."""
        source, index = encoded.words, batch.topic_decisions
        if self.config.late_spans:
            source = encoded.questions
            if alone is not None:
                source, index = alone, batch.topic_rows
        column = torch.arange(source.shape[1], device=source.device)
        inside = (column >= batch.topic_spans[:, :1]) & (column < batch.topic_spans[:, 1:])
        share = inside / inside.sum(1, keepdim=True).clamp(min=1)
        return torch.einsum("ml,mld->md", share, take(source, index))

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
        """What candidates are multiplied with: h_t itself, or h_t joined with q_t."""
        return hidden if self.query is None else self.query(torch.cat([hidden, attended], -1))

    def forward(self, batch: Sequences, half: bool = False) -> Outcome:
        encoded = self.encode(batch.inputs, half)
        count, steps = batch.chosen.shape
        hidden = memory = attended = encoded.questions.new_zeros(count, self.config.hidden)
        alone = None
        if batch.alone is not None:
            alone, hidden = self.read_alone(batch.alone, half)
        rows, worth = self.embed(encoded, batch, alone)
        # Behind the candidates stand forced tokens, and what fills up shorter programs.
        others = memory.new_zeros(1, self.config.hidden) if self.forced is None else self.forced.weight
        tokens = take(torch.cat([rows, others]), batch.chosen).unbind(1)
        token = memory if self.start is None else self.start.expand(count, -1)
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
                state = self._early(hidden.index_select(0, active))
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


def outcome(scores: Tensor, decisions: Tensor, gold: Tensor) -> Outcome:
    """Softmax over the admissible tokens of each decision, which lie end to end."""
    count = len(gold)
    highest = scores.new_full((count,), float("-inf"))
    highest = highest.scatter_reduce(0, decisions, scores.detach(), "amax")
    mass = scores.new_zeros(count).index_add(0, decisions, (scores - highest[decisions]).exp())
    losses = mass.log() + highest - scores[gold]
    return Outcome(losses, scores.detach()[gold] >= highest)


def take(source: Tensor, index: Tensor) -> Tensor:
    """`source[index]`, whose gradient is a plain sum instead of a sort."""
    return source.index_select(0, index.reshape(-1)).view(*index.shape, *source.shape[1:])
