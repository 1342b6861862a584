"""BERT's layers, compiled: every thread takes some rows of the inputs through all of them.

Inputs lie end to end. Rows know nothing of each other but in attention, so threads wait for each other once a
layer, when keys and values are ready. Every sum is added up in an order that the input alone decides: what an
input is read as does not depend on what is read beside it, nor on the number of threads, to the last bit.

Where bytes are multiplied, a row of activations is cut to int8 with one scale. Products of bytes are exact.
"""

from __future__ import annotations

import sys
from typing import Any

import numba
import numpy as np
from numba.core import types
from numpy.typing import NDArray

from arcaneqa.compiled import compiled
from arcaneqa.model.layers import CHUNK, Layers, Matrix, Norm, Scratch
from arcaneqa.model.stored import Floats
from arcaneqa.model.tiles import (
    BYTE_COLUMNS,
    FLOAT_COLUMNS,
    ROWS,
    arrive,
    arrived,
    bits_of_float,
    byte_tile,
    float_of_bits,
    float_tile,
)
from arcaneqa.ragged import Ints

_PATIENCE = 5_000
"""Looks at the other threads' counter, about a tenth of a millisecond, before a thread sleeps a little: on a
busy machine the others may not even be running."""
_SLEEP = 30
"""Microseconds."""
_ROUNDING = np.float32(3 << 22)
"""Added and taken away again it leaves a small float rounded to the nearest integer."""


def _kept(function: Any) -> Any:
    """With all that it calls."""
    return compiled(function, error_model="numpy", fastmath={"contract"})


def _part_of_it(function: Any, fastmath: set[str]) -> Any:
    return numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)


# The terms of these sums may be added in any order, as long as it is always the same.
def _summing(function: Any) -> Any:
    return _part_of_it(function, {"reassoc", "nnan", "nsz", "contract"})


def _exact(function: Any) -> Any:
    return _part_of_it(function, {"contract", "nnan", "nsz"})


if sys.platform == "win32":

    @_exact
    def _step_aside() -> None:
        pass

else:
    _usleep: Any = types.ExternalFunction("usleep", types.intc(types.uint32))

    @_exact
    def _step_aside() -> None:
        _usleep(_SLEEP)


@_kept
def encode(
    rows: Floats,
    starts: Ints,
    places: Ints,
    depth: int,
    epsilon: float,
    is_exact: bool,
    embedding: Norm,
    layers: Layers,
    queries: Floats,
    keys: Floats,
    values: Floats,
    scratch: Scratch,
    counter: Ints,
    worker: int,
    workers: int,
) -> None:
    """Take the rows of one worker through the first norm and `depth` layers, in place.

    `starts` says where inputs begin, and where the last one ends; there are rows up to a multiple of `ROWS`.
    `keys` and `values` (of every head, by row) are there twice: a thread that is ahead writes those of the
    next layer. Keys lie in tiles, and every input begins a new one: `places` says where a row's first number
    is. `counter` begins at zero. `is_exact`: products are of bytes.
    """
    total, joined, wide, narrow, seen = starts[-1], scratch.joined, scratch.wide, scratch.narrow, scratch.seen
    blocks = (total + ROWS - 1) // ROWS
    first, last = blocks * worker // workers * ROWS, blocks * (worker + 1) // workers * ROWS
    for row in range(first, last):
        _normalise(rows[row], embedding.gain[0], embedding.bias[0], epsilon)
    for layer in range(depth):
        keys_here, values_here = keys[layer % 2], values[layer % 2]
        for start in range(first, last, CHUNK):
            count = min(CHUNK, last - start)
            _multiply(rows, start, count, layers.joined, layer, is_exact, scratch, joined)
            _part(joined, start, min(start + count, total), places, queries, keys_here, values_here)
        _wait_for_all(counter.ctypes.data, workers * (layer + 1))
        for start in range(first, last, CHUNK):
            count = min(CHUNK, last - start)
            _attend(starts, start, start + count, places, queries, keys_here, values_here, scratch)
            _multiply(seen, 0, count, layers.mixed, layer, is_exact, scratch, narrow)
            _add_and_norm(rows, start, count, narrow, layers.middle, layer, epsilon)
            _multiply(rows, start, count, layers.wide, layer, is_exact, scratch, wide)
            _bend(wide, count)
            _multiply(wide, 0, count, layers.narrow, layer, is_exact, scratch, narrow)
            _add_and_norm(rows, start, count, narrow, layers.after, layer, epsilon)


