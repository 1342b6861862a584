"""What the parts between a search and its answer are worth: the same questions without each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.found import Found
from arcaneqa.induction.search import SearchSettings
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.evaluation.judge import Judge
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.lab.evaluation.score import markdown_table
from arcaneqa.language.equivalence import Ontology
from arcaneqa.record import Question, read_questions

SURE = 0.9


def _as_found(_: str, found: Sequence[Found], _kb: KnowledgeBase) -> Sequence[Found]:
    """Nothing beside what the search left."""
    return found


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
    _Part("proposals", instead=lambda: patch("arcaneqa.answer.arcaneqa.proposed", _as_found)),
)


def report(graphs: Sequence[tuple[str | None, Path]], model: Path | None) -> str:
    """`graphs` are knowledge bases with their questions."""
    loaded = ArcaneQA.load(None, model)
    rows = []
    for part in _PARTS:
        given = [one for kb, data in graphs for one in _asked(loaded, part, kb, list(read_questions(data)))]
        sure = [f1 == 1 for f1, confidence in given if confidence >= SURE]
        f1 = 100 * sum(f1 for f1, _ in given) / len(given)
        rows.append([part.name, f"{f1:.1f}", str(len(sure)), f"{sum(sure) / max(len(sure), 1):.0%}"])
    return markdown_table(["left out", "F1", f"answers at {SURE} and more", "right of these"], rows)


def _asked(
    qa: ArcaneQA, part: _Part, kb: str | None, questions: Sequence[Question]
) -> Iterator[tuple[float, float]]:
    """F1 and confidence of each answer, both 0 where there is none."""
    with open_kb(kb) as opened, part.instead():
        linker = qa.linker.over(opened)
        here = ArcaneQA(opened, qa.scorer, qa.fitted, linker, part.settings(qa.settings))
        judge = Judge(Mode.SEMANTIC, Ontology.of(opened), opened.profile)
        for question, answer in zip(questions, here.ask_many(questions), strict=True):
            f1 = judge.verdict(question, answer.to_prediction(question.id)).answers.f1
            yield (f1, answer.confidence or 0.0) if answer.reason is None else (0.0, 0.0)
