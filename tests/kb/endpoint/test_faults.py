"""Whatever a server does, a query ends before its deadline: with rows or with a typed error."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.kb.endpoint.client import Client, Garbled, Limits, Oversized, Rejected, TimedOut, Unreachable
from arcaneqa.kb.terms import Iri
from arcaneqa.support.errors import EndpointError, InputError
from benchmarks.servers import free_port
from tests.kb.endpoint.misbehaving import Misbehaving, misbehaving

QUERY = "SELECT ?x WHERE { ?x ?p ?o } LIMIT 1"
SECRET = "Bearer do-not-tell"
LIMITS = Limits(deadline=1.5, attempts=3, body_bytes=2**20)


@pytest.fixture(scope="module")
def server() -> Iterator[Misbehaving]:
    with misbehaving() as running:
        yield running


def _ask(url: str, limits: Limits = LIMITS) -> object:
    client = Client(url, authorization=SECRET, limits=limits)
    try:
        return client.select(QUERY)
    finally:
        client.close()


@pytest.mark.parametrize(
    ("vice", "kind", "words"),
    [
        ("error", Rejected, "status 500: Virtuoso 37000 Error SP030: SPARQL compiler"),
        ("html", Garbled, "Welcome to our portal"),
        ("other-json", Garbled, "not a whole SPARQL result"),
        ("truncated", Garbled, "not a whole SPARQL result"),
        ("cut-off", Unreachable, "broke off"),
        ("partial", Oversized, "only a part"),
        ("loop", Rejected, "circle"),
        ("drip", TimedOut, "within 1.5 seconds"),
        ("drip-head", TimedOut, "within 1.5 seconds"),
        ("silent", TimedOut, "within 1.5 seconds"),
        ("flood", Oversized, "more than 1 MiB"),
        ("busy", Rejected, "too busy"),
        ("busy-long", Rejected, "too busy"),
        ("private", Rejected, "ARCANEQA_ENDPOINT_AUTHORIZATION"),
    ],
)
def test_every_vice_is_a_typed_error_in_time(
    server: Misbehaving, vice: str, kind: type[EndpointError], words: str
) -> None:
    start = time.monotonic()
    with pytest.raises(kind, match=words) as caught:
        _ask(server.url(vice))
    assert time.monotonic() - start < LIMITS.deadline + 0.7
    assert type(caught.value) is kind
    assert "do-not-tell" not in repr(caught.getrepr(style="long", showlocals=False))
    assert "\n" not in str(caught.value)


def test_nobody_listens() -> None:
    with pytest.raises(Unreachable, match="cannot be reached"):
        _ask(f"http://127.0.0.1:{free_port()}/sparql")


def test_no_such_host() -> None:
    with pytest.raises((Unreachable, TimedOut)):
        _ask("http://no-such-host.invalid/sparql")


def test_untrusted_certificate() -> None:
    pem = Path(__file__).with_name("untrusted.pem")
    with misbehaving(pem) as server, pytest.raises(Unreachable, match="certificate"):
        _ask(server.url("good"))


@pytest.mark.parametrize("url", ["ftp://example.org/sparql", "http:///sparql", "http://", "sparql"])
def test_not_an_address(url: str) -> None:
    with pytest.raises(InputError, match="http://host/sparql"):
        Client(url)


def test_waits_as_long_as_the_server_asks(server: Misbehaving) -> None:
    start = time.monotonic()
    assert _ask(server.url("busy-once"), Limits(deadline=10)) == [(Iri("http://example.org/a"),)]
    assert 1 <= time.monotonic() - start < 5
    assert server.seen.requests["busy-once"] == 2


def test_tries_only_so_often(server: Misbehaving) -> None:
    before = server.seen.requests["busy"]
    with pytest.raises(Rejected):
        _ask(server.url("busy"), Limits(deadline=10, attempts=3))
    assert server.seen.requests["busy"] == before + 3


def test_follows_a_redirect_with_the_query(server: Misbehaving) -> None:
    assert _ask(server.url("moved")) == [(Iri("http://example.org/a"),)]
    assert server.seen.forms[-1]["query"] == [QUERY]
    assert server.seen.authorizations[-1] == SECRET


def test_keeps_the_authorization_from_other_hosts(server: Misbehaving) -> None:
    _ask(server.url("elsewhere"))
    assert server.seen.authorizations[-2:] == [SECRET, None]


def test_sends_parameters_of_the_address_and_only_a_query(server: Misbehaving) -> None:
    _ask(server.url("good") + "?default-graph-uri=http://example.org/g")
    assert server.seen.forms[-1] == {"default-graph-uri": ["http://example.org/g"], "query": [QUERY]}


def test_many_queries_side_by_side(server: Misbehaving) -> None:
    client = Client(server.url("good"), limits=LIMITS)
    try:
        assert client.select_all([QUERY] * 50) == [[(Iri("http://example.org/a"),)]] * 50
        assert client.sent == 50
    finally:
        client.close()


def test_one_failure_fails_all_and_the_client_lives_on(server: Misbehaving) -> None:
    client = Client(server.url("busy-long"), limits=LIMITS)
    try:
        for _ in range(2):
            with pytest.raises(Rejected):
                client.select_all([QUERY] * 9)
    finally:
        client.close()
