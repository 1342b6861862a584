from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcaneqa.judgement import weighing
from arcaneqa.judgement.rules import Fault
from arcaneqa.kb.build import build_index
from benchmarks.rules import report

MUSEUM = Path(__file__).parents[1] / "strangers" / "museum.nt"
PAINTED = {
    "id": "1",
    "question": "Who painted Guernica?",
    "answers": ["<http://museum.example.org/data/PabloPicasso>"],
}
UNKNOWN = {"id": "2", "question": "Who stole Guernica?", "answers": []}


def test_a_rule_that_refuses_everything_loses_the_known_and_wins_the_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = Fault("strict", lambda _asked, _one: 1, "No.")
    idle = Fault("idle", lambda _asked, _one: 0)
    monkeypatch.setattr(weighing, "FAULTS", (idle, strict))
    build_index([MUSEUM], tmp_path / "index")
    data = tmp_path / "questions.jsonl"
    data.write_text("\n".join(map(json.dumps, (PAINTED, UNKNOWN))))
    told = report([(str(tmp_path / "index"), data)], None)
    assert "2 questions." in told
    rows = {cells[2]: cells[3:6] for line in told.splitlines() if len(cells := _cells(line)) > 5}
    assert rows["idle"] == ["0", "0", "0"]
    assert rows["strict"] == ["2", "1", "1"]
    assert (idle, strict) == weighing.FAULTS, "left out only while that is measured"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]
