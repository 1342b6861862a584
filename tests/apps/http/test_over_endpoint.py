"""The service with a SPARQL endpoint behind it: names are found there, or it says that they cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest
from fastapi.testclient import TestClient

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.app import create_app
from arcaneqa.kb.endpoint import names, open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.verdict.fitted import Fitted
from tests.apps.http.service_world import SteadyScorer, facts
from tests.servers.oxigraph import Oxigraph

pytest_plugins = ["tests.servers.fixtures"]


@pytest.fixture
def client(oxigraph: Oxigraph, tmp_path: Path) -> Iterator[TestClient]:
    triples = pyoxigraph.parse(facts().encode(), format=pyoxigraph.RdfFormat.TURTLE)
    written = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert written is not None
    address = oxigraph.load(written.decode())
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as kb:
        service = create_app(ArcaneQA(kb, SteadyScorer(), Fitted(answer=0.0)))
        with TestClient(service, base_url="http://localhost") as client:
            yield client


def test_names_are_completed_and_questions_answered(client: TestClient) -> None:
    found = client.get("/v1/entities", params={"q": "  nor"}).json()
    assert [hit["label"] for hit in found] == ["Norway", "Norway City"]
    assert found[0]["description"]
    assert client.get("/v1/entities", params={"q": "nobody"}).json() == []
    assert client.get("/v1/entities", params={"q": '") } DROP ALL #'}).json() == []
    answer = client.post(
        "/v1/run", json={"program": "(JOIN <http://example.org/country> <http://example.org/Norway>)"}
    )
    assert [item["label"] for item in answer.json()["answers"]] == ["Norway City"]
    assert client.post("/v1/ask", json={"question": "what is the capital of norway?"}).status_code == 200


def test_an_endpoint_that_is_too_slow_for_it_is_told_apart(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "_PATIENCE", 0.000_001)
    for _ in range(2):
        reply = client.get("/v1/entities", params={"q": "nor"})
        assert reply.status_code == 501
        assert "ask with whole names" in reply.json()["detail"]
        monkeypatch.setattr(names, "_PATIENCE", 2.0)  # it is not tried again


def test_an_endpoint_that_fails_is_not_the_visitors_fault(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arcaneqa.kb.endpoint.names.TermNames.beginning", _broken)
    assert client.get("/v1/entities", params={"q": "nor"}).status_code == 502


def _broken(*_: object) -> list[int]:
    from arcaneqa.kb.endpoint.client import Unreachable

    raise Unreachable("The endpoint cannot be reached.")
