"""`arcaneqa evaluate` end to end: a real index, a real (untrained) model, real files."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from arcaneqa.apps.cli.main import main
from arcaneqa.kb.build import build_index
from arcaneqa.lab.training.checkpoint import create, save
from arcaneqa.model.config import ModelConfig
from tests.tiny import write_encoder

NASTY = 'what does "</script><img src=x onerror=alert(1)>" mean & why <b>?'
FACTS = """
@prefix : <http://towns.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
""" + "".join(
    f':t{n} a :Town ; rdfs:label "town{n}" ; :near :t{(n + 1) % 12} ; :size "{n * 3 % 7}"^^xsd:integer .\n'
    for n in range(12)
)
TOWN = "<http://towns.example/t{}>"
NEAR = "<http://towns.example/near>"
COUNT = 20
"""More than are searched together."""


def questions() -> list[dict[str, Any]]:
    made = [
        {
            "id": f"q{n}",
            "question": f"which town is near town{n % 12}?",
            "program": f"(JOIN {NEAR} {TOWN.format(n % 12)})",
            "answers": [TOWN.format((n - 1) % 12)],
            "entities": [{"id": TOWN.format(n % 12), "mention": f"town{n % 12}"}],
            "level": ("i.i.d.", "zero-shot")[n % 2],
        }
        for n in range(COUNT)
    ]
    made[3]["question"] = f"{NASTY} near town3"
    return made


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    (folder / "facts.ttl").write_text(FACTS)
    build_index([folder / "facts.ttl"], folder / "kb")
    save(create(str(write_encoder(folder / "encoder")), ModelConfig(hidden=24)), folder / "model")
    with (folder / "data.jsonl").open("w") as out:
        out.writelines(json.dumps(question) + "\n" for question in questions())
    return folder


@pytest.fixture
def evaluate(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    def go(*options: object, data: Path = world / "data.jsonl") -> tuple[int, str, str]:
        arguments = ["evaluate", data, "--kb", world / "kb", "--model", world / "model", *options]
        monkeypatch.setattr(sys, "argv", ["arcaneqa", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        out = capsys.readouterr()
        code = stop.value.code
        return (code if isinstance(code, int) else 0), out.out, out.err

    return go


def predictions(folder: Path) -> list[dict[str, Any]]:
    """Without the only field that two runs may differ in, and without the digits that batching may touch."""

    def rounded(text: str) -> float:
        return round(float(text), 5)

    lines = (folder / "predictions.jsonl").read_text().splitlines()
    read = [json.loads(line, parse_float=rounded) for line in lines]
    return [{key: value for key, value in record.items() if key != "seconds"} for record in read]


def test_a_report_from_one_command(evaluate: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "report"
    code, out, err = evaluate("--entities", "gold", "--report", folder, "--json")
    assert code == 0, err
    summary = json.loads(out)
    assert summary["n"] == COUNT
    assert summary["seconds"]["mean"] > 0
    right = round(summary["em"] * COUNT / 100)
    assert sum(summary["mistakes"].values()) == COUNT - right
    assert json.loads((folder / "report.json").read_text()) == summary
    assert [p["id"] for p in predictions(folder)] == [f"q{n}" for n in range(COUNT)]
    text = (folder / "report.md").read_text()
    assert "| zero-shot" in text
    for name in ("length.png", "candidates.png", "calibration.png", "latency.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
        assert f"({name})" in text
    assert "nan" not in text


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("id") == "rows"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.data += data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.inside = False


def test_the_page_holds_every_question_and_nothing_of_them_is_markup(
    evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    assert evaluate("--report", tmp_path)[0] == 0
    page = _Page()
    text = (tmp_path / "report.html").read_text()
    page.feed(text)
    rows = json.loads(page.data)
    assert [row["id"] for row in rows] == [f"q{n}" for n in range(COUNT)]
    assert rows[3]["question"] == f"{NASTY} near town3"
    assert not [tag for tag, _ in page.tags if tag in ("img", "b", "link", "iframe")]
    assert not [attrs for _, attrs in page.tags if {"src", "href"} & set(attrs)]
    assert not re.search(r"https?://(?!towns\.example|www\.w3\.org/2001/XMLSchema)", text)
    assert any(row["steps"] for row in rows)
    assert all(row["goldCount"] == 1 for row in rows)


def test_an_interrupted_run_goes_on_and_ends_the_same(evaluate: Callable[..., Any], tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert evaluate("--report", whole)[0] == 0
    assert evaluate("--report", broken)[0] == 0
    assert predictions(whole) == predictions(broken)
    lines = (broken / "predictions.jsonl").read_text().splitlines(keepends=True)
    for kept in (5, 17):
        (broken / "predictions.jsonl").write_text("".join(lines[:kept]) + lines[kept][:40])
        assert evaluate("--report", broken)[0] == 0
        again = (broken / "predictions.jsonl").read_text().splitlines(keepends=True)
        assert again[:kept] == lines[:kept]
        assert predictions(broken) == predictions(whole)


def test_a_folder_belongs_to_one_run(evaluate: Callable[..., Any], tmp_path: Path, world: Path) -> None:
    assert evaluate("--report", tmp_path)[0] == 0
    code, _, err = evaluate("--report", tmp_path, "--entities", "gold")
    assert code == 2
    assert "entities differ" in err
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_text("".join((world / "data.jsonl").read_text().splitlines(keepends=True)[:3]))
    code, _, err = evaluate("--report", tmp_path, data=fewer)
    assert code == 2
    assert "data differ" in err


def test_official_files_come_with_their_modes(evaluate: Callable[..., Any], tmp_path: Path) -> None:
    assert evaluate("--report", tmp_path, "--mode", "grailqa")[0] == 0
    official = json.loads((tmp_path / "official.json").read_text())
    assert sorted(official) == sorted(f"q{n}" for n in range(COUNT))
    assert set(official["q0"]) == {"logical_form", "answer"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kb", "/nowhere/kb"), "/nowhere/kb"),
        (("--model", "/nowhere/model"), "/nowhere/model"),
        (("--ontology", "/nowhere"), "has no fb_roles"),
        (("--report", "/proc/nowhere"), "cannot be used"),
    ],
)
def test_bad_places_are_one_sentence(
    evaluate: Callable[..., Any], options: tuple[str, ...], message: str
) -> None:
    code, _, err = evaluate(*options)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
