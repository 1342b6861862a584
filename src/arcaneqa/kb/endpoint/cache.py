"""Results of queries on disk, shared by all processes of a user and bounded in size."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import time
from pathlib import Path

import zstandard

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key BLOB PRIMARY KEY, body BLOB NOT NULL, made REAL NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON results (used);
"""


class ResultCache:
    """Least recently used results go first; one older than `age` seconds counts as missing.

    A cache may forget but must never fail a query: when the file cannot be used, it holds nothing.
    """

    def __init__(self, path: Path, size: int, age: float) -> None:
        self._size = size
        self._age = age
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None
        with contextlib.suppress(OSError, sqlite3.Error):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._file = _opened(path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise  # locked or not writable: someone else's file, not a damaged one
                path.unlink()
                self._file = _opened(path)

    def get(self, key: str) -> bytes | None:
        now = time.time()
        with self._lock, contextlib.suppress(sqlite3.Error, zstandard.ZstdError):
            if self._file is None:
                return None
            digest = _digest(key)
            found = self._file.execute(
                "SELECT body FROM results WHERE key = ? AND made > ?", (digest, now - self._age)
            ).fetchone()
            if found is None:
                return None
            body = zstandard.decompress(found[0])
            self._file.execute("UPDATE results SET used = ? WHERE key = ?", (now, digest))
            return body
        return None

    def put(self, key: str, body: bytes) -> None:
        packed = zstandard.compress(body)
        if len(packed) > self._size:
            return
        now = time.time()
        with self._lock, contextlib.suppress(sqlite3.Error):
            if self._file is None:
                return
            self._file.execute("BEGIN IMMEDIATE")
            try:
                self._file.execute(
                    "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", (_digest(key), packed, now, now)
                )
                self._shrink()
            except BaseException:
                self._file.execute("ROLLBACK")
                raise
            self._file.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _shrink(self) -> None:
        assert self._file is not None
        if self._held() <= self._size:
            return
        # A little below the limit, so that not every later result has to make room again.
        while self._held() > self._size * 0.9:
            oldest = "SELECT key FROM results ORDER BY used LIMIT 8"
            if not self._file.execute(f"DELETE FROM results WHERE key IN ({oldest})").rowcount:
                return

    def _held(self) -> int:
        assert self._file is not None
        pages, free, size = (
            self._file.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)


def _opened(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.executescript(_SCHEMA)
    except BaseException:
        file.close()
        raise
    return file


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
