from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from arcaneqa.apps.cli.main import app
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.record import read_questions
from arcaneqa.support.errors import InputError

pytest_plugins = ["tests.lab.synthesis.fixtures"]


def test_pairs_are_written_as_records(atlas: Index, tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    result = CliRunner().invoke(app, ["synth", "--kb", str(atlas.folder), "--out", str(out), "--size", "50"])
    assert result.exit_code == 0, result.output
    assert len(list(read_questions(out))) == 50
    assert "50 pairs" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.jsonl"]


def test_a_place_that_cannot_be_written_is_named(atlas: Index, tmp_path: Path) -> None:
    out = tmp_path / "missing" / "pairs.jsonl"
    result = CliRunner().invoke(app, ["synth", "--kb", str(atlas.folder), "--out", str(out)])
    assert isinstance(result.exception, InputError)
    assert "cannot be written" in str(result.exception)


def test_a_knowledge_base_without_labels_says_so(tmp_path: Path) -> None:
    source = tmp_path / "bare.nt"
    source.write_text("<http://a.example/s> <http://a.example/p> <http://a.example/o> .\n")
    build_index([source], tmp_path / "kb")
    out = tmp_path / "pairs.jsonl"
    result = CliRunner().invoke(app, ["synth", "--kb", str(tmp_path / "kb"), "--out", str(out)])
    assert isinstance(result.exception, InputError)
    assert not out.exists()


def test_records_are_plain_json(atlas: Index, tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    CliRunner().invoke(app, ["synth", "--kb", str(atlas.folder), "--out", str(out), "--size", "5"])
    row = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert {"id", "question", "program", "answers", "entities", "function", "relations"} <= set(row)
