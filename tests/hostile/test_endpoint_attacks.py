"""SPARQL servers that send too much, packed or plain, or send their clients elsewhere."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import zstandard

from arcaneqa.kb.endpoint import client as client_module
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.client import Client, Garbled, Limits, Oversized, Rejected, TimedOut, _check_reach
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.support.errors import EndpointError
from tests.hostile.limited import run

ROWS = "SELECT ?x WHERE { ?x ?p ?o } LIMIT 100"
CELL = '{"x":{"type":"uri","value":"a:b"}}'


def whole(rows: int, cell: str = CELL) -> bytes:
    return ('{"head":{"vars":["x"]},"results":{"bindings":[' + ",".join([cell] * rows) + "]}}").encode()


@contextmanager
def server(
    body: bytes | Callable[[str], bytes], status: int = 200, **headers: str
) -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    forms: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            forms.append(form)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            try:
                self.wfile.write(body if isinstance(body, bytes) else body(form["query"][0]))
            except OSError:
                return

        def log_message(self, *_: object) -> None:
            """Quiet."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}/sparql", forms
    finally:
        running.shutdown()
        running.server_close()


def ask(url: str, query: str = ROWS, deadline: float = 20.0) -> int:
    client = Client(url, limits=Limits(deadline=deadline, attempts=1))
    try:
        return len(client.select(query))
    finally:
        client.close()


def test_what_is_packed_once_is_read() -> None:
    with server(gzip.compress(whole(100)), Content_Encoding="gzip") as (url, _):
        assert ask(url) == 100
    with server(whole(100)) as (url, _):
        assert ask(url) == 100


BOMB = gzip.compress(b" " * (1 << 28), 6)


@pytest.mark.parametrize(
    ("packing", "body"),
    [
        ("gzip", BOMB),
        ("gzip, gzip", gzip.compress(BOMB)),
        ("gzip", gzip.compress(BOMB)),
        ("gzip", b"no gzip"),
        ("zstd", zstandard.compress(b" " * (1 << 26))),
        ("br", b"\x00" * 100),
        ("deflate", b"\x00" * 100),
    ],
)
def test_packed_bombs_are_refused(packing: str, body: bytes) -> None:
    with server(body, Content_Encoding=packing) as (url, _):
        started = time.monotonic()
        with pytest.raises((Oversized, Garbled)):
            ask(url)
        assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (whole(101), "101 rows where 100"),
        (whole(100, '{"x":{"type":"uri","value":"a:' + "b" * 100_000 + '"}}'), "more than 5 MiB"),
        (b'{"head":{"vars":["x"]},"results":{"bindings":[' + b"[]," * 1_000_000 + b"[]]}}", "far more than"),
    ],
)
def test_no_more_is_read_than_was_asked_for(body: bytes, word: str) -> None:
    with server(body) as (url, _), pytest.raises(Oversized, match=word):
        ask(url)


def test_taking_apart_is_within_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "from_json", lambda _: time.sleep(0.0005))
    query = ROWS.replace("100", "100000")
    with server(whole(20_000)) as (url, _), pytest.raises(TimedOut):
        ask(url, query, deadline=2.0)


def test_a_flood_takes_no_memory(tmp_path: Path) -> None:
    """The command itself, in a process that has little: what came to gigabytes is refused."""
    with server(whole(2_000_000)) as (url, _):
        ended = run("info", url, memory=2 << 30, home=tmp_path)
    assert ended.is_a_sentence, ended
    assert "asked for" in ended.err


KEY = "s3cret-k3y"


@pytest.mark.parametrize("status", [200, 400, 403, 503])
def test_a_key_in_the_address_is_never_shown(
    tmp_path: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with server(f"{KEY} is not welcome".encode(), status) as (url, forms):
        address = f"{url}?default-graph-uri=http://e/g&apikey={KEY}"
        settings = EndpointSettings(folder=tmp_path, limits=Limits(deadline=2.0, attempts=1))
        with pytest.raises(EndpointError) as failed:
            open_endpoint(address, settings=settings)
        assert forms[0]["apikey"] == [KEY]
    assert KEY not in str(failed.value)
    assert KEY not in caplog.text
    assert "default-graph-uri=http://e/g" in Client(address).name


def test_a_key_is_in_no_file(tmp_path: Path) -> None:
    def reply(query: str) -> bytes:
        names = [word.strip("?()") for word in query.partition("WHERE")[0].split() if "?" in word] or ["x"]
        value = (
            {"type": "literal", "value": "1"} if "COUNT" in query else {"type": "uri", "value": "http://e/a"}
        )
        rows = [dict.fromkeys(names, value)] if "OFFSET" not in query else []
        return json.dumps({"head": {"vars": names}, "results": {"bindings": rows}}).encode()

    with server(reply) as (url, _):
        settings = EndpointSettings(
            folder=tmp_path, limits=Limits(deadline=5.0, attempts=1), cache_bytes=1 << 20
        )
        opened = open_endpoint(f"{url}?apikey={KEY}", settings=settings)
        assert KEY not in repr(opened)
        opened.close()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".json" for path in kept)
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]


def test_a_key_stays_with_its_server() -> None:
    with (
        server(whole(1)) as (target, seen),
        server(b"", 307, Location=target) as (url, _),
    ):
        assert ask(f"{url}?apikey={KEY}&default-graph-uri=urn:g") == 1
    assert seen == [{"default-graph-uri": ["urn:g"], "query": [ROWS]}]


@pytest.mark.parametrize(
    ("own", "target", "is_followed"),
    [
        ("93.184.216.34", "127.0.0.1", False),
        ("93.184.216.34", "10.0.0.7", False),
        ("93.184.216.34", "169.254.169.254", False),
        ("93.184.216.34", "::1", False),
        ("93.184.216.34", "::ffff:127.0.0.1", False),
        ("93.184.216.34", "0.0.0.0", False),
        ("93.184.216.34", "fd00::1", False),
        ("10.0.0.7", "127.0.0.1", False),
        ("10.0.0.7", "169.254.169.254", False),
        ("127.0.0.1", "169.254.169.254", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("10.0.0.7", "10.0.0.8", True),
        ("10.0.0.7", "8.8.8.8", True),
        ("93.184.216.34", "8.8.8.8", True),
    ],
)
def test_a_redirect_leads_no_further_inside(own: str, target: str, is_followed: bool) -> None:
    def written(address: str) -> str:
        return f"[{address}]" if ipaddress.ip_address(address).version == 6 else address

    checked = _check_reach(f"http://{written(own)}/a", f"http://{written(target)}:8080/b", "http://x/")
    if is_followed:
        asyncio.run(checked)
    else:
        with pytest.raises(Rejected, match="inside this machine"):
            asyncio.run(checked)
