"""A folder built beside its target and exchanged with it in one step: killed at any moment, or out of disk,
what was there before is still there, whole."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arcaneqa.atomic import take_place
from arcaneqa.errors import InputError
from arcaneqa.kb.index.store import INDEX


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """An empty folder to build in; on leaving without an error it takes the target's place, or the place that
    the target is a link to."""
    target = target.resolve()
    INDEX.check(target)
    folder = target.with_name(f".{target.name}.building")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"No index can be built at {target}: {error.strerror}.") from None
    with _locked(target):
        if any(folder.iterdir() if folder.is_dir() else ()) and INDEX.names(folder) is None:
            raise InputError(f"{folder} is in the way of the build, and not ours; move it elsewhere.")
        shutil.rmtree(folder, ignore_errors=True)  # left by a build that was killed
        try:
            folder.mkdir()
            yield folder
            INDEX.keep_others(target, folder)
            take_place(folder, target)
        except (OSError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise InputError(
                f"The index could not be written beside {target}: {reason or error}. "
                "What was there before is untouched."
            ) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """One build of a target at a time; the lock goes with its process, however that ends."""
    path = target.with_name(f".{target.name}.lock")
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError(f"No index can be built at {target}: {error.strerror}.") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found = os.fstat(lock)
            if found.st_nlink == 0:  # its last owner took it away between our opening and locking
                raise BlockingIOError
            if found.st_size:
                raise InputError(f"{path} is in the way of the build, and not ours; move it elsewhere.")
        except BlockingIOError:
            raise InputError(f"Another build is writing {target}; wait for it to end.") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(lock)
