"""A small HTTP server that does to its clients what servers on the internet do; one path a vice."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs

JSON = "application/sparql-results+json"
ONE_ROW = json.dumps(
    {
        "head": {"vars": ["x"]},
        "results": {"bindings": [{"x": {"type": "uri", "value": "http://example.org/a"}}]},
    }
).encode()


@dataclass
class Seen:
    """What clients did, for tests to look at."""

    requests: Counter[str] = field(default_factory=Counter)
    authorizations: list[str | None] = field(default_factory=list)
    forms: list[dict[str, list[str]]] = field(default_factory=list)


@dataclass(frozen=True)
class Misbehaving:
    port: int
    seen: Seen
    scheme: str = "http"

    def url(self, vice: str) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/{vice}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: ClassVar[Seen]
    stopping: ClassVar[threading.Event]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        vice = self.path.strip("/")
        self.seen.requests[vice] += 1
        self.seen.authorizations.append(self.headers.get("Authorization"))
        self.seen.forms.append(parse_qs(body.decode()))
        try:
            getattr(self, vice.replace("-", "_"))()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def _reply(self, body: bytes, status: int = 200, kind: str = JSON, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def good(self) -> None:
        self._reply(ONE_ROW)

    def error(self) -> None:
        self._reply(b"Virtuoso 37000 Error SP030: SPARQL compiler\nsecond line", 500, "text/plain")

    def html(self) -> None:
        self._reply(b"<html><body>Welcome to our portal</body></html>", kind="text/html")

    def other_json(self) -> None:
        self._reply(b'{"status": "ok"}')

    def truncated(self) -> None:
        self._reply(ONE_ROW[:-9])

    def cut_off(self) -> None:
        """Promises more than it sends, then hangs up."""
        self.send_response(200)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", str(len(ONE_ROW) + 100))
        self.end_headers()
        self.wfile.write(ONE_ROW)
        self.wfile.flush()
        self.close_connection = True

    def partial(self) -> None:
        self._reply(ONE_ROW, X_SQL_State="S1TAT", X_SQL_Message="RC...: Returning incomplete results")

    def loop(self) -> None:
        self._reply(b"", 302, Location="/loop")

    def moved(self) -> None:
        self._reply(b"", 301, Location="/good")

    def elsewhere(self) -> None:
        """The same machine under another name: another origin."""
        _, port = self.connection.getsockname()
        self._reply(b"", 307, Location=f"http://localhost:{port}/good")

    def drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.stopping.is_set():
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def drip_head(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.stopping.is_set():
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)

    def silent(self) -> None:
        self.stopping.wait(30)
        self.close_connection = True

    def flood(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", JSON)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        block = b" " * 65536
        while not self.stopping.is_set():
            self.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))

    def busy_once(self) -> None:
        if self.seen.requests["busy-once"] == 1:
            self._reply(b"", 429, Retry_After="1")
        else:
            self._reply(ONE_ROW)

    def busy(self) -> None:
        self._reply(b"", 503)

    def busy_long(self) -> None:
        self._reply(b"", 503, Retry_After="3600")

    def private(self) -> None:
        self._reply(b"", 401, WWW_Authenticate="Bearer")


@contextmanager
def misbehaving(certificate: Path | None = None) -> Iterator[Misbehaving]:
    seen, stopping = Seen(), threading.Event()
    handler = type("Handler", (_Handler,), {"seen": seen, "stopping": stopping})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Misbehaving(int(server.server_address[1]), seen, "https" if certificate else "http")
    finally:
        stopping.set()
        server.shutdown()
        server.server_close()
