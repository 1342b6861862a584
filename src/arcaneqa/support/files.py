"""Files of JSON, and files and folders that take their place only when they are whole."""

from __future__ import annotations

import ctypes
import errno
import gzip
import json
import os
import shutil
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from platformdirs import user_cache_path

from arcaneqa.support.errors import InputError

# Files of JSON: datasets as they are published (arrays or lines, plain or .gz), and small files of
# ours.


_LARGEST_JSON = 1 << 28
"""Bytes (256 MiB): more than the schema of any knowledge base."""
_LONGEST_LINE = 1 << 24
"""Characters (16 MiB) of a record."""


def open_text(path: Path) -> TextIO:
    """A UTF-8 text file; `.gz` is unpacked on the way."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def plain_json(path: Path) -> Any:
    """A small JSON file, for callers that say by themselves what is wrong with it. Raises OSError, also for a
    pipe or device, on which a reader might wait for ever, and one that is not small; and ValueError, also for
    JSON nested too deep."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    if path.exists() and path.stat().st_size > _LARGEST_JSON:
        raise OSError(errno.EFBIG, "it is far too large", str(path))
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Line number and JSON value of every non-blank line."""
    try:
        with open_text(path) as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE), ""), 1):
                if len(line) == _LONGEST_LINE:
                    raise InputError(f"{path}, line {number}: it is far too long")
                if line.strip():
                    try:
                        yield number, json.loads(line)
                    except (json.JSONDecodeError, RecursionError) as error:
                        reason = getattr(error, "msg", "nested too deep")
                        raise InputError(f"{path}, line {number}: not JSON ({reason})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


def read_items(path: Path, key: str | None = None) -> Iterator[tuple[str, Any]]:
    """Where each item is and what it is: of JSON lines, of a JSON array, or of the array under `key`."""
    try:
        with open_text(path) as file:
            lines = iter(lambda: file.readline(_LONGEST_LINE), "")
            first = next((line for line in lines if line.strip()), "")
    except (EOFError, zlib.error, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if _is_record(first, key):
        yield from ((f"{path}, line {number}", item) for number, item in read_lines(path))
        return
    items = read_json(path)
    if key is not None and isinstance(items, dict):
        items = items.get(key)
    if not isinstance(items, list):
        where = f"an array under {key!r}" if key else "a JSON array"
        raise InputError(f"{path}: expected JSON lines or {where}")
    yield from ((f"{path}, item {number}", item) for number, item in enumerate(items, 1))


def _is_record(line: str, key: str | None) -> bool:
    try:
        item = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return False
    return isinstance(item, dict) and key not in item


def read_json(path: Path) -> Any:
    try:
        with open_text(path) as file:
            text = file.read(_LARGEST_JSON)
        if len(text) == _LARGEST_JSON:
            raise InputError(f"{path}: it is far too large for one JSON value; write JSON lines")
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}: not JSON that can be read (nested too deep)") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


# Our folder of the user's cache.


def cache_place() -> Path:
    """Where it is, whether it is there or not. Raises OSError for a user without a home folder."""
    try:
        return user_cache_path("arcaneqa")
    except RuntimeError:
        raise OSError(errno.ENOENT, "there is no home folder", "of this user") from None


def cache_folder(*parts: str) -> Path:
    """A folder there, which nobody else may look into: what is kept may be private. Raises OSError where
    there can be none."""
    ours = cache_place()
    folder = ours.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    state = ours.stat()
    if state.st_uid == os.geteuid() and state.st_mode & 0o077:
        ours.chmod(0o700)
    return folder


def is_only_ours(folder: Path) -> bool:
    """Whether nobody else may have put anything into it."""
    state = folder.stat()
    return state.st_uid == os.geteuid() and not state.st_mode & 0o022


# Files and folders that take their place only when they are whole.


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
