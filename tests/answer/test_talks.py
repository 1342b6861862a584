"""Conversations that a service keeps by their ids: the same answers as in the terminal, for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from mcp import Client

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.talks import Talks
from arcaneqa.apps.http.app import create_app
from arcaneqa.apps.mcp import create_server
from arcaneqa.record import Outcome
from arcaneqa.support.errors import NotFound
from tests.apps.http.service_world import answering, serving, small_world

DIALOGUE = (
    "which cities are in France?",
    "how many?",
    "which of them has the most people?",
    "what is its country?",
    "and Norway?",
    "what is the capital of Peru?",
)


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    return answering(small_world(tmp_path_factory.mktemp("world")))[0]


@pytest.fixture(scope="module")
def client(qa: ArcaneQA) -> Iterator[httpx.Client]:
    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


def test_a_dialogue_over_http_and_tools_is_that_of_the_terminal(qa: ArcaneQA, client: httpx.Client) -> None:
    talk = qa.conversation()
    expected = [talk.ask(question) for question in DIALOGUE]
    assert any(answer.carried for answer in expected)

    said: list[dict[str, Any]] = []
    for question in DIALOGUE:
        request = {"question": question, "conversation": said[-1]["conversation"] if said else None}
        said.append(client.post("/v1/ask", json=request).raise_for_status().json())
    assert len({answer["conversation"] for answer in said}) == 1
    for own, other in zip(expected, said, strict=True):
        assert (own.program, own.carried, own.reason) == (other["program"], other["carried"], other["reason"])
        assert [item.term for item in own.items] == [item["id"] or item["value"] for item in other["answers"]]

    async def told() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        async with Client(create_server(qa)) as tools:
            for question in DIALOGUE:
                given = {"question": question} | (
                    {"conversation": found[-1]["conversation"]} if found else {}
                )
                answer = (await tools.call_tool("ask", given)).structured_content
                assert answer is not None
                found.append(answer)
        return found

    for own, third in zip(expected, asyncio.run(told()), strict=True):
        assert (own.program, own.carried, own.reason) == (third["program"], third["carried"], third["reason"])


def test_support_is_the_same_everywhere(qa: ArcaneQA, client: httpx.Client) -> None:
    question = DIALOGUE[0]
    expected = [fact.to_json() for fact in qa.ask(question).support]
    assert expected
    over_http = client.post("/v1/ask", json={"question": question, "support": True}).json()
    assert over_http["support"] == expected
    assert len(over_http["support_words"]) == len(expected)
    assert client.post("/v1/ask", json={"question": question}).json()["support"] is None

    async def told() -> dict[str, Any]:
        async with Client(create_server(qa)) as tools:
            found: dict[str, Any] | None = (
                await tools.call_tool("ask", {"question": question, "support": True})
            ).structured_content
            assert found is not None
            return found

    assert asyncio.run(told())["support"] == expected


def test_another_reading_is_built_upon(client: httpx.Client) -> None:
    first = client.post("/v1/ask", json={"question": DIALOGUE[0]}).json()
    id, program = first["conversation"], "(JOIN ex:country ex:France)"
    client.post("/v1/run", json={"program": program, "conversation": id}).raise_for_status()
    counted = client.post("/v1/ask", json={"question": "how many?", "conversation": id}).json()
    assert counted["program"] == f"(COUNT {program})"
    assert counted["answers"][0]["value"] == "2"


def test_unknown_conversations_are_an_error_that_says_so(client: httpx.Client) -> None:
    for path, request in (("/v1/ask", {"question": "how many?"}), ("/v1/run", {"program": "ex:City"})):
        refused = client.post(path, json={**request, "conversation": "someone-else"})
        assert refused.status_code == 404
        assert "no such conversation" in refused.json()["detail"]


def test_conversations_end_by_time_and_make_room(qa: ArcaneQA) -> None:
    brief = Talks(qa, seconds=-1.0)
    id = brief.of(None).id
    with pytest.raises(NotFound, match="has ended"):
        brief.of(id)
    few = Talks(qa, most=2)
    first, second = few.of(None).id, few.of(None).id
    few.of(first)
    few.of(None)
    assert few.of(first).id == first, "it was used last"
    with pytest.raises(NotFound):
        few.of(second)


def test_a_turn_is_kept_without_its_rows(qa: ArcaneQA) -> None:
    talk = Talks(qa).of(None)
    answer = talk.ask(DIALOGUE[0])
    assert answer.items, "whoever asked gets them"
    turns = talk._conversation._turns
    assert turns
    assert all(turn.answer.items == () and turn.answer.trace is None for turn in turns)


@pytest.mark.parametrize("question", ["what is its capital?", "how many people live there?", "who is he?"])
def test_a_pronoun_without_a_past_is_asked_back(qa: ArcaneQA, client: httpx.Client, question: str) -> None:
    answer = qa.conversation().ask(question)
    assert answer.outcome is Outcome.ASK
    assert answer.items == ()
    assert answer.not_used[0] in (answer.reason or "")
    body = client.post("/v1/ask", json={"question": question}).json()
    assert (body["outcome"], body["reason"], body["answers"]) == ("ask", answer.reason, [])


def test_a_pronoun_for_something_in_the_question_is_not(qa: ArcaneQA) -> None:
    answer = qa.conversation().ask("which country is Peru and what is its capital?")
    assert "Nothing was asked before" not in (answer.reason or "")
