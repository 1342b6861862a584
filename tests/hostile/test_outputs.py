"""No option that names an output destroys what is not ours: a sweep over all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

from arcaneqa.answer.batch import answer_file
from arcaneqa.answer.heatmap import HEAT_MAP, HeatMap, save
from arcaneqa.apps.cli.main import app
from arcaneqa.record import Prediction, Question
from arcaneqa.support.errors import InputError
from arcaneqa.support.outputs import PREDICTIONS, QUESTIONS

from .limited import run

FACTS = '<http://x/a> <http://x/p> <http://x/b> .\n<http://x/a> <http://x/name> "Anna" .\n'
SECRET = "what somebody worked on for years"

INPUTS = {
    *("ask --input", "ask --model", "ask --glossary", "convert source", "evaluate data"),
    *("evaluate --model", "evaluate --ontology", "index --ontology", "index --glossary", "link --model"),
    *("mcp --model", "serve --kbs"),
    *("mcp --token-file", "prepare data", "prepare --strange", "prepare --model", "score data"),
    *("score predictions", "score --against", "score --ontology", "serve --model", "serve --token-file"),
    *("train sets", "train --dev", "bench serve --model"),
}
"""Paths that are only read."""
ADDS = {"bench ask --document", "bench serve --document"}
"""Documents of which one section is replaced."""
OUTPUTS = {
    "ask --heatmap": ["ask", "who?", "--heatmap", "OUT.html"],
    "ask --output": ["ask", "--input", "questions.jsonl", "--output", "OUT"],
    "convert --out": ["convert", "webqsp", "questions.jsonl", "--out", "OUT"],
    "evaluate --report": ["evaluate", "questions.jsonl", "--report", "DIR"],
    "index --out": ["index", "facts.nt", "--out", "DIR"],
    "prepare --out": ["prepare", "questions.jsonl", "--out", "DIR"],
    "score --official": ["score", "questions.jsonl", "none.jsonl", "--mode", "grailqa", "--official", "OUT"],
    "serve --feedback": ["serve", "--port", "0", "--feedback", "OUT"],
    "synth --out": ["synth", "--size", "1", "--out", "OUT"],
    "train --out": ["train", "none", "--from", "bundled", "--out", "DIR"],
}


def _paths(command: Any, name: str = "") -> Iterator[str]:
    for inner, each in sorted(getattr(command, "commands", {}).items()):
        yield from _paths(each, f"{name} {inner}".strip())
    for parameter in command.params:
        if "path" in type(parameter.type).__name__.lower():
            is_option = parameter.opts[0].startswith("-")
            yield f"{name} {parameter.opts[0] if is_option else parameter.name}"


def test_every_path_of_every_command_is_known_here() -> None:
    """Whoever adds an option that names an output adds it to the sweep."""
    assert set(_paths(get_command(app))) == INPUTS | ADDS | OUTPUTS.keys()


@pytest.mark.parametrize("is_whole_line", [True, False])
@pytest.mark.parametrize("name", OUTPUTS)
def test_what_is_not_ours_is_left_alone(name: str, is_whole_line: bool, tmp_path: Path) -> None:
    folder, file = tmp_path / "mine", tmp_path / "mine.html"
    (folder / "deep").mkdir(parents=True)
    text = SECRET + "\n" * is_whole_line
    for path in (folder / "deep" / "thesis.txt", file):
        path.write_text(text)
    (tmp_path / "facts.nt").write_text(FACTS)
    (tmp_path / "questions.jsonl").write_text('{"id": "1", "question": "who is Anna?"}\n')
    (tmp_path / "none.jsonl").touch()
    places = {"OUT": str(file), "OUT.html": str(file), "DIR": str(folder)}
    arguments = [places.get(each, each) for each in OUTPUTS[name]]
    arguments = [str(tmp_path / each) if (tmp_path / each).is_file() else each for each in arguments]
    ended = run(*arguments, memory=8 << 30)
    assert ended.is_a_sentence, (ended.code, ended.err)
    assert str(folder if "DIR" in OUTPUTS[name] else file) in ended.err
    assert sorted(path.name for path in folder.rglob("*")) == ["deep", "thesis.txt"]
    assert (folder / "deep" / "thesis.txt").read_text() == file.read_text() == text


@pytest.mark.parametrize("option", ["--out", "--output"])
def test_what_is_no_plain_file_is_not_replaced(option: str, tmp_path: Path) -> None:
    """A superuser's `--out /dev/null` made a plain file of the device."""
    pipe, questions = tmp_path / "pipe", tmp_path / "questions.jsonl"
    os.mkfifo(pipe)
    questions.write_text('{"id": "1", "question": "who is Anna?"}\n')
    arguments = ["synth"] if option == "--out" else ["ask", "--input", str(questions)]
    assert run(*arguments, option, str(pipe), memory=8 << 30).is_a_sentence
    assert pipe.is_fifo()


def test_the_input_is_not_the_output(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(Question("1", "who is Anna?").to_json()))
    linked = tmp_path / "linked.jsonl"
    linked.symlink_to(questions)
    before = questions.read_bytes()
    for arguments in (
        ["ask", "--input", str(questions), "--output", str(linked)],
        ["convert", "webqsp", str(questions), "--out", str(linked)],
    ):
        assert run(*arguments, memory=8 << 30).is_a_sentence
    assert questions.read_bytes() == before


def test_nothing_is_cut_before_the_knowledge_base_is_open(tmp_path: Path) -> None:
    questions, target = tmp_path / "questions.jsonl", tmp_path / "predictions.jsonl"
    questions.write_text('{"id": "1", "question": "who is Anna?"}\n{"id": "2", "question": "who?"}\n')
    whole = json.dumps(Prediction("1", "who is Anna?").to_json()) + "\n"
    for tail in ('{"id": "2", "ques', SECRET):
        target.write_text(whole + tail)
        with pytest.raises(Exception, match=r"no nowhere|other than predictions"):
            answer_file(questions, target, "nowhere")
        assert target.read_text() == whole + tail


def test_our_own_outputs_are_recognised(tmp_path: Path) -> None:
    odd = 'a "quote" and \\ a é'
    predictions, questions = tmp_path / "predictions.jsonl", tmp_path / "questions.jsonl"
    predictions.write_text(json.dumps(Prediction("1", odd).to_json())[:-20])
    questions.write_text(json.dumps(Question(odd, odd, program=odd).to_json()))
    PREDICTIONS.check(predictions, "--output")
    QUESTIONS.check(questions, "--out")
    with pytest.raises(InputError, match="not a file of predictions"):
        PREDICTIONS.check(questions, "--output")
    weights = np.full((1, 2), 0.5, np.float32)
    from arcaneqa.induction.scorer import Heat

    shown = HeatMap("step", ("one",), Heat(("a", "b"), weights, weights))
    for suffix in (".png", ".html"):
        path = tmp_path / f"map{suffix}"
        for _ in range(2):
            save([shown], path)
        HEAT_MAP.check(path, "--heatmap")
