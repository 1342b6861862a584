"""An Oxigraph server of our own, on a free port, with facts that can be replaced."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Oxigraph:
    base: str

    @property
    def url(self) -> str:
        return f"{self.base}/query"

    def load(self, facts: str) -> str:
        """Hold these N-Triples and nothing else; returns the address to query."""
        reply = httpx.put(
            f"{self.base}/store?default",
            content=facts,
            headers={"Content-Type": "application/n-triples"},
            timeout=60,
        )
        reply.raise_for_status()
        return self.url


@contextmanager
def running_oxigraph() -> Iterator[Oxigraph]:
    port = free_port()
    binary = Path(sys.executable).with_name("oxigraph")
    process = subprocess.Popen(
        [binary, "serve", "--bind", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        server = Oxigraph(f"http://127.0.0.1:{port}")
        until = time.monotonic() + 60
        while process.poll() is not None or not _answers(server):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("The Oxigraph server did not start.")
            time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        process.wait(10)


def _answers(server: Oxigraph) -> bool:
    try:
        return httpx.get(server.url, params={"query": "ASK {}"}, timeout=60).is_success
    except httpx.TransportError:
        return False
