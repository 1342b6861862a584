"""A small database as a graph and as tables: every gold program gives the same answers on both."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from arcaneqa.lab.datasets.spider import databases
from benchmarks.databases import run
from tests.lab.datasets.test_spider import QUESTIONS, facts, mapping


def test_tables_answer_like_their_graph(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "club.nt.gz").write_bytes(gzip.compress(facts().encode()))
    (tmp_path / "mapping.json.gz").write_bytes(gzip.compress(json.dumps(mapping()).encode()))
    lines = "".join(json.dumps(item) + "\n" for item in QUESTIONS)
    (tmp_path / "questions.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    said: list[str] = []
    databases.cache_clear()
    table = run(tmp_path, ["club"], said.append)
    assert said == []
    assert "| club | 3, 8 | 5 | SQLite | 5 | 0 |" in table
    assert "| club | 3, 8 | 5 | CSV | 5 | 1 |" in table  # nothing says that "pid" is a person
