"""What the first glance at long lists spares, and what it costs, against a shortlist by shared words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.lab.evaluation.judge import Judge
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.lab.evaluation.score import markdown_table
from arcaneqa.language.equivalence import Ontology
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.stored import bundled_model
from arcaneqa.record import Prediction, Question


@dataclass(frozen=True, slots=True)
class _Asked:
    """`best` is the F1 of each question's best program however unsure, `given` with refusals."""

    pieces: float
    best: list[float]
    given: list[float]
    programs: list[str | None]


def report(questions: Sequence[Question], kb: str | None, model: Path | None, mode: Mode) -> str:
    qa = ArcaneQA.load(kb, model)
    judge = Judge(mode, Ontology.of(qa.kb), qa.kb.profile)
    # A scorer of its own for each: it keeps what it has read.
    without, having = (
        _ask(qa, ModelScorer.load(model or bundled_model()), at_a_glance, questions, judge)
        for at_a_glance in (False, True)
    )
    rows = [
        [name, f"{one.pieces:,.0f}", f"{100 * np.mean(one.best):.1f}", f"{100 * np.mean(one.given):.1f}"]
        for name, one in (("without", without), ("with it", having))
    ]
    pairs = list(zip(without.best, having.best, strict=True))
    changed = sum(one != two for one, two in zip(without.programs, having.programs, strict=True))
    note = (
        f"Of {len(questions)} best programs {changed} are others; {sum(b > a for a, b in pairs)} answers are "
        f"better and {sum(b < a for a, b in pairs)} worse."
    )
    head = ["first glance", "word pieces a question", "F1 of the best program", "F1 with refusals"]
    return f"{markdown_table(head, rows)}\n\n{note}"


def _ask(
    qa: ArcaneQA, scorer: ModelScorer, at_a_glance: bool, questions: Sequence[Question], judge: Judge
) -> _Asked:
    settings = replace(qa.settings, ranker=scorer.ranker() if at_a_glance else None)
    asked = ArcaneQA(qa.kb, scorer, qa.fitted, qa.linker, settings)
    best, given, programs = [], [], []
    for question, answer in zip(questions, asked.ask_many(questions, threshold=0.0), strict=True):
        found = judge.verdict(question, answer.to_prediction(question.id)).answers.f1
        nothing = judge.verdict(question, Prediction(question.id, question.question)).answers.f1
        is_given = answer.confidence is not None and answer.confidence >= qa.fitted.answer
        best.append(found)
        given.append(found if is_given else nothing)
        programs.append(answer.program)
    return _Asked(scorer.reads.pieces / len(questions), best, given, programs)
