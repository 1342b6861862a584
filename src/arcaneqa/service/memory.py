"""What the service asks of the C library, to hold no more memory after a week than after a minute."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_ARENA_MAX = -8
"""M_ARENA_MAX in GNU's malloc.h."""


def share_one_heap() -> None:
    """GNU's C library gives every thread a heap of its own, and each keeps the most it ever held. The threads
    of the service take turns, so that one heap does for all. To be called before there are any."""
    with suppress(AttributeError, OSError, TypeError):  # another system, another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
