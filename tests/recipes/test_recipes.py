from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from arcaneqa.evaluation.results import publish

RECIPES = Path(__file__).parents[2] / "recipes"


def recipe(name: str, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    runpy.run_path(str(RECIPES / name), run_name="__main__")


def test_published_entities_replace_the_records_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, linked, out = tmp_path / "r.jsonl", tmp_path / "l.json", tmp_path / "o.jsonl"
    questions = [
        {"id": "1", "question": "who wrote The Hobbit in 1937?", "entities": [{"id": "m.gold"}]},
        {"id": "2", "question": "who?", "entities": [{"id": "m.gold"}]},
    ]
    records.write_text("".join(json.dumps(q) + "\n" for q in questions))
    linked.write_text(json.dumps({"1": {"the hobbit": ["m.0a", "m.0b"], "1937": [1937], "gone": ["m.0c"]}}))
    recipe("published_entities.py", monkeypatch, records, linked, out)
    first, second = (json.loads(line)["entities"] for line in out.read_text().splitlines())
    year = "1937^^http://www.w3.org/2001/XMLSchema#gYear"
    assert [(e["id"], e["start"], e["end"]) for e in first] == [
        ("m.0a", 10, 20),
        ("m.0b", 10, 20),
        (year, 24, 28),
        ("m.0c", None, None),
    ]
    assert second == []


def test_the_fragment_recipe_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as stop:
        recipe("fragment.py", monkeypatch, tmp_path, "--only", "lcquad")
    assert "lacks" in str(stop.value)
    assert "lcquad/kb.nt.gz" in str(stop.value)
    assert "grailqa" not in str(stop.value)


def report(folder: Path, f1: float) -> Path:
    cell = {"n": 2, "em": 50.0, "f1": f1}
    summary: dict[str, Any] = cell | {
        "intervals": {"em": [0, 100], "f1": [10, 90]},
        "by": {"level": {"zero-shot": cell}, "function": {}, "relations": {"1": cell}},
        "seconds": {"p50": 0.1, "p95": 0.2, "mean": 0.1},
        "calibration": {"ece": 0.05},
        "about": {"software": "arcaneqa 9.9, commit abc"},
    }
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(summary))
    (folder / "report.md").write_text("the report\n")
    (folder / "length.png").write_bytes(b"png")
    (folder / "report.html").write_text("large")
    return folder


def test_results_are_published_and_replaced(tmp_path: Path) -> None:
    document = tmp_path / "docs" / "results.md"
    reports = {"gold entities": report(tmp_path / "gold", 60.0)}
    publish(document, "x", "The X benchmark", "make x", reports, "Not comparable.")
    publish(document, "y", "The Y benchmark", "make y", reports, "Not comparable.")
    publish(
        document, "x", "The X benchmark", "make x", {"gold entities": report(tmp_path / "b", 77.0)}, "New."
    )
    text = document.read_text()
    assert text.startswith("# Results")
    assert text.count("## The X benchmark") == text.count("## The Y benchmark") == 1
    assert "77.0" in text
    assert "`make x`" in text
    assert "commit abc" in text
    copied = tmp_path / "docs" / "results" / "x-gold-entities"
    assert sorted(path.name for path in copied.iterdir()) == ["length.png", "report.md"]
    assert "(results/x-gold-entities/report.md)" in text


def test_a_hole_takes_the_answer_of_some_and_leaves_the_others_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ex, names = "http://example.org/", ["ann", "bob", "cy", "dee"]
    facts = [
        f"<{ex}{name}> <{ex}{r}> <{ex}{r}{n}> ." for n, name in enumerate(names) for r in ("boss", "car")
    ]
    source, questions, out = tmp_path / "kb.nt", tmp_path / "q.jsonl", tmp_path / "holes"
    source.write_text("\n".join(facts) + "\n")
    records = [
        {
            "id": f"{r} {name}",
            "question": f"the {r} of {name}?",
            "program": f"(JOIN <{ex}{r}>_inv <{ex}{name}>)",
        }
        for name in names
        for r in ("boss", "car")
    ]
    questions.write_text("".join(json.dumps(record) + "\n" for record in records))
    recipe("holes.py", monkeypatch, source, questions, "--out", out)
    made = [json.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]
    lost = [record for record in made if record["hole"]]
    assert 1 <= len(lost) <= 4
    for record in made:
        assert bool(record["answers"]) == (record["hole"] is None)
    left = (out / "kb.nt").read_text().splitlines()
    assert set(left) < set(facts)
