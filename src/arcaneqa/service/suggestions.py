"""Example questions that are answered well: made from the graph, chosen by the model and by variety."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from arcaneqa.answer import ArcaneQA
from arcaneqa.record import Question
from arcaneqa.synthesis.examples import example_questions

COUNT = 6
ENOUGH = 18
"""So many good ones leave a choice."""
SECONDS = 6.0
"""They are made when the service starts; who comes before they are there does not wait longer than this."""
SURE = 0.75
_AGAIN = {"function": 0.15, "name": 0.1}
"""What an example loses for each chosen one that has its function, or a class, relation or entity of it."""
_NAME = re.compile(r"[^\s()]*[a-z:][^\s()]*")


@dataclass(frozen=True, slots=True)
class _Asked:
    question: Question
    confidence: float

    @property
    def names(self) -> set[str]:
        return {name.removesuffix("_inv") for name in _NAME.findall(self.question.program or "")}


def suggestions(qa: ArcaneQA, count: int = COUNT, seconds: float = SECONDS) -> list[str]:
    """Fewer, or none, where little can be asked or the model is not sure of much."""
    until = time.monotonic() + seconds
    found: list[_Asked] = []
    for question in example_questions(qa.kb):
        if len(found) == ENOUGH or (left := until - time.monotonic()) <= 0:
            break
        answer = qa.ask(question.question, seconds=left)
        if answer.program == question.program and (answer.confidence or 0) >= SURE:
            found.append(_Asked(question, answer.confidence or 0))
    chosen: list[_Asked] = []
    while found and len(chosen) < count:
        best = max(found, key=lambda one: _worth(one, chosen))
        found.remove(best)
        chosen.append(best)
    return [one.question.question for one in chosen]


def _worth(one: _Asked, chosen: list[_Asked]) -> float:
    same = sum(one.question.function == other.question.function for other in chosen)
    shared = sum(len(one.names & other.names) for other in chosen)
    return one.confidence - _AGAIN["function"] * same - _AGAIN["name"] * shared
