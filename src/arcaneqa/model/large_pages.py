"""Memory for what every call reads from end to end."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

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
