"""An Oxigraph server of our own, on a free port, with facts that can be replaced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from benchmarks.servers import free_port, oxigraph_command, running


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
    command, port = oxigraph_command(), free_port()
    assert command is not None, "`pip install oxigraph` brings the server"
    with running([command, "serve", "--bind", f"127.0.0.1:{port}"], [port]):
        yield Oxigraph(f"http://127.0.0.1:{port}")
