"""Prediction files as the official scripts of GrailQA and WebQSP read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from arcaneqa.errors import InputError
from arcaneqa.evaluation.judge import Judge, without_cons
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.harmless import json_text
from arcaneqa.program.text import print_program
from arcaneqa.record import AnswerItem, Prediction


def write_official(path: Path, predictions: Iterable[Prediction], judge: Judge) -> None:
    """One JSON document, written a prediction at a time."""
    match judge.mode:
        case Mode.GRAILQA:
            _write(path, "{}", _grailqa(predictions, judge))
        case Mode.WEBQSP | Mode.WEBQSP_TOP1:
            _write(path, "[]", _webqsp(predictions))
        case _:
            raise InputError(f"There is no official script for the mode {judge.mode}; use grailqa or webqsp.")


def _grailqa(predictions: Iterable[Prediction], judge: Judge) -> Iterator[str]:
    """`{qid: {"logical_form": text, "answer": [term, …]}}`; an unreadable program stays as it is."""
    for prediction in predictions:
        program = judge.read(prediction.program)
        text = print_program(without_cons(program), judge.names, "grailqa") if program else prediction.program
        entry = {"logical_form": text or "", "answer": list(map(_term, prediction.answers))}
        yield f"{json.dumps(prediction.id)}: {json_text(entry)}"


def _webqsp(predictions: Iterable[Prediction]) -> Iterator[str]:
    """`[{"QuestionId": id, "Answers": [term, …]}, …]`."""
    for prediction in predictions:
        entry = {"QuestionId": prediction.id, "Answers": list(map(_term, prediction.answers))}
        yield json_text(entry)


def _term(item: AnswerItem) -> str:
    return str(item.value) if item.id is None else item.id


def _write(path: Path, brackets: str, entries: Iterator[str]) -> None:
    try:
        with path.open("w", encoding="utf-8") as out:
            out.write(brackets[0])
            for number, entry in enumerate(entries):
                out.write((",\n" if number else "\n") + entry)
            out.write("\n" + brackets[1] + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}).") from error
