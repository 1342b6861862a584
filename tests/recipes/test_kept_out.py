"""What is measured with is in no training set, by id and by text."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import kept_out
import pytest

from arcaneqa.lab.training.prepared import Builder, Example, manifest_of, read, write


def lines(path: Path, *items: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(item) + "\n" for item in items).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.fixture
def known(tmp_path: Path) -> kept_out.KeptOut:
    data, work = tmp_path / "data", tmp_path / "work"
    lines(work / "records" / "webqsp-dev.jsonl", {"id": "W-1", "question": "who is the king of spain?"})
    for folder, field in (("spider", "question"), ("spider-syn", "other_words")):
        items = [
            {"id": f"{folder}-{split}", "split": split, "question": f"original {split}"}
            | {field: f"{folder} asks {split}"}
            for split in ("train", "dev")
        ]
        lines(data / folder / "questions.jsonl.gz", *items)
    lines(data / "wild" / "wine" / "questions.jsonl", {"id": "1", "question": "Which wines are dry?"})
    return kept_out.kept_out(data, work)


def prepared(folder: Path, *questions: tuple[str, str]) -> Path:
    builder = Builder()
    for id, text in questions:
        builder.add(Example(id, text, (), ()))
    write(builder.build(), folder, {"plan": {"topics": ["gold"]}})
    return folder


def test_taken_out_by_id_in_its_source_and_by_text_in_all(known: kept_out.KeptOut, tmp_path: Path) -> None:
    folder = prepared(
        tmp_path / "webqsp-steps",
        ("W-1", "who rules spain"),
        ("W-2", "Who is the king of Spain"),
        ("W-3", "which wines are DRY ?"),
        ("W-4", "spider-syn asks dev"),
        ("W-5", "spider-syn asks train"),
        ("1", "who is this?"),
    )
    assert kept_out.found_in(folder, known) == 4
    assert kept_out.without(folder, known) == 4
    assert read(folder).ids == ["W-5", "1"]
    assert kept_out.found_in(folder, known) == 0
    other = prepared(tmp_path / "cwq-steps", ("W-1", "who rules spain"))
    assert kept_out.without(other, known) == 0


def test_the_set_keeps_its_report(known: kept_out.KeptOut, tmp_path: Path) -> None:
    folder = prepared(tmp_path / "webqsp-steps", ("W-1", "who rules spain"), ("W-2", "who else"))
    kept_out.without(folder, known)
    assert manifest_of(folder)["report"] == {"plan": {"topics": ["gold"]}}


def test_questions_of_the_demonstration_are_measured_with(known: kept_out.KeptOut) -> None:
    assert kept_out.plain("What is the capital of Australia?") in known.texts
