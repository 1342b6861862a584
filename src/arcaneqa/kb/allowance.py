"""What an execution may still take: time until its deadline, and cells of the arrays and tables it makes.

Cells are counted before they are made. Work that nobody gave an allowance is bounded by the same number of
cells, each piece for itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from arcaneqa.support.errors import BudgetExceeded

MOST_CELLS = 1 << 25
"""Of one execution: 256 MiB, and some five times as much while walks are put in order."""


@dataclass(slots=True)
class _Allowance:
    deadline: float
    seconds: float
    cells: int


_current: ContextVar[_Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def allowing(deadline: float, seconds: float, cells: int) -> Iterator[None]:
    """Until a moment of `time.monotonic`, which is so many seconds after the beginning."""
    before = _current.set(_Allowance(deadline, seconds, cells))
    try:
        yield
    finally:
        _current.reset(before)


def left() -> int:
    """Cells that may still be made."""
    allowance = _current.get()
    return MOST_CELLS if allowance is None else allowance.cells


def spend(cells: int = 0) -> None:
    """Look at the clock, and take so many cells that are about to be made; raises BudgetExceeded."""
    allowance = _current.get()
    if cells > (MOST_CELLS if allowance is None else allowance.cells):
        raise BudgetExceeded("The program takes too much memory; ask for fewer members, or a shorter way.")
    if allowance is not None:
        allowance.cells -= cells
        if time.monotonic() > allowance.deadline:
            raise BudgetExceeded(f"The program took more than {allowance.seconds:g} seconds.")
