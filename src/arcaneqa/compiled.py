"""Loops compiled for this processor, once a machine.

What was compiled is kept in our own cache folder, never beside the package, which may belong to somebody
else; where NUMBA_CACHE_DIR says so, there. Without a folder to write to, every process compiles for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast

import numba
from platformdirs import user_cache_path

FOLDER = "compiled"
_P = ParamSpec("_P")
_R = TypeVar("_R")
_settings: Any = numba.config
_changing = Lock()


def compiled(function: Callable[_P, _R], **settings: Any) -> Callable[_P, _R]:
    """Compiled when first called, and kept. It holds no Python lock: threads run it in parallel."""
    folder = _folder()
    if folder is None:
        return cast(Callable[_P, _R], numba.njit(nogil=True, **settings)(function))
    # numba asks for the folder as it wraps a function; what others compile with it is theirs to place.
    with _changing:
        before, _settings.CACHE_DIR = _settings.CACHE_DIR, folder
        try:
            return cast(Callable[_P, _R], numba.njit(nogil=True, cache=True, **settings)(function))
        finally:
            _settings.CACHE_DIR = before


@cache
def _folder() -> str | None:
    if _settings.CACHE_DIR:
        return str(_settings.CACHE_DIR)
    folder = user_cache_path("arcaneqa") / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / ".writable"
        trial.touch()
        trial.unlink(missing_ok=True)
    except OSError:
        return None
    return str(folder)
