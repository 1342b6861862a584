"""Ctrl-C goes to every process of a terminal: one sentence comes back, and what was there before is whole."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index.store import verify
from tests.hostile.limited import ARCANEQA, environment

EX = "http://example.org/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two blocks of lines, and names for several helpers."""
    path = tmp_path_factory.mktemp("large") / "g.nt"
    with path.open("w") as file:
        for number in range(400_000):
            file.write(f'<{EX}entity/{number}> <{LABEL}> "the name of number {number}" .\n')
    return path


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["reading", "naming"])
def test_one_sentence_and_the_old_index(large: Path, tmp_path: Path, stage: str) -> None:
    (tmp_path / "old.nt").write_text(f"<{EX}a> <{EX}p> <{EX}b> .\n")
    build_index([tmp_path / "old.nt"], tmp_path / "kb")
    process = subprocess.Popen(
        [*ARCANEQA, "index", str(large), "--out", str(tmp_path / "kb")],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    draft = tmp_path / ".kb.building"
    sign = draft / "work" / "0.heap" if stage == "reading" else draft / "surfaces" / "words.db"
    end = time.monotonic() + 120
    while not sign.exists() and not (stage == "reading" and _children(process.pid)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.startswith("arcaneqa: Interrupted")
    assert said.count("\n") == 1
    assert verify(tmp_path / "kb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb", "old.nt"]


def _children(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()
