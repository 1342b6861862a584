"""Judgements: kept only where a file was named, whole lines that training reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from arcaneqa.apps.http import feedback
from arcaneqa.apps.http.app import create_app
from arcaneqa.lab.training.prepare import GOLD, LINKED, Plan, prepare
from arcaneqa.record import read_questions
from arcaneqa.support.errors import InputError
from tests.apps.http.service_world import answering, serving, small_world

CAPITAL = "(JOIN ex:capital_inv ex:France)"
POPULATION = CAPITAL.replace("capital", "population")
JUDGED = {"question": "what is the capital of France?", "program": CAPITAL, "is_right": True}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "judgements.jsonl"


@pytest.fixture
def client(kb: Path, file: Path) -> Iterator[httpx.Client]:
    app = create_app(answering(kb)[0], feedback_file=file)
    with serving(app) as (url, _), httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


def test_what_is_right_becomes_a_record(client: httpx.Client, file: Path) -> None:
    assert client.get("/v1/kb").json()["keeps_feedback"]
    wrong = JUDGED | {"is_right": False}
    for judged in (JUDGED, wrong | {"correction": POPULATION}, wrong, wrong | {"program": None}):
        client.post("/v1/feedback", json=judged).raise_for_status()
    records = list(read_questions(file))
    assert [record.program for record in records] == [CAPITAL, POPULATION, None, None]
    (mention,) = records[0].entities
    assert (mention.id, mention.mention, mention.start, mention.end) == (
        "ex:France",
        "France",
        23,
        29,
    )
    told = [json.loads(line)["feedback"] for line in file.read_text().splitlines()]
    assert [one["given"] for one in told] == [CAPITAL, CAPITAL, CAPITAL, None]
    assert [one["is_right"] for one in told] == [True, False, False, False]
    assert len({record.id for record in records}) == 4


def test_training_reads_the_file(client: httpx.Client, file: Path, kb: Path, tmp_path: Path) -> None:
    client.post("/v1/feedback", json=JUDGED).raise_for_status()
    client.post("/v1/feedback", json=JUDGED | {"is_right": False}).raise_for_status()
    report = prepare([file], str(kb), tmp_path / "prepared", Plan((GOLD, LINKED)))
    assert (report.questions, report.without_program) == (2, 1)
    assert report.examples > 0
    assert not report.left_out


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"program": "(COUNT"}, ""),
        ({"program": "(JOIN ex:capitol_inv ex:France)"}, "capital"),
        ({"correction": POPULATION}, "no correction"),
        ({"program": None}, "needs a program"),
        ({"is_right": False, "correction": "nonsense ("}, ""),
    ],
)
def test_what_makes_no_sense_is_not_kept(
    client: httpx.Client, file: Path, wrong: dict[str, object], why: str
) -> None:
    answer = client.post("/v1/feedback", json=JUDGED | wrong)
    assert answer.status_code == 400
    assert why in answer.json()["detail"]
    assert file.read_text() == ""


def test_many_at_once_are_whole_lines(client: httpx.Client, file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda _: client.post("/v1/feedback", json=JUDGED).json()["kept"], range(40)))
    assert sorted(record.id for record in read_questions(file)) == sorted(kept)


def test_without_a_file_nothing_is_kept(kb: Path) -> None:
    with serving(create_app(answering(kb)[0])) as (url, _), httpx.Client(base_url=url, timeout=60) as client:
        assert not client.get("/v1/kb").json()["keeps_feedback"]
        assert client.post("/v1/feedback", json=JUDGED).status_code == 404
        assert "/v1/feedback" not in client.get("/openapi.json").json()["paths"]


def test_a_file_that_cannot_be_written_is_told_at_the_start(kb: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be kept"):
        create_app(answering(kb)[0], feedback_file=tmp_path / "nowhere" / "file.jsonl")


def test_a_full_file_refuses_and_stays_as_it_is(
    client: httpx.Client, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/v1/feedback", json=JUDGED).raise_for_status()
    before = file.read_bytes()
    monkeypatch.setattr(feedback, "MOST_BYTES", len(before) + 10)
    answer = client.post("/v1/feedback", json=JUDGED)
    assert answer.status_code == 503
    assert str(file) not in answer.text
    assert file.read_bytes() == before
