"""Predictions for a question file: in order, resumable, one question in memory at a time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, tee
from pathlib import Path
from typing import Any

from arcaneqa.answer import ArcaneQA, Entities
from arcaneqa.answered import Answer
from arcaneqa.atomic import replacing
from arcaneqa.batch import finished, going_on, progress
from arcaneqa.errors import InputError
from arcaneqa.evaluation.judge import Judge
from arcaneqa.evaluation.prediction_files import Problems, QuestionFile
from arcaneqa.evaluation.score import verdicts
from arcaneqa.files import plain_json
from arcaneqa.harmless import json_text
from arcaneqa.record import Question

PREDICTIONS = "predictions.jsonl"
RUN = "run.json"
CANDIDATES_KEPT = 5
"""Of each step, in the trace of a prediction."""
TOGETHER = 16
"""Questions searched side by side: what they ask of the model is read in one call."""


@dataclass
class Running:
    """The figures so far, as the progress bar shows them."""

    count: int = 0
    em: float = 0.0
    f1: float = 0.0

    def add(self, match: bool, f1: float) -> None:
        self.count += 1
        self.em += match
        self.f1 += f1

    def __str__(self) -> str:
        if not self.count:
            return ""
        return f"EM {100 * self.em / self.count:.1f}  F1 {100 * self.f1 / self.count:.1f}"


def predict(questions: QuestionFile, qa: ArcaneQA, entities: Entities, folder: Path, judge: Judge) -> Path:
    """Answer what a former run into the same folder has not; the file holds every answer as it comes."""
    target = folder / PREDICTIONS
    done, whole = finished(target)
    running = Running()
    if done:
        for _, _, _, verdict in verdicts(questions, target, judge, Problems()):
            running.add(verdict.match, verdict.answers.f1)
    with progress() as bar, going_on(target, whole) as output:
        task = bar.add_task("evaluating", total=len(questions), completed=len(done), rate=str(running))
        waiting, asked = tee(_unfinished(questions, done))
        for question, answer in zip(waiting, qa.ask_many(asked, entities, TOGETHER), strict=True):
            if question.id in done:
                continue
            output.write(json_text(record(question, answer)) + "\n")
            output.flush()
            verdict = judge.verdict(question, answer.to_prediction(question.id))
            running.add(verdict.match, verdict.answers.f1)
            bar.update(task, advance=1, rate=str(running))
    return target


def _unfinished(questions: QuestionFile, done: set[str]) -> Iterator[Question]:
    """Whole groups with something left to do: questions searched together must stay together, because the
    last digits of a score depend on what else is in its batch."""
    remaining = iter(questions)
    while group := list(islice(remaining, TOGETHER)):
        if any(question.id not in done for question in group):
            yield from group


def record(question: Question, answer: Answer) -> dict[str, Any]:
    """A prediction with what the report shows beyond it."""
    data = answer.to_prediction(question.id).to_json()
    if answer.trace is not None:
        data["trace"] = answer.trace.to_json(CANDIDATES_KEPT)
        data["candidates"] = max((len(step.candidates) for step in answer.trace.steps), default=0)
    if answer.evidence is not None:
        data["evidence"] = answer.evidence
    return data


def claim(folder: Path, run: dict[str, Any]) -> None:
    """Make a folder this run's own, or go on with it where it is the same run."""
    path = folder / RUN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            former = plain_json(path)
            if not isinstance(former, dict):
                raise InputError(f"{folder} holds something other than a run; give another --report folder.")
            if different := sorted(key for key in run if former.get(key) != run[key]):
                raise InputError(
                    f"{folder} holds another run (its {' and '.join(different)} differ); "
                    "give another --report folder, or remove this one."
                )
            return
        if any(folder.iterdir()):
            raise InputError(f"{folder} holds something other than a run; give another --report folder.")
        with replacing(path) as file:
            file.write(json.dumps(run, indent=1) + "\n")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be used ({error}).") from error


def identity(place: str | Path | None) -> str:
    """What a file, an index or a model folder holds, without reading its large parts: a manifest has
    their checksums."""
    if place is None:
        return "bundled"
    path = Path(place)
    if is_endpoint(place):
        return str(place)
    if not path.exists():
        raise InputError(f"There is nothing at {path}; check the path.")
    digest = hashlib.sha256()
    for part in _parts(path):
        digest.update(part)
    return digest.hexdigest()[:16]


def is_endpoint(place: str | Path | None) -> bool:
    return str(place).startswith(("http://", "https://"))


def _parts(path: Path) -> Iterator[bytes]:
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    for file in files:
        # Confidence is fitted after predictions are made, and must not make them another run's.
        if file.name != "confidence.json":
            with file.open("rb") as content:
                while block := content.read(1 << 20):
                    yield block
