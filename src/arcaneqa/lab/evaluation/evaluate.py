"""From a question file to a report: predict, score, explain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice, tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA, Entities
from arcaneqa.answer.batch import finished, going_on, progress
from arcaneqa.lab.evaluation.judge import Judge, TolerantNames
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.lab.evaluation.prediction_files import Problems, QuestionFile, read_predictions, write_official
from arcaneqa.lab.evaluation.score import score, verdicts
from arcaneqa.lab.figures import hardware, version
from arcaneqa.language.equivalence import Ontology
from arcaneqa.record import Question
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import plain_json, replacing
from arcaneqa.support.harmless import json_text

# Predictions for a question file: in order, resumable, one question in memory at a time.


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
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                yield block


# From a question file to a report: predict, score, explain.


OFFICIAL = "official.json"
_OWN_SCRIPT = (Mode.GRAILQA, Mode.WEBQSP, Mode.WEBQSP_TOP1)


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """What is evaluated, and how. A `report` folder gets everything, and lets a run that was stopped go
    on."""

    data: Path
    kb: str | None = None
    model: Path | None = None
    entities: Entities = "linked"
    mode: Mode = Mode.SEMANTIC
    ontology: Path | None = None
    report: Path | None = None
    seed: int = 0
    exact: bool = False
    device: str = "cpu"
    beam: int | None = None

    def what_counts(self) -> dict[str, str]:
        """What predictions depend on: a folder with those of another run is refused."""
        run = {
            "data": identity(self.data),
            "kb": identity(self.kb),
            "model": identity(self.model),
            "entities": self.entities,
        }
        if self.beam is not None:
            run["beam"] = str(self.beam)
        return run | ({"exact": "yes"} if self.exact else {})

    def about(self) -> dict[str, str]:
        return {
            "title": f"{self.data.stem}, {self.entities} entities",
            "data": self.data.name,
            "knowledge base": Path(self.kb).name if self.kb else "bundled",
            "model": self.model.name if self.model else "bundled",
            "entities": self.entities,
            "date": f"{date.today():%Y-%m-%d}",
            "hardware": hardware(),
            "software": version(),
        }


def evaluate(run: EvaluationRun, opened: type[ArcaneQA] = ArcaneQA) -> dict[str, Any]:
    """The score, and with a report folder everything in it; `opened` loads the model."""
    questions = QuestionFile(run.data)
    with TemporaryDirectory() as scratch:
        folder = run.report or Path(scratch)
        claim(folder, run.what_counts())
        qa = opened.load(run.kb, run.model, run.beam, run.exact, run.device)
        judge = Judge(run.mode, _ontology(run, qa), qa.kb.profile)
        predictions = predict(questions, qa, run.entities, folder, judge)
        summary = score(questions, predictions, judge).summary(run.seed)
        if run.report is not None:
            from arcaneqa.lab.evaluation.report import write_report

            summary = write_report(questions, predictions, judge, summary, run.about(), folder)
            if run.mode in _OWN_SCRIPT:
                write_official(folder / OFFICIAL, read_predictions(predictions, Problems()), judge)
    return summary


def _ontology(run: EvaluationRun, qa: ArcaneQA) -> Ontology:
    if run.ontology is None:
        return Ontology.of(qa.kb, roles=not is_endpoint(run.kb))
    return Ontology.load(run.ontology, TolerantNames(qa.kb.profile))
