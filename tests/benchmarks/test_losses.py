from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcaneqa.errors import InputError
from arcaneqa.kb.index import Index
from arcaneqa.linking.linker import Linker
from benchmarks.losses import Loss, report

pytest_plugins = ["tests.linking.linking_kb"]

PARIS, HIDALGO = "<http://example.org/paris>", "<http://example.org/hidalgo>"
TEXAS, FRANCE = "<http://example.org/texasFilm>", "<http://example.org/france>"


def written(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def question(name: str, text: str, *entities: str) -> dict[str, object]:
    return {
        "id": name,
        "question": text,
        "answers": [HIDALGO],
        "entities": [{"id": entity, "mention": None, "start": None, "end": None} for entity in entities],
    }


def prediction(name: str, right: bool, *entities: str, refused: bool = False) -> dict[str, object]:
    program = f"(JOIN <http://example.org/knows> {entities[0] if entities else PARIS})"
    for entity in entities[1:]:
        program = f"(AND {program} (JOIN <http://example.org/knows> {entity}))"
    return {
        "id": name,
        "question": "",
        "program": None if refused else program,
        "answers": [] if refused else [{"id": HIDALGO if right else PARIS}],
    }


CASES = [
    (question("nameless", "who directed that?", "<http://example.org/Q42>"), (FRANCE,), Loss.NAMELESS),
    (question("absent", "who is the mayor of the city of light?", PARIS), (FRANCE,), Loss.ABSENT),
    (question("another", "who is the mayor of paris?", PARIS), (TEXAS,), Loss.ANOTHER),
    (question("more", "who is the mayor of paris, france?", PARIS), (PARIS, FRANCE), Loss.SUPERFLUOUS),
    (question("less", "who is the mayor of paris in france?", PARIS, FRANCE), (PARIS,), Loss.LEFT_OUT),
    (question("program", "who is the mayor of paris", PARIS), (PARIS,), Loss.PROGRAM),
]


@pytest.mark.parametrize(("asked", "used", "loss"), CASES, ids=[loss.name for _, _, loss in CASES])
def test_each_loss_has_its_row(
    kb: Index, tmp_path: Path, asked: dict[str, object], used: tuple[str, ...], loss: Loss
) -> None:
    name = str(asked["id"])
    data = written(tmp_path / "data.jsonl", [asked, question("fine", "who is the mayor of paris?", PARIS)])
    fine = prediction("fine", True, PARIS)
    gold = written(tmp_path / "gold.jsonl", [prediction(name, True), fine])
    linked = written(tmp_path / "linked.jsonl", [prediction(name, False, *used), fine])
    table = report(data, gold, linked, kb, Linker(kb))
    assert "F1 100.0 with given entities, 50.0 with found ones, 2 questions." in table
    assert f"| {loss} | 1 | 50.0 |" in table
    of_the_rest = "Where all entities have names: 100.0 and 100.0, 1 questions."
    assert (of_the_rest in table) == (loss is Loss.NAMELESS)


def test_a_refusal_and_a_gain(kb: Index, tmp_path: Path) -> None:
    names = ("declined", "gained")
    data = written(tmp_path / "data.jsonl", [question(n, "who is the mayor of paris?", PARIS) for n in names])
    gold = written(tmp_path / "gold.jsonl", [prediction("declined", True), prediction("gained", False)])
    refused = prediction("declined", False, refused=True)
    linked = written(tmp_path / "linked.jsonl", [refused, prediction("gained", True, PARIS)])
    table = report(data, gold, linked, kb, Linker(kb))
    assert f"| {Loss.DECLINED} | 1 | 50.0 |" in table
    assert "| gained: better with found entities than with given ones | 1 | -50.0 |" in table


def test_predictions_of_other_questions_are_refused(kb: Index, tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", [question("one", "who?", PARIS), question("two", "who?", PARIS)])
    gold = written(tmp_path / "gold.jsonl", [prediction("one", True)])
    linked = written(tmp_path / "linked.jsonl", [prediction("two", True)])
    with pytest.raises(InputError, match="same questions"):
        report(data, gold, linked, kb, Linker(kb))
