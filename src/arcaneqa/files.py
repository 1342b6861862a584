"""Files of JSON: datasets as they are published (arrays or lines, plain or .gz), and small files of ours."""

from __future__ import annotations

import errno
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from arcaneqa.errors import InputError


def open_text(path: Path) -> TextIO:
    """A UTF-8 text file; `.gz` is unpacked on the way."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def plain_json(path: Path) -> Any:
    """A small JSON file, for callers that say by themselves what is wrong with it. Raises OSError, also for a
    pipe or device, on which a reader might wait for ever; and ValueError, also for JSON nested too deep."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Line number and JSON value of every non-blank line."""
    try:
        with open_text(path) as lines:
            for number, line in enumerate(lines, 1):
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
            first = next((line for line in file if line.strip()), "")
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
            return json.load(file)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}: not JSON that can be read (nested too deep)") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
