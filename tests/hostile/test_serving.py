"""`arcaneqa serve` as a process: it says no before it works, ends when told, and changes over on SIGHUP."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from arcaneqa.kb.build import build_index
from tests.apps.http.service_world import facts
from tests.hostile.limited import ARCANEQA, environment, run

SECONDS = 60.0


@contextmanager
def served(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*ARCANEQA, "serve", "--port", "0", *options], stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "running on" in line:
                yield process, line.split("running on")[1].split()[0]
                break
        else:
            raise AssertionError("it did not start")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_port_in_use_is_said_before_anything_is_loaded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("serve", "--kb", "/no/such/index", "--port", str(port))
    assert ended.is_a_sentence, ended
    assert f"port {port}" in ended.err
    assert "give another --port" in ended.err


def test_a_host_of_another_machine_is_said() -> None:
    ended = run("serve", "--host", "192.0.2.1", "--port", "0")
    assert ended.is_a_sentence, ended


@pytest.mark.slow
def test_it_ends_though_a_client_is_still_sending() -> None:
    with served() as (process, url):
        host, port = url.removeprefix("http://").split(":")
        sending = [socket.create_connection((host, int(port))) for _ in range(20)]
        head = b"POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90\r\n"
        for connection in sending[:10]:
            connection.sendall(head + b'\r\n{"question": ')
        for connection in sending[10:]:
            connection.sendall(head)
        assert httpx.get(f"{url}/healthz").text == "ok", "by now it has begun with those that came before"
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
        assert time.monotonic() - started < 25
        for connection in sending:
            connection.close()


@pytest.mark.slow
def test_sighup_changes_over(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(facts(), encoding="utf-8")
    build_index([tmp_path / "g.ttl"], tmp_path / "kb")
    with (
        served("--kb", str(tmp_path / "kb")) as (process, url),
        httpx.Client(base_url=url, timeout=30) as client,
    ):

        def cities() -> str:
            reply = client.post("/v1/run", json={"program": "(COUNT <http://example.org/City>)"})
            return str(reply.json()["answers"][0]["value"])

        assert cities() == "7"
        (tmp_path / "g.ttl").write_text(f"{facts()}\nex:new a ex:City .", encoding="utf-8")
        build_index([tmp_path / "g.ttl"], tmp_path / "kb")
        assert cities() == "7"
        os.kill(process.pid, signal.SIGHUP)
        end = time.monotonic() + SECONDS
        while cities() != "8":
            assert time.monotonic() < end, "SIGHUP changed nothing"
            time.sleep(0.1)


@pytest.mark.slow
def test_open_to_others_without_a_token_is_a_warning() -> None:
    for host, is_warned in (("0.0.0.0", True), ("127.0.0.1", False)):
        ended = run("serve", "--host", host, "--port", "0", "--kb", "/no/such/index")
        assert ("WARNING" in ended.err and "--token-file" in ended.err) == is_warned
