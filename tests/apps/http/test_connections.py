"""Clients that take their time, or another name: none keeps the service from the others, or from ending."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import httpx
import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http import safety
from arcaneqa.apps.http.app import create_app
from arcaneqa.apps.http.connections import PatientProtocol
from arcaneqa.apps.http.gate import Busy, Limits, WorkKind
from tests.apps.http.service_world import answering, serving, small_world

HEAD = b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    return answering(small_world(tmp_path_factory.mktemp("world")))[0]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatientProtocol, "header_seconds", 0.3)
    monkeypatch.setattr(PatientProtocol, "taking_seconds", 0.3)
    monkeypatch.setattr(safety, "BODY_SECONDS", 0.3)


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    host, port = url.removeprefix("http://").split(":")
    with closing(socket.create_connection((host, int(port)), timeout=10)) as found:
        yield found


def read_all(connection: socket.socket) -> bytes:
    parts = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return parts
        if not piece:
            return parts
        parts += piece


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("start", [b"", b"GET /healthz", HEAD], ids=["nothing", "a line", "a header"])
def test_headers_without_end_are_cut_off(qa: ArcaneQA, start: bytes) -> None:
    with serving(create_app(qa)) as (url, _), connected(url) as connection:
        connection.sendall(start)
        assert read_all(connection) == b""


@pytest.mark.usefixtures("hasty")
def test_a_second_request_has_no_more_time_than_the_first(qa: ArcaneQA) -> None:
    with serving(create_app(qa)) as (url, _), connected(url) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /healthz HT")
        assert read_all(connection).count(b"200 OK") == 1


@pytest.mark.usefixtures("hasty")
def test_half_a_body_is_refused(qa: ArcaneQA) -> None:
    with serving(create_app(qa)) as (url, _), connected(url) as connection:
        connection.sendall(HEAD + b'content-length: 100\r\n\r\n{"question": ')
        reply = read_all(connection)
        assert reply.startswith(b"HTTP/1.1 408 ")
        assert b"did not come within" in reply


def test_one_client_with_half_a_body_does_not_keep_it_alive(qa: ArcaneQA) -> None:
    """Told to end while somebody is still sending: it ends, and says so to who waits."""
    with ExitStack() as stack, serving(create_app(qa)) as (url, server):
        server.config.timeout_graceful_shutdown = 1
        clients = [stack.enter_context(connected(url)) for _ in range(3)]
        clients[0].sendall(HEAD + b'content-length: 100\r\n\r\n{"question": ')
        clients[1].sendall(HEAD)
        time.sleep(0.1)
        # `serving` has stopped the server, and fails where it does not stop.


@pytest.mark.usefixtures("hasty")
def test_many_half_open_connections_keep_nobody_out(qa: ArcaneQA, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatientProtocol, "most", 20)
    monkeypatch.setattr(PatientProtocol, "header_seconds", 60.0)
    with ExitStack() as stack:
        url, _ = stack.enter_context(serving(create_app(qa)))
        half_open = [stack.enter_context(connected(url)) for _ in range(60)]
        for connection in half_open:
            with suppress(OSError):  # it made room already
                connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: local")
        for _ in range(5):
            assert httpx.get(f"{url}/healthz").text == "ok"


@pytest.mark.usefixtures("hasty")
def test_who_does_not_read_is_let_go(qa: ArcaneQA) -> None:
    request = b"GET /page/main.js HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with serving(create_app(qa)) as (url, server), connected(url) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(0.2)
        end = time.monotonic() + 20
        while server.server_state.connections and time.monotonic() < end:
            try:
                connection.sendall(request * 20)
            except OSError:
                time.sleep(0.05)
        assert not server.server_state.connections, "it still waits for who reads nothing"


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "evil@localhost", "[::1", "127.0.0.1.nip.io"]
)
def test_other_names_are_not_served(qa: ArcaneQA, host: str) -> None:
    with serving(create_app(qa)) as (url, _):
        for path in ("/", "/v1/kb", "/page/main.js", "/metrics"):
            refused = httpx.get(f"{url}{path}", headers={"host": host})
            assert refused.status_code == 421, (host, path)
            assert "--allow-host" in refused.json()["detail"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "127.8.9.1", "[::1]:8000", "qa.example:443"]
)
def test_own_names_and_allowed_ones_are_served(qa: ArcaneQA, host: str) -> None:
    with serving(create_app(qa, hosts=["QA.example"])) as (url, _):
        assert httpx.get(f"{url}/v1/kb", headers={"host": host}).status_code == 200


def test_head_and_any_case_of_bearer(qa: ArcaneQA) -> None:
    with serving(create_app(qa, token="secret")) as (url, _):
        assert httpx.head(f"{url}/").status_code == 200
        for scheme in ("bearer", "BEARER", "Bearer"):
            assert httpx.get(f"{url}/v1/kb", headers={"authorization": f"{scheme} secret"}).status_code == 200
        for wrong in ("secret", "Basic secret", "Bearer", "Bearer secret2", "Bearer\tsecret"):
            assert httpx.get(f"{url}/v1/kb", headers={"authorization": wrong}).status_code == 401


def test_half_a_character_is_an_answer_like_any(qa: ArcaneQA) -> None:
    with serving(create_app(qa)) as (url, _):
        body = b'{"question": "what is \\ud800 the capital of France?"}'
        reply = httpx.post(f"{url}/v1/ask", content=body, headers={"content-type": "application/json"})
        assert reply.status_code in (200, 422)
        assert reply.json()
        program = json.dumps({"program": "(COUNT <http://a/\ud800>)"}).encode()
        reply = httpx.post(f"{url}/v1/run", content=program, headers={"content-type": "application/json"})
        assert reply.status_code in (400, 422)
        assert reply.json()["detail"]


def test_every_kind_has_its_own_places(qa: ArcaneQA) -> None:
    """Programs that take all of theirs: the next is turned away, a question and a look are not."""
    app = create_app(qa, limits=Limits(waiting=1))
    ways = {
        WorkKind.QUESTION: ("POST", "/v1/ask", {"question": "what is the capital of Peru?"}),
        WorkKind.PROGRAM: ("POST", "/v1/run", {"program": "(COUNT <http://example.org/City>)"}),
        WorkKind.LOOK: ("GET", "/v1/kb", None),
    }
    with serving(app) as (url, _), httpx.Client(base_url=url) as client:
        gate = app.state.current.gate
        for full in WorkKind:
            with ExitStack() as places:
                while True:
                    try:
                        places.enter_context(gate.place(full))
                    except Busy:
                        break
                for kind, (method, path, body) in ways.items():
                    reply = client.request(method, path, json=body)
                    assert reply.status_code == (429 if kind is full else 200), (full, kind)
                    assert kind is not full or int(reply.headers["retry-after"]) >= 1