@_exact
def _wait_for_all(counter: int, expected: int) -> None:
    arrive(counter)
    looks = 0
    while arrived(counter) < expected:
        looks += 1
        if looks > _PATIENCE:
            _step_aside()


@_exact
def _multiply(
    source: Floats,
    start: int,
    count: int,
    matrix: Matrix,
    layer: int,
    is_exact: bool,
    scratch: Scratch,
    out: Floats,
) -> None:
    """`count` rows of the source from `start` on, times a matrix, and its bias added."""
    inward, outward = source.shape[1], out.shape[1]
    scales, bias = matrix.scales[layer], matrix.bias[layer]
    weights = matrix.weights[layer].ctypes.data
    if not is_exact:
        origin = source[start].ctypes.data
        for column in range(0, outward, FLOAT_COLUMNS):
            panel = weights + column * inward * 4
            for row in range(0, count, ROWS):
                place = out.ctypes.data + (row * outward + column) * 4
                rows = origin + row * inward * 4
                float_tile(panel, FLOAT_COLUMNS * 4, rows, inward * 4, inward, place, outward * 4)
        for row in range(count):
            own = out[row]
            for place in range(outward):
                own[place] += bias[place]
        return
    cut, units, sums, counted = scratch.cut, scratch.units, scratch.sums, scratch.counted
    for row in range(count):
        units[row], sums[row] = _cut(source[start + row], cut[row * inward : (row + 1) * inward])
    for column in range(0, outward, BYTE_COLUMNS):
        panel = weights + column * inward
        for row in range(0, count, ROWS):
            place = counted.ctypes.data + (row * outward + column) * 4
            byte_tile(panel, cut.ctypes.data + row * inward, inward, inward // 4, place, outward * 4)
    for row in range(count):
        # Weights were raised by 128 to be unsigned.
        own, unit, raised = out[row], units[row], np.int32(128 * sums[row])
        found = counted[row * outward : (row + 1) * outward]
        for place in range(outward):
            exact = np.float32(np.int32(found[place] - raised))
            own[place] = exact * (unit * scales[place]) + bias[place]


@_exact
def _cut(row: Floats, out: NDArray[np.int8]) -> tuple[np.float32, np.int32]:
    """A row as bytes; their unit and sum."""
    most = np.int32(0)
    for place in range(len(row)):
        # Floats that are not negative are in the order of their bits.
        bits = np.int32(bits_of_float(row[place]) & np.int32(0x7FFFFFFF))
        most = bits if bits > most else most
    highest = float_of_bits(most)
    factor = np.float32(127) / highest if highest > 0 else np.float32(0)
    total = np.int32(0)
    for place in range(len(row)):
        whole = np.int32((row[place] * factor + _ROUNDING) - _ROUNDING)
        out[place] = np.int8(whole)
        total = np.int32(total + whole)
    return highest / np.float32(127), total


@_exact
def _part(
    joined: Floats, start: int, stop: int, places: Ints, queries: Floats, keys: Floats, values: Floats
) -> None:
    heads, size = values.shape[0], values.shape[2]
    width = heads * size
    factor = np.float32(1 / np.sqrt(size))
    for row in range(start, stop):
        own, query = joined[row - start], queries[row]
        for place in range(width):
            query[place] = own[place] * factor
        for head in range(heads):
            first = 2 * width + head * size
            value, made = values[head, row], own[first : first + size]
            for place in range(size):
                value[place] = made[place]
    for place in range(width):
        for row in range(start, stop):
            keys[places[row] + place * FLOAT_COLUMNS] = joined[row - start, width + place]


@_exact
def _attend(
    starts: Ints,
    start: int,
    stop: int,
    places: Ints,
    queries: Floats,
    keys: Floats,
    values: Floats,
    scratch: Scratch,
) -> None:
    """What rows `start` to `stop` see of their own inputs."""
    heads, total, size = values.shape
    width = heads * size
    scores, tile, seen = scratch.scores, scratch.tile, scratch.seen
    for number in range(len(starts) - 1):
        begin, end = starts[number], starts[number + 1]
        first, last = max(begin, start), min(end, stop)
        # A head's keys and values stay in the first cache while its rows go by.
        for head in range(heads if first < last else 0):
            own_keys = keys.ctypes.data + (places[begin] + head * size * FLOAT_COLUMNS) * 4
            own_values = values.ctypes.data + (head * total + begin) * size * 4
            for row in range(first, last, ROWS):
                for column in range(0, end - begin, FLOAT_COLUMNS):
                    float_tile(
                        own_keys + column * width * 4,
                        FLOAT_COLUMNS * 4,
                        queries.ctypes.data + (row * width + head * size) * 4,
                        width * 4,
                        size,
                        scores.ctypes.data + column * 4,
                        scores.shape[1] * 4,
                    )
                count = min(ROWS, last - row)
                for place in range(count):
                    _soften(scores[place], end - begin)
                for column in range(0, size, FLOAT_COLUMNS):
                    float_tile(
                        own_values + column * 4,
                        size * 4,
                        scores.ctypes.data,
                        scores.shape[1] * 4,
                        end - begin,
                        tile.ctypes.data,
                        FLOAT_COLUMNS * 4,
                    )
                    first_column = head * size + column
                    for place in range(count):
                        own, found = seen[row - start + place, first_column:], tile[place]
                        for one in range(FLOAT_COLUMNS):
                            own[one] = found[one]


@_summing
def _soften(row: Floats, count: int) -> None:
    """Softmax of the first `count` scores."""
    highest = row[0]
    for place in range(1, count):
        highest = row[place] if row[place] > highest else highest
    for place in range(count):
        row[place] -= highest
    _raise(row, count)
    total = np.float32(0)
    for place in range(count):
        total += row[place]
    factor = np.float32(1) / total
    for place in range(count):
        row[place] *= factor


@_exact
def _raise(row: Floats, count: int) -> None:
    for place in range(count):
        row[place] = _exp(row[place])


@_exact
def _exp(value: np.float32) -> np.float32:
    """Of a number that is not positive, to six digits: a power of two times a polynomial."""
    value = max(value, np.float32(-87))
    power = (value * np.float32(1.44269504) + _ROUNDING) - _ROUNDING
    rest = value - power * np.float32(0.693359375)
    rest = rest + power * np.float32(2.12194440e-4)
    series = np.float32(1.0 / 720)
    for divisor in (120.0, 24.0, 6.0, 2.0, 1.0, 1.0):
        series = series * rest + np.float32(1.0 / divisor)
    factor: np.float32 = float_of_bits((np.int32(power) + np.int32(127)) << np.int32(23))
    return series * factor


@_exact
def _bend(rows: Floats, count: int) -> None:
    """GELU. The normal distribution is Abramowitz and Stegun's 7.1.26, good to seven digits."""
    for row in range(count):
        own = rows[row]
        for place in range(len(own)):
            value = own[place]
            size = abs(value) * np.float32(0.70710678)
            near = np.float32(1) / (np.float32(1) + np.float32(0.3275911) * size)
            series = np.float32(1.061405429)
            series = series * near - np.float32(1.453152027)
            series = series * near + np.float32(1.421413741)
            series = series * near - np.float32(0.284496736)
            series = series * near + np.float32(0.254829592)
            # Half of what is missing to one, on the side of the larger half.
            tail = np.float32(0.5) * series * near * _exp(-size * size)
            own[place] = max(value, np.float32(0)) - abs(value) * tail


@_exact
def _add_and_norm(
    rows: Floats, start: int, count: int, more: Floats, norm: Norm, layer: int, epsilon: float
) -> None:
    gain, bias = norm.gain[layer], norm.bias[layer]
    for row in range(count):
        own, added = rows[start + row], more[row]
        for place in range(len(own)):
            own[place] += added[place]
        _normalise(own, gain, bias, epsilon)


@_summing
def _normalise(row: Floats, gain: Floats, bias: Floats, epsilon: float) -> None:
    count = np.float32(len(row))
    total = np.float32(0)
    for place in range(len(row)):
        total += row[place]
    mean = total / count
    total = np.float32(0)
    for place in range(len(row)):
        total += (row[place] - mean) * (row[place] - mean)
    factor = np.float32(1 / np.sqrt(total / count + np.float32(epsilon)))
    for place in range(len(row)):
        row[place] = (row[place] - mean) * factor * gain[place] + bias[place]
