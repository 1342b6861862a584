"""Rows of different lengths in one flat array, delimited by offsets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """All positions of the stretches, end to end: `arange(start, start + length)` of each."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


def offsets_of(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
