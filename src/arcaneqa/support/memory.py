"""What a process may take of the machine, and memory that it gives back."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache
from typing import Any

# What a process asks of the C library, to hold no more memory after a week than after a minute.


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
    import asyncio

    while True:
        await asyncio.sleep(_PAUSE)
        await asyncio.to_thread(give_back)


# How much of the machine is ours.


def processors() -> int:
    """Threads that may run at once; OMP_NUM_THREADS is heeded, as by numerical libraries."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def other_processors() -> set[int]:
    """Those that this thread might run on and does not; none where the system does not tell."""
    if sys.platform != "linux":
        return set()
    try:
        return os.sched_getaffinity(0) - {_c_library().sched_getcpu()}
    except (AttributeError, OSError):
        return set()


@cache
def _c_library() -> Any:
    """Looked up once: that takes as long as to wake a thread."""
    return ctypes.CDLL(None)
