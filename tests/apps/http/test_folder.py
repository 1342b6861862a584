"""Many knowledge bases of a folder: a name is a name there and nothing else, and few are open."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from arcaneqa.apps.http.app import create_app
from arcaneqa.apps.http.folder import Folder
from arcaneqa.apps.http.gate import Limits
from tests.apps.http.service_world import answering, facts, serving, small_world

NAMES = ("one", "two.ttl", "three.ttl")
CITIES = "(COUNT <http://example.org/City>)"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Folder]]:
    root = tmp_path_factory.mktemp("many")
    (root / "kbs").mkdir()
    small_world(root).rename(root / "kbs" / "one")
    for number, name in enumerate(NAMES[1:], 1):
        more = "\n".join(f"ex:more{each} a ex:City ." for each in range(number))
        (root / "kbs" / name).write_text(f"{facts()}\n{more}", encoding="utf-8")
    (root / "kbs" / "broken").mkdir()
    (root / "secret").mkdir()
    qa, _ = answering(small_world(root / "secret"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(root / "cache"))
        app = create_app(qa, token="secret")
        folder = Folder(root / "kbs", qa, 2, Limits(), "secret")
        app.mount("/kb", folder)
        headers = {"authorization": "Bearer secret"}
        with serving(app) as (url, _), httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            yield client, folder


def _cities(client: httpx.Client, name: str) -> int:
    reply = client.post(f"/kb/{name}/v1/run", json={"program": CITIES}).raise_for_status()
    return int(reply.json()["answers"][0]["value"])


def test_each_answers_under_its_name_and_few_are_open(world: tuple[httpx.Client, Folder]) -> None:
    client, folder = world
    for _ in range(2):
        assert [_cities(client, name) for name in NAMES] == [7, 8, 9]
    assert len(folder._open) == 2
    assert client.post("/kb/one/v1/ask", json={"question": "what is the capital of Peru?"}).status_code == 200


def test_many_at_once_are_all_answered(world: tuple[httpx.Client, Folder]) -> None:
    client, folder = world
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda number: _cities(client, NAMES[number % 3]), range(24)))
    assert found == [7, 8, 9] * 8
    assert len(folder._open) <= 2


@pytest.mark.parametrize("name", ["nobody", "..%2fsecret", "one%2f..%2fone", "", "%00"])
def test_a_name_is_a_name_in_the_folder(world: tuple[httpx.Client, Folder], name: str) -> None:
    client, _ = world
    reply = client.post(f"/kb/{name}/v1/run", json={"program": CITIES})
    assert reply.status_code in (404, 405)


def test_what_cannot_be_opened_is_a_sentence(world: tuple[httpx.Client, Folder]) -> None:
    client, _ = world
    reply = client.get("/kb/broken/v1/kb")
    assert reply.status_code == 503
    assert "broken" in reply.json()["detail"]


def test_the_token_is_asked_for_there_too(world: tuple[httpx.Client, Folder]) -> None:
    client, _ = world
    reply = client.post("/kb/one/v1/run", json={"program": CITIES}, headers={"authorization": "Bearer no"})
    assert reply.status_code == 401
