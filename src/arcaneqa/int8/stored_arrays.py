"""An encoder's weights as they lie in files; rows of tables are made full only when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.support.errors import ModelError
from arcaneqa.support.ragged import Ints

SCALE = ".scale"
UNKNOWN_WORDS = "the tokenizer knows more words than the model; copy the model again"

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Words = NDArray[np.int32]
"""Ids of word pieces."""


@dataclass(frozen=True, slots=True)
class StoredArrays:
    """`encoder` describes the encoder's shape; `arrays` are its weights as they lie in `folder`."""

    folder: Path
    encoder: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def floats(self, name: str) -> Floats:
        """A tensor at full length."""
        array = self._array(name).astype(np.float32)
        if (scale := self.arrays.get(name + SCALE)) is not None:
            array *= scale.astype(np.float32)[:, None]
        return array

    def compact(self, name: str) -> tuple[NDArray[np.int8], Floats] | None:
        """A matrix as int8 rows and their scales, where it is stored so."""
        array, scale = self._array(name), self.arrays.get(name + SCALE)
        return None if scale is None else (array, scale.astype(np.float32))

    def names(self) -> list[str]:
        return [name for name in self.arrays if not name.endswith(SCALE)]

    def _array(self, name: str) -> NDArray[Any]:
        if name not in self.arrays:
            raise ModelError(
                f"the weights in {self.folder} do not fit its configuration: {name!r} is missing"
            )
        return self.arrays[name]


class VectorTable:
    """Rows of a stored table, at full length only when they are asked for: `rows` times their `scales`."""

    def __init__(self, stored: StoredArrays, name: str) -> None:
        self.rows: NDArray[Any]
        if (found := stored.compact(name)) is not None:
            self.rows, self.scales = found
        else:
            self.rows = stored.floats(name)
            self.scales = np.ones(len(self.rows), np.float32)
        self.length, self.width = self.rows.shape

    def __getitem__(self, ids: Words | Ints) -> Floats:
        try:
            found: Floats = self.rows[ids].astype(np.float32) * self.scales[ids, None]
        except IndexError as error:
            raise ModelError(UNKNOWN_WORDS) from error
        return found


def softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    total: Floats = raised / raised.sum(-1, keepdims=True)
    return total
