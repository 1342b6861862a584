"""What each rule of judgement is worth: the same searches, concluded without one rule after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from arcaneqa.answer.answer import Answer, refusal
from arcaneqa.answer.arcaneqa import SECONDS, ArcaneQA
from arcaneqa.induction.found import Outcome
from arcaneqa.judgement import corrected, weighing
from arcaneqa.judgement.rules import Comparison, Correction, Fault, Rule, Saying
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.evaluation.judge import Judge
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.lab.evaluation.score import markdown_table
from arcaneqa.language.equivalence import Ontology
from arcaneqa.links import Links
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
    worth = {rule.name: Worth() for _, module, name in TABLES for rule in _rules(module, name)}
    asked = 0
    for kb, data in graphs:
        with open_kb(kb) as opened:
            qa = loaded.over(opened)
            judge = Judge(Mode.SEMANTIC, Ontology.of(opened), opened.profile)
            for one in _searched(qa, read_questions(data)):
                asked += 1
                _without_each(one, qa, judge, worth)
    rows = [
        [kind, rule.name, str(own.changed), str(own.won), str(own.lost)]
        for kind, module, name in TABLES
        for rule in _rules(module, name)
        for own in [worth[rule.name]]
    ]
    return f"{asked:,} questions.\n\n{markdown_table(['', 'rule', 'changed', 'won', 'lost'], rows)}"


def _rules(module: ModuleType, name: str) -> tuple[Rule, ...]:
    return tuple(getattr(module, name))


def _without_each(one: Searched, qa: ArcaneQA, judge: Judge, worth: Mapping[str, Worth]) -> None:
    """Concluded with all rules, and without each of those that did something then."""
    acted: set[str] = set()
    with ExitStack() as watching:
        for _, module, name in TABLES:
            watched = tuple(_watched(rule, acted) for rule in _rules(module, name))
            watching.enter_context(patch.object(module, name, watched))
        with_all = _concluded(qa, one)
    for _, module, name in TABLES:
        for rule in _rules(module, name):
            if rule.name in acted:
                others = tuple(other for other in _rules(module, name) if other is not rule)
                with patch.object(module, name, others):
                    _compare(one.question, with_all, _concluded(qa, one), judge, worth[rule.name])


def _watched(rule: Rule, acted: set[str]) -> Rule:
    """The same rule, which tells when it does something."""

    def told(result: Any, is_something: bool) -> Any:
        if is_something:
            acted.add(rule.name)
        return result

    match rule:
        case Correction(_, mended):
            return replace(rule, mended=lambda a, one: told(put := mended(a, one), put is not one))
        case Saying(_, said):
            return replace(rule, said=lambda a, found: told(all_of := said(a, found), all_of is not None))
        case Comparison(_, worse):
            return replace(rule, worse=lambda a, found: told(some := worse(a, found), bool(some)))
        case Fault(_, count):
            return replace(rule, count=lambda a, one: told(number := count(a, one), bool(number)))


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
