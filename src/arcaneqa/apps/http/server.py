"""Serving, and ending: the address is taken before anything slow, and after SIGTERM the process ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI
from threadpoolctl import threadpool_limits

from arcaneqa.apps.http.connections import uvicorn_config
from arcaneqa.apps.http.current import Current
from arcaneqa.apps.http.portrait import Portrait
from arcaneqa.support.errors import ArcaneError, InputError

# The address a service listens on, taken before anything slow is imported or loaded.


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections, or a sentence that says why not."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host} is no address of this machine ({error}).") from None
    found = socket.socket(family, kind, protocol)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(address)
        found.listen(socket.SOMAXCONN)
    except OSError as error:
        found.close()
        raise InputError(
            f"Nothing can listen on port {port} of {host} ({error.strerror}); give another --port or --host."
        ) from None
    found.set_inheritable(False)
    return found


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def show_when_ready(listening: socket.socket) -> None:
    """Open the page in the user's browser, which waits by itself: the socket takes connections already."""
    host, port = listening.getsockname()[:2]
    is_any = ip_address(host.partition("%")[0]).is_unspecified
    address = f"http://localhost:{port}" if is_any else address_of(listening)
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def is_open_to_others(listening: socket.socket) -> bool:
    return not ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def names_of(listening: socket.socket) -> list[str]:
    """What requests may call it by: the address it listens on; where that is all of the machine's, theirs."""
    host = listening.getsockname()[0].partition("%")[0]
    if not ip_address(host).is_unspecified:
        return [host]
    own = socket.gethostname()
    try:
        found = {str(place[4][0]).partition("%")[0] for place in socket.getaddrinfo(own, None)}
    except OSError:
        found = set()
    return [own, *sorted(found)]


# Serving, and ending: after SIGTERM the process ends, whoever still sends or computes.


GRACE = 10.0
"""Seconds for requests under way when the service is told to end."""
_LAST = 5.0
"""Seconds after that in which everything else must be done."""
_TURN = 0.001
"""Seconds that a thread may keep the interpreter while others wait for it. What reads for questions wants it
for moments only, and a processor is idle until it gets it."""
_log = logging.getLogger("uvicorn.error")


def serve(app: FastAPI, listening: socket.socket, grace: float = GRACE) -> None:
    """Until SIGTERM or SIGINT; SIGHUP changes over to a new index."""
    sys.setswitchinterval(_TURN)
    # Several threads search, and only one may say how many threads numpy's products take: this one does.
    with threadpool_limits(1, user_api="blas"):
        _Server(uvicorn_config(app, "info", grace), grace).run([listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, grace: float) -> None:
        super().__init__(config)
        self._grace = grace

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or []:
            _log.info("ArcaneQA is running on %s (Ctrl-C ends it)", address_of(listening))
        if hasattr(signal, "SIGHUP"):
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGHUP, lambda: loop.create_task(_reload(self.config.app)))
        self._ready = asyncio.create_task(_prepare(self.config.app))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Whatever still holds the process then (a thread in the middle of a long query), it ends.
        last = threading.Timer(self._grace + _LAST, os._exit, (128 + sig,))
        last.daemon = True
        last.start()
        super().handle_exit(sig, frame)


async def _prepare(app: object) -> None:
    """Make the example questions before the first visitor comes."""
    assert isinstance(app, FastAPI)
    current: Current = app.state.current
    with contextlib.suppress(ArcaneError), current.visit() as answerer:
        await answerer.look(Portrait.knowledge_base)


async def _reload(app: object) -> None:
    assert isinstance(app, FastAPI)
    current: Current = app.state.current
    try:
        if not await current.reload():
            _log.info("SIGHUP: the index is the one that questions are answered from already.")
    except ArcaneError as error:
        _log.error("SIGHUP: %s Questions are still answered from the old one.", error)
