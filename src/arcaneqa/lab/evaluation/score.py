"""A prediction file against a question file, as figures and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from arcaneqa.lab.evaluation.judge import MISS, Judge, Judged
from arcaneqa.lab.evaluation.metrics import (
    Cells,
    Mode,
    cells,
    interval,
    paired,
    percent,
    resampled_means,
    table,
)
from arcaneqa.lab.evaluation.prediction_files import (
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
from arcaneqa.support.console import console
from arcaneqa.support.errors import InputError

# A prediction file against a question file: every figure, and everything that was wrong with the
# file.


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
) -> Iterator[tuple[int, Question, Prediction, Judged]]:
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


# A score as text: the paper's tables in Markdown, which is as readable in a terminal as in a
# report.


_TITLES = {"level": "Level", "function": "Function", "relations": "Relations"}


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *rest = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return "| " + " | ".join((first, *rest)) + " |"

    rule = (
        "|" + "|".join("-" * (width + 1) + ("-" if at == 0 else ":") for at, width in enumerate(widths)) + "|"
    )
    return "\n".join((line(head), rule, *map(line, rows)))


def results_table(summary: Mapping[str, Any]) -> str:
    """The paper's first table: overall and by level."""
    levels = summary["by"]["level"]
    cells = [("overall", summary), *levels.items()]
    rows = [[name, str(cell["n"]), _one(cell["em"]), _one(cell["f1"])] for name, cell in cells]
    return markdown_table(["", "n", "EM", "F1"], rows)


def fine_table(summary: Mapping[str, Any], dimension: str) -> str:
    """The paper's fine-grained table: EM/F1 for each cell."""
    cells = summary["by"][dimension]
    head = [_TITLES[dimension], *cells]
    return markdown_table(
        head,
        [
            ["n", *(str(cell["n"]) for cell in cells.values())],
            ["EM/F1", *(f"{_one(cell['em'])}/{_one(cell['f1'])}" for cell in cells.values())],
        ],
    )


def score_text(summary: Mapping[str, Any]) -> str:
    figures = (
        f"{name.upper()} {_one(summary[name])} {_range(summary['intervals'][name])}" for name in ("em", "f1")
    )
    parts = [
        f"{summary['n']} questions, mode {summary['mode']}",
        f"{'   '.join(figures)}   (95% intervals, bootstrap)",
    ]
    if "accuracy" in summary:
        parts.append(
            f"precision {_one(summary['precision'])}   recall {_one(summary['recall'])}   "
            f"all answers right {_one(summary['accuracy'])}"
        )
    if "convertible" in summary:
        only = summary["convertible"]
        parts.append(
            f"without the unconvertible: {only['n']} questions, EM {_one(only['em'])}, F1 {_one(only['f1'])}"
        )
    if summary["by"]["level"]:
        parts += ["", results_table(summary)]
    parts += [f"\n{fine_table(summary, key)}" for key in ("function", "relations") if summary["by"][key]]
    if "against" in summary:
        parts += ["", against_text(summary["against"])]
    if summary["seconds"]["mean"] is not None:
        times = summary["seconds"]
        parts += [
            "",
            f"seconds a question: p50 {times['p50']:.3f}, p95 {times['p95']:.3f}, mean {times['mean']:.3f}",
        ]
    if "fitted" in summary:
        fitted = summary["fitted"]
        parts.append(
            f"confidence fitted on {fitted['examples']} answers; expected calibration error "
            f"{fitted['held_out_ece']:.3f} on answers it was not fitted on"
        )
    parts += problem_lines(summary["problems"])
    return "\n".join(parts)


def against_text(against: Mapping[str, Any]) -> str:
    rows = [
        [name.upper(), f"{found['difference']:+.1f}", _range(found["interval"]), f"{found['p']:.4f}"]
        for name, found in against.items()
        if name != "problems"
    ]
    lines = [
        "Against the other file (paired bootstrap):",
        markdown_table(["", "difference", "95%", "p"], rows),
    ]
    return "\n".join((*lines, *problem_lines(against["problems"])))


def problem_lines(problems: Mapping[str, Any]) -> list[str]:
    lines = []
    for kind, found in problems.items():
        more = ["…"] if found["count"] > len(found["examples"]) else []
        lines.append(f"{kind}: {found['count']} ({', '.join([*found['examples'], *more])})")
    return lines


def _one(value: float) -> str:
    return f"{value:.1f}"


def _range(interval: Sequence[float]) -> str:
    return f"[{interval[0]:.1f}, {interval[1]:.1f}]"
