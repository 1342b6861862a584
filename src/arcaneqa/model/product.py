"""Products with small matrices, compiled of the same tiles as the encoder.

A library for matrices is no faster here: it looks for threads to share the work with, and adds up a row in
another order beside other rows.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.stored_arrays import Floats
from arcaneqa.model.tiles import FLOAT_COLUMNS, PANELS, ROWS, float_tile, row_tile

_FEW = 2
"""Rows that are multiplied one by one: a tile has the same work with any number of them."""
_AT_ONCE = PANELS * FLOAT_COLUMNS


class Product:
    """Rows times the transpose of a matrix `[outward, inward]`, as torch keeps it, and a bias."""

    def __init__(self, matrix: Floats, bias: Floats | None = None) -> None:
        self._outward, self._inward = matrix.shape
        self._panels = panels_of(matrix)
        self._bias = np.zeros(self._outward, np.float32) if bias is None else bias

    def __call__(self, rows: Floats) -> Floats:
        flat = np.ascontiguousarray(rows).reshape(-1, self._inward)
        found = np.empty((len(flat), self._outward), np.float32)
        multiply(flat, self._panels, self._bias, found)
        return found.reshape(*rows.shape[:-1], self._outward)


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
