"""Products with small matrices, LSTMs and choices, compiled of the same instructions as the encoder.

A library would make every short loop of a decoder a call of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arcaneqa.int8.instructions import (
    FLOAT_COLUMNS,
    PANELS,
    ROWS,
    exp_of_negative,
    float_tile,
    row_tile,
    tanh,
)
from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.support.compiled import compiled
from arcaneqa.support.ragged import Ints

_FEW = 2
"""Rows that are multiplied one by one: a tile has the same work with any number of them."""
_AT_ONCE = PANELS * FLOAT_COLUMNS


def panels_of(matrix: Floats) -> Floats:
    """A matrix as tiles want it, with as many panels as a row alone takes at once."""
    outward, inward = matrix.shape
    panels = -(-outward // _AT_ONCE) * PANELS
    padded = np.zeros((panels * FLOAT_COLUMNS, inward), np.float32)
    padded[:outward] = matrix
    return np.ascontiguousarray(padded.reshape(panels, FLOAT_COLUMNS, inward).transpose(0, 2, 1))


@compiled
def multiply(rows: Floats, panels: Floats, bias: Floats, out: Floats) -> None:
    """Rows times a matrix in panels, with a bias, into `out`."""
    count, inward = rows.shape
    outward, panel_bytes = out.shape[1], inward * FLOAT_COLUMNS * 4
    whole = count // ROWS * ROWS
    # Room for what becomes of a tile, and for the rows behind the last whole one.
    tile = np.empty(max(ROWS * FLOAT_COLUMNS, _AT_ONCE), np.float32)
    last = np.zeros(ROWS * inward if count - whole > _FEW else 0, np.float32)
    if count - whole <= _FEW:
        for row in range(whole, count):
            place = rows.ctypes.data + row * inward * 4
            for first in range(0, outward, _AT_ONCE):
                weights = panels.ctypes.data + first // FLOAT_COLUMNS * panel_bytes
                row_tile(weights, panel_bytes, place, inward, tile.ctypes.data)
                for column in range(min(_AT_ONCE, outward - first)):
                    out[row, first + column] = tile[column] + bias[first + column]
        count = whole
    for row in range(whole, count):
        for place in range(inward):
            last[(row - whole) * inward + place] = rows[row, place]
    for first in range(0, outward if count else 0, FLOAT_COLUMNS):
        weights = panels.ctypes.data + first // FLOAT_COLUMNS * panel_bytes
        for start in range(0, count, ROWS):
            place = rows.ctypes.data + start * inward * 4 if start < whole else last.ctypes.data
            float_tile(
                weights, FLOAT_COLUMNS * 4, place, inward * 4, inward, tile.ctypes.data, FLOAT_COLUMNS * 4
            )
            for row in range(start, min(start + ROWS, count)):
                found = tile[(row - start) * FLOAT_COLUMNS :]
                for column in range(min(FLOAT_COLUMNS, outward - first)):
                    out[row, first + column] = found[column] + bias[first + column]


def _loops(function: Any) -> Any:
    """Sums are added in an order that the compiler chooses, the same for every decision."""
    return compiled(function, error_model="numpy", fastmath={"reassoc", "nnan", "nsz", "contract"})


@_loops
def turn(gates: Floats, memory: Floats, shown: Floats) -> None:
    """What an LSTM shows next; what it remembers is written where it was. Gates are in torch's order (in,
    forget, new, out), all but `new` at half their size (the logistic function is a hyperbolic tangent at half
    the argument), and are written over."""
    count, size = memory.shape
    half = np.float32(0.5)
    for number in range(count):
        own, kept, out = gates[number], memory[number], shown[number]
        for gate in range(4 * size):
            own[gate] = tanh(own[gate])
        take, keep, new, give = own[:size], own[size : 2 * size], own[2 * size : 3 * size], own[3 * size :]
        for place in range(size):
            kept[place] = half * ((keep[place] + 1) * kept[place] + (take[place] + 1) * new[place])
        for place in range(size):
            out[place] = tanh(kept[place])
        for place in range(size):
            out[place] *= half * (give[place] + 1)


@_loops
def attend(questions: Floats, starts: Ints, hidden: Floats, weights: Floats, joined: Floats) -> None:
    count, size = hidden.shape
    for number in range(count):
        own, first, last = hidden[number], starts[number], starts[number + 1]
        state, seen = joined[number, :size], joined[number, size:]
        for place in range(size):
            state[place] = own[place]
            seen[place] = 0
        highest = np.float32(-1e30)
        for word in range(first, last):
            row, score = questions[word], np.float32(0)
            for place in range(size):
                score += row[place] * own[place]
            weights[word] = score
            highest = max(highest, score)
        total = np.float32(0)
        for word in range(first, last):
            weights[word] = exp_of_negative(weights[word] - highest)
            total += weights[word]
        for word in range(first, last):
            row, weight = questions[word], weights[word] / total
            for place in range(size):
                seen[place] += weight * row[place]


@_loops
def compare(
    rows: Floats, worth: Floats, starts: Ints, pointed: Floats, found: Floats, levels: Floats
) -> None:
    for number in range(len(pointed)):
        own, first, last = pointed[number], starts[number], starts[number + 1]
        highest = np.float32(-np.inf)
        for candidate in range(first, last):
            row, score = rows[candidate], worth[candidate]
            for place in range(len(own)):
                score += row[place] * own[place]
            found[candidate] = score
            highest = max(highest, score)
        total = 0.0
        for candidate in range(first, last):
            found[candidate] -= highest
            total += np.exp(np.float64(found[candidate]))
        missing = np.float32(np.log(total))
        levels[number] = highest + missing
        for candidate in range(first, last):
            found[candidate] -= missing


@compiled
def read_words(inputs: Floats, panels: Floats, nothing: Floats, shown: Floats) -> None:
    """Word after word, of all questions."""
    memory = np.zeros(shown.shape[1:], np.float32)
    gates = np.empty(inputs.shape[1:], np.float32)
    for word in range(len(inputs)):
        if word:
            multiply(shown[word - 1], panels, nothing, gates)
        else:
            gates[:] = 0
        for number in range(len(gates)):
            own, alone = gates[number], inputs[word, number]
            for gate in range(len(own)):
                own[gate] += alone[gate]
        turn(gates, memory, shown[word])


@compiled
def step(inputs: Floats, panels: Floats, bias: Floats, memory: Floats, shown: Floats) -> None:
    gates = np.empty((len(inputs), len(bias)), np.float32)
    multiply(inputs, panels, bias, gates)
    turn(gates, memory, shown)
