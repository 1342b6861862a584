"""SELECT queries over the SPARQL 1.1 protocol, each done before its deadline, and their results kept on
disk."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import sqlite3
import ssl
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from time import monotonic
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

import httpx
import zstandard

from arcaneqa.kb.sparql.terms import from_json
from arcaneqa.kb.terms import Term
from arcaneqa.support.errors import EndpointError, InputError

# Results of queries on disk, shared by all processes of a user and bounded in size.


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


# SELECT queries over the SPARQL 1.1 protocol, each done before its deadline or a typed error.


class Unreachable(EndpointError):
    """No connection: refused, unknown host, a certificate that does not fit."""


class TimedOut(EndpointError):
    """The deadline passed before the whole answer was there."""


class Rejected(EndpointError):
    """The server answered, but with an error status or with redirects that lead nowhere."""


class Garbled(EndpointError):
    """The body is not a whole SPARQL result."""


class Oversized(EndpointError):
    """The answer is larger than the limit, or the server cut it short."""


class Unsupported(EndpointError):
    """The server does not do this, or not within a time worth waiting."""


_RESULTS = "application/sparql-results+json"
_BUSY = frozenset((429, 502, 503, 504))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_REDIRECTS = 5
"""Of one query; more lead in a circle."""
_SECONDS = re.compile(r"[0-9]{1,9}")
# Virtuoso's way to say "200 OK, but I stopped early and this is only a part".
_PARTIAL = "S1TAT"

Row = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """`deadline` covers one query with all its attempts and redirects, in seconds."""

    deadline: float = 60.0
    attempts: int = 4
    body_bytes: int = 256 * 2**20
    connections: int = 8


class Client:
    """A pool of connections to one endpoint; safe to share between threads."""

    def __init__(
        self,
        url: str,
        *,
        authorization: str | None = None,
        certificates: Path | None = None,
        limits: Limits | None = None,
        cache: ResultCache | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"“{url}” is not the address of an endpoint; write it as http://host/sparql.")
        # Parameters of the protocol (default-graph-uri) may be part of the address.
        self._parameters = parse_qsl(parts.query)
        self._url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
        self.name = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))
        self._authorization = authorization
        self._limits = limits or Limits()
        self.deadline = self._limits.deadline
        self._cache = cache
        self._tls = _trusted(certificates)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._http: httpx.AsyncClient | None = None
        self._room: asyncio.Semaphore | None = None
        self.sent = 0
        """How many queries went over the wire."""

    def select(self, query: str, deadline: float | None = None) -> list[Row]:
        return self.select_all([query], deadline)[0]

    def select_all(self, queries: Sequence[str], deadline: float | None = None) -> list[list[Row]]:
        """Independent queries side by side, each with the whole deadline from when it is sent."""
        seconds = self._limits.deadline if deadline is None else deadline
        bodies = self._cached(queries)
        missing = [position for position, body in enumerate(bodies) if body is None]
        if missing:
            loop = self._running()
            fetched = asyncio.run_coroutine_threadsafe(
                self._gather([queries[position] for position in missing], seconds), loop
            ).result()
            for position, body in zip(missing, fetched, strict=True):
                bodies[position] = body
        rows = [_rows(body or b"", self.name) for body in bodies]
        if self._cache is not None:
            for position in missing:
                self._cache.put(self._key(queries[position]), bodies[position] or b"")
        return rows

    def close(self) -> None:
        with self._lock:
            loop, http = self._loop, self._http
            self._loop = self._http = None
        if loop is not None and http is not None:
            asyncio.run_coroutine_threadsafe(http.aclose(), loop).result()
            loop.call_soon_threadsafe(loop.stop)

    def _key(self, query: str) -> str:
        return "\n".join((self._url, urlencode(self._parameters), query))

    def _cached(self, queries: Sequence[str]) -> list[bytes | None]:
        if self._cache is None:
            return [None] * len(queries)
        return [self._cache.get(self._key(query)) for query in queries]

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                self._http = httpx.AsyncClient(
                    verify=self._tls,
                    limits=httpx.Limits(max_connections=self._limits.connections),
                    timeout=None,  # the deadline of the query covers every phase
                    headers={"Accept": _RESULTS, "User-Agent": "arcaneqa"},
                )
                self._room = asyncio.Semaphore(self._limits.connections)
                threading.Thread(target=_serve, args=(loop,), name="sparql-client", daemon=True).start()
            return self._loop

    async def _gather(self, queries: list[str], seconds: float) -> list[bytes]:
        tasks = [asyncio.ensure_future(self._fetch(query, seconds)) for query in queries]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _fetch(self, query: str, seconds: float) -> bytes:
        assert self._room is not None
        try:
            async with self._room, asyncio.timeout(seconds):
                end = monotonic() + seconds
                for attempt in range(1, self._limits.attempts + 1):
                    outcome = await self._attempt(query, last=attempt == self._limits.attempts)
                    if isinstance(outcome, bytes):
                        return outcome
                    wait = outcome.after if outcome.after is not None else 0.1 * 2**attempt
                    if monotonic() + wait >= end:
                        raise outcome.error
                    await asyncio.sleep(wait)
        except TimeoutError:
            raise TimedOut(
                f"The endpoint {self.name} did not answer within {seconds:g} seconds; "
                "give it more time with ARCANEQA_ENDPOINT_DEADLINE."
            ) from None
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, query: str, last: bool) -> bytes | _Later:
        self.sent += 1
        try:
            return await self._post(query)
        except httpx.ConnectError as error:
            raise Unreachable(_why_unreachable(self.name, error)) from error
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            broken = Unreachable(
                f"The connection to the endpoint {self.name} broke off ({error}); try again."
            )
            if last:
                raise broken from error
            return _Later(broken, None)
        except httpx.HTTPError as error:
            raise Garbled(f"The endpoint {self.name} sent an unreadable answer ({error}).") from error
        except _Busy as busy:
            if last:
                raise busy.later.error from None
            return busy.later

    async def _post(self, query: str) -> bytes:
        assert self._http is not None
        form = [*self._parameters, ("query", query)]
        url = self._url
        for _ in range(_MOST_REDIRECTS + 1):
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            if self._authorization and _origin(url) == _origin(self._url):
                headers["Authorization"] = self._authorization
            async with self._http.stream("POST", url, content=urlencode(form), headers=headers) as response:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    url = _redirected(url, response.headers["location"], self.name)
                    continue
                return await self._body(response)
        raise Rejected(f"The endpoint {self.name} redirects in a circle; give the address it should lead to.")

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self._limits.body_bytes:
                raise Oversized(
                    f"The endpoint {self.name} sent more than {self._limits.body_bytes // 2**20} MiB for one "
                    "query; ask something narrower."
                )
        if response.status_code in _BUSY:
            raise _Busy(
                _Later(
                    Rejected(
                        f"The endpoint {self.name} is too busy (status {response.status_code}); try later."
                    ),
                    _retry_after(response.headers.get("retry-after")),
                )
            )
        if response.status_code in (401, 403):
            raise Rejected(
                f"The endpoint {self.name} refuses access (status {response.status_code}); "
                "put the header's value into ARCANEQA_ENDPOINT_AUTHORIZATION."
            )
        if response.status_code != 200:
            first = bytes(body[:300]).decode("utf-8", "replace").strip().split("\n")[0]
            raise Rejected(f"The endpoint {self.name} answered with status {response.status_code}: {first}")
        if response.headers.get("x-sql-state", "").startswith(_PARTIAL):
            raise Oversized(
                f"The endpoint {self.name} ran out of its own time and sent only a part of the answer; "
                "raise its query time limit."
            )
        return bytes(body)


@dataclass(frozen=True, slots=True)
class _Later:
    """A failure that may pass, and after how many seconds the server says to come again."""

    error: Exception
    after: float | None


class _Busy(Exception):
    def __init__(self, later: _Later) -> None:
        self.later = later


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _trusted(certificates: Path | None) -> ssl.SSLContext:
    if certificates is None:
        return ssl.create_default_context()
    try:
        return ssl.create_default_context(cafile=str(certificates))
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"{certificates} cannot be read as certificates in PEM form ({error}).") from error


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _redirected(url: str, location: str, name: str) -> str:
    target = urljoin(url, location)
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https") or (urlsplit(url).scheme == "https" and parts.scheme == "http"):
        raise Rejected(f"The endpoint {name} redirects to “{target}”, which is less safe; not followed.")
    return target


def _retry_after(text: str | None) -> float | None:
    """Seconds, or a date as HTTP writes it; None where there is no usable one."""
    if text is None:
        return None
    try:
        if _SECONDS.fullmatch(text.strip()):
            return float(text)
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _why_unreachable(name: str, error: httpx.ConnectError) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return (
                f"The certificate of the endpoint {name} cannot be trusted ({cause.reason or cause}); name "
                "the authority's certificate in ARCANEQA_ENDPOINT_CERTIFICATES if it is your own."
            )
        cause = cause.__cause__ or cause.__context__
    return f"The endpoint {name} cannot be reached ({error}); check the address and that the server runs."


def _rows(body: bytes, name: str) -> list[Row]:
    try:
        data = json.loads(body)
        variables = data["head"]["vars"]
        if data["results"]["bindings"] and not variables:
            raise ValueError("rows without columns")
        return [
            tuple(from_json(row[variable]) if variable in row else None for variable in variables)
            for row in data["results"]["bindings"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        start = body[:60].decode("utf-8", "replace").strip().split("\n")[0]
        raise Garbled(
            f"The endpoint {name} sent something that is not a whole SPARQL result in JSON (it begins "
            f"“{start}”); is this the address of its SPARQL service?"
        ) from error
