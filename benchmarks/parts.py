"""What the parts between a search and its answer are worth: the same questions without each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from arcaneqa.answer import ArcaneQA
from arcaneqa.evaluation.judge import Judge
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.evaluation.score_tables import markdown_table
from arcaneqa.induction.found import Outcome
from arcaneqa.induction.search import SearchSettings
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.weighing import Weighed
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.links import Links
from arcaneqa.program.ontology import Ontology
from arcaneqa.record import Question, read_questions

SURE = 0.9


def _as_found(question: str, links: Links, outcome: Outcome, kb: KnowledgeBase) -> Weighed:
    """Readings in the order in which the search and the last decision left them."""
    told = tuple(coverage(question, links, one, kb) for one in outcome.found)
    return Weighed(outcome.found, outcome.is_complete, outcome.none, told)


@dataclass(frozen=True, slots=True)
class _Part:
    """What is left out: of the search's settings, or by something in another's place while asking."""

    name: str
    settings: Callable[[SearchSettings], SearchSettings] = lambda settings: settings
    instead: Callable[[], AbstractContextManager[object]] = nullcontext


_PARTS = (
    _Part("nothing"),
    _Part("“none of these”", lambda settings: replace(settings, none_of_these=False)),
    _Part("the last decision", lambda settings: replace(settings, readings=False, none_of_these=False)),
    _Part("rules of judgement", instead=lambda: patch("arcaneqa.conclusions.weighed", _as_found)),
)


@dataclass(frozen=True, slots=True)
class _Given:
    f1: float
    best: float
    confidence: float


def report(graphs: Sequence[tuple[str | None, Path]], model: Path | None) -> str:
    """`graphs` are knowledge bases with their questions."""
    loaded = ArcaneQA.load(None, model)
    head = ["left out", "F1", "however unsure", f"answers at {SURE} and more", "right of these"]
    rows = []
    for part in _PARTS:
        given = [one for kb, data in graphs for one in _asked(loaded, part, kb, list(read_questions(data)))]
        sure = [one.f1 == 1 for one in given if one.confidence >= SURE]
        shares = [
            100 * sum(scores) / len(given) for scores in zip(*((g.f1, g.best) for g in given), strict=True)
        ]
        rows.append(
            [part.name, *(f"{share:.1f}" for share in shares), str(len(sure)), f"{sum(sure) / len(sure):.0%}"]
        )
    return markdown_table(head, rows)


def _asked(qa: ArcaneQA, part: _Part, kb: str | None, questions: Sequence[Question]) -> Iterator[_Given]:
    with open_kb(kb) as opened, part.instead():
        linker = qa.linker.over(opened)
        here = ArcaneQA(opened, qa.scorer, qa.confidence, linker, part.settings(qa.settings))
        judge = Judge(Mode.SEMANTIC, Ontology.of(opened), opened.profile)
        for question, answer in zip(questions, here.ask_many(questions, threshold=0.0), strict=True):
            best = judge.verdict(question, answer.to_prediction(question.id)).answers.f1
            confidence = answer.confidence or 0.0
            is_given = answer.reason is None and confidence >= qa.confidence.threshold
            yield _Given(best if is_given else 0.0, best, confidence if is_given else 0.0)
