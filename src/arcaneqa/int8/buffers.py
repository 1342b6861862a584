"""The weights that the kernels read, and the arrays that they write into."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from arcaneqa.int8.instructions import FLOAT_COLUMNS, ROWS
from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.int8.threads import Helper, board, dismiss
from arcaneqa.support.ragged import Ints

# Memory for what every call reads from end to end.


_PAGE = 2 << 20
"""Bytes of a large page, on the processors that have them; elsewhere some memory at the end stays unused."""
_LINE = 64
"""Bytes of a line of the cache."""


def in_large_pages(arrays: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Copies that lie in one stretch of memory, each from a line of the cache on.

    Weights are more than a processor knows the small pages of, and on a virtual machine it takes long to look
    one up. Systems give large ones where they are asked to, and only to what fills them.
    """
    starts = [0]
    for array in arrays:
        starts.append(starts[-1] + -(-array.nbytes // _LINE) * _LINE)
    memory = mmap.mmap(-1, -(-starts[-1] // _PAGE) * _PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(AttributeError, OSError):  # a system without large pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    found = []
    for array, start in zip(arrays, starts, strict=False):
        copy = np.frombuffer(memory, np.uint8, array.size, start).reshape(array.shape)
        copy[...] = array
        found.append(copy)
    return found


# The weights of an encoder, as `kernels.py` reads them.


class Matrix(NamedTuple):
    """One matrix of every layer: `weights` as tiles want them, `scales` of their rows (none is 0), `bias`.
    Weights that are no bytes have the scale 0, and are as they are."""

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


class EncoderWeights(NamedTuple):
    """All of an encoder but its tables of words and positions."""

    first: Norm
    layers: Layers
    epsilon: float


# The arrays that `kernels.py` writes into: what all threads of a call share, and what each has to
# itself.


CHUNK = 8 * ROWS
"""Rows that go through a layer together: what is between its products stays in the second cache."""


class Size(NamedTuple):
    """Of the buffers: rows (one for a word piece), tiles of keys, and word pieces of the longest input."""

    rows: int
    tiles: int
    longest: int

    def holds(self, other: Size) -> bool:
        return self.rows >= other.rows and self.tiles >= other.tiles and self.longest >= other.longest

    def grown(self, other: Size) -> Size:
        """Room for both, rounded up, so that buffers are seldom made."""
        return Size(*(1 << (max(pair) - 1).bit_length() for pair in zip(self, other, strict=True)))


_LEAST = Size(256, 16, 128)


class EncoderShape(NamedTuple):
    """Of an encoder: its width, that of its inner product, its heads and layers."""

    width: int
    inner: int
    heads: int
    layers: int


class Buffers(NamedTuple):
    """`job` is how many inputs there are and how many layers they go through; `starts` says where inputs
    begin, and where the last one ends.

    A tile reads rows behind the last as well, though nobody looks at what they become. Keys and values (of
    every head, by row) are there twice: whoever is ahead writes those of the next layer. Keys lie in tiles,
    and every input begins a new one: `places` says where a row's first number is. `wanted` are the rows that
    the last layer is for; `wanted_starts` says where those of each input begin among them.
    """

    board: Ints
    job: Ints
    starts: Ints
    places: Ints
    wanted: Ints
    wanted_starts: Ints
    rows: Floats
    queries: Floats
    keys: Floats
    values: Floats

    @classmethod
    def of(cls, size: Size, shape: EncoderShape) -> Buffers:
        width, heads = shape.width, shape.heads
        return cls(
            board=board(shape.layers + 1),
            job=np.zeros(2, np.int64),
            starts=np.zeros(size.rows + 1, np.int64),
            places=np.zeros(size.rows, np.int64),
            wanted=np.zeros(size.rows, np.int64),
            wanted_starts=np.zeros(size.rows + 1, np.int64),
            rows=np.zeros((size.rows + ROWS, width), np.float32),
            queries=np.zeros((size.rows + ROWS, width), np.float32),
            keys=np.zeros((2, size.tiles * width * FLOAT_COLUMNS), np.float32),
            values=np.zeros((2, heads, size.rows, width // heads), np.float32),
        )


class Scratch(NamedTuple):
    """What one worker writes on its way. Made outside: to make arrays takes long to compile."""

    rows: Floats
    queries: Floats
    joined: Floats
    wide: Floats
    narrow: Floats
    seen: Floats
    scores: Floats
    factors: Floats
    tile: Floats
    cut: NDArray[np.int8]
    whole: Floats
    units: Floats
    raised: NDArray[np.int32]

    @classmethod
    def of(cls, size: Size, shape: EncoderShape) -> Scratch:
        width, inner, longest = shape.width, shape.inner, size.longest
        columns = -(-longest // FLOAT_COLUMNS) * FLOAT_COLUMNS
        return cls(
            rows=np.zeros((CHUNK, width), np.float32),
            queries=np.zeros((CHUNK + ROWS, width), np.float32),
            joined=np.empty((CHUNK, 3 * width), np.float32),
            wide=np.empty((CHUNK, inner), np.float32),
            narrow=np.empty((CHUNK, width), np.float32),
            seen=np.zeros((CHUNK, width), np.float32),
            scores=np.zeros((ROWS, columns), np.float32),
            factors=np.empty(ROWS, np.float32),
            tile=np.empty((ROWS, FLOAT_COLUMNS), np.float32),
            cut=np.empty(CHUNK * max(inner, width), np.int8),
            whole=np.zeros((CHUNK, max(inner, width)), np.float32),
            units=np.empty(CHUNK, np.float32),
            raised=np.empty(CHUNK, np.int32),
        )


class Workplace:
    """Buffers, the scratch space of each thread that works in them, and those threads that help."""

    def __init__(self, size: Size, shape: EncoderShape) -> None:
        self.size = size
        self.buffers = Buffers.of(size, shape)
        self.helpers: dict[int, Helper] = {}
        self._shape = shape
        self._scratches: dict[int, Scratch] = {}
        # When the process ends they need not be woken.
        finalize(self, _send_home, os.getpid(), self.buffers.board, self.helpers).atexit = False

    def scratch(self, worker: int) -> Scratch:
        if (own := self._scratches.get(worker)) is None:
            own = self._scratches[worker] = Scratch.of(self.size, self._shape)
        return own


def _send_home(process: int, board: Ints, helpers: dict[int, Helper]) -> None:
    if process == os.getpid():  # one that was split off has the bells of its parent's helpers
        dismiss(board)
        for helper in helpers.values():
            helper.wake()


class Workplaces:
    """As many as are in use at once. The one used last comes first: its helpers may still be there."""

    def __init__(self, shape: EncoderShape) -> None:
        self._shape = shape
        self._free: list[Workplace] = []
        self._process = os.getpid()

    def take(self, size: Size) -> Workplace:
        """With room for so much; to be given back."""
        if self._process != os.getpid():
            # A process that was split off has none of the helpers that its parent's buffers speak of.
            self._free, self._process = [], os.getpid()
        try:
            found = self._free.pop()
        except IndexError:
            found = Workplace(_LEAST.grown(size), self._shape)
        return found if found.size.holds(size) else Workplace(found.size.grown(size), self._shape)

    def give_back(self, workplace: Workplace) -> None:
        self._free.append(workplace)
