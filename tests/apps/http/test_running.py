"""Programs over HTTP: every form as what it is, and as files to take away."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from arcaneqa.apps.http.app import create_app
from tests.apps.http.service_world import answering, serving, small_world

EX = "http://example.org/"
COUNTRIES = f"(SORT <{EX}Country> <{EX}population> DESC)"
TABLE = f"(SHOW <{EX}Country> SELF <{EX}population>)"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    qa, _ = answering(small_world(tmp_path_factory.mktemp("world")))
    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=60) as opened:
        yield opened


def _run(client: httpx.Client, program: str, **options: object) -> dict[str, Any]:
    found: dict[str, Any] = (
        client.post("/v1/run", json={"program": program, **options}).raise_for_status().json()
    )
    return found


def test_truth_and_totals_are_values(client: httpx.Client) -> None:
    truth = _run(client, f"(MEET <{EX}France> (JOIN <{EX}capital> <{EX}c0>))")
    assert [item["value"] for item in truth["answers"]] == ["true"]
    total = _run(client, f"(SUM <{EX}Country> <{EX}population>)")
    assert (total["answers"][0]["value"], total["total"]) == ("6015", 1)


def test_a_list_keeps_its_order(client: httpx.Client) -> None:
    found = _run(client, COUNTRIES, rows=2)
    assert [item["label"] for item in found["answers"]] == ["Chile", "Japan"]
    assert (found["ordered"], found["total"]) == (True, 6)
    assert not _run(client, f"<{EX}Country>")["ordered"]


def test_a_table_has_its_cells(client: httpx.Client) -> None:
    table = _run(client, TABLE, rows=2)["table"]
    assert (table["columns"], table["total"], len(table["rows"])) == (["name", "population"], 6, 2)
    for row, cells in zip(table["rows"], table["cells"], strict=True):
        assert row == [cells[0]["id"], cells[1]["value"]]
        assert cells[0]["address"] == cells[0]["iri"]
        assert cells[1]["datatype"].endswith("#integer")


def test_the_tree_comes_when_asked_for(client: httpx.Client) -> None:
    assert _run(client, TABLE)["tree"] is None
    tree = _run(client, TABLE, tree=True)["tree"]
    assert tree["kind"] == "table"


@pytest.mark.parametrize(
    ("form", "media", "comma"), [("csv", "text/csv", ","), ("tsv", "text/tab-separated-values", "\t")]
)
def test_files_hold_the_same_rows(client: httpx.Client, form: str, media: str, comma: str) -> None:
    answer = client.post("/v1/run", json={"program": TABLE, "format": form}).raise_for_status()
    assert answer.headers["content-type"].startswith(media)
    assert f"answers.{form}" in answer.headers["content-disposition"]
    rows = list(csv.reader(io.StringIO(answer.text), delimiter=comma))
    table = _run(client, TABLE)["table"]
    assert rows[0] == table["columns"]
    assert rows[1:] == [[cells[0]["label"], cells[1]["value"]] for cells in table["cells"]]
    few = client.post("/v1/run", json={"program": TABLE, "format": form, "rows": 2}).text
    assert few.splitlines() == answer.text.splitlines()[:3]


def test_markdown_cannot_be_broken_out_of(client: httpx.Client) -> None:
    text = client.post("/v1/run", json={"program": f"<{EX}City>", "format": "md"}).text
    lines = text.splitlines()
    assert lines[0].startswith("| label | iri | ")
    assert len(lines) == 2 + 7
    assert "img" in text
    assert not re.search(r"(?<!\\)<", text)


def test_the_pages_are_there(client: httpx.Client) -> None:
    for address, title in (("/", "ArcaneQA"), ("/entity/anything/at%20all", "ArcaneQA"), ("/docs", "API")):
        answer = client.get(address)
        assert answer.status_code == 200
        assert title in answer.text
        assert client.head(address).status_code == 200
