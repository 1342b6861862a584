"""Ask a method questions and write down all that the tables need: verdicts, time, and what was read.

A line of JSON a question, in order; a run that was stopped goes on behind the last line.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import items_of_result
from arcaneqa.induction.found import SearchOutcome
from arcaneqa.induction.scorer import Decision, Reads, Scores
from arcaneqa.induction.search import Search
from arcaneqa.induction.topics import Topics
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.lab.evaluation.judge import Judge
from arcaneqa.lab.evaluation.metrics import cells
from arcaneqa.language.expression import Entity
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.linking.features import bundled
from arcaneqa.links import Links
from arcaneqa.record import Prediction, Question
from arcaneqa.support.errors import ArcaneError
from baselines.anonymise import anonymise, anonymised
from baselines.decoding import Fate
from baselines.ranking import Searching

MOST_ITEMS = 10_000


class CountedKb:
    """A knowledge base that counts what it is asked; attributes are not questions."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._kb, name)
        if not callable(found) or name in ("nodes", "terms", "labels", "node"):
            return found

        def counted(*arguments: Any, **named: Any) -> Any:
            self.asked += 1
            return found(*arguments, **named)

        return counted


class CountedScorer:
    """A scorer that counts decisions and the candidates in them."""

    def __init__(self, qa: ArcaneQA) -> None:
        self._scorer = qa.scorer
        self.decisions = self.candidates = 0

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        free = [len(one.candidates) for one in decisions if len(one.candidates) > 1]
        self.decisions += len(free)
        self.candidates += sum(free)
        return self._scorer.score(decisions)

    @property
    def reads(self) -> Reads:
        return self._scorer.reads


@dataclass
class Asked:
    """One method over one knowledge base: `qa` knows the facts, `linking` the names (over an endpoint those
    of an index, so that all start alike), `search` finds programs; with `is_anonymous` it reads questions
    that name kinds in place of entities."""

    qa: ArcaneQA
    linking: ArcaneQA
    search: Search | Searching
    scorers: Sequence[CountedScorer]
    kb: CountedKb
    judge: Judge
    is_anonymous: bool = False

    def line(self, question: Question, entities: str) -> dict[str, Any]:
        links = self.linking.linker.link(question.question)
        shown = question
        if self.is_anonymous:
            shown, links = self._anonymous(question, links, entities)
        given = shown.entities if entities == "gold" else None
        topics = self.linking.topics(shown.question, links, given)
        before, started, busy = self._counts(), time.perf_counter(), time.process_time()
        outcome = self.search.run(shown.question, [topics], 60.0)
        seconds, processor = time.perf_counter() - started, time.process_time() - busy
        counts = (self._counts() - before).tolist()
        prediction = self._prediction(question, outcome)
        verdict = self.judge.verdict(question, prediction)
        gold = parse(question.program, self.qa.names, self.qa.kb.schema) if question.program else None
        return {
            "id": question.id,
            "em": bool(verdict.match),
            "f1": float(verdict.answers.f1),
            "seconds": seconds,
            "processor": processor,
            **dict(zip(("decisions", "candidates", "pieces", "asked"), counts, strict=True)),
            "cells": dict(cells(question, gold)),
            "degree": self._degree(topics),
            "fate": self._fate(outcome),
            "program": prediction.program,
        }

    def _anonymous(self, question: Question, links: Links, entities: str) -> tuple[Question, Links]:
        inside = bundled().inside
        if entities == "gold":
            shown = anonymised(question, self.linking.kb, inside, links)
            return shown, self.linking.linker.link(shown.question)
        hidden = anonymise(links, self.linking.kb, inside)
        return replace(question, question=hidden.question), hidden

    def _counts(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        decisions = sum(one.decisions for one in self.scorers)
        candidates = sum(one.candidates for one in self.scorers)
        pieces = sum(one.reads.pieces for one in self.scorers)
        return np.array([decisions, candidates, pieces, self.kb.asked])

    def _prediction(self, question: Question, outcome: SearchOutcome) -> Prediction:
        for found in outcome.found:
            result = found.result
            if question.exclude_mentioned:
                try:
                    result = execute(found.program, self.qa.kb, exclude_mentioned=True)
                except ArcaneError:
                    continue
            if items := items_of_result(self.qa.kb, result, MOST_ITEMS):
                program = print_program(found.program, self.qa.names)
                return Prediction(question.id, question.question, program, answers=items)
        return Prediction(question.id, question.question)

    def _fate(self, outcome: SearchOutcome) -> str:
        """Of the program that the method likes best; searches over facts know it denotes something."""
        own = getattr(self.search, "fate", None)
        if own is not None:
            return str(own)
        if not outcome.found:
            return Fate.NONE
        best = outcome.found[0].result
        return Fate.FINE if best.value is not None or best.table is not None or best.nodes else Fate.EMPTY

    def _degree(self, topics: Topics) -> int:
        """Relations around the busiest entity."""
        most, kb = 0, self.linking.kb
        for topic in topics.items:
            if isinstance(topic.term, Entity) and (node := kb.node(topic.term.term)) is not None:
                nodes = kb.nodes(np.array([node], np.int64))
                most = max(most, len(kb.out_relations(nodes)) + len(kb.in_relations(nodes)))
        return most


def ask_all(asked: Asked, questions: Sequence[Question], entities: str, out: Path) -> Iterator[int]:
    """Ask what is not yet in the file; yields how many are done."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = len(read_lines(out))
    with out.open("a", encoding="utf-8") as file:
        for number, question in enumerate(questions[done:], done + 1):
            file.write(json.dumps(asked.line(question, entities)) + "\n")
            file.flush()
            yield number


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines so far; one cut off by a kill is thrown away."""
    if not path.exists():
        return []
    found, lines = [], path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    if len(found) < len(lines):
        path.write_text("".join(json.dumps(line) + "\n" for line in found), encoding="utf-8")
    return found
