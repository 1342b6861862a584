"""Which index folders were found whole, so that opening one again need not read all of it.

Whoever writes to a file, or copies it, leaves it with another time of change, inode or size. A folder whose
files still have those they had when their checksums were right is therefore as it was then. What this cannot
see is a disk that loses bits by itself: `arcaneqa info --verify` reads everything.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from arcaneqa.atomic import beside

_CLOCK = 100_000_000
"""Nanoseconds that a file must have been left alone: clocks of file systems tick slowly, and a second change
within one tick would not show."""


@dataclass(frozen=True)
class State:
    """What would be different had one of the files been touched, and when one last was."""

    folder: Path
    text: str
    changed: int


def state_of(folder: Path, seal: str, names: Iterable[str]) -> State:
    """Of these files, which should match what `seal` seals."""
    stats = [(name, (folder / name).stat()) for name in sorted(names)]
    rows = [(n, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev) for n, s in stats]
    text = hashlib.sha256(json.dumps([seal, rows]).encode()).hexdigest()
    return State(folder, text, max((s.st_ctime_ns for _, s in stats), default=0))


def is_trusted(state: State) -> bool:
    """Whether in this state the files were found to match their checksums."""
    try:
        return _note(state.folder).read_text(encoding="ascii") == state.text
    except (OSError, UnicodeDecodeError):
        return False


def trust(state: State) -> None:
    """Note that in this state the files match. Where no note can be kept, they are read each time."""
    if time.time_ns() - state.changed < _CLOCK:
        return
    note = _note(state.folder)
    with contextlib.suppress(OSError), beside(note) as draft:
        draft.write_text(state.text, encoding="ascii")


def _note(folder: Path) -> Path:
    place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    return user_cache_path("arcaneqa") / "whole" / place
