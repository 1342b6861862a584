"""The published model as a scorer of induction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from arcaneqa.induction.scorer import Candidate
from arcaneqa.int8.products import Product
from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.lab.paper.config import PaperConfig
from arcaneqa.lab.paper.network import segmented
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.decoder import Decoder
from arcaneqa.model.reader import CountedReader, TorchReader, reader_of
from arcaneqa.model.scorer import ModelScorer, _Reading, _State
from arcaneqa.model.stored import Stored, read_stored
from arcaneqa.model.word_pieces import CLS, SEP, KnownPieces, WordPieces

_KEPT = 256
"""Questions read alone that are kept."""


class PaperReader(TorchReader):
    def _encoder_of(self, stored: Stored, encoder: Any) -> Any:
        return segmented(encoder, WordPieces(stored.tokenizer, stored.config))


class PaperPieces(KnownPieces):
    """Of variables no words are read."""

    def _texts(self, candidates: Sequence[Candidate]) -> Sequence[str | None]:
        return [one.text if one.variable is None else None for one in candidates]


class PaperDecoder(Decoder):
    def _build(self, width: int, hidden: int) -> None:
        weight, is_static = self._weight, self._stored.config.encoder == "static"
        self._projected = (
            Product(weight("candidate.weight", hidden, width), weight("candidate.bias", hidden))
            if is_static
            else None
        )
        self._made_so = Product(weight("made.weight", hidden, hidden)) if is_static else None
        self._alone = Product(weight("alone.weight", width, width), weight("alone.bias", width))
        self.start = np.zeros(hidden, np.float32)
        self.forced = np.zeros((len(KIND_INDEX), hidden), np.float32)

    def read_alone(self, words: Floats) -> Floats:
        """One question by itself, as the decoder's start sees it: its words after the LSTM."""
        found: Floats = self.read_question(self._alone(words)[:, None])[:, 0]
        return found

    def candidates(self, vectors: Floats) -> tuple[Floats, Floats]:
        rows = vectors if self._projected is None else self._projected(vectors)
        return rows, np.zeros(len(rows), np.float32)

    def embed(
        self,
        rows: Floats,
        kinds: list[int],  # noqa: ARG002 - the paper tells none apart
        topics: list[int],
        mentions: list[Floats],
        made: list[int],
        states: list[Floats],
    ) -> None:
        if topics:
            rows[topics] = np.array(mentions)
        if made:
            rows[made] = self.made(np.array(states))

    def made(self, states: Floats) -> Floats:
        return states if self._made_so is None else self._made_so(states)


class PaperScorer(ModelScorer):
    """Every decision is read by the encoder, also where there is nothing to choose."""

    _least = 1

    def __init__(self, stored: Stored, *arguments: Any, **named: Any) -> None:
        super().__init__(stored, *arguments, **named)
        self._alone = lru_cache(_KEPT)(self._read_alone)

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> PaperScorer:
        return cls(read_stored(folder, PaperConfig), device)

    @staticmethod
    def _reader_of(stored: Stored, device: str) -> CountedReader:
        if stored.config.encoder == "static":
            return reader_of(stored, device)
        return CountedReader(PaperReader(stored, device))

    @staticmethod
    def _decoder_of(stored: Stored, width: int) -> Decoder:
        return PaperDecoder(stored, width)

    @staticmethod
    def _pieces_of(words: WordPieces) -> KnownPieces:
        return PaperPieces(words)

    def _started(self, question: str) -> _State:
        alone = self._alone(question)
        return self._start._replace(hidden=alone[-1]) if len(alone) else self._start

    def _mentioned(self, question: str, reading: _Reading) -> Floats:  # noqa: ARG002
        return self._alone(question)

    def _read_alone(self, question: str) -> Floats:
        decoder, marks = self._decoder, self._known_pieces.specials
        assert isinstance(decoder, PaperDecoder)
        ids = np.array([*marks[CLS], *self._known_pieces.question(question).ids, *marks[SEP]], np.int32)
        return decoder.read_alone(self._reader.read(ids, np.array([len(ids)], np.int64))[1:-1])
