"""What every request passes on its way in and every response on its way out."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 64 * 1024
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
    """Limits bodies, asks for the token where one is set, and adds the security headers."""

    def __init__(self, app: App, token: str | None = None) -> None:
        self._app = app
        self._token = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        headers = dict(scope["headers"])
        if self._token is not None and scope["path"].startswith("/v1/"):
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, self._token):
                await _refuse(guarded, 401, "This service asks for a bearer token.", challenge=True)
                return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 9 or int(length) > MOST_BODY:
            await _refuse(guarded, 413, f"A request may have at most {MOST_BODY:,} bytes.")
            return
        body = await _body(receive) if b"transfer-encoding" in headers else None
        if body is not None and len(body) > MOST_BODY:
            await _refuse(guarded, 413, f"A request may have at most {MOST_BODY:,} bytes.")
            return
        await self._app(scope, receive if body is None else _replay(body, receive), guarded)


async def _body(receive: Receive) -> bytes:
    """A body of undeclared length, read no further than the limit."""
    parts = bytearray()
    while len(parts) <= MOST_BODY:
        message = await receive()
        parts += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


async def _refuse(send: Send, status: int, sentence: str, challenge: bool = False) -> None:
    headers = [(b"content-type", b"application/json")]
    if challenge:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"detail": sentence}).encode()})
