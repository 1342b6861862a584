"""Everything about one evaluation in a folder: JSON, Markdown, plots, and a page with every question."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcaneqa.atomic import replacing
from arcaneqa.errors import needs
from arcaneqa.evaluation.calibration import expected_calibration_error, reliability
from arcaneqa.evaluation.judge import Judge, Verdict
from arcaneqa.evaluation.mistakes import MEANING, Mistake, classify
from arcaneqa.evaluation.page import PageRow, write_page
from arcaneqa.evaluation.prediction_files import Problems, QuestionFile
from arcaneqa.evaluation.score import verdicts
from arcaneqa.evaluation.score_tables import fine_table, markdown_table, problem_lines, results_table
from arcaneqa.record import Prediction, Question

JSON, MARKDOWN, PAGE = "report.json", "report.md", "report.html"
CORRECT = "correct"


@dataclass
class Observed:
    """A few numbers a question: what plots and summaries are made of."""

    words: list[int] = field(default_factory=list)
    candidates: list[int | None] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)
    match: list[bool] = field(default_factory=list)
    confidence: list[float | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, question: Question, prediction: Prediction, verdict: Verdict, outcome: str) -> None:
        self.words.append(len(question.question.split()))
        considered = prediction.extra.get("candidates")
        self.candidates.append(considered if isinstance(considered, int) else None)
        self.f1.append(verdict.answers.f1)
        self.match.append(verdict.match)
        self.confidence.append(prediction.confidence)
        if prediction.seconds is not None:
            self.seconds.append(prediction.seconds)
        self.outcomes[outcome] += 1

    def calibration(self) -> tuple[list[float], list[bool]]:
        """Confidence and whether all answers were right, where there was a confidence."""
        pairs = [(c, f1 == 1) for c, f1 in zip(self.confidence, self.f1, strict=True) if c is not None]
        return [c for c, _ in pairs], [right for _, right in pairs]


def write_report(
    questions: QuestionFile,
    predictions: Path,
    judge: Judge,
    summary: dict[str, Any],
    about: Mapping[str, str],
    folder: Path,
) -> dict[str, Any]:
    """Write the folder and return the summary with what only the report knows."""
    with needs("A report with plots", "evaluate"):
        from arcaneqa.evaluation.plots import draw_plots
    observed = Observed()
    write_page(folder / PAGE, about, _rows(questions, predictions, judge, observed))
    confidence, right = observed.calibration()
    summary = summary | {
        "mistakes": {kind.value: observed.outcomes[kind] for kind in Mistake if observed.outcomes[kind]},
        "calibration": {
            "ece": round(expected_calibration_error(confidence, right), 4),
            "n": len(confidence),
            "bins": [each._asdict() for each in reliability(confidence, right)],
        },
        "about": dict(about),
    }
    plots = draw_plots(observed, folder)
    with replacing(folder / JSON) as file:
        file.write(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    with replacing(folder / MARKDOWN) as file:
        file.write(markdown(summary, plots))
    return summary


def _rows(questions: QuestionFile, predictions: Path, judge: Judge, observed: Observed) -> Iterator[PageRow]:
    for _, question, prediction, verdict in verdicts(questions, predictions, judge, Problems()):
        outcome = outcome_of(question, prediction, verdict, judge)
        observed.add(question, prediction, verdict, outcome)
        yield PageRow(question, prediction, verdict, outcome)


def outcome_of(question: Question, prediction: Prediction, verdict: Verdict, judge: Judge) -> str:
    """`correct`, or the kind of mistake; without a gold program the answers decide."""
    full = verdict.answers.f1 == 1
    if verdict.match or (full and question.program is None):
        return CORRECT
    gold, predicted = judge.read(question.program), judge.read(prediction.program)
    return classify(gold, predicted, full and bool(prediction.answers), judge.ontology).value


def markdown(summary: Mapping[str, Any], plots: Mapping[str, str]) -> str:
    about = summary["about"]
    low, high = summary["intervals"]["f1"]
    times = summary["seconds"]
    parts = [
        f"# {about['title']}",
        "\n".join(f"- {name}: {value}" for name, value in about.items() if name != "title"),
        f"**EM {summary['em']:.1f}, F1 {summary['f1']:.1f}** (95% interval of F1: {low:.1f} to {high:.1f}) "
        f"on {summary['n']} questions, scored in the mode `{summary['mode']}`.",
        "## Results",
        results_table(summary),
    ]
    if summary["by"]["function"] or summary["by"]["relations"]:
        parts.append("## Fine-grained results")
        parts += [fine_table(summary, key) for key in ("function", "relations") if summary["by"][key]]
    if summary["mistakes"]:
        rows = [[k, str(n), MEANING[Mistake(k)]] for k, n in summary["mistakes"].items()]
        parts += ["## Misses by kind", markdown_table(["kind", "n", "what it means"], rows)]
    parts.append("## Confidence and time")
    parts.append(
        f"Expected calibration error {summary['calibration']['ece']:.3f} over {summary['calibration']['n']} "
        "answers with a confidence."
    )
    if times["mean"] is not None:
        parts.append(
            f"Seconds a question: p50 {times['p50']:.3f}, p95 {times['p95']:.3f}, mean {times['mean']:.3f}."
        )
    parts += [f"![{title}]({name})" for name, title in plots.items()]
    parts += problem_lines(summary["problems"])
    return "\n\n".join(parts) + "\n"
