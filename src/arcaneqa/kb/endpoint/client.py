"""SELECT queries over the SPARQL 1.1 protocol, each done before its deadline, and their results kept on
disk."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ipaddress
import json
import re
import socket
import sqlite3
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Sequence
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
_GRAPHS = frozenset(("default-graph-uri", "named-graph-uri"))
_HIDDEN = "***"
_FAILED_BODY = 1 << 16
"""Bytes (64 KiB) that are read of what a server says beside an error."""
_LEAST_BODY = 1 << 22
"""Bytes (4 MiB) that any answer may have, and for each row that was asked for so many more:"""
_ROW_BYTES = 1 << 14
_UNLIMITED = 100_000
"""Rows that are expected where no number was asked for."""
_ROW_MARKS = 64
"""Signs of structure that a row may have; each may cost a parser some sixty bytes."""
_LOOK = 4096
"""Rows that are read from one look at the clock to the next."""
_LIMIT = re.compile(r"LIMIT ([0-9]{1,9})\s*$")
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
        # Parameters of the protocol (default-graph-uri) may be part of the address; any other may be a key.
        self._parameters = parse_qsl(parts.query)
        self._url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
        secret = [value for name, value in self._parameters if name not in _GRAPHS]
        self._secrets = [each for each in (*secret, parts.password) if each]
        shown = [(name, value if name in _GRAPHS else _HIDDEN) for name, value in self._parameters]
        bare = parts.netloc.rpartition("@")[2]
        self.name = urlunsplit((parts.scheme, bare, parts.path, urlencode(shown, safe=":/*#"), ""))
        """To be shown: without what lets people in."""
        self.identity = self.name if not secret else f"{self.name} {_digest(parts.query).hex()}"
        """Of what it serves to these parameters; hashed where they are secret."""
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
        end = monotonic() + seconds
        if missing:
            loop = self._running()
            fetched = asyncio.run_coroutine_threadsafe(
                self._gather([queries[position] for position in missing], seconds), loop
            ).result()
            for position, (body, own_end) in zip(missing, fetched, strict=True):
                bodies[position], end = body, max(end, own_end)
        rows = [
            self._rows(query, body or b"", end, seconds) for query, body in zip(queries, bodies, strict=True)
        ]
        if self._cache is not None:
            for position in missing:
                self._cache.put(self._key(queries[position]), bodies[position] or b"")
        return rows

    def _rows(self, query: str, body: bytes, end: float, seconds: float) -> list[Row]:
        """What is dense with structure, or has more rows than were asked for, is not taken apart."""
        asked = _asked(query)
        most = _ROW_MARKS * (_UNLIMITED if asked is None else asked + 64) + len(body) // 64
        if sum(map(body.count, (b"{", b"[", b","))) > most:
            raise Oversized(
                f"The endpoint {self.name} sent far more than was asked for; is it a SPARQL service?"
            )
        found: list[Row] = []
        try:
            data = json.loads(body)
            variables = data["head"]["vars"]
            bindings = data["results"]["bindings"]
            if bindings and not variables:
                raise ValueError("rows without columns")
            if asked is not None and len(bindings) > asked:
                raise Oversized(
                    f"The endpoint {self.name} sent {len(bindings):,} rows where {asked:,} were asked for."
                )
            for first in range(0, len(bindings), _LOOK):
                if monotonic() > end:
                    raise self._timed_out(seconds)
                found += [
                    tuple(from_json(row[variable]) if variable in row else None for variable in variables)
                    for row in bindings[first : first + _LOOK]
                ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            start = self._plain(body[:60])
            raise Garbled(
                f"The endpoint {self.name} sent something that is not a whole SPARQL result in JSON (it "
                f"begins “{start}”); is this the address of its SPARQL service?"
            ) from error
        return found

    def _plain(self, text: bytes) -> str:
        """The first line of what a server said, without the keys that it was sent."""
        said = text.decode("utf-8", "replace").strip().split("\n")[0]
        for secret in self._secrets:
            said = said.replace(secret, _HIDDEN)
        return said

    def _timed_out(self, seconds: float) -> TimedOut:
        return TimedOut(
            f"The endpoint {self.name} did not answer within {seconds:g} seconds; "
            "give it more time with ARCANEQA_ENDPOINT_DEADLINE."
        )

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
                    headers={"Accept": _RESULTS, "Accept-Encoding": "gzip", "User-Agent": "arcaneqa"},
                )
                self._room = asyncio.Semaphore(self._limits.connections)
                threading.Thread(target=_serve, args=(loop,), name="sparql-client", daemon=True).start()
            return self._loop

    async def _gather(self, queries: list[str], seconds: float) -> list[tuple[bytes, float]]:
        """The body of each, and when its deadline is."""
        tasks = [asyncio.ensure_future(self._fetch(query, seconds)) for query in queries]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _fetch(self, query: str, seconds: float) -> tuple[bytes, float]:
        assert self._room is not None
        try:
            async with self._room, asyncio.timeout(seconds):
                end = monotonic() + seconds
                for attempt in range(1, self._limits.attempts + 1):
                    outcome = await self._attempt(query, last=attempt == self._limits.attempts)
                    if isinstance(outcome, bytes):
                        return outcome, end
                    wait = outcome.after if outcome.after is not None else 0.1 * 2**attempt
                    if monotonic() + wait >= end:
                        raise outcome.error
                    await asyncio.sleep(wait)
        except TimeoutError:
            raise self._timed_out(seconds) from None
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
        url = self._url
        for _ in range(_MOST_REDIRECTS + 1):
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            is_own = _origin(url) == _origin(self._url)
            if self._authorization and is_own:
                headers["Authorization"] = self._authorization
            form = [each for each in self._parameters if is_own or each[0] in _GRAPHS]
            form.append(("query", query))
            async with self._http.stream("POST", url, content=urlencode(form), headers=headers) as response:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    url = _redirected(url, response.headers["location"], self.name)
                    await _check_reach(self._url, url, self.name)
                    continue
                return await self._body(response, _asked(query))
        raise Rejected(f"The endpoint {self.name} redirects in a circle; give the address it should lead to.")

    async def _body(self, response: httpx.Response, asked: int | None) -> bytes:
        most = self._limits.body_bytes
        if asked is not None:
            most = min(most, _LEAST_BODY + _ROW_BYTES * asked)
        unpack = _unpacker(response, self.name)
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += unpack(chunk, most + 1 - len(body))
            if response.status_code != 200 and len(body) > _FAILED_BODY:
                break
            if len(body) > most:
                raise Oversized(
                    f"The endpoint {self.name} sent more than {most // 2**20} MiB for one query; ask "
                    "something narrower."
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
            first = self._plain(bytes(body[:300]))
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


def _asked(query: str) -> int | None:
    """How many rows a query asks for at most."""
    found = _LIMIT.search(query)
    return None if found is None else int(found[1])


def _unpacker(response: httpx.Response, name: str) -> Callable[[bytes, int], bytes]:
    """Of what arrives, no more than so many bytes; packed once or not at all."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding == "identity":
        return lambda chunk, _: chunk
    if encoding != "gzip":
        raise Garbled(
            f"The endpoint {name} packs its answers in a way it was not asked for ({encoding[:40]!r})."
        )
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def unpack(chunk: bytes, most: int) -> bytes:
        try:
            return packed.decompress(chunk, most)
        except zlib.error as error:
            raise Garbled(f"The endpoint {name} sent what cannot be unpacked ({error}).") from None

    return unpack


async def _check_reach(given: str, target: str, name: str) -> None:
    """A server elsewhere has nothing to say about what lies in this machine or its network."""
    if _origin(target)[1] == _origin(given)[1]:
        return
    reached = await _addresses(target)
    own = await _addresses(given)
    for address in reached:
        is_like_given = any(
            address.is_loopback == each.is_loopback and address.is_link_local == each.is_link_local
            for each in own
            if not each.is_global
        )
        if not address.is_global and not is_like_given:
            host = urlsplit(target).hostname
            raise Rejected(
                f"The endpoint {name} redirects to {host}, inside this machine or network; not followed. "
                "Give the address it should lead to."
            )


async def _addresses(url: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    host = urlsplit(url).hostname or ""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx.ConnectError(str(error)) from error
    given = {ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found}
    # An address of the old kind may be written as one of the new.
    return [getattr(each, "ipv4_mapped", None) or each for each in given]


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _redirected(url: str, location: str, name: str) -> str:
    target = urljoin(url, location)
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https") or (urlsplit(url).scheme == "https" and parts.scheme == "http"):
        raise Rejected(
            f"The endpoint {name} redirects to {parts.scheme}://{parts.hostname}, which is less safe; "
            "not followed."
        )
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
