"""What kind of processor this is, as far as it can be told without a compiler."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

_ENOUGH = 1 << 14
"""Bytes of what the system says, in which the first processor is described."""


@cache
def description() -> dict[str, str]:
    """What Linux says of the first processor; empty elsewhere."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            lines = file.read(_ENOUGH).partition("\n\n")[0].splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def identity() -> str:
    """Of its kind and what it can do; the frequency and other things that change are not in it."""
    told = description()
    return " ".join(
        [platform.machine(), platform.processor()]
        + [told.get(name, "") for name in ("model name", "flags", "Features")]
    )
