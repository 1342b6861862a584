"""Products with small matrices, compiled of the same tiles as the encoder.

A library for matrices is no faster here: it looks for threads to share the work with, and adds up a row in
another order beside other rows.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.stored import Floats
from arcaneqa.model.tiles import FLOAT_COLUMNS, ROWS, float_tile


class Product:
    """Rows times the transpose of a matrix `[outward, inward]`, as torch keeps it, and a bias."""

    def __init__(self, matrix: Floats, bias: Floats | None = None) -> None:
        self._outward, self._inward = matrix.shape
        panels = -(-self._outward // FLOAT_COLUMNS)
        padded = np.zeros((panels * FLOAT_COLUMNS, self._inward), np.float32)
        padded[: self._outward] = matrix
        turned = padded.reshape(panels, FLOAT_COLUMNS, self._inward).transpose(0, 2, 1)
        self._panels = np.ascontiguousarray(turned)
        self._bias = np.zeros(self._outward, np.float32) if bias is None else bias

    def __call__(self, rows: Floats) -> Floats:
        flat = np.ascontiguousarray(rows).reshape(-1, self._inward)
        found = np.empty((len(flat), self._outward), np.float32)
        # Neither shared nor kept: threads multiply at the same time.
        last, tile = np.zeros((ROWS, self._inward), np.float32), np.empty((ROWS, FLOAT_COLUMNS), np.float32)
        _multiply(flat, self._panels, self._bias, found, last, tile)
        return found.reshape(*rows.shape[:-1], self._outward)


@compiled
def _multiply(rows: Floats, panels: Floats, bias: Floats, out: Floats, last: Floats, tile: Floats) -> None:
    """`last` is for the rows behind the last whole tile, `tile` for what becomes of one."""
    count, inward = rows.shape
    whole = count // ROWS * ROWS
    for row in range(whole, count):
        last[row - whole] = rows[row]
    for panel in range(len(panels)):
        weights, first = panels[panel].ctypes.data, panel * FLOAT_COLUMNS
        columns = min(FLOAT_COLUMNS, out.shape[1] - first)
        for start in range(0, count, ROWS):
            place = rows.ctypes.data + start * inward * 4 if start < whole else last.ctypes.data
            float_tile(
                weights, FLOAT_COLUMNS * 4, place, inward * 4, inward, tile.ctypes.data, FLOAT_COLUMNS * 4
            )
            for row in range(start, min(start + ROWS, count)):
                for column in range(columns):
                    out[row, first + column] = tile[row - start, column] + bias[first + column]
