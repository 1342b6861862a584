"""Everything about one evaluation in a folder: JSON, Markdown, plots, and a page with every question."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from arcaneqa.lab.evaluation.judge import MEANING, Judge, Judged, Mistake, classify
from arcaneqa.lab.evaluation.metrics import expected_calibration_error, reliability
from arcaneqa.lab.evaluation.prediction_files import Problems, QuestionFile
from arcaneqa.lab.evaluation.score import fine_table, markdown_table, problem_lines, results_table, verdicts
from arcaneqa.record import AnswerItem, Prediction, Question
from arcaneqa.support.errors import needs
from arcaneqa.support.files import replacing
from arcaneqa.support.harmless import json_text

# One HTML file with every question, gold and predicted program, answers and trace, filterable by
# outcome.


ANSWERS_SHOWN = 20
"""Of a question, gold ones and predicted ones."""


@dataclass(frozen=True, slots=True)
class PageRow:
    question: Question
    prediction: Prediction
    verdict: Judged
    outcome: str

    def to_json(self) -> dict[str, Any]:
        question, prediction = self.question, self.prediction
        gold = question.answers or ()
        return {
            "id": question.id,
            "question": question.question,
            "outcome": self.outcome,
            "f1": round(100 * self.verdict.answers.f1, 1),
            "gold": question.program,
            "program": prediction.program,
            "goldAnswers": list(gold[:ANSWERS_SHOWN]),
            "goldCount": len(gold),
            "answers": [_shown(item) for item in prediction.answers[:ANSWERS_SHOWN]],
            "count": len(prediction.answers),
            "confidence": prediction.confidence,
            "seconds": prediction.seconds,
            "reason": prediction.reason,
            "steps": _steps(prediction.extra.get("trace")),
        }


def _shown(item: AnswerItem) -> str:
    if item.id is None:
        return str(item.value)
    return f"{item.label} ({item.id})" if item.label else item.id


def _steps(trace: Any) -> list[dict[str, Any]]:
    """Only steps with a choice tell something."""
    steps = trace.get("steps", []) if isinstance(trace, dict) else []
    return [
        {
            "context": step["context"],
            "considered": step["considered"],
            "candidates": [
                [c["text"], round(100 * c["probability"], 1), bool(c["chosen"])] for c in step["candidates"]
            ],
        }
        for step in steps
        if step["considered"] > 1
    ]


def write_page(path: Path, about: Mapping[str, str], rows: Iterable[PageRow]) -> None:
    """Rows are written as they come; the page is complete once the last one is in."""
    template = (files("arcaneqa.lab.evaluation") / "page.html").read_text(encoding="utf-8")
    head, tail = template.split("[/*rows*/]")
    facts = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
        for name, value in about.items()
        if name != "title"
    )
    head = head.replace("<!--title-->", html.escape(about["title"])).replace("<!--about-->", facts)
    with replacing(path) as out:
        out.write(head + "[")
        for number, row in enumerate(rows):
            # A "<" could end the script element that holds the data.
            text = json_text(row.to_json()).replace("<", "\\u003c")
            out.write((",\n" if number else "\n") + text)
        out.write("\n]" + tail)


# Four small plots: accuracy by length and by number of candidates, calibration, latency.


_BINS = 8
"""Columns of a plot, each with about as many questions."""
_BLUE, _ORANGE, _GREY = "#2563eb", "#ea8a2f", "#9ca3af"


def draw_plots(observed: Observed, folder: Path) -> dict[str, str]:
    """File name and title of every plot there was something to draw for."""
    drawn: dict[str, str] = {}
    f1, match = np.array(observed.f1), np.array(observed.match, dtype=float)
    if len(f1):
        _by_bins(folder / "length.png", observed.words, f1, match, "words in the question")
        drawn["length.png"] = "Accuracy by length of the question"
    chosen = [at for at, count in enumerate(observed.candidates) if count]
    if chosen:
        counts = [count for count in observed.candidates if count]
        _by_bins(
            folder / "candidates.png", counts, f1[chosen], match[chosen], "candidates in the widest step"
        )
        drawn["candidates.png"] = "Accuracy by number of candidates"
    confidence, right = observed.calibration()
    if confidence:
        draw_calibration(folder / "calibration.png", confidence, right)
        drawn["calibration.png"] = "Confidence and accuracy"
    if observed.seconds:
        _latency(folder / "latency.png", observed.seconds)
        drawn["latency.png"] = "Seconds a question"
    return drawn


def _axes() -> tuple[Figure, Any]:
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_GREY, alpha=0.3)
    axes.set_axisbelow(True)
    return figure, axes


def _by_bins(path: Path, values: Sequence[int], f1: Any, match: Any, label: str) -> None:
    """Bins hold about as many questions each, so that no bar stands on a handful."""
    array = np.asarray(values)
    edges = np.unique(np.quantile(array, np.linspace(0, 1, _BINS + 1)).astype(int))
    place = np.clip(np.searchsorted(edges, array, side="right") - 1, 0, max(len(edges) - 2, 0))
    groups = [np.flatnonzero(place == at) for at in range(max(len(edges) - 1, 1))]
    groups = [group for group in groups if len(group)]
    names = [_range(int(array[group].min()), int(array[group].max())) for group in groups]
    figure, axes = _axes()
    x = np.arange(len(groups))
    axes.bar(x - 0.2, [100 * match[group].mean() for group in groups], 0.4, label="EM", color=_BLUE)
    axes.bar(x + 0.2, [100 * f1[group].mean() for group in groups], 0.4, label="F1", color=_ORANGE)
    axes.set_xticks(
        x, [f"{name}\nn={len(group)}" for name, group in zip(names, groups, strict=True)], fontsize=8
    )
    axes.set(xlabel=label, ylabel="%", ylim=(0, 100))
    axes.legend(frameon=False, ncols=2)
    _save(figure, path)


def draw_calibration(path: Path, confidence: Sequence[float], right: Sequence[bool]) -> None:
    bins = reliability(confidence, right)
    figure, axes = _axes()
    axes.plot([0, 100], [0, 100], color=_GREY, linestyle="--", linewidth=1)
    largest = max(each.size for each in bins)
    axes.scatter(
        [100 * each.confidence for each in bins],
        [100 * each.accuracy for each in bins],
        s=[20 + 180 * each.size / largest for each in bins],
        color=_BLUE,
        alpha=0.8,
    )
    axes.set(xlabel="confidence, %", ylabel="all answers right, %", xlim=(0, 102), ylim=(0, 102))
    _save(figure, path)


def _latency(path: Path, seconds: Sequence[float]) -> None:
    ordered = np.sort(np.maximum(seconds, 1e-6))
    figure, axes = _axes()
    axes.plot(
        ordered, 100 * np.arange(1, len(ordered) + 1) / len(ordered), color=_BLUE, drawstyle="steps-post"
    )
    # The slowest half percent would otherwise squeeze all others into a line.
    longest = float(np.quantile(ordered, 0.995))
    axes.set(xlabel="seconds", ylabel="questions answered within, %", xlim=(0, 1.05 * longest), ylim=(0, 102))
    _save(figure, path)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _save(figure: Figure, path: Path) -> None:
    # Without a date or version inside, equal plots are equal files.
    figure.savefig(path, dpi=110, metadata={"Software": None})


# Everything about one evaluation in a folder: JSON, Markdown, plots, and a page with every
# question.


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

    def add(self, question: Question, prediction: Prediction, verdict: Judged, outcome: str) -> None:
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
        pass
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


def outcome_of(question: Question, prediction: Prediction, verdict: Judged, judge: Judge) -> str:
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
