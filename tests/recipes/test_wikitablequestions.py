from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.training.prepared import read
from arcaneqa.language.text import parse
from tests.recipes.test_recipes import RECIPES, recipe

HEADER = ["Year", "Tower", "City", "Height (m)", "Floors"]
ROWS = [
    ["1931", "Old Keep", "Rome", "45", "9"],
    ["1999", "North Tower", "Oslo", "120", "31"],
    ["2001", "South Tower", "Oslo", "80", "22"],
    ["2005", "Glass Spire", "Oslo", "150", "36"],
    ["2010", "Sky Needle", "Rome", "210", "48"],
    ["2012", "River House", "Bern", "95", "25"],
    ["2014", "Lake House", "Oslo", "60", "14"],
    ["", "Total", "", "760", "185"],
]
ASKED: dict[str, list[str]] = {
    "what is the height of the sky needle?": ["210"],
    "how many towers are in oslo?": ["4"],
    "which tower has the most floors?": ["Sky Needle"],
    "how many floors does the glass spire have?": ["35"],
    "how many consecutive towers are in rome?": ["2"],
}


@pytest.fixture
def wikitablequestions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(RECIPES)
    return importlib.import_module("wikitablequestions")


@pytest.fixture
def reads_well(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(RECIPES)
    return importlib.import_module("reads_well")


@pytest.fixture(scope="module")
def towers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("towers")
    (folder / "t.csv").write_text("".join(",".join(row) + "\n" for row in [HEADER, *ROWS[:-1]]))
    build_index([folder / "t.csv"], folder / "index")
    with open_kb(str(folder / "index")) as kb:
        yield kb


def test_programs_that_give_the_recorded_answer_are_found_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table: dict[str, Any] = {
        "table_id": "1",
        "title": "Skylines",
        "section": "Lists > Tall towers",
        "header": HEADER,
        "rows": ROWS,
        "total_rows": list(range(len(ROWS))),
    }
    lines = [
        {"id": f"nt-{number}", "table_id": "1", "question": question, "answers": answers}
        for number, (question, answers) in enumerate(ASKED.items())
    ]
    for name, items in (("tables", [table]), ("questions", lines)):
        text = "".join(json.dumps(item) + "\n" for item in items)
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    work = tmp_path / "work"
    recipe("wikitablequestions.py", monkeypatch, tmp_path, "--work", work)
    recipe("wikitablequestions.py", monkeypatch, tmp_path, "--work", work, "--join")

    records = map(json.loads, (work / "records" / "wtq" / "wtq-000.jsonl").read_text().splitlines())
    found = {record["question"]: record for record in records}
    # The fourth has another answer, and of the fifth only the number is right.
    assert list(found) == list(ASKED)[:3]
    assert found["what is the height of the sky needle?"]["answers"] == ["210"]
    assert found["how many towers are in oslo?"]["answers"] == ["4"]
    assert found["how many towers are in oslo?"]["entities"][0]["mention"] == "oslo"
    steps, readings = (read(work / "sets" / f"wtq-{way}") for way in ("steps", "readings"))
    assert set(steps.ids) == {"nt-0", "nt-1", "nt-2"}
    assert set(readings.ids) <= {"nt-0", "nt-1", "nt-2"}
    assert "none of these" in readings.texts


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1,282", "1282.0"),
        ("$5 million", "$5 million"),
        ("12 km", "12"),
        ("6 January 1979", "1979-01-06"),
        ("“Hot Love”[2]", "hot love"),
        ("Cévennes.", "Cevennes"),
        ("2009–10", "2009-10"),
        ("no", "false"),
    ],
)
def test_answers_are_compared_by_what_they_say(
    written: str, meant: str, wikitablequestions: ModuleType
) -> None:
    assert wikitablequestions.even(written) == wikitablequestions.even(meant)
    assert wikitablequestions.even(written) != wikitablequestions.even(f"{meant} 7")


HEIGHT, YEAR, CITY, TOWER = (
    "<urn:column:t.Height_%28m%29>",
    "column:t.Year",
    "column:t.City",
    "column:t.Tower",
)
OSLO = f'(AND table:t (JOIN {CITY} "Oslo"))'


@pytest.mark.parametrize(
    ("program", "is_odd"),
    [
        (f"(COUNT {OSLO})", False),
        (f"(JOIN {TOWER}_inv (ARGMAX {OSLO} {HEIGHT}))", False),
        (f"(ARGMAX (JOIN {CITY}_inv (CLASS table:t)) (COUNT {CITY}_inv))", False),
        (f"(AND table:t (JOIN {CITY} (JOIN {CITY}_inv {OSLO})))", True),
        (f"(AND table:t (HAS {HEIGHT}))", True),
        (f"(ARGMAX (ARGMAX {OSLO} {HEIGHT}) {YEAR})", True),
        (f"(ARGMAX table:t (COUNT {CITY}))", True),
        (f"(AND table:t (GT {HEIGHT} 2001^^http://www.w3.org/2001/XMLSchema#integer))", True),
        (f'(ARGMIN (AND table:t (JOIN {CITY} "Bern")) {YEAR})', True),
        (f"(ARGMAX (JOIN {CITY}_inv (CLASS table:t)) (SUM (JOIN {CITY}_inv {HEIGHT})))", False),
        (f"(ARGMAX (JOIN {TOWER}_inv (CLASS table:t)) (SUM (JOIN {TOWER}_inv {HEIGHT})))", True),
    ],
)
def test_what_nobody_would_say_of_a_table_is_odd(
    program: str, is_odd: bool, towers: KnowledgeBase, reads_well: ModuleType
) -> None:
    parsed = parse(program, Names(towers.profile), towers.schema)
    assert reads_well.is_odd("which?", parsed, towers) == is_odd


@pytest.mark.parametrize(
    ("question", "program", "is_dropped"),
    [
        ("what was the first tower in oslo?", f"(ARGMIN {OSLO} {YEAR})", False),
        ("what was the first tower in oslo?", OSLO, True),
        ("which tower in oslo?", f"(ARGMIN {OSLO} {YEAR})", True),
        ("what other towers are in oslo?", OSLO, True),
        ("how many towers in a row are in oslo?", f"(COUNT {OSLO})", True),
        ("which towers are in oslo?", OSLO, False),
        ("what was the last tower in oslo?", f"(ARGMAX {OSLO} {HEIGHT})", True),
    ],
)
def test_small_words_must_be_taken_up(
    question: str, program: str, is_dropped: bool, towers: KnowledgeBase, reads_well: ModuleType
) -> None:
    parsed = parse(program, Names(towers.profile), towers.schema)
    assert reads_well.is_dropped(question, parsed, towers) == is_dropped


def test_a_column_is_said_or_led_to_by_a_value(towers: KnowledgeBase, reads_well: ModuleType) -> None:
    names = Names(towers.profile)
    highest = parse(f"(JOIN {CITY}_inv (ARGMAX table:t {HEIGHT}))", names, towers.schema)
    assert reads_well.is_all_said("the city of the greatest height?", highest, towers)
    assert not reads_well.is_all_said("the city with the most floors?", highest, towers)
    oslo = parse(f"(JOIN {TOWER}_inv {OSLO})", names, towers.schema)
    assert reads_well.is_all_said("the towers of oslo?", oslo, towers)
    assert not reads_well.is_all_said("what stands in oslo?", oslo, towers)
