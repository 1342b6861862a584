"""Many strings in two arrays: their bytes end to end, and where each begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.index.store import Array


class Strings:
    def __init__(self, heap: Array, offsets: Array) -> None:
        self._heap, self._offsets = heap.data, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, position: int) -> str:
        return str(self._heap[self._offsets[position] : self._offsets[position + 1]], "utf-8")

    def many(self, positions: NDArray[np.int64]) -> list[str]:
        starts, ends = self._offsets[positions].tolist(), self._offsets[positions + 1].tolist()
        heap = self._heap
        return [str(heap[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]
