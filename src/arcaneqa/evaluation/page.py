"""One HTML file with every question, gold and predicted program, answers and trace, filterable by outcome.

The rows are JSON inside the page and are drawn with `textContent` only, some at a time: nothing in a question
or a label can become markup, and 60,000 questions stay usable. The page asks for nothing outside itself.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from arcaneqa.atomic import replacing
from arcaneqa.evaluation.judge import Verdict
from arcaneqa.harmless import json_text
from arcaneqa.record import AnswerItem, Prediction, Question

ANSWERS_SHOWN = 20
"""Of a question, gold ones and predicted ones."""


@dataclass(frozen=True, slots=True)
class PageRow:
    question: Question
    prediction: Prediction
    verdict: Verdict
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
    template = (files("arcaneqa.evaluation") / "page.html").read_text(encoding="utf-8")
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
