"""The service over real HTTP: what it answers, what it refuses, and how it behaves under load."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.app import create_app
from arcaneqa.apps.http.gate import Limits
from arcaneqa.apps.http.safety import HEADERS, MOST_BODY
from arcaneqa.induction.search import Search
from arcaneqa.kb.build import build_index
from tests.apps.http.service_world import HOSTILE, Contrary, answering, serving, small_world

QUESTIONS = [
    f"{words} {name}?"
    for name in ("France", "Norway", "Peru", "Kenya")
    for words in ("what is the capital of", "how many people live in", "which cities are in")
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def qa(kb: Path) -> ArcaneQA:
    return answering(kb)[0]


@pytest.fixture(scope="module")
def client(qa: ArcaneQA) -> Iterator[httpx.Client]:
    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=30) as opened:
        yield opened


def _events(client: httpx.Client, request: dict[str, Any]) -> list[tuple[str, Any]]:
    events, name = [], ""
    with client.stream("POST", "/v1/ask/stream", json=request) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                events.append((name, json.loads(line[6:])))
    return events


def test_ask_answers_like_the_library(client: httpx.Client, qa: ArcaneQA) -> None:
    for question in QUESTIONS:
        expected = qa.ask(question).to_prediction("").to_json()
        body = client.post("/v1/ask", json={"question": question}).raise_for_status().json()
        for key in ("program", "sparql", "paraphrase", "score", "confidence", "reason"):
            assert body[key] == expected[key]
        assert bool(body["answers"]) != bool(body["reason"])
        assert body["total"] == len(expected["answers"])


def test_the_service_scores_as_the_search_does(kb: Path) -> None:
    """Whatever stands between the search and the model speaks in the service too."""
    qa, _ = answering(kb)
    before = [qa.ask(question).program for question in QUESTIONS]
    qa.search = Search(qa.induction, Contrary(qa.scorer))
    expected = [qa.ask(question).program for question in QUESTIONS]
    assert expected != before
    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=30) as client:
        bodies = [client.post("/v1/ask", json={"question": question}).json() for question in QUESTIONS]
    assert [body["program"] for body in bodies] == expected


def test_many_at_once_get_the_serial_answers(kb: Path) -> None:
    qa, scorer = answering(kb, seconds=0.002)
    expected = [qa.ask(question) for question in QUESTIONS]
    scorer.sizes.clear()
    with (
        serving(create_app(qa)) as (url, _),
        httpx.Client(base_url=url, timeout=30) as client,
        ThreadPoolExecutor(12) as pool,
    ):
        bodies = list(pool.map(lambda q: client.post("/v1/ask", json={"question": q}).json(), QUESTIONS * 3))
    for body, answer in zip(bodies, expected * 3, strict=True):
        assert (body["program"], body["score"]) == (answer.program, pytest.approx(answer.score, abs=1e-5))
    assert max(scorer.sizes) > 5, "no call of the scorer served several questions"


def test_events_come_in_order(client: httpx.Client) -> None:
    events = _events(client, {"question": QUESTIONS[0], "trace": True})
    names = [name for name, _ in events]
    assert names[0] == "links"
    assert names[-1] == "answer"
    assert names[1:-1]
    assert set(names[1:-1]) == {"step"}
    assert events[-1][1]["tree"]["kind"]
    assert events[-1][1]["trace"]["steps"]


def test_a_picked_candidate_is_kept(client: httpx.Client) -> None:
    request: dict[str, Any] = {"question": QUESTIONS[0], "trace": True}
    steps = client.post("/v1/ask", json=request).json()["trace"]["steps"]
    first = next(step for step in steps if step["considered"] > 1)
    kept = 0
    for other in first["candidates"]:
        choice = {key: other[key] for key in ("kind", "text", "variable")}
        body = client.post("/v1/ask", json=request | {"choices": [choice]}).json()
        if body["trace"] is not None:
            kept += 1
            again = next(step for step in body["trace"]["steps"] if step["considered"] > 1)
            chosen = next(candidate for candidate in again["candidates"] if candidate["chosen"])
            assert {key: chosen[key] for key in choice} == choice
    assert kept > 1


def test_a_settled_entity_is_kept(client: httpx.Client) -> None:
    question = "what is the capital of France?"
    start = question.index("France")
    said = {"start": start, "end": start + 6, "id": "<http://example.org/Peru>"}
    events = _events(client, {"question": question, "entities": [said]})
    (mention,) = events[0][1]["mentions"]
    assert mention["settled"]
    assert mention["candidates"][0]["description"] == "France (country)"
    named = [entity["id"] for entity in events[-1][1]["entities"]]
    assert "<http://example.org/France>" not in named
    body = client.post("/v1/ask", json={"question": question, "entities": [said | {"id": None}]}).json()
    assert body["entities"] == []
    for wrong, why in (
        ({"id": "<http://example.org/Atlantis>"}, "not in this"),
        ({"end": 99}, "no characters"),
    ):
        refused = client.post("/v1/ask", json={"question": question, "entities": [said | wrong]})
        assert refused.status_code == 400
        assert why in refused.json()["detail"]


def test_run(client: httpx.Client) -> None:
    body = client.post("/v1/run", json={"program": "(COUNT <http://example.org/Country>)"}).json()
    assert body["answers"][0]["value"] == "6"
    assert "COUNT" in body["sparql"]
    bad = client.post("/v1/run", json={"program": "(COUNT"})
    assert bad.status_code == 400
    assert "parenthesis" in bad.json()["detail"]


def test_the_knowledge_base_and_its_names(client: httpx.Client) -> None:
    body = client.get("/v1/kb").json()
    assert body["facts"] > 0
    assert {klass["label"] for klass in body["classes"]} >= {"country", "city"}
    hits = client.get("/v1/entities", params={"q": "norw"}).json()
    assert "Norway" in [hit["label"] for hit in hits]
    assert client.get("/v1/entities", params={"q": "zzzz"}).json() == []


def test_probes_metrics_and_description(client: httpx.Client) -> None:
    assert client.get("/healthz").text == "ok"
    until = time.monotonic() + 60
    while client.get("/readyz").status_code == 503 and time.monotonic() < until:
        time.sleep(0.05)
    assert client.get("/readyz").text == "ready"
    client.post("/v1/ask", json={"question": QUESTIONS[0]})
    metrics = client.get("/metrics").text
    assert 'arcaneqa_requests_total{route="/v1/ask",status="200"}' in metrics
    assert "arcaneqa_questions_running 0.0" in metrics
    outcomes = re.findall(r'arcaneqa_questions_total\{outcome="(\w+)"\}', metrics)
    assert outcomes
    assert set(outcomes) <= {"answer", "ask", "refuse"}
    assert 'arcaneqa_confidence_count{outcome="' in metrics
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/v1/ask", "/v1/ask/stream", "/v1/run", "/v1/kb", "/v1/entities"} <= set(paths)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/", None, 200),
        ("GET", "/page/main.js", None, 200),
        ("GET", "/nowhere", None, 404),
        ("GET", "/v1/ask", None, 405),
        ("POST", "/v1/ask", b"{", 422),
        ("POST", "/v1/ask", b'{"question": "\\ud800"}', 422),
        ("POST", "/v1/ask", json.dumps({"question": "x" * 2001}).encode(), 422),
        ("POST", "/v1/ask", b'{"question": "x", "more": 1}', 422),
        ("POST", "/v1/run", b'{"program": "(NONSENSE x)"}', 400),
        ("POST", "/v1/ask", b" " * (MOST_BODY + 1), 413),
    ],
)
def test_every_response_is_guarded(
    client: httpx.Client, method: str, path: str, body: bytes | None, status: int
) -> None:
    headers = {"content-type": "application/json", "origin": "http://elsewhere.example"}
    response = client.request(method, path, content=body, headers=headers)
    assert response.status_code == status
    for name, value in HEADERS:
        assert response.headers[name.decode()] == value.decode()
    assert not [name for name in response.headers if name.startswith("access-control")]
    if status >= 400:
        assert isinstance(response.json()["detail"], str)


def test_a_failure_is_guarded_too(kb: Path) -> None:
    qa, scorer = answering(kb)
    scorer.seconds = -1.0  # time.sleep refuses, as broken weights would
    with serving(create_app(qa)) as (url, _):
        response = httpx.post(f"{url}/v1/ask", json={"question": QUESTIONS[0]})
        assert response.status_code == 500
        assert response.headers["content-security-policy"]
        assert "sleep" not in response.text
        scorer.seconds = 0.0
        assert httpx.post(f"{url}/v1/ask", json={"question": QUESTIONS[0]}).status_code == 200


def test_a_body_of_undeclared_length_is_limited(client: httpx.Client) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 8192

    assert client.post("/v1/ask", content=parts()).status_code == 413
    small = iter([b'{"question":', b'"what is the capital of Peru?"}'])
    headers = {"content-type": "application/json"}
    assert client.post("/v1/ask", content=small, headers=headers).status_code == 200


def test_hostile_text_comes_back_as_data_only(client: httpx.Client) -> None:
    question = "which cities are in <script>alert(1)</script> France?"
    response = client.post("/v1/ask", json={"question": question, "trace": True})
    assert response.headers["content-type"] == "application/json"
    assert response.json()["question"] == question
    hits = client.get("/v1/entities", params={"q": "bold"})
    assert hits.headers["content-type"] == "application/json"
    assert hits.json()[0]["label"] == HOSTILE


def test_the_token(qa: ArcaneQA) -> None:
    with serving(create_app(qa, token="secret")) as (url, _), httpx.Client(base_url=url) as client:
        refused = client.get("/v1/kb")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert client.get("/v1/kb", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/v1/kb", headers={"authorization": "Bearer secret"}).status_code == 200
        assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/ask/stream"])
def test_too_many_are_turned_away(kb: Path, path: str) -> None:
    qa, _ = answering(kb, seconds=0.1)
    with (
        serving(create_app(qa, limits=Limits(together=1, waiting=1))) as (url, _server),
        httpx.Client(base_url=url, timeout=30) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        answers = list(pool.map(lambda q: client.post(path, json={"question": q}), QUESTIONS[:8]))
        busy = [answer for answer in answers if answer.status_code == 429]
        assert busy
        assert len(answers) - len(busy) == [answer.status_code for answer in answers].count(200) >= 2
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in busy)
        _until(lambda: client.post(path, json={"question": QUESTIONS[0]}).status_code == 200)


def test_the_deadline(kb: Path) -> None:
    qa, _ = answering(kb, seconds=0.2)
    with (
        serving(create_app(qa, limits=Limits(seconds=0.3))) as (url, _server),
        httpx.Client(base_url=url, timeout=30) as client,
    ):
        started = time.monotonic()
        body = client.post("/v1/ask", json={"question": QUESTIONS[0]}).json()
        assert time.monotonic() - started < 5
        assert "ran out of time" in body["reason"]


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/ask/stream"])
def test_who_goes_away_frees_the_work(kb: Path, path: str) -> None:
    qa, scorer = answering(kb, seconds=0.3)
    with serving(create_app(qa)) as (url, _server), httpx.Client(base_url=url) as client:
        body = json.dumps({"question": QUESTIONS[0]}).encode()
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            connection.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            _until(lambda: "arcaneqa_questions_running 1.0" in client.get("/metrics").text)
        _until(lambda: "arcaneqa_questions_running 0.0" in client.get("/metrics").text)
        assert len(scorer.sizes) <= 4, "the search went on for nobody"


def test_stopping_finishes_what_runs(kb: Path) -> None:
    qa, _ = answering(kb, seconds=0.05)
    bodies: list[dict[str, Any]] = []
    with serving(create_app(qa)) as (url, server):
        asking = threading.Thread(
            target=lambda: bodies.append(
                httpx.post(f"{url}/v1/ask", json={"question": QUESTIONS[0]}, timeout=30).json()
            )
        )
        asking.start()
        with httpx.Client(base_url=url) as client:
            _until(lambda: "arcaneqa_questions_running 1.0" in client.get("/metrics").text)
        server.should_exit = True
        asking.join(20)
    assert bodies
    assert bodies[0]["answers"]


def _until(holds: Any, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def test_an_entity_is_shown_by_id_by_iri_and_by_name(client: httpx.Client) -> None:
    shown = client.get("/v1/entity", params={"id": "ex:France"}).raise_for_status().json()
    assert (shown["label"], shown["classes"]) == ("France", ["country"])
    assert shown["address"] == shown["iri"] == "http://example.org/France"
    facts = {(fact["label"], fact["inverse"]): fact for fact in shown["facts"]}
    assert [value["label"] for value in facts["capital", False]["values"]] == ["France City"]
    assert {value["label"] for value in facts["country", True]["values"]} == {"France City", HOSTILE}
    for name in (shown["iri"], f"<{shown['iri']}>", "france"):
        assert client.get("/v1/entity", params={"id": name}).json() == shown
    one = client.get(
        "/v1/entity", params={"id": "ex:France", "relation": "ex:country", "inverse": True}
    ).json()
    assert one["facts"] == [facts["country", True]]


def test_values_of_an_entity_come_in_pages(tmp_path: Path) -> None:
    lines = [f"<urn:c{number}> <urn:country> <urn:x> ." for number in range(25)]
    (tmp_path / "facts.nt").write_text("\n".join(lines))
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    with serving(create_app(answering(tmp_path / "kb")[0])) as (url, _), httpx.Client(base_url=url) as client:
        pages = [client.get("/v1/entity", params={"id": "<urn:x>", "page": page}).json() for page in range(4)]
    assert [[len(fact["values"]) for fact in page["facts"]] for page in pages] == [[10], [10], [5], []]
    assert len({value["id"] for page in pages for fact in page["facts"] for value in fact["values"]}) == 25
    assert pages[2]["facts"][0]["total"] == 25


def test_what_is_not_known_is_not_found(client: httpx.Client) -> None:
    for wanted in ({"id": "Atlantis"}, {"id": "ex:France", "relation": "ex:nothing"}, {"id": "nope:nope"}):
        response = client.get("/v1/entity", params=wanted)
        assert (response.status_code, list(response.json())) == (404, ["detail"])
