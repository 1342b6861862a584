"""BERT's layers, compiled: whoever has time takes some rows of the inputs through the next one."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from arcaneqa.int8.buffers import CHUNK, Buffers, EncoderWeights, Matrix, Norm, Scratch
from arcaneqa.int8.instructions import (
    BYTE_COLUMNS,
    FLOAT_COLUMNS,
    ROUNDING,
    ROUNDING_BITS,
    ROWS,
    bits_of_float,
    byte_tile,
    exp_of_negative,
    float_of_bits,
    float_tile,
    four_rows,
    soften,
    two_rows,
)
from arcaneqa.int8.stored_arrays import Flags, Floats, Words
from arcaneqa.int8.threads import end, next_turn, take, tasks_of, turn_of, wait_for
from arcaneqa.support.compiled import compiled
from arcaneqa.support.ragged import Ints

# Inputs as the encoder's buffers want them, compiled: a library would go over them a dozen times.


@compiled
def lay_out(
    ids: Words,
    lengths: Ints,
    is_wanted: Flags,
    words: NDArray[Any],
    scales: Floats,
    positions: Floats,
    buffers: Buffers,
) -> bool:
    """The vectors of ids (rows of the table `words` times their `scales`), to which those of their places are
    added. False where the table does not have an id."""
    width = words.shape[1]
    starts, places, rows = buffers.starts, buffers.places, buffers.rows
    wanted, wanted_starts = buffers.wanted, buffers.wanted_starts
    row, tile, count = 0, 0, 0
    starts[0] = wanted_starts[0] = 0
    for number in range(len(lengths)):
        for place in range(lengths[number]):
            if ids[row] >= len(words):
                return False
            column = place % FLOAT_COLUMNS
            places[row] = (tile + place // FLOAT_COLUMNS) * width * FLOAT_COLUMNS + column
            own, word, scale, at = rows[row], words[ids[row]], scales[ids[row]], positions[place]
            for part in range(width):
                own[part] = np.float32(word[part]) * scale + at[part]
            if is_wanted[row]:
                wanted[count] = row
                count += 1
            row += 1
        tile += (lengths[number] + FLOAT_COLUMNS - 1) // FLOAT_COLUMNS
        starts[number + 1] = row
        wanted_starts[number + 1] = count
    return True


# BERT's layers, compiled: whoever has time takes some rows of the inputs through the next one.


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


@_kept
def encode(
    buffers: Buffers, weights: EncoderWeights, scratch: Scratch, is_exact: bool, helper: int, bell: int
) -> None:
    """Take part in a turn: what is in the buffers goes through the first norm and the layers, in place.

    The caller (`helper` is negative) comes back when all of it is done; a helper stays for the turns that
    follow until it is dismissed, and sleeps at its bell where none come. `is_exact`: products are of bytes.
    """
    board = buffers.board.ctypes.data
    turn = turn_of(board) if helper < 0 else next_turn(board, 0, helper, bell)
    while turn > 0:
        _read(buffers, weights, scratch, is_exact, board, turn, helper + 1)
        if helper < 0:
            wait_for(board, turn, buffers.job[1])
            return
        turn = next_turn(board, turn, helper, bell)


@_exact
def _read(
    buffers: Buffers,
    weights: EncoderWeights,
    scratch: Scratch,
    is_exact: bool,
    board: int,
    turn: int,
    own: int,
) -> None:
    """Attention needs the keys of all rows, so a layer's first product belongs to the round before it."""
    depth, rows, layers, joined = buffers.job[1], buffers.rows, weights.layers, scratch.joined
    starts, wanted_starts = buffers.starts, buffers.wanted_starts
    for layer in range(depth + 1):
        if layer and not wait_for(board, turn, layer - 1):
            return
        task = take(board, turn, layer, own)
        while task >= 0:
            # Nothing in the buffers changes while a task is not ended.
            is_last, inputs = layer == depth > 0, buffers.job[0]
            total, tasks = (wanted_starts if is_last else starts)[inputs], tasks_of(board, turn)
            first, last = total * task // tasks, total * (task + 1) // tasks
            chunks = (last - first + CHUNK - 1) // CHUNK
            if layer == 0:
                for row in range(first, last):
                    _normalise(rows[row], weights.first.gain[0], weights.first.bias[0], weights.epsilon)
            elif is_last:
                for chunk in range(chunks):
                    start, stop = _cut_off(first, last, chunk, chunks)
                    _see_wanted(buffers, weights, scratch, layer - 1, is_exact, start, stop)
            else:
                for chunk in range(chunks):
                    start, stop = _cut_off(first, last, chunk, chunks)
                    here = (rows, buffers.queries, start)
                    _see(buffers, weights, scratch, layer - 1, is_exact, here, starts, start, stop)
            if layer < depth:
                for chunk in range(chunks):
                    start, stop = _cut_off(first, last, chunk, chunks)
                    _multiply(rows, start, stop - start, layers.joined, layer, is_exact, scratch, joined)
                    _part(buffers, joined, start, stop, layer % 2)
            end(board, layer)
            task = take(board, turn, layer, own)


