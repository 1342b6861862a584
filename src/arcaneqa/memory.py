"""What a process asks of the C library, to hold no more memory after a week than after a minute.

Both are for GNU's, whose way with many threads costs most; elsewhere they do nothing.
"""

from __future__ import annotations

import asyncio
import ctypes
from contextlib import suppress

_ARENA_MAX = -8
"""M_ARENA_MAX in malloc.h."""
_PAUSE = 30.0
"""Seconds between two times."""


def share_one_heap() -> None:
    """Every thread has a heap of its own, and each keeps the most it ever held. Where threads take turns, one
    heap does for all. To be called before there are any."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def give_back() -> None:
    """What is freed between two pieces that are not stays with the process, until it is asked for."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


async def give_back_now_and_then() -> None:
    while True:
        await asyncio.sleep(_PAUSE)
        await asyncio.to_thread(give_back)
