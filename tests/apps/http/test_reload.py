"""A new index under a running service: noticed, and changed over to without a dropped request."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from arcaneqa.apps.http import current
from arcaneqa.apps.http.app import create_app
from arcaneqa.kb.build import build_index
from arcaneqa.kb.open import open_kb
from tests.apps.http.service_world import answering, facts, serving, small_world

CITIES = "(COUNT <http://example.org/City>)"


def replace(kb: Path, more: int) -> None:
    towns = "\n".join(f'ex:t{n} a ex:City ; rdfs:label "Town {n}" .' for n in range(more))
    (kb.parent / "more.ttl").write_text(f"{facts()}\n{towns}", encoding="utf-8")
    build_index([kb.parent / "more.ttl"], kb)


def cities(client: httpx.Client) -> int:
    reply = client.post("/v1/run", json={"program": CITIES}).raise_for_status()
    return int(reply.json()["answers"][0]["value"])


def test_the_old_one_answers_until_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current, "LOOKING", 0.05)
    kb = small_world(tmp_path)
    qa, _ = answering(kb)
    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=30) as client:
        assert cities(client) == 7
        assert client.post("/v1/reload").json() == {"reloaded": False}
        replace(kb, 5)
        assert cities(client) == 7
        assert client.get("/v1/entities", params={"q": "town 3"}).json() == []
        _until(lambda: "arcaneqa_index_outdated 1.0" in client.get("/metrics").text)
        assert client.post("/v1/reload").json() == {"reloaded": True}
        assert cities(client) == 12
        assert client.get("/v1/entities", params={"q": "town 3"}).json()[0]["label"] == "Town 3"
        assert {c["label"]: c["count"] for c in client.get("/v1/kb").json()["classes"]}["city"] == 12
        _until(lambda: "arcaneqa_index_outdated 0.0" in client.get("/metrics").text)


def test_no_request_is_dropped_while_it_changes(tmp_path: Path) -> None:
    kb = small_world(tmp_path)
    qa, _ = answering(kb, seconds=0.01)
    statuses: list[int] = []
    stop = threading.Event()

    def ask(client: httpx.Client) -> None:
        while not stop.is_set():
            reply = client.post("/v1/ask", json={"question": "what is the capital of Norway?"})
            statuses.append(reply.status_code)

    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=30) as client:
        with ThreadPoolExecutor(6) as pool:
            for _ in range(6):
                pool.submit(ask, client)
            for more in (1, 2, 3):
                replace(kb, more)
                assert client.post("/v1/reload").json() == {"reloaded": True}
                assert cities(client) == 7 + more
                asked, until = len(statuses), time.monotonic() + 30
                while len(statuses) < asked + 6 and time.monotonic() < until:
                    time.sleep(0.01)
            stop.set()
        assert len(statuses) >= 18, "some were answered before each change, and some behind the last"
        assert set(statuses) == {200}


def test_a_broken_new_index_leaves_the_old_one(tmp_path: Path) -> None:
    kb = small_world(tmp_path)
    qa, _ = answering(kb)
    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=30) as client:
        replace(kb, 5)
        (kb / "labels.bin").write_bytes(b"x")
        assert client.post("/v1/reload").status_code == 400
        assert cities(client) == 7


def test_a_file_that_changes_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word from anybody; and what cannot be read leaves what was there."""
    monkeypatch.setattr(current, "LOOKING", 0.05)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "facts.ttl"
    file.write_text(facts(), encoding="utf-8")
    qa, _ = answering(open_kb(file))
    app = create_app(qa, source=file)
    with serving(app) as (url, _), httpx.Client(base_url=url, timeout=30) as client:
        assert cities(client) == 7
        file.write_text(facts() + "\nex:new a ex:City .", encoding="utf-8")
        _until(lambda: cities(client) == 8)
        file.write_text(facts() + "\nex:new a ex:City", encoding="utf-8")  # nobody has ended the sentence
        _until(lambda: "arcaneqa_index_outdated 1.0" in client.get("/metrics").text)
        assert cities(client) == 8
        file.unlink()
        time.sleep(0.3)
        assert cities(client) == 8
        file.write_text(facts(), encoding="utf-8")
        _until(lambda: cities(client) == 7)
        assert "arcaneqa_index_outdated 0.0" in client.get("/metrics").text


def _until(holds: object, seconds: float = 10.0) -> None:
    async def wait() -> None:
        while not holds():  # type: ignore[operator]
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(wait(), seconds))
