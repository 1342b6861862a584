"""The tools through the SDK's own client, over standard input and output and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from starlette.testclient import TestClient

from arcaneqa import ArcaneQA
from arcaneqa.apps.mcp import create_server, serve_http

COMMAND = [sys.executable, "-c", "from arcaneqa.apps.cli.main import main; main()", "mcp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}

BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module", params=["stdio", "http"])
def address(request: pytest.FixtureRequest) -> Iterator[StdioServerParameters | str]:
    if request.param == "stdio":
        yield StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=ENVIRONMENT)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([*COMMAND, "--http", f"127.0.0.1:{port}"], env=ENVIRONMENT) as process:
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server does not listen")


def test_an_assistant_gets_facts_and_refusals(address: StdioServerParameters | str) -> None:
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"ask", "describe", "find", "schema", "run"}
        assert all(tool.output_schema for tool in tools.values())
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())

        asked = await _call(client, "ask", question="what is the capital of France?")
        assert asked["answers"][0]["label"] == "Paris"
        assert asked["reason"] is None
        ran = await _call(client, "run", program=asked["program"])
        assert ran["answers"] == asked["answers"]

        refused = await _call(client, "ask", question="why is the sky blue?")
        assert refused["answers"] == []
        assert refused["reason"]

        found = await _call(client, "find", name="Mongol")
        assert "Mongolia" in [entity["label"] for entity in found["entities"]]
        described = await _call(client, "describe", entity="Mongolia")
        capital = next(
            fact for fact in described["facts"] if fact["label"] == "capital" and not fact["inverse"]
        )
        assert [value["label"] for value in capital["values"]] == ["Ulaanbaatar"]
        again = await _call(client, "describe", entity=described["id"])
        assert again["facts"] == described["facts"]

        schema = await _call(client, "schema", rows=3)
        counts = [relation["count"] for relation in schema["relations"]]
        assert len(counts) == 3
        assert counts == sorted(counts, reverse=True)
        resource = await client.read_resource("arcaneqa://schema")
        assert json.loads(resource.contents[0].text)["facts"] == schema["facts"]  # type: ignore[union-attr]

    _with_client(address, talk)


def test_a_short_answer_keeps_what_matters(address: StdioServerParameters | str) -> None:
    async def talk(client: Client) -> None:
        african: dict[str, Any] = {"question": "which countries are in Africa?", "rows": 500}
        whole = await _call(client, "ask", **african)
        short = await _call(client, "ask", **african, most_bytes=2_000)
        assert len(json.dumps(short, separators=(",", ":"))) <= 2_000 < len(json.dumps(whole))
        for kept in ("total", "read_as", "confidence", "outcome"):
            assert short[kept] == whole[kept]
        assert short["answers"][0]["label"] == whole["answers"][0]["label"]

    _with_client(address, talk)


def test_bad_calls_are_sentences(address: StdioServerParameters | str) -> None:
    async def talk(client: Client) -> None:
        calls: list[tuple[str, dict[str, Any], str]] = [
            ("run", {"program": "(JOIN"}, ""),
            ("describe", {"entity": "Nobody At All Here"}, "No entity is called"),
            ("ask", {"question": "x" * 10_000}, "2000"),
            ("ask", {"question": "what?", "rows": 0}, "rows"),
        ]
        for tool, given, says in calls:
            result = await client.call_tool(tool, given)
            assert result.is_error
            text = result.content[0].text  # type: ignore[union-attr]
            assert says in text
            assert "Traceback" not in text

    _with_client(address, talk)


async def _call(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return dict(result.structured_content)


def _with_client(address: StdioServerParameters | str, talk: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Client(address, read_timeout_seconds=60) as client:
            await talk(client)

    asyncio.run(run())


def test_a_bad_address_is_refused_before_anything_is_loaded() -> None:
    ran = subprocess.run([*COMMAND, "--http", "nowhere"], env=ENVIRONMENT, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "--http takes HOST:PORT" in ran.stderr


def test_over_http_the_door_is_the_services(tmp_path: Path) -> None:
    """Names, token and size are checked before anything is understood."""
    (tmp_path / "token").write_text("secret\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*COMMAND, "--http", f"127.0.0.1:{port}", "--token-file", str(tmp_path / "token")]
    with subprocess.Popen(command, env=ENVIRONMENT) as process:
        try:
            _wait_for(port)

            def status(headers: dict[str, str], body: object = BEGIN) -> int:
                accept = {"accept": "application/json, text/event-stream"}
                with httpx.stream(
                    "POST", f"http://127.0.0.1:{port}/mcp", json=body, headers=accept | headers, timeout=60
                ) as response:
                    return response.status_code

            allowed = {"authorization": "Bearer secret"}
            assert status({}) == 401
            assert status({"authorization": "Bearer other"}) == 401
            assert status(allowed | {"host": "elsewhere.example"}) == 421
            assert status(allowed, {"padding": "x" * 100_000}) == 413
            assert status(allowed | {"origin": "https://elsewhere.example"}) == 403
            assert status(allowed | {"origin": "null"}) == 403
            assert status(allowed | {"origin": f"http://localhost:{port}"}) == 200
            streams = httpx.get(f"http://127.0.0.1:{port}/mcp", headers=allowed, timeout=10)
            assert streams.status_code == 405, "an open stream would hold one of few connections"
            assert status(allowed) == 200
        finally:
            process.terminate()


def test_over_http_nobody_can_take_all_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are none to take: whoever begins again and again leaves nothing behind."""
    served: list[Any] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, _: served.append(self.config.app))
    server = create_server(ArcaneQA.load())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serve_http(server, listening)
    accept = {"accept": "application/json, text/event-stream", "host": "localhost"}
    with TestClient(served[0]) as client:
        for _ in range(50):
            begun = client.post("/mcp", json=BEGIN, headers=accept)
            assert begun.status_code == 200
            assert "mcp-session-id" not in begun.headers
        assert not server.session_manager._server_instances


def test_calls_pass_the_gate_and_one_too_many_is_told_to_come_back() -> None:
    server = create_server(ArcaneQA.load(), places=1)
    program = {"program": "(JOIN demo:capital_inv demo:France)"}

    async def together() -> list[Any]:
        calls = [server.call_tool("run", program) for _ in range(3)]
        calls.append(server.call_tool("find", {"name": "Fra"}))
        return await asyncio.gather(*calls, return_exceptions=True)

    first, *others, another_kind = asyncio.run(together())
    assert "Paris" in str(first)
    assert all("is busy" in str(one) for one in others)
    assert "France" in str(another_kind)
