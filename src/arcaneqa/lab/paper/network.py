"""The published network: candidates in the second segment, a decoder that starts from the question alone.

What the encoder says of a candidate is its row of W_t, a mention is the mean of its words after the
question's LSTM, and only what that LSTM gives is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from arcaneqa.lab.paper.config import PaperConfig
from arcaneqa.lab.training.batches import Corpus
from arcaneqa.lab.training.calls import Call, Grid
from arcaneqa.lab.training.checkpoint import Model, encoder_of, fill, parameters_of
from arcaneqa.lab.training.encoder import ContextualEncoder, Encoder, encoder_from
from arcaneqa.lab.training.network import Encoded, Network, PackedInputs, Sequences, arrange, mentions
from arcaneqa.model.stored import read_stored
from arcaneqa.model.word_pieces import CLS, EMPTY, SEP, Packed, TokenTable, WordPieces
from arcaneqa.support.errors import ModelError
from arcaneqa.support.ragged import Ints, offsets_of, ranges


class SegmentedEncoder(ContextualEncoder):
    """What stands behind the first separator of an input is its second segment."""

    def __init__(self, network: Any, separator: int) -> None:
        super().__init__(network)
        self._separator = separator

    def forward(self, calls: Sequence[Call], half: bool = False) -> Tensor:
        return torch.cat([self._read(call, half).float() for call in calls])

    def _read(self, call: Call, half: bool) -> Tensor:
        grid = Grid.of(call)
        marks = grid.spread(call.ids.eq(self._separator).long())
        segments = (marks.cumsum(1) - marks).clamp(max=1)
        with torch.autocast(call.ids.device.type, torch.bfloat16, enabled=half):
            read = self.network(
                input_ids=grid.spread(call.ids, self._pad),
                attention_mask=grid.mask.long(),
                token_type_ids=segments,
            )
        return grid.gather(read.last_hidden_state)


def segmented(encoder: Encoder, words: WordPieces) -> Encoder:
    return (
        SegmentedEncoder(encoder.network, words.separator)
        if isinstance(encoder, ContextualEncoder)
        else encoder
    )


@dataclass(frozen=True, slots=True)
class PaperSequences(Sequences):
    """With the questions by themselves."""

    alone: PackedInputs


@dataclass(frozen=True, slots=True)
class PaperEncoded(Encoded):
    """With the words of questions read alone, and the last of each."""

    alone: Tensor
    last: Tensor


class PaperCorpus(Corpus):
    """Every decision is read, also where there is nothing to choose; of variables no words are."""

    least = 1

    def batch(self, questions: Ints, *arguments: Any, **named: Any) -> PaperSequences:
        own = super().batch(questions, *arguments, **named)
        calls = arguments[0] if arguments else named["tokens_per_call"]
        alone = arrange(pack_alone(self.table, self.question_rows[questions]), calls)
        return PaperSequences(**{one.name: getattr(own, one.name) for one in fields(own)}, alone=alone)

    def _texts(self, candidates: Ints) -> Ints:
        return np.where(self.prepared.candidate_variables[candidates] >= 0, EMPTY, super()._texts(candidates))


class PaperNetwork(Network):
    def _build(self, width: int, hidden: int) -> None:
        is_static = self.config.encoder == "static"
        if not is_static and hidden != width:
            raise ModelError(f"the paper's decoder is as wide as the encoder ({width}), not {hidden}")
        self.candidate = nn.Linear(width, hidden) if is_static else nn.Identity()
        self.made = nn.Linear(hidden, hidden, bias=False) if is_static else nn.Identity()
        self.alone = nn.Linear(width, width)

    def encode(self, batch: Sequences, half: bool = False) -> PaperEncoded:
        assert isinstance(batch, PaperSequences)
        own, inputs = super().encode(batch, half), batch.alone
        words = self.alone(self._words(inputs, self.encoder(inputs.calls, half)))
        alone = self._read_questions(words, inputs.word_mask)
        lengths = inputs.word_mask.sum(1)
        last = alone[torch.arange(len(lengths), device=lengths.device), (lengths - 1).clamp(min=0)]
        last = last * (lengths > 0)[:, None]
        return PaperEncoded(own.candidates, own.words, own.questions, own.barred, alone, last)

    def _read_questions(self, words: Tensor, mask: Tensor) -> Tensor:
        read, _ = self.question_lstm(words)
        questions: Tensor = self.dropout(read) * mask[:, :, None]
        return questions

    def embed(self, encoded: Encoded, batch: Sequences) -> tuple[Tensor, Tensor]:
        assert isinstance(encoded, PaperEncoded)
        rows = self.candidate(encoded.candidates)
        rows = rows.index_fill(0, batch.topic_candidates, 0.0).index_fill(0, batch.made_candidates, 0.0)
        questions = torch.cat([*batch.decision_rows])[batch.topic_decisions]
        means = mentions(encoded.alone, questions, batch.topic_spans)
        return rows.index_add(0, batch.topic_candidates, means), rows.new_zeros(len(rows))

    def begin(self, encoded: Encoded, count: int) -> tuple[Tensor, Tensor]:
        assert isinstance(encoded, PaperEncoded)
        return encoded.last.new_zeros(count, self.config.hidden), encoded.last

    def unread(self, rows: Tensor) -> Tensor:
        """Nothing is forced: this only fills up shorter programs."""
        return rows.new_zeros(1, self.config.hidden)

    def heard(self, hidden: Tensor) -> Tensor:
        return hidden


def pack_alone(table: TokenTable, questions: Ints) -> Packed:
    """Questions (rows of the table) by themselves, one input each."""
    count = len(questions)
    rows = np.stack([np.full(count, CLS), questions, np.full(count, SEP)], axis=1).reshape(-1)
    row_lengths = table.lengths[rows]
    lengths = row_lengths.reshape(-1, 3).sum(1)
    nothing = np.empty(0, np.int64)
    return Packed(
        ids=table.ids[ranges(table.offsets[rows], row_lengths)],
        input_starts=offsets_of(lengths)[:-1],
        input_lengths=lengths,
        input_decisions=np.arange(count),
        question_lengths=table.lengths[questions],
        candidate_inputs=nothing,
        candidate_starts=nothing,
        candidate_lengths=nothing,
        candidate_decisions=nothing,
    )


def create(source: str, config: PaperConfig) -> Model:
    """The published model to be trained, on any encoder that `model.checkpoint.create` takes."""
    encoder, tokenizer = encoder_of(source, config)
    if config.encoder != "static":
        config = PaperConfig.from_json(config.to_json() | {"hidden": encoder.width})
    words = WordPieces(tokenizer, config)
    return Model(PaperNetwork(segmented(encoder, words), config), words)


def load(folder: Path) -> Model:
    stored = read_stored(folder, PaperConfig)
    words = WordPieces(stored.tokenizer, stored.config)
    encoder = encoder_from(stored.encoder, stored.config.train_vectors)
    network = PaperNetwork(segmented(encoder, words), stored.config)
    fill(network, stored)
    return Model(network.eval(), words)


def published_count(network: Network) -> int:
    """Counted as the paper does: with BERT's pooling layer and a projection of output words, neither of which
    its contextual model uses."""
    width, hidden = network.encoder.width, network.config.hidden
    return parameters_of(network) + width * (width + 1) + hidden * (hidden + 1)
