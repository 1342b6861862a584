"""Connections that get somewhere: each must finish its headers, and take what it is sent, in some seconds.

Without this one client that sends half a request holds its connection for ever, and some hundreds of them the
service. Bodies have a time of their own, in `safety`.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, ClassVar

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""For a request to finish its headers."""
TAKING_SECONDS = 30.0
"""That a client may leave unread what it is sent."""
MOST_CONNECTIONS = 400
"""Open at a time; many systems allow a process 1,024 files."""


def uvicorn_config(app: Any, log_level: str, grace: float) -> Config:
    """How an application is served: by `PatientProtocol`, without a log line for each request. Requests under
    way have `grace` seconds when the server is told to end."""
    return Config(
        app,
        http=PatientProtocol,
        ws="none",
        log_level=log_level,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(grace)),
    )


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, to clients that may not take for ever. Beyond the most connections, the
    one that has been idle for longest makes room; where all are at work, the new one is closed."""

    header_seconds: ClassVar[float] = HEADER_SECONDS
    taking_seconds: ClassVar[float] = TAKING_SECONDS
    most: ClassVar[int] = MOST_CONNECTIONS

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.idle_since = time.monotonic()
        self._header: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_header()
        if len(self.connections) > self.most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.is_idle:
            self._await_header()
        else:
            self._stop_header()

    def on_response_complete(self) -> None:
        self.idle_since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_taking()
        self._taking = self.loop.call_later(self.taking_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_taking()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_header()
        self._stop_taking()
        super().connection_lost(exc)

    def _await_header(self) -> None:
        """From the first byte of a request, or from the connection, to the end of its headers."""
        if self._header is None:
            self._header = self.loop.call_later(self.header_seconds, self._give_up)

    def _give_up(self) -> None:
        if self.is_idle and not self.transport.is_closing():
            self.transport.abort()

    def _make_room(self) -> None:
        mine = [each for each in self.connections if isinstance(each, PatientProtocol)]
        idle = [each for each in mine if each.is_idle and each is not self]
        longest = min(idle, key=lambda each: each.idle_since, default=self)
        self.connections.discard(longest)
        longest.transport.abort()

    def _stop_header(self) -> None:
        if self._header is not None:
            self._header.cancel()
            self._header = None

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None
