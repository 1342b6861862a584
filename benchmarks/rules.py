"""What each rule of judgement is worth: the same searches, concluded without one rule after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from arcaneqa.answer import SECONDS, ArcaneQA
from arcaneqa.answered import Answer, refusal
from arcaneqa.evaluation.judge import Judge
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.evaluation.score_tables import markdown_table
from arcaneqa.induction.found import Outcome
from arcaneqa.judgement import corrected, weighing
from arcaneqa.judgement.rules import Rule
from arcaneqa.kb.open import open_kb
from arcaneqa.links import Links
from arcaneqa.program.ontology import Ontology
from arcaneqa.record import Question, read_questions

TABLES = (
    ("correction", corrected, "CORRECTIONS"),
    ("said outright", weighing, "SAYINGS"),
    ("comparison", weighing, "COMPARISONS"),
    ("fault", weighing, "FAULTS"),
)
TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Searched:
    question: Question
    links: Links
    outcome: Outcome


@dataclass(slots=True)
class Worth:
    """Questions that a rule changes, and those that it makes better and worse."""

    changed: int = 0
    won: int = 0
    lost: int = 0


def report(graphs: Sequence[tuple[str | None, Path]], model: Path | None) -> str:
    """`graphs` are knowledge bases with their questions; one that has no answers should be refused."""
    loaded = ArcaneQA.load(None, model)
    worth = {rule: Worth() for _, _, rule in _rules()}
    asked = 0
    for kb, data in graphs:
        with open_kb(kb) as opened:
            qa = loaded.over(opened)
            searched = list(_searched(qa, read_questions(data)))
            asked += len(searched)
            judge = Judge(Mode.SEMANTIC, Ontology.of(opened), opened.profile)
            with_all = [_concluded(qa, one) for one in searched]
            for _, module, rule in _rules():
                with _without(module, rule):
                    for one, before in zip(searched, with_all, strict=True):
                        _compare(one.question, before, _concluded(qa, one), judge, worth[rule])
    rows = [
        [kind, rule.name, str(worth[rule].changed), str(worth[rule].won), str(worth[rule].lost)]
        for kind, _, rule in _rules()
    ]
    return f"{asked:,} questions.\n\n{markdown_table(['', 'rule', 'changed', 'won', 'lost'], rows)}"


def _rules() -> Iterator[tuple[str, ModuleType, Rule]]:
    for kind, module, name in TABLES:
        yield from ((kind, module, rule) for rule in getattr(module, name))


def _without(module: ModuleType, rule: Rule) -> AbstractContextManager[object]:
    name = next(name for _, owner, name in TABLES if owner is module and rule in getattr(owner, name))
    return patch.object(module, name, tuple(one for one in getattr(module, name) if one is not rule))


def _searched(qa: ArcaneQA, questions: Iterator[Question]) -> Iterator[Searched]:
    """Everything up to judgement, once; what is no question is not searched for."""
    known = (one for one in questions if one.answers is not None and refusal(one.question) is None)
    while group := list(islice(known, TOGETHER)):
        links = [qa.linker.link(one.question) for one in group]
        topics = [
            (one.question, [qa.topics(one.question, own)]) for one, own in zip(group, links, strict=True)
        ]
        outcomes = qa.search.run_many(topics, together=len(group), seconds=SECONDS * len(group))
        yield from (Searched(*one) for one in zip(group, links, outcomes, strict=True))


def _concluded(qa: ArcaneQA, one: Searched) -> Answer:
    return qa.conclude(one.question.question, one.links, one.outcome, one.question.exclude_mentioned)


def _compare(question: Question, before: Answer, after: Answer, judge: Judge, worth: Worth) -> None:
    if (before.program, before.reason is None) == (after.program, after.reason is None):
        return
    worth.changed += 1
    gained = _right(question, before, judge) - _right(question, after, judge)
    worth.won += gained > 0
    worth.lost += gained < 0


def _right(question: Question, answer: Answer, judge: Judge) -> float:
    """F1 of what was answered; where there is no answer, whether that was said."""
    if not question.answers:
        return float(answer.reason is not None)
    return 0.0 if answer.reason else judge.verdict(question, answer.to_prediction(question.id)).answers.f1
