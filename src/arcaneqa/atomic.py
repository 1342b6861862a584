"""Files and folders that take their place only when they are whole.

Killed at any moment, or out of disk, what was there before is still there. Everything that is written to be
read again is written through here.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from arcaneqa.errors import InputError

_AT_FDCWD = -100
"""AT_FDCWD in fcntl.h: paths count from the current folder."""
_EXCHANGE = 2
"""RENAME_EXCHANGE in stdio.h."""


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A name beside `path` for a file or a folder to be written; without an error it replaces `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_native_id()}")
    try:
        yield draft
        take_place(draft, path)
    finally:
        remove(draft)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file to write; an InputError where that cannot be done."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} cannot be written (it is not a plain file).")
    try:
        path.parent.stat()  # a mistyped folder is a mistake to tell, not a folder to make
        with beside(path) as draft, draft.open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}).") from error


def take_place(draft: Path, target: Path) -> None:
    """Rename a finished draft to its target, in one step where the system can."""
    if not (draft.is_dir() and target.exists()):
        draft.replace(target)
    elif not _exchanged(draft, target):
        # Systems without an atomic exchange of folders: for a moment the old one has another name.
        old = target.with_name(f".{target.name}.{os.getpid()}.old")
        target.rename(old)
        draft.rename(target)
        remove(old)
    handle = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Whatever is there, or nothing."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _exchanged(left: Path, right: Path) -> bool:
    """Linux's renameat2: both names change at once, so that at no moment one is missing."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return bool(call(_AT_FDCWD, os.fsencode(left), _AT_FDCWD, os.fsencode(right), _EXCHANGE) == 0)
