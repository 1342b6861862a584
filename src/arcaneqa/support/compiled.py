"""Loops compiled for this processor, once a machine.

What was compiled is kept in our own cache folder, never beside the package, which may belong to somebody
else; where NUMBA_CACHE_DIR says so, there. What is loaded runs: a folder that others may write to is not
used, and a file is checked before it is read. Without a folder, every process compiles for itself.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys

from arcaneqa.support import loops

_P = ParamSpec("_P")
_R = TypeVar("_R")
_settings: Any = numba.config
_cache: Any = FunctionCache
_cached_file: Any = IndexDataCacheFile
_memory: Any = rtsys
_listener: Any = event.Listener
_events: Any = event
_changing = Lock()


class _Checked(_cached_file):  # type: ignore[misc]
    """Files that end with their checksum, which numba, reading them, does not come to. One that does not
    match counts as missing."""

    def _load_index(self) -> Any:
        return super()._load_index() if _is_whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_whole(self._data_path(name)):
            raise FileNotFoundError(name)
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(path) as file:
            yield (held := io.BytesIO())
            file.write(held.getvalue() + hashlib.sha256(held.getvalue()).digest())


def _is_whole(path: str) -> bool:
    try:
        data = Path(path).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data[:-32]).digest() == data[-32:]


class _Kept(_cache):  # type: ignore[misc] # numba has no types
    """Loads what was compiled just as it is. numba would make its whole compiler ready first, which takes ten
    times as long; so it does only where there is something to compile."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file.__class__ = _Checked

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _memory.initialize(target_context)  # the memory of arrays that a loop makes
        try:
            found = self._load_overload(sig, target_context)
        except Exception:
            # Kept by another version of this package, whose types are no more, or cut off: compiled again.
            self.flush()
            found = None
        return super().load_overload(sig, target_context) if found is None else found


class _Stopwatch(_listener):  # type: ignore[misc]
    """Says what compiling took; numba compiles one function at a time, those it calls inside of it."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:  # noqa: ARG002 - numba's interface
        if self._depth == 0:
            self._began = time.monotonic()
        self._depth += 1

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        self._depth -= 1
        if self._depth == 0:
            loops.compiled_for(time.monotonic() - self._began)


_events.register("numba:compile", _Stopwatch())


def compiled(function: Callable[_P, _R], **settings: Any) -> Callable[_P, _R]:
    """Compiled when first called, and kept. It holds no Python lock: threads run it in parallel."""
    wrapped: Any = numba.njit(nogil=True, **settings)(function)
    if (folder := loops.folder()) is not None:
        # numba asks for the folder where it makes a cache; what others compile with it is theirs to place.
        with _changing:
            before, _settings.CACHE_DIR = _settings.CACHE_DIR, str(folder)
            try:
                wrapped._cache = _Kept(function)
            finally:
                _settings.CACHE_DIR = before
    return cast(Callable[_P, _R], wrapped)
