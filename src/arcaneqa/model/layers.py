"""What `kernels.py` reads and writes: the weights of all layers, and a worker's own paper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.model.stored import Floats
from arcaneqa.model.tiles import FLOAT_COLUMNS, ROWS

CHUNK = 8 * ROWS
"""Rows that go through a layer together: what is between its products stays in the second cache."""


class Matrix(NamedTuple):
    """One matrix of every layer: `weights` as tiles want them, `scales` of their rows, `bias`."""

    weights: NDArray[np.uint8]
    scales: Floats
    bias: Floats


class Norm(NamedTuple):
    gain: Floats
    bias: Floats


class Layers(NamedTuple):
    joined: Matrix
    mixed: Matrix
    wide: Matrix
    narrow: Matrix
    middle: Norm
    after: Norm


class Scratch(NamedTuple):
    """What one worker writes on its way. Made outside: to make arrays takes long to compile."""

    joined: Floats
    wide: Floats
    narrow: Floats
    seen: Floats
    scores: Floats
    tile: Floats
    cut: NDArray[np.int8]
    counted: NDArray[np.int32]
    units: Floats
    sums: NDArray[np.int32]

    @classmethod
    def of(cls, width: int, inner: int, longest: int) -> Scratch:
        columns = -(-longest // FLOAT_COLUMNS) * FLOAT_COLUMNS
        return cls(
            joined=np.empty((CHUNK, 3 * width), np.float32),
            wide=np.empty((CHUNK, inner), np.float32),
            narrow=np.empty((CHUNK, width), np.float32),
            # Rows past the last input's end are read as well, though nobody looks at what they become.
            seen=np.zeros((CHUNK, width), np.float32),
            scores=np.zeros((ROWS, columns), np.float32),
            tile=np.empty((ROWS, FLOAT_COLUMNS), np.float32),
            cut=np.empty(CHUNK * max(inner, width), np.int8),
            counted=np.empty(CHUNK * max(inner, 3 * width), np.int32),
            units=np.empty(CHUNK, np.float32),
            sums=np.empty(CHUNK, np.int32),
        )
