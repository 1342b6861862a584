"""A prediction file against a question file: every figure, and everything that was wrong with the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from arcaneqa.console import console
from arcaneqa.errors import InputError
from arcaneqa.evaluation.bootstrap import interval, paired, resampled_means
from arcaneqa.evaluation.breakdown import Cells, cells, percent, table
from arcaneqa.evaluation.judge import MISS, Judge, Verdict
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.evaluation.prediction_files import (
    DUPLICATED,
    MALFORMED,
    MALFORMED_GOLD,
    MISSING,
    NO_ANSWERS,
    UNKNOWN,
    Problems,
    QuestionFile,
    read_predictions,
)
from arcaneqa.record import Prediction, Question

FIGURES = ("em", "f1", "precision", "recall")


@dataclass
class Scored:
    """One row a question, in the order of the data; rows of `values` are em, f1, precision and recall."""

    mode: Mode
    values: NDArray[np.float64]
    cells: list[Cells]
    convertible: NDArray[np.bool_]
    seconds: NDArray[np.float64]
    problems: Problems
    left_out: int = 0

    def column(self, figure: str) -> NDArray[np.float64]:
        """A figure for every question; questions that were left out of the data are misses."""
        return np.append(self.values[:, FIGURES.index(figure)], np.zeros(self.left_out))

    def summary(self, seed: int = 0) -> dict[str, Any]:
        em, f1 = self.column("em"), self.column("f1")
        means = resampled_means(np.stack([em, f1], axis=1), seed)
        result: dict[str, Any] = {
            "mode": str(self.mode),
            "n": len(em),
            "em": percent(float(em.mean())),
            "f1": percent(float(f1.mean())),
            "intervals": {"em": interval(means[:, 0]), "f1": interval(means[:, 1])},
            "by": table(self.cells, {"em": self.values[:, 0], "f1": self.values[:, 1]}),
            "seconds": latency(self.seconds),
            "problems": self.problems.to_json(),
        }
        if self.mode in (Mode.WEBQSP, Mode.WEBQSP_TOP1):
            result |= {name: percent(float(self.column(name).mean())) for name in ("precision", "recall")}
            result["accuracy"] = percent(float((f1 == 1).mean()))
        if self.mode is Mode.GRAPHQ:
            chosen = self.values[self.convertible]
            result["convertible"] = {"n": len(chosen)} | {
                name: percent(float(chosen[:, at].mean())) if len(chosen) else 0.0
                for at, name in enumerate(("em", "f1"))
            }
        return result


def latency(seconds: NDArray[np.float64]) -> dict[str, float | None]:
    if not len(seconds):
        return {"p50": None, "p95": None, "mean": None}
    middle, late = np.quantile(seconds, [0.5, 0.95])
    figures = {"p50": middle, "p95": late, "mean": seconds.mean()}
    return {name: round(float(value), 6) for name, value in figures.items()}


def verdicts(
    questions: QuestionFile, predictions: Path, judge: Judge, problems: Problems
) -> Iterator[tuple[int, Question, Prediction, Verdict]]:
    """Every prediction that belongs to a question, with the question's position; a repeated one is a miss."""
    seen: set[str] = set()
    for prediction in read_predictions(predictions, problems):
        position = questions.positions.get(prediction.id)
        if position is None:
            problems.add(UNKNOWN, prediction.id)
            continue
        question = questions.get(position)
        if prediction.id in seen:
            problems.add(DUPLICATED, prediction.id)
            yield position, question, prediction, MISS
            continue
        seen.add(prediction.id)
        if prediction.program is not None and judge.read(prediction.program) is None:
            problems.add(MALFORMED, prediction.id)
        yield position, question, prediction, judge.verdict(question, prediction)
    if len(seen) < len(questions):
        for name in questions.positions:
            if name not in seen:
                problems.add(MISSING, name)


def score(questions: QuestionFile, predictions: Path, judge: Judge, left_out: int = 0) -> Scored:
    """`left_out` counts questions that a published figure includes as misses and the data does not hold."""
    if left_out and judge.mode is not Mode.GRAPHQ:
        raise InputError("Only --mode graphq counts questions that were left out of the data.")
    problems = Problems()
    values = np.zeros((len(questions), len(FIGURES)))
    seconds: list[float] = []
    screen = console(stderr=True)
    judged = track(
        verdicts(questions, predictions, judge, problems),
        description="scoring",
        total=len(questions),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
    for position, _, prediction, verdict in judged:
        found = verdict.answers
        values[position] = verdict.match, found.f1, found.precision, found.recall
        if prediction.seconds is not None:
            seconds.append(prediction.seconds)
    rows: list[Cells] = []
    convertible = np.zeros(len(questions), dtype=bool)
    for position, question in enumerate(questions):
        gold = judge.read(question.program)
        if question.program is not None and gold is None:
            problems.add(MALFORMED_GOLD, question.id)
        if question.program is not None and question.answers is None and not question.answer_sets:
            problems.add(NO_ANSWERS, question.id)
        rows.append(cells(question, gold))
        convertible[position] = question.program is not None
    return Scored(judge.mode, values, rows, convertible, np.asarray(seconds), problems, left_out)


def compare(own: Scored, other: Scored, seed: int = 0) -> dict[str, Any]:
    """Own minus other, with a paired bootstrap over the questions."""
    return {name: paired(own.column(name), other.column(name), seed).to_json() for name in ("em", "f1")} | {
        "problems": other.problems.to_json()
    }
