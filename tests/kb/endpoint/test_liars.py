"""Servers that lie about what they hold: a typed error, after some queries and before the deadline."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.client import Client, Garbled, Limits, Oversized, TimedOut, _retry_after
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.endpoint.queries import Capabilities, Queries, SelectQuery, whole_number
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.support.errors import ArcaneError

Reply = Callable[[str], dict[str, Any]]
THINGS = SelectQuery(("?x",), "?x ?p ?o")


def result(variables: list[str], *rows: list[str]) -> dict[str, Any]:
    bindings = [
        {
            name: {"type": "uri" if ":" in cell else "literal", "value": cell}
            for name, cell in zip(variables, row, strict=False)
        }
        for row in rows
    ]
    return {"head": {"vars": variables}, "results": {"bindings": bindings}}


@contextmanager
def server(reply: Reply) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            asked.append(form["query"][0])
            body = json.dumps(reply(asked[-1])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/sparql-results+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}/sparql", asked
    finally:
        running.shutdown()
        running.server_close()


def all_things(url: str, deadline: float = 5.0) -> None:
    client = Client(url, limits=Limits(deadline=deadline))
    try:
        Queries(client, Capabilities(page=2, listed=10)).all([THINGS])
    finally:
        client.close()


def counting(number: str) -> Reply:
    def reply(query: str) -> dict[str, Any]:
        if "COUNT" in query:
            return result(["n"], [number])
        return result(["x"], [f"http://e/{time.monotonic_ns()}"], [f"http://e/{time.monotonic_ns()}x"])

    return reply


def test_a_claim_of_a_million_million_rows() -> None:
    with server(counting("1000000000000")) as (url, asked):
        with pytest.raises(Oversized, match="something narrower"):
            all_things(url)
        assert len(asked) <= 3


def test_rows_without_end_end_with_the_deadline() -> None:
    """As many as are allowed, two at a time: the pages together have the time of one query."""
    with server(counting("19000000")) as (url, _):
        started = time.monotonic()
        with pytest.raises(TimedOut):
            all_things(url, deadline=1.0)
        assert time.monotonic() - started < 10


def test_a_server_that_has_no_more_is_not_asked_for_the_rest() -> None:
    def reply(query: str) -> dict[str, Any]:
        if "COUNT" in query:
            return result(["n"], ["10000000"])
        return result(["x"]) if "OFFSET" in query else result(["x"], ["http://e/a"], ["http://e/b"])

    with server(reply) as (url, asked):
        with pytest.raises(Oversized, match="hands out 0"):
            all_things(url)
        assert len(asked) < 30


@pytest.mark.parametrize("number", ["1e999", "nan", "-5", "many", "", "²"])
def test_counts_that_are_none(number: str) -> None:
    with pytest.raises(Garbled):
        whole_number(Literal(number, XSD + "integer"))
    with server(counting(number)) as (url, _), pytest.raises(Garbled):
        all_things(url)


@pytest.mark.parametrize(
    "reply",
    [
        {"head": {"vars": []}, "results": {"bindings": [{}]}},
        {"head": {"vars": ["x", "y"]}, "results": {"bindings": [{"x": {"type": "uri", "value": "a:b"}}]}},
        {"head": {"vars": None}, "results": {"bindings": [{}]}},
        {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "thing", "value": "a:b"}}]}},
        {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "uri", "value": 7}}]}},
        {"head": {"vars": ["x"]}, "results": {"bindings": 5}},
    ],
)
def test_columns_that_were_not_asked_for(reply: dict[str, Any]) -> None:
    with server(lambda _: reply) as (url, _), pytest.raises(Garbled):
        all_things(url)


@pytest.mark.parametrize("text", ["²", "٣", "-1", "1e999", "9" * 400, "Fri, 99 Xxx 2026", "", "\x00"])
def test_a_retry_after_that_is_none(text: str) -> None:
    assert _retry_after(text) is None
    assert _retry_after("3") == 3.0


def test_a_bad_iri_is_a_sentence() -> None:
    with pytest.raises(ArcaneError, match="not an IRI"):
        iri("http://e/a b>")


@pytest.mark.parametrize("answer", ["a:b", "http://e/a b", "http://e/>", "not an iri", "1e999"])
@pytest.mark.parametrize("columns", [0, 1, 3, 9])
def test_whatever_it_says_opening_ends_in_a_typed_error_or_a_kb(
    tmp_path: Path, answer: str, columns: int
) -> None:
    """The same row to every query, of any width."""
    names = ["s", "p", "o", "k", "n", "d", "x", "c", "g"][:columns]

    def reply(query: str) -> dict[str, Any]:
        chosen = query.partition("WHERE")[0].replace("(", " ").replace(")", " ").split()
        asked = [word.strip("?") for word in chosen if word.startswith("?")] or names
        return result(asked if columns == 9 else names, [answer] * 9)

    with server(reply) as (url, asked):
        settings = EndpointSettings(folder=tmp_path, limits=Limits(deadline=5.0))
        with suppress(ArcaneError):
            open_endpoint(url, settings=settings).close()
        assert len(asked) < 300
