"""What an encoder in torch reads at once: inputs laid end to end, and a grid of them where one is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arcaneqa.support.ragged import Ints, offsets_of


def tensor(array: Any) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Call:
    """Input i holds the tokens from `offsets[i]` to `offsets[i + 1]`; the longest one has `longest`."""

    ids: Tensor
    offsets: Tensor
    longest: int

    @classmethod
    def of(cls, ids: NDArray[np.integer[Any]], lengths: Ints) -> Call:
        return cls(tensor(ids), tensor(offsets_of(lengths)), int(lengths.max()))

    def to(self, device: torch.device) -> Call:
        return Call(self.ids.to(device), self.offsets.to(device), self.longest)

    @property
    def cells(self) -> int:
        """How many tokens there would be with padding."""
        return (len(self.offsets) - 1) * self.longest

    @property
    def lengths(self) -> Tensor:
        return self.offsets.diff()

    def rows(self) -> Tensor:
        """Which input every token belongs to; a GPU is not waited for."""
        each = torch.arange(len(self.offsets) - 1, device=self.ids.device)
        return each.repeat_interleave(self.lengths, output_size=len(self.ids))

    def places(self, rows: Tensor) -> Tensor:
        """The place of every token in its input."""
        return torch.arange(len(rows), device=rows.device) - self.offsets[rows]


@dataclass(frozen=True, slots=True)
class Grid:
    """Inputs under each other, as wide as the longest; `cells` is where each token stands."""

    cells: Tensor
    mask: Tensor

    @classmethod
    def of(cls, call: Call) -> Grid:
        rows = call.rows()
        mask = torch.arange(call.longest, device=rows.device) < call.lengths[:, None]
        return cls(rows * call.longest + call.places(rows), mask)

    def spread(self, values: Tensor, blank: int = 0) -> Tensor:
        """Values of tokens in the grid, and `blank` where there is none."""
        flat = values.new_full((self.mask.numel(), *values.shape[1:]), blank)
        return flat.index_copy(0, self.cells, values).view(*self.mask.shape, *values.shape[1:])

    def gather(self, spread: Tensor) -> Tensor:
        """The way back."""
        return spread.flatten(0, 1).index_select(0, self.cells)


def joined(calls: Sequence[Call]) -> Call:
    """Several calls as one."""
    starts = accumulate((len(call.ids) for call in calls), initial=0)
    offsets = [call.offsets[:-1] + start for call, start in zip(calls, starts, strict=False)]
    ends = [calls[-1].offsets[-1:] + sum(len(call.ids) for call in calls[:-1])]
    return Call(
        torch.cat([call.ids for call in calls]),
        torch.cat(offsets + ends),
        max(call.longest for call in calls),
    )
