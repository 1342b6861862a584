"""How much of the machine is ours."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any


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
