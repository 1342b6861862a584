"""What a hundred judgements are worth on graphs that the model never saw.

    python recipes/feedback.py DATA --work FOLDER [--database NAME …] [--judged 100] [--minutes 3] [--stage …]

DATA holds spider/. People are simulated with gold: they ask some of a graph's questions, say which answers
are right, and of a wrong one or a refusal pick the reading whose answers are right, where it is among those
shown. Their judgements go into a file as `arcaneqa serve --feedback` writes it. The bundled model (or one
that --model names) is then trained on twice, equally long: with questions made from the graphs alone, and
with the judgements beside them. All three models answer the questions that nobody judged; Spider asks most
things in two ways, and both are on the same side. The databases are some that training leaves out
(`is_held` in `training_data.py`).

Stages: graphs, judge, prepare, train, measure; each leaves its results under FOLDER and is not repeated.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import training_data

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.contract import FeedbackRequest
from arcaneqa.apps.http.feedback import Feedback
from arcaneqa.lab.evaluation.evaluate import EvaluationRun, evaluate
from arcaneqa.lab.training.loop import TrainingSettings
from arcaneqa.lab.training.prepare import GOLD, LINKED, READINGS, Plan, prepare
from arcaneqa.lab.training.train import train
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.stored import bundled_model
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import replacing
from arcaneqa.support.harmless import json_text

DATABASES = ("driving_school", "department_store", "loan_1")
MADE = 100
"""Made-up questions a graph."""
WEIGHT = 4.0
"""How often a judgement is seen for each time a made-up question is."""
MODELS = {"made": ("made",), "judged": ("judged", "made")}


@dataclass(frozen=True)
class Options:
    data: Path
    work: Path
    databases: tuple[str, ...]
    judged: int
    minutes: float
    model: Path

    def kb(self, database: str) -> Path:
        return self.work / "kb" / database

    def questions(self, database: str, part: str) -> Path:
        folder = self.work / "questions" / part
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{database}.jsonl"

    def judgements(self, database: str) -> Path:
        return self.work / "judgements" / f"{database}.jsonl"


def graphs(options: Options) -> None:
    """Indexes, questions as records, and which of them are judged: those of a program are not parted."""
    share = {name: options.judged // len(options.databases) for name in options.databases}
    share[options.databases[0]] += options.judged % len(options.databases)
    for name in options.databases:
        records = options.questions(name, "all")
        if not options.kb(name).exists():
            training_data.index_one(options.data / "spider" / "kb" / f"{name}.nt.gz", options.kb(name))
        if not records.exists():
            training_data.convert_one(options.data / "spider", name, options.kb(name), records)
        asked = [question for question in read_questions(records) if question.program]
        asked.sort(
            key=lambda question: (crc32((question.program or "").encode()), question.program, question.id)
        )
        many = share[name]
        while many < len(asked) and asked[many].program == asked[many - 1].program:
            many += 1
        save(options.questions(name, "judged"), asked[:many])
        save(options.questions(name, "rest"), asked[many:])
        print(f"{name}: {many} judged, {len(asked) - many} to measure on")


def judge(options: Options) -> None:
    qa = ArcaneQA.load(str(options.kb(options.databases[0])), options.model)
    for name in options.databases:
        file = options.judgements(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        one = qa.over(ArcaneQA.load(str(options.kb(name)), options.model).kb)
        kept = Feedback(file)
        for question in read_questions(options.questions(name, "judged")):
            kept.keep(one, judgement(one, question))
        told = [json.loads(line) for line in file.read_text().splitlines()]
        right = sum(line["feedback"]["is_right"] for line in told)
        picked = sum(line["program"] is not None for line in told) - right
        print(f"{name}: {len(told)} judged, {right} right, {picked} corrected, the others unknown")


def judgement(qa: ArcaneQA, question: Question) -> FeedbackRequest:
    """What somebody would press who knows the answers, and nothing of programs."""
    gold = set(question.answers or ())
    answer = qa.ask(question.question)
    is_right = answer.program is not None and terms(answer) == gold
    readings = [] if is_right else [reading.program for reading in answer.readings]
    correction = next((program for program in readings if finds(qa, program, gold)), None)
    return FeedbackRequest(
        question=question.question, program=answer.program, is_right=is_right, correction=correction
    )


def finds(qa: ArcaneQA, program: str, gold: set[str]) -> bool:
    try:
        return terms(qa.run(program)) == gold
    except ArcaneError:
        return False


def terms(answer: Answer) -> set[str]:
    return {item.term for item in answer.items}


def prepare_all(options: Options) -> None:
    for name in options.databases:
        made = options.questions(name, "made")
        if not made.exists():
            training_data.synth_one(options.kb(name), made, MADE)
        for kind, source in (("made", made), ("judged", options.judgements(name))):
            for way, topics in (("steps", (GOLD, LINKED)), ("readings", (READINGS,))):
                out = options.work / "prepared" / kind / f"{name}-{way}"
                if not out.exists():
                    report = prepare([source], str(options.kb(name)), out, Plan(topics))
                    print(f"{kind} {name} {way}: {report.examples} examples of {report.questions} questions")


def train_all(options: Options) -> None:
    for name, kinds in MODELS.items():
        out = options.work / "models" / name
        if out.exists():
            continue
        sets = [
            (kind, path) for kind in kinds for path in sorted((options.work / "prepared" / kind).iterdir())
        ]
        settings = TrainingSettings(
            sets=tuple(path for _, path in sets),
            weights=tuple(WEIGHT if kind == "judged" else 1.0 for kind, _ in sets),
            out=out,
            minutes=options.minutes,
            batch=16,
            candidates=12,
            rate=3e-4,
            encoder_rate=5e-5,
        )
        progress = train(settings, None, options.model, ModelConfig())
        print(f"{name}: {progress.step} updates in {progress.seconds:.0f} s", flush=True)


def measure(options: Options) -> None:
    models = {"before": options.model} | {name: options.work / "models" / name for name in MODELS}
    print("| model | n | EM | F1 |\n|---|---|---|---|")
    for name, model in models.items():
        found = []
        for database in options.databases:
            file = options.work / "scores" / f"{name}-{database}.json"
            if not file.exists():
                summary = evaluate(
                    EvaluationRun(options.questions(database, "rest"), str(options.kb(database)), model)
                )
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(summary))
            found.append(json.loads(file.read_text()))
        many = sum(one["n"] for one in found)
        em, f1 = (sum(one[key] * one["n"] for one in found) / many for key in ("em", "f1"))
        print(f"| {name} | {many} | {em:.1f} | {f1:.1f} |", flush=True)


def save(path: Path, questions: Sequence[Question]) -> None:
    with replacing(path) as file:
        file.writelines(json_text(question.to_json()) + "\n" for question in questions)


STAGES = {"graphs": graphs, "judge": judge, "prepare": prepare_all, "train": train_all, "measure": measure}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with spider/")
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--database", action="append", help="of Spider; three if not given")
    parser.add_argument("--judged", type=int, default=100, help="judgements, over all databases")
    parser.add_argument("--minutes", type=float, default=3.0, help="of each training")
    parser.add_argument("--model", type=Path, help="the bundled one if left out")
    parser.add_argument("--stage", choices=STAGES, action="append", help="only this one; all if left out")
    given = parser.parse_args()
    options = Options(
        given.data,
        given.work,
        tuple(given.database or DATABASES),
        given.judged,
        given.minutes,
        given.model or bundled_model(),
    )
    for stage in given.stage or STAGES:
        STAGES[stage](options)


if __name__ == "__main__":
    main()
