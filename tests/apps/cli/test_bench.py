"""`arcaneqa bench` on people's own data: tables with figures in them, in a document too if one is given."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from tests.apps.cli.verbs import Verbs

STRANGERS = Path(__file__).parents[2] / "strangers"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb") / "index"
    build_index([STRANGERS / "brewery.ttl"], folder)
    return folder


def test_questions_are_timed_by_their_parts(arcaneqa: Verbs, kb: Path, tmp_path: Path) -> None:
    asked = [text for text, _ in json.loads((STRANGERS / "questions.json").read_text())["brewery.ttl"]]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps({"id": text, "question": text}) + "\n" for text in asked))
    page = tmp_path / "page.md"
    options = ["--most", 3, "--starts", 0, "--document", page]
    code, out, err = arcaneqa("bench", "ask", f"{kb}={questions}", kb, *options)
    assert (code, err) == (0, "")
    rows = re.findall(r"^\| index \|.*\| 3 \|", out, re.MULTILINE)
    assert len(rows) == 2
    assert "arcaneqa bench ask index=questions.jsonl index --most 3" in page.read_text()


def test_too_few_questions_are_refused(arcaneqa: Verbs, kb: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Who owns the Seeblick Brewery?"}\n')
    code, _, err = arcaneqa("bench", "ask", f"{kb}={questions}", "--starts", 0)
    assert code == 2
    assert "no questions to time" in err


def test_the_memory_of_the_service_is_watched(arcaneqa: Verbs, kb: Path) -> None:
    code, out, _ = arcaneqa("bench", "serve", "--kb", kb, "--soak", 20)
    assert code == 0
    counts = re.findall(r"^\| (\d+) \| ([\d,]+) \|$", out, re.MULTILINE)
    assert len(counts) == 10
    assert int(counts[-1][0]) >= 20
    assert "0 failed" in out