@_exact
def _cut_off(first: int, last: int, chunk: int, chunks: int) -> tuple[int, int]:
    """Chunks are of about the same size: all the weights are fetched for the last one, too."""
    return first + (last - first) * chunk // chunks, first + (last - first) * (chunk + 1) // chunks


@_exact
def _see_wanted(
    buffers: Buffers,
    weights: EncoderWeights,
    scratch: Scratch,
    layer: int,
    is_exact: bool,
    start: int,
    stop: int,
) -> None:
    """The last layer of those rows that somebody wants, taken out to lie side by side and put back."""
    rows, queries, wanted = buffers.rows, buffers.queries, buffers.wanted
    own, asking = scratch.rows, scratch.queries
    for place in range(stop - start):
        _copy(rows[wanted[start + place]], own[place])
        _copy(queries[wanted[start + place]], asking[place])
    _see(buffers, weights, scratch, layer, is_exact, (own, asking, 0), buffers.wanted_starts, start, stop)
    for place in range(stop - start):
        _copy(own[place], rows[wanted[start + place]])


@_exact
def _copy(source: Floats, out: Floats) -> None:
    for place in range(len(out)):
        out[place] = source[place]


@_exact
def _see(
    buffers: Buffers,
    weights: EncoderWeights,
    scratch: Scratch,
    layer: int,
    is_exact: bool,
    own: tuple[Floats, Floats, int],
    starts: Ints,
    start: int,
    stop: int,
) -> None:
    """The rest of a layer for rows `start` to `stop`, as `starts` counts them, where the keys and values of
    all rows are known. `own` are rows and queries, and where these begin among them."""
    layers, narrow, wide, count = weights.layers, scratch.narrow, scratch.wide, stop - start
    rows, queries, at = own
    _attend(buffers, queries, at, starts, start, stop, layer % 2, scratch)
    _multiply(scratch.seen, 0, count, layers.mixed, layer, is_exact, scratch, narrow)
    _add_and_norm(rows, at, count, narrow, layers.middle, layer, weights.epsilon)
    _multiply(rows, at, count, layers.wide, layer, is_exact, scratch, wide)
    _bend(wide, count)
    _multiply(wide, 0, count, layers.narrow, layer, is_exact, scratch, narrow)
    _add_and_norm(rows, at, count, narrow, layers.after, layer, weights.epsilon)


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
        # What is stored as bytes is read as such on every processor: rows are cut to the same whole numbers,
        # whose sums floats hold without a rest.
        is_cut, whole, cut, units = scales[0] > 0, scratch.whole, scratch.cut, scratch.units
        origin, distance = source[start].ctypes.data, inward * 4
        if is_cut:
            for row in range(count):
                units[row], _ = _cut(source[start + row], cut[:inward])
                for place in range(inward):
                    whole[row, place] = np.float32(cut[place])
            origin, distance = whole.ctypes.data, whole.shape[1] * 4
        for column in range(0, outward, FLOAT_COLUMNS):
            panel = weights + column * inward * 4
            for row in range(0, count, ROWS):
                place = out.ctypes.data + (row * outward + column) * 4
                rows = origin + row * distance
                float_tile(panel, FLOAT_COLUMNS * 4, rows, distance, inward, place, outward * 4)
        for row in range(count):
            own, unit = out[row], units[row]
            for place in range(outward):
                own[place] = own[place] * (unit * scales[place] if is_cut else np.float32(1)) + bias[place]
        return
    cut, units, raised = scratch.cut, scratch.units, scratch.raised
    for row in range(count):
        units[row], total = _cut(source[start + row], cut[row * inward : (row + 1) * inward])
        # Weights were raised by 128 to be unsigned.
        raised[row] = np.int32(128 * total)
    for column in range(0, outward, BYTE_COLUMNS):
        panel = weights + column * inward
        scale, more = scales[column:].ctypes.data, bias[column:].ctypes.data
        for row in range(0, count, ROWS):
            place, own = out.ctypes.data + (row * outward + column) * 4, cut.ctypes.data + row * inward
            unit, less = units.ctypes.data + row * 4, raised.ctypes.data + row * 4
            if count - row <= 2:
                two_rows(panel, own, inward, inward // 4, place, outward * 4, unit, less, scale, more)
            elif count - row <= 4:
                four_rows(panel, own, inward, inward // 4, place, outward * 4, unit, less, scale, more)
            else:
                byte_tile(panel, own, inward, inward // 4, place, outward * 4, unit, less, scale, more)


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
        # Beside so large a number as is added, the last bits of a float are the nearest integer.
        bits = np.int32(bits_of_float(row[place] * factor + ROUNDING))
        out[place] = np.int8(bits)
        total = np.int32(total + bits)
    return highest / np.float32(127), np.int32(total - len(row) * ROUNDING_BITS)


@_exact
def _part(buffers: Buffers, joined: Floats, start: int, stop: int, side: int) -> None:
    places, queries, keys, values = buffers.places, buffers.queries, buffers.keys[side], buffers.values[side]
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
        for row in range(stop - start):
            # Without a sign: no need to ask whether it counts from the end.
            keys[np.uintp(places[start + row] + place * FLOAT_COLUMNS)] = joined[row, width + place]


@_exact
def _attend(
    buffers: Buffers,
    queries: Floats,
    at: int,
    own_starts: Ints,
    start: int,
    stop: int,
    side: int,
    scratch: Scratch,
) -> None:
    """What rows `start` to `stop` see of their own inputs."""
    starts, places, keys, values = buffers.starts, buffers.places, buffers.keys[side], buffers.values[side]
    heads, room, size = values.shape
    width = heads * size
    scores, factors, tile, seen = scratch.scores, scratch.factors, scratch.tile, scratch.seen
    for number in range(buffers.job[0]):
        begin, end = starts[number], starts[number + 1]
        first, last = max(own_starts[number], start), min(own_starts[number + 1], stop)
        # A head's keys and values stay in the first cache while its rows go by.
        for head in range(heads if first < last else 0):
            own_keys = keys.ctypes.data + (places[begin] + head * size * FLOAT_COLUMNS) * 4
            own_values = values.ctypes.data + (head * room + begin) * size * 4
            for row in range(first, last, ROWS):
                for column in range(0, end - begin, FLOAT_COLUMNS):
                    float_tile(
                        own_keys + column * width * 4,
                        FLOAT_COLUMNS * 4,
                        queries.ctypes.data + ((row - start + at) * width + head * size) * 4,
                        width * 4,
                        size,
                        scores.ctypes.data + column * 4,
                        scores.shape[1] * 4,
                    )
                count = min(ROWS, last - row)
                for place in range(count):
                    factors[place] = soften(scores.ctypes.data + place * scores.shape[1] * 4, end - begin)
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
                        factor = factors[place]
                        for one in range(len(found)):
                            own[one] = found[one] * factor


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
            tail = np.float32(0.5) * series * near * exp_of_negative(-size * size)
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
