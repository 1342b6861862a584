"""Questions and predictions from files of any size: questions by id, predictions one at a time.

The official scripts of GrailQA and WebQSP read predictions in forms of their own, which are written here too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcaneqa.lab.evaluation.judge import Judge, without_cons
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.language.text import print_program
from arcaneqa.record import AnswerItem, Outcome, Prediction, Question
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import replacing
from arcaneqa.support.harmless import json_text
from arcaneqa.support.outputs import FileKind

EXAMPLES = 5
"""Lines that are named for each kind of problem; the others are counted."""
_HUGE = 1e300  # also keeps out NaN and the infinities that JSON writers let slip

_OFFICIAL = FileKind(
    "a file for an official script",
    re.compile(rb'\{\s*\}|\{\s*"[^\n]*": \{"logical_form": |\[\s*(?:\{"QuestionId": |\])'),
)


class QuestionFile:
    """Unified records on disk, by id: 60,000 of them cost a few megabytes, however many answers they have."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.positions: dict[str, int] = {}
        self._offsets: list[int] = []
        for offset, question in self._scan():
            if question.id in self.positions:
                raise InputError(f"{path}: the id {question.id!r} occurs twice; ids must be unique.")
            self.positions[question.id] = len(self._offsets)
            self._offsets.append(offset)
        if not self._offsets:
            raise InputError(f"{path}: there are no questions in this file.")

    def __len__(self) -> int:
        return len(self._offsets)

    def __iter__(self) -> Iterator[Question]:
        return (question for _, question in self._scan())

    def get(self, position: int) -> Question:
        with self.path.open("rb") as file:
            file.seek(self._offsets[position])
            return Question.from_json(json.loads(file.readline()))

    def _scan(self) -> Iterator[tuple[int, Question]]:
        offset = 0
        for number, line in enumerate(_lines(self.path), 1):
            if line.strip():
                try:
                    yield offset, Question.from_json(json.loads(line))
                except (ValueError, InputError) as error:
                    raise InputError(f"{self.path}, line {number}: {_reason(error)}") from error
            offset += len(line)


@dataclass
class Problems:
    """What is wrong in a prediction file, by kind: how often, and the first few by name."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, where: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        named = self.examples.setdefault(kind, [])
        if len(named) < EXAMPLES:
            named.append(where)

    def to_json(self) -> dict[str, Any]:
        return {
            kind: {"count": count, "examples": self.examples[kind]} for kind, count in self.counts.items()
        }


UNREADABLE = "unreadable lines"
UNKNOWN = "unknown ids"
DUPLICATED = "duplicated ids"
MISSING = "missing predictions"
MALFORMED = "malformed programs"
MALFORMED_GOLD = "malformed gold programs"
WRONG_ANSWERS = "wrong answer types"
NO_ANSWERS = "questions without recorded answers, whose F1 is only whether the program is right"


def read_predictions(path: Path, problems: Problems) -> Iterator[Prediction]:
    """Every prediction that has an id, however broken otherwise: a broken field is noted and left empty.

    A prediction whose answers are not what they should be keeps its id and loses everything else, so that it
    scores as a miss.
    """
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or not isinstance(data.get("id"), str | int):
            problems.add(UNREADABLE, f"line {number}")
            continue
        yield _prediction(data, problems)


def _prediction(data: dict[str, Any], problems: Problems) -> Prediction:
    name = str(data["id"])
    question = data.get("question")
    question = question if isinstance(question, str) else ""
    answers = data.get("answers")
    answers = [] if answers is None else answers
    items = [_item(item) for item in answers] if isinstance(answers, list) else [None]
    if None in items:
        problems.add(WRONG_ANSWERS, name)
        return Prediction(name, question)
    program = data.get("program")
    if program is not None and not isinstance(program, str):
        problems.add(MALFORMED, name)
        program = None
    return Prediction(
        id=name,
        question=question,
        program=program,
        answers=tuple(item for item in items if item is not None),
        confidence=_number(data.get("confidence")),
        score=_number(data.get("score")),
        seconds=_number(data.get("seconds")),
        outcome=_outcome(data),
        reason=data.get("reason") if isinstance(data.get("reason"), str) else None,
        extra={key: data[key] for key in ("trace", "candidates") if key in data},
    )


def _outcome(data: dict[str, Any]) -> Outcome | None:
    """None where other software wrote the predictions, which knows nothing of it."""
    told = data.get("outcome")
    return Outcome(told) if told in set(Outcome) else None


def _item(data: Any) -> AnswerItem | None:
    if not isinstance(data, dict):
        return None
    label = data.get("label")
    label = label if isinstance(label, str) else None
    if isinstance(data.get("id"), str):
        return AnswerItem(id=data["id"], label=label)
    value, datatype = data.get("value"), data.get("datatype")
    # Counts written by other software may be numbers; a truth value or a structure is no answer.
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return AnswerItem(value=str(value), datatype=datatype if isinstance(datatype, str) else None, label=label)


def _number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE
    return float(value) if usable else None


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as lines:
            yield from lines
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error


def _reason(error: Exception) -> str:
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text ({error.reason})."
    return f"not JSON ({error})."


def write_official(path: Path, predictions: Iterable[Prediction], judge: Judge) -> None:
    """One JSON document, written a prediction at a time."""
    _OFFICIAL.check(path, "--official")
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
    with replacing(path) as out:
        out.write(brackets[0])
        for number, entry in enumerate(entries):
            out.write((",\n" if number else "\n") + entry)
        out.write("\n" + brackets[1] + "\n")
