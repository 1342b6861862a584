from __future__ import annotations

import gzip
import importlib
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

RECIPES = Path(__file__).parents[2] / "recipes"


def recipe(name: str, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    monkeypatch.syspath_prepend(RECIPES)  # as Python does for a script
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


def test_results_are_published_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(RECIPES)
    publish = importlib.import_module("results").publish
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


TABLE = {
    "table_id": "1-1",
    "title": "list of towers",
    "header": ["tower", "city", "height", "opened"],
    "types": ["text", "text", "real", "text"],
    "rows": [
        ["north tower", "oslo", 120, "may 3 , 1999"],
        ["south tower", "oslo", 80, "june 14 , 2001"],
        ["sky needle", "rome", 210, "july 1 , 2010"],
        ["old keep", "rome", 45, "april 2 , 1931"],
    ],
}
ASKED = {
    "What is the height of the Sky Needle?": ("\"height\" FROM t WHERE \"tower\" = 'sky needle'", [210]),
    "Which tower opened on May 3, 1999?": (
        "\"tower\" FROM t WHERE \"opened\" = 'may 3 , 1999'", ["north tower"],
    ),
    "How many towers in Rome are higher than 100?": (
        "COUNT(\"tower\") FROM t WHERE \"city\" = 'rome' AND \"height\" > 100", [1],
    ),
    "What is the average height in Oslo?": ("AVG(\"height\") FROM t WHERE \"city\" = 'oslo'", [100.0]),
    "Name the towers of Oslo": ("COUNT(\"tower\") FROM t WHERE \"city\" = 'oslo'", [2]),
    "What is the highest in Norway?": ("MAX(\"height\") FROM t WHERE \"city\" = 'oslo'", [120]),
}  # fmt: skip


def test_tables_of_wikisql_become_graphs_with_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {
            "id": f"q{number}",
            "table_id": "1-1",
            "question": question,
            "sql": f"SELECT {sql}",
            "answers": answers,
        }
        for number, (question, (sql, answers)) in enumerate(ASKED.items())
    ]
    for name, items in (("tables", [TABLE]), ("questions", lines)):
        text = "".join(json.dumps(item) + "\n" for item in items)
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    recipe("wikisql.py", monkeypatch, tmp_path, "--work", tmp_path / "work")
    path = tmp_path / "work" / "records" / "wikisql" / "wikisql-00.jsonl"
    found = {record["question"]: record for record in map(json.loads, path.read_text().splitlines())}
    # Of the last two, one calculates what nobody asked for, the other does not name the city.
    assert list(found) == list(ASKED)[:4]
    spoken = [[entity["mention"] for entity in record["entities"]] for record in found.values()]
    assert spoken == [["Sky Needle"], ["May 3, 1999"], ["Rome", "100"], ["Oslo"]]
    functions = [record["program"].split()[0] for record in found.values()]
    assert functions == ["(JOIN", "(AND", "(COUNT", "(AVG"]


def test_training_data_is_never_taken_from_what_is_measured_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"style": "labelled", "tables": {}}
    mapping = {"shop": entry | {"split": "train"}, "bikes": entry | {"split": "dev"}}
    (tmp_path / "spider").mkdir()
    (tmp_path / "spider" / "mapping.json.gz").write_bytes(gzip.compress(json.dumps(mapping).encode()))
    monkeypatch.syspath_prepend(RECIPES)
    training_data = importlib.import_module("training_data")
    options = training_data.Options(tmp_path, tmp_path, ("shop", "bikes"), 1, 1, 1)
    assert options.databases == ["shop"]
