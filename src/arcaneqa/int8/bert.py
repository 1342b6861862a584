"""BERT's encoder straight from stored weights, over inputs laid end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.int8.buffers import (
    EncoderShape,
    EncoderWeights,
    Layers,
    Matrix,
    Norm,
    Size,
    Workplace,
    Workplaces,
    in_large_pages,
)
from arcaneqa.int8.instructions import BYTE_COLUMNS, FLOAT_COLUMNS, MULTIPLIES_BYTES, ROWS
from arcaneqa.int8.kernels import encode, lay_out
from arcaneqa.int8.plain import PREFIX, PlainReader, looks, too_long
from arcaneqa.int8.stored_arrays import UNKNOWN_WORDS, Flags, Floats, StoredArrays, VectorTable, Words
from arcaneqa.int8.threads import Helper, Team, announce, left
from arcaneqa.support.errors import ModelError
from arcaneqa.support.ragged import Ints

_LEAST_ROWS = ROWS - 1
"""What a thread should have to do, so that it is worth waking: a question alone has twice as many."""
_CALLER = _NO_BELL = -1


class BertReader:
    """Threads may share it. `in_bytes`: weights that are stored as bytes are multiplied as such."""

    def __init__(self, stored: StoredArrays, in_bytes: bool = MULTIPLIES_BYTES) -> None:
        shape = stored.encoder
        self._stored = stored
        self._heads = int(shape["num_attention_heads"])
        self._depth = int(shape["num_hidden_layers"])
        self.width = int(shape["hidden_size"])
        self._words = VectorTable(stored, f"{PREFIX}embeddings.word_embeddings.weight")
        types = stored.floats(f"{PREFIX}embeddings.token_type_embeddings.weight")
        self._positions = stored.floats(f"{PREFIX}embeddings.position_embeddings.weight") + types[0]
        layers, self._is_exact = _layers(stored, self._depth, in_bytes)
        first = _norm(stored, [f"{PREFIX}embeddings.LayerNorm"])
        self._weights = EncoderWeights(first, layers, float(shape["layer_norm_eps"]))
        self._team = Team()
        inner = layers.wide.bias.shape[1]
        self._workplaces = Workplaces(EncoderShape(self.width, inner, self._heads, self._depth))

    @staticmethod
    def can_read(stored: StoredArrays) -> bool:
        """Whether the tiles divide an encoder's matrices."""
        shape = stored.encoder
        wide, inner = int(shape["hidden_size"]), int(shape["intermediate_size"])
        head = wide // int(shape["num_attention_heads"])
        is_divided = wide % BYTE_COLUMNS == inner % BYTE_COLUMNS == head % FLOAT_COLUMNS == 0
        return PlainReader.can_read(stored) and is_divided

    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:
        return self._read(ids, lengths, self._depth, is_wanted)

    def looks(self, ids: Words) -> Floats:
        return looks(self._stored, ids, self._read)

    def _read(self, ids: Words, lengths: Ints, depth: int, is_wanted: Flags | None = None) -> Floats:
        with self._team.gathered() as workers:
            workplace = self._begun(ids, lengths, depth, is_wanted, workers)
            buffers = workplace.buffers
            encode(buffers, self._weights, workplace.scratch(0), self._is_exact, _CALLER, _NO_BELL)
            found: Floats = buffers.rows[: len(ids)].copy()
            self._workplaces.give_back(workplace)
            return found

    def _begun(
        self, ids: Words, lengths: Ints, depth: int, is_wanted: Flags | None, workers: int
    ) -> Workplace:
        """Where helpers begin to read at once. The caller does the rest."""
        total, each = len(ids), lengths.tolist()
        size = Size(total, sum(-(-length // FLOAT_COLUMNS) for length in each), max(each))
        if size.longest > len(self._positions):
            raise too_long(self._stored, len(self._positions))
        workplace = self._workplaces.take(size)
        buffers, table = workplace.buffers, self._words
        buffers.job[:] = len(each), depth
        wanted = np.ones(total, bool) if is_wanted is None else is_wanted
        if not lay_out(ids, lengths, wanted, table.rows, table.scales, self._positions, buffers):
            raise ModelError(UNKNOWN_WORDS)
        tasks = max(1, min(workers, total // _LEAST_ROWS))
        asleep = announce(buffers.board, tasks, depth + 1, tasks - 1)
        for helper in range(tasks - 1):
            if asleep >> helper & 1:
                self._wake(workplace, helper)
        return workplace

    def _wake(self, workplace: Workplace, number: int) -> None:
        if (helper := workplace.helpers.get(number)) is not None and helper.wake():
            return
        # Of the workplace only its arrays: helpers end with it.
        buffers, scratch = workplace.buffers, workplace.scratch(number + 1)
        weights, is_exact = self._weights, self._is_exact

        def help_out(bell: int) -> None:
            encode(buffers, weights, scratch, is_exact, number, bell)

        def leave() -> None:
            left(buffers.board, number)

        try:
            workplace.helpers[number] = Helper(help_out, leave)
        except (RuntimeError, OSError):  # the system lets the process have no more threads, or no more bells
            leave()


def _layers(stored: StoredArrays, depth: int, in_bytes: bool) -> tuple[Layers, bool]:
    """The weights of all layers, and whether they are multiplied as bytes."""
    names = [f"{PREFIX}encoder.layer.{layer}." for layer in range(depth)]
    are_bytes = all(
        stored.compact(f"{name}{part}.weight") is not None
        for name in names
        for part in ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")
    )
    is_exact = in_bytes and are_bytes
    own = [f"attention.self.{part}" for part in ("query", "key", "value")]

    def matrix(*parts: str) -> Matrix:
        own = [[f"{name}{part}" for part in parts] for name in names]
        return _matrix(stored, own, are_bytes, is_exact)

    matrices = [
        matrix(*own),
        matrix("attention.output.dense"),
        matrix("intermediate.dense"),
        matrix("output.dense"),
    ]
    joined, mixed, wide, narrow = (
        one._replace(weights=weights)
        for one, weights in zip(matrices, in_large_pages([one.weights for one in matrices]), strict=True)
    )
    layers = Layers(
        joined=joined,
        mixed=mixed,
        wide=wide,
        narrow=narrow,
        middle=_norm(stored, [f"{name}attention.output.LayerNorm" for name in names]),
        after=_norm(stored, [f"{name}output.LayerNorm" for name in names]),
    )
    return layers, is_exact


def _matrix(stored: StoredArrays, names: Sequence[Sequence[str]], are_bytes: bool, is_exact: bool) -> Matrix:
    """Matrices of layers as tiles want them; those of one layer are joined. Bytes that are not multiplied as
    such are whole numbers as floats."""
    weights, scales = [], []
    for own in names:
        if are_bytes:
            pairs = [stored.compact(f"{name}.weight") for name in own]
            rows = np.concatenate([pair[0] for pair in pairs if pair is not None])
            scales.append(np.concatenate([pair[1] for pair in pairs if pair is not None]))
        else:
            rows = np.concatenate([stored.floats(f"{name}.weight") for name in own])
            scales.append(np.zeros(len(rows), np.float32))
        tiles: NDArray[Any]
        if is_exact:
            fours = (np.ascontiguousarray(rows).view(np.uint8) ^ np.uint8(0x80)).view(np.uint32)
            tiles = fours.reshape(-1, BYTE_COLUMNS, fours.shape[1])
        else:
            tiles = rows.astype(np.float32).reshape(-1, FLOAT_COLUMNS, rows.shape[1])
        weights.append(np.ascontiguousarray(tiles.transpose(0, 2, 1)).reshape(-1).view(np.uint8))
    bias = np.stack([np.concatenate([stored.floats(f"{name}.bias") for name in own]) for own in names])
    return Matrix(np.stack(weights), np.stack(scales), bias)


def _norm(stored: StoredArrays, names: Sequence[str]) -> Norm:
    return Norm(
        np.stack([stored.floats(f"{name}.weight") for name in names]),
        np.stack([stored.floats(f"{name}.bias") for name in names]),
    )
