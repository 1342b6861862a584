"""The encoder in numpy: read before compiled loops are there, and their obvious twin.

Weights stored as bytes are multiplied with rows cut into bytes, as `kernels` does it. Sums of such products
are whole numbers below 2²⁴, which floats add up exactly in any order: an input is read the same beside any.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from arcaneqa.int8.stored_arrays import (
    UNKNOWN_WORDS,
    Flags,
    Floats,
    StoredArrays,
    VectorTable,
    Words,
    softmax,
)
from arcaneqa.support.errors import ModelError
from arcaneqa.support.ragged import Ints, offsets_of

PREFIX = "encoder.network."
HEAT_LAYERS = 2
"""The last layers see what the earlier ones have aligned."""
_EXACT = 2**24 // 127**2
"""Products of two bytes whose sum a float holds exactly."""


class _Matrix(NamedTuple):
    """A row for each number that comes out, and its scale where it is of bytes."""

    weights: Floats
    scales: Floats | None
    bias: Floats


class _Norm(NamedTuple):
    gain: Floats
    bias: Floats


class _Layer(NamedTuple):
    joined: _Matrix
    mixed: _Matrix
    middle: _Norm
    wide: _Matrix
    narrow: _Matrix
    after: _Norm


class _Reads(Protocol):
    def __call__(self, ids: Words, lengths: Ints, depth: int) -> Floats: ...


class PlainReader:
    """Threads may share it."""

    def __init__(self, stored: StoredArrays) -> None:
        self._stored, shape = stored, stored.encoder
        self._heads, self._depth = int(shape["num_attention_heads"]), int(shape["num_hidden_layers"])
        self._epsilon = np.float32(shape["layer_norm_eps"])
        self.width = int(shape["hidden_size"])
        own = f"{PREFIX}embeddings."
        self._words = VectorTable(stored, f"{own}word_embeddings.weight")
        types = stored.floats(f"{own}token_type_embeddings.weight")
        self._positions = stored.floats(f"{own}position_embeddings.weight") + types[0]
        self._first = self._norm(f"{own}LayerNorm")
        self._layers = [self._layer(f"{PREFIX}encoder.layer.{number}.") for number in range(self._depth)]
        inner = int(shape["intermediate_size"])
        if any(layer.wide.weights.shape != (inner, self.width) for layer in self._layers):
            raise ValueError("its matrices have other sizes")

    @staticmethod
    def can_read(stored: StoredArrays) -> bool:
        shape = stored.encoder
        is_bert = shape.get("model_type") == "bert" and shape.get("hidden_act") == "gelu"
        return is_bert and int(shape["hidden_size"]) % int(shape["num_attention_heads"]) == 0

    def read(self, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:  # noqa: ARG002
        return self._read(ids, lengths, self._depth)

    def looks(self, ids: Words) -> Floats:
        return looks(self._stored, ids, self._read)

    def _read(self, ids: Words, lengths: Ints, depth: int) -> Floats:
        if lengths.max() > len(self._positions):
            raise too_long(self._stored, len(self._positions))
        if ids.max() >= self._words.length:
            raise ModelError(UNKNOWN_WORDS)
        starts = offsets_of(lengths)
        places = np.arange(len(ids)) - starts[:-1].repeat(lengths)
        rows = self._normalised(self._words[ids] + self._positions[places], self._first)
        for layer in self._layers[:depth]:
            seen = self._attended(self._times(rows, layer.joined, starts), starts)
            rows = self._normalised(rows + self._times(seen, layer.mixed, starts), layer.middle)
            wide = _bent(self._times(rows, layer.wide, starts))
            rows = self._normalised(rows + self._times(wide, layer.narrow, starts), layer.after)
        return rows

    def _attended(self, joined: Floats, starts: Ints) -> Floats:
        """What each row sees of its own input."""
        size = self.width // self._heads
        found = np.empty((len(joined), self.width), np.float32)
        for first, last in pairwise(starts.tolist()):
            parts: Iterator[Floats] = (
                part.reshape(last - first, self._heads, size).transpose(1, 0, 2)
                for part in np.split(joined[first:last], 3, axis=1)
            )
            query, key, value = parts
            scores = (query * np.float32(1 / math.sqrt(size))) @ key.transpose(0, 2, 1)
            weights = softmax(scores.astype(np.float32, copy=False))
            found[first:last] = (weights @ value).transpose(1, 0, 2).reshape(last - first, self.width)
        return found

    def _normalised(self, rows: Floats, norm: _Norm) -> Floats:
        rows = rows - rows.mean(1, keepdims=True)
        spread = np.einsum("rp,rp->r", rows, rows) / np.float32(rows.shape[1])
        found: Floats = rows * (1 / np.sqrt(spread + self._epsilon))[:, None] * norm.gain + norm.bias
        return found

    def _times(self, rows: Floats, matrix: _Matrix, starts: Ints) -> Floats:
        if matrix.scales is None:
            # Each input by itself: how a library adds up depends on how many rows there are.
            parts = [rows[first:last] @ matrix.weights.T for first, last in pairwise(starts.tolist())]
            return np.concatenate(parts) + matrix.bias
        highest = np.abs(rows).max(1, keepdims=True)
        units = highest / np.float32(127)
        cut = np.rint(rows * (np.float32(127) / np.maximum(highest, np.finfo(np.float32).tiny)))
        found = np.zeros((len(rows), len(matrix.bias)), np.float32)
        for first in range(0, rows.shape[1], _EXACT):
            part = slice(first, first + _EXACT)
            total = cut[:, part] @ matrix.weights[:, part].T
            found = found + total if first else total
        found *= units * matrix.scales
        found += matrix.bias
        return found

    def _layer(self, name: str) -> _Layer:
        return _Layer(
            self._matrix(*(f"{name}attention.self.{part}" for part in ("query", "key", "value"))),
            self._matrix(f"{name}attention.output.dense"),
            self._norm(f"{name}attention.output.LayerNorm"),
            self._matrix(f"{name}intermediate.dense"),
            self._matrix(f"{name}output.dense"),
            self._norm(f"{name}output.LayerNorm"),
        )

    def _matrix(self, *names: str) -> _Matrix:
        bias = np.concatenate([self._stored.floats(f"{name}.bias") for name in names])
        compact = [self._stored.compact(f"{name}.weight") for name in names]
        pairs = [pair for pair in compact if pair is not None]
        if len(pairs) == len(names):
            weights = np.concatenate([rows for rows, _ in pairs])
            scales = np.concatenate([own for _, own in pairs])
            return _Matrix(weights.astype(np.float32), scales, bias)
        floats = np.concatenate([self._stored.floats(f"{name}.weight") for name in names])
        return _Matrix(floats, None, bias)

    def _norm(self, name: str) -> _Norm:
        return _Norm(self._stored.floats(f"{name}.weight"), self._stored.floats(f"{name}.bias"))


def _bent(rows: Floats) -> Floats:
    """GELU. The normal distribution is Abramowitz and Stegun's 7.1.26, good to seven digits."""
    one = np.float32(1)
    size = np.abs(rows) * np.float32(0.70710678)
    near = one / (one + np.float32(0.3275911) * size)
    series = np.float32(1.061405429) * near
    for term in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series += np.float32(term)
        series *= near
    series *= np.exp(-size * size)
    found: Floats = np.float32(0.5) * rows * (one + np.copysign(one - series, rows))
    return found


def looks(stored: StoredArrays, ids: Words, read: _Reads) -> Floats:
    """How much each word piece of one input looks at each other one, in the mean of the last layers and all
    heads; rows add up to one."""
    heads, depth = int(stored.encoder["num_attention_heads"]), int(stored.encoder["num_hidden_layers"])
    found = []
    for layer in range(max(0, depth - HEAT_LAYERS), depth):
        rows = read(ids, np.array([len(ids)]), layer)
        own = f"{PREFIX}encoder.layer.{layer}.attention.self."
        query, key = (
            (rows @ stored.floats(f"{own}{part}.weight").T + stored.floats(f"{own}{part}.bias"))
            .reshape(len(ids), heads, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(query.shape[-1]))
        found.append(softmax(scores.astype(np.float32)).mean(0))
    mean: Floats = np.mean(found, axis=0)
    return mean


def too_long(stored: StoredArrays, most: int) -> ModelError:
    return ModelError(
        f"the encoder in {stored.folder} reads at most {most} word pieces, "
        "fewer than its configuration says; train the model again with a lower max_tokens"
    )
