"""What every request passes on its way in and every response on its way out."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from ipaddress import ip_address
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 64 * 1024
"""Bytes of a request; the longest program may have 10,000 characters."""
BODY_SECONDS = 10.0
"""For a request to send its body."""
_NAME = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\[\]:@/\s]+)(:\d{1,5})?")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Safety:
    """Limits bodies and their time, asks for the token where one is set, answers only to names it is known
    by, and adds the security headers."""

    def __init__(
        self,
        app: App,
        token: str | None = None,
        hosts: Collection[str] = (),
        guarded: str = "/v1/",
        only_calls: bool = False,
    ) -> None:
        """The token is asked for under the path `guarded`. With `only_calls` nothing but POST is taken, so
        that no stream stays open, and no page from a name that this does not answer to may make one."""
        self._app = app
        self._only_calls = only_calls
        self._token = None if token is None else token.encode()
        self._guarded = guarded
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        headers = dict(scope["headers"])
        if not self._answers_to(headers.get(b"host")):
            await _refuse(guarded, 421, "This service is not known by that name; --allow-host names others.")
            return
        if scope["path"].startswith(self._guarded) and not self._lets_in(headers.get(b"authorization", b"")):
            await _refuse(guarded, 401, "This service asks for a bearer token.", challenge=True)
            return
        if self._only_calls and scope["method"] != "POST":
            await _refuse(guarded, 405, "Calls are made with POST.")
            return
        if self._only_calls and b"origin" in headers and not self._answers_to(_host_of(headers[b"origin"])):
            await _refuse(guarded, 403, "Pages of other sites may not call this; --allow-host names others.")
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 9 or int(length) > MOST_BODY:
            await _refuse(guarded, 413, f"A request may have at most {MOST_BODY:,} bytes.")
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _body(receive)
        except TimeoutError:
            await _refuse(guarded, 408, f"The body did not come within {BODY_SECONDS:g} seconds.", last=True)
            return
        if body is None:
            return
        if len(body) > MOST_BODY:
            await _refuse(guarded, 413, f"A request may have at most {MOST_BODY:,} bytes.", last=True)
            return
        await self._app(scope, _replay(body, receive), guarded)

    def _answers_to(self, host: bytes | None) -> bool:
        """Loopback and what was allowed: a page elsewhere may give its own name this machine's address."""
        if host is None:  # older than names: no browser asks so
            return True
        name = _NAME.fullmatch(host.decode("latin-1").lower())
        return name is not None and (_is_loopback(name["name"]) or name["name"].strip("[]") in self._hosts)

    def _lets_in(self, authorization: bytes) -> bool:
        if self._token is None:
            return True
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)


def _host_of(origin: bytes) -> bytes:
    """Nobody's name where it is none that a browser writes, or the `null` of a page from nowhere."""
    scheme, _, host = origin.partition(b"://")
    return host if scheme in (b"http", b"https") else b""


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


async def _body(receive: Receive) -> bytes | None:
    """The whole body, read no further than the limit; None where the client went away."""
    parts = bytearray()
    while len(parts) <= MOST_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


async def _refuse(
    send: Send, status: int, sentence: str, challenge: bool = False, last: bool = False
) -> None:
    """`last` where what the client still sends would be taken for its next request."""
    headers = [(b"content-type", b"application/json")]
    if challenge:
        headers.append((b"www-authenticate", b"Bearer"))
    if last:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"detail": sentence}).encode()})
