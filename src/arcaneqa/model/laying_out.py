"""Inputs as the encoder's buffers want them, compiled: a library would go over them a dozen times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.compiled import compiled
from arcaneqa.model.buffers import Buffers
from arcaneqa.model.stored_arrays import Flags, Floats, Words
from arcaneqa.model.tiles import FLOAT_COLUMNS
from arcaneqa.ragged import Ints


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
