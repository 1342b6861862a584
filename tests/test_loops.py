"""Before loops are compiled: answers at once, the same ones, and loops a little later."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa import ArcaneQA
from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import SURE
from arcaneqa.support import loops
from tests.hostile.limited import ARCANEQA, environment

QUESTIONS = Path(__file__).parents[1] / "demo" / "questions.jsonl"
ASK = [*ARCANEQA, "ask", "what is the capital of France?", "--json"]


@pytest.fixture
def begun_anew() -> Iterator[None]:
    loops.use_always(False)
    yield
    loops.use_always()


def _answers(questions: list[str]) -> list[Answer]:
    qa = ArcaneQA.load()
    return [qa.ask(question) for question in questions]


def test_answers_are_the_same_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not sure in numpy may be decided otherwise by a last bit, and is asked again by the loops."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines[::3]]
    compiled = _answers(questions)
    loops.use_always(False)
    with monkeypatch.context() as patch:
        patch.setattr(loops, "are_worth", lambda _: False)
        plain = _answers(questions)
    loops.use_always()
    same = [
        (one.items, one.program) == (two.items, two.program) for one, two in zip(compiled, plain, strict=True)
    ]
    unsure = [(answer.confidence or 0) < SURE for answer in plain]
    assert all(is_same or is_unsure for is_same, is_unsure in zip(same, unsure, strict=True))
    assert sum(same) >= 0.9 * len(same)
    assert sum(unsure) < 0.6 * len(unsure), "or too many are asked twice"


@pytest.mark.usefixtures("begun_anew")
def test_what_is_not_sure_is_asked_again_by_the_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_are_compiled", lambda: True)
    qa = ArcaneQA.load()
    assert (qa.ask("what is the capital of France?").confidence or 0) >= SURE
    assert not loops.are_used()
    qa.ask("What do you call someone from Niger?")
    assert loops.are_used()


@pytest.mark.usefixtures("begun_anew")
def test_loops_are_used_when_their_twins_took_as_long_as_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_are_compiled", lambda: True)
    assert not loops.are_worth(0.6 * loops.LOADING)
    assert loops.are_worth(0.6 * loops.LOADING)
    assert loops.are_worth(0.0), "and from then on always"


@pytest.mark.usefixtures("begun_anew")
def test_nothing_waits_for_a_compiler_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then loops are compiled where they are needed, as without a folder to keep them in."""
    monkeypatch.setattr(loops, "is_done", lambda part: tmp_path / part)
    monkeypatch.setattr(loops, "_COMPILER", "no.such.module")
    monkeypatch.setattr(loops, "_LOOKING", 0.0)
    until = time.monotonic() + 60
    while not loops.are_worth(loops.LOADING) and time.monotonic() < until:
        time.sleep(0.05)
    assert loops.are_worth(0.0)


def test_a_machine_that_has_compiled_nothing_answers_first(tmp_path: Path) -> None:
    """And what it compiles meanwhile is there for later."""
    variables = environment() | {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    variables.pop("NUMBA_CACHE_DIR", None)
    asked = subprocess.run(ASK, env=variables, capture_output=True, text=True, check=True)
    assert json.loads(asked.stdout)["answers"][0]["label"] == "Paris"
    assert not asked.stderr, "a script is told of nothing that it did not ask for"
    folder = tmp_path / "arcaneqa" / "compiled"
    assert not list(folder.glob("*.done"))
    again = subprocess.run(ASK, env=variables, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["answers"][0]["label"] == "Paris"
    # Where the machine is left alone it takes some fifteen seconds.
    until = time.monotonic() + 300
    while len(list(folder.glob("*.done"))) < len(loops.PARTS) and time.monotonic() < until:
        time.sleep(0.5)
    assert len(list(folder.glob("*.done"))) == len(loops.PARTS)
    settled = subprocess.run(ASK, env=variables, capture_output=True, text=True, check=True)
    assert not settled.stderr
