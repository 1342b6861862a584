"""The base install: what it does without any extra, and the sentence where an extra is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "strangers" / "brewery.ttl"
EXTRAS = (
    "torch",
    "transformers",
    "matplotlib",
    "networkx",
    "fastapi",
    "uvicorn",
    "prometheus_client",
    "sqlglot",
    "duckdb",
    "mcp",
)
# Nothing of the extras can be found, as if it were not installed; then the verb runs.
_WITHOUT = f"""
import importlib.abc, sys
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from arcaneqa.apps.cli.main import main
main()
"""


def without_extras(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _WITHOUT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb") / "index"
    done = without_extras("index", SOURCE, "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_asking_needs_no_extra(kb: Path) -> None:
    done = without_extras("ask", "who brews Old Abbey?", "--kb", kb, "--explain", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answers"]


def test_evaluating_without_a_report_needs_no_extra(kb: Path, tmp_path: Path) -> None:
    data = tmp_path / "questions.jsonl"
    data.write_text('{"id": "1", "question": "who brews Old Abbey?", "answers": ["x"]}\n')
    done = without_extras("evaluate", data, "--kb", kb, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 1


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["train", "sets", "--out", "model"], "train"),
        (["serve"], "serve"),
        (["mcp"], "mcp"),
        (["index", "{table}", "--out", "{table}.kb"], "tables"),
        (["evaluate", "data.jsonl", "--report", "folder"], "evaluate"),
        (["score", "data.jsonl", "found.jsonl", "--mode", "grailqa"], "evaluate"),
        (["evaluate", "{questions}", "--kb", "{kb}", "--device", "cuda"], "train"),
        (["convert", "spider", "folder", "--out", "records.jsonl", "--kb", "folder"], "train"),
        (["ask", "who brews Old Abbey?", "--kb", "{kb}", "--heatmap", "heat.png"], "evaluate"),
    ],
)
def test_a_missing_extra_is_one_sentence(arguments: list[str], extra: str, kb: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "who brews Old Abbey?"}\n')
    table = tmp_path / "table.csv"
    table.write_text("name,size\none,1\n")
    done = without_extras(*(one.format(kb=kb, questions=questions, table=table) for one in arguments))
    assert done.returncode == 2, done.stderr
    assert f"pip install 'arcaneqa[{extra}]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
