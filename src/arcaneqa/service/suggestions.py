"""Example questions that are answered well: made from the graph, chosen by the model and by variety."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from arcaneqa.answer import ArcaneQA
from arcaneqa.errors import ArcaneError
from arcaneqa.record import Question
from arcaneqa.synthesis.examples import example_questions

COUNT = 6
"""Example questions on the page."""
ENOUGH = 18
"""Good examples after which no more are looked for; some of them are then chosen."""
SECONDS = 30.0
"""No more time than this goes into them, beside everything else."""
SURE = 0.75
"""Confidence with which an example must be answered, and by its own program."""
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


class Suggestions:
    """Made once, beside everything else, when somebody first asks for them."""

    def __init__(self, qa: ArcaneQA) -> None:
        self._qa = qa
        self._made: list[str] = []
        self._end = threading.Event()
        self._beginning = threading.Lock()
        self._work: threading.Thread | None = None

    def within(self, seconds: float) -> list[str]:
        """None as long as they are not ready; whoever asks again gets them."""
        with self._beginning:
            if self._work is None and not self._end.is_set():
                self._work = threading.Thread(target=self._make, daemon=True)
                self._work.start()
        if self._work is not None:
            self._work.join(seconds)
        return self._made

    def close(self) -> None:
        self._end.set()
        with self._beginning:
            if self._work is not None:
                self._work.join()

    def _make(self) -> None:
        with suppress(ArcaneError):  # an endpoint that fails has no examples
            self._made = suggestions(self._qa, self._end.is_set)


def suggestions(qa: ArcaneQA, is_over: Callable[[], bool] = lambda: False, count: int = COUNT) -> list[str]:
    """Fewer, or none, where little can be asked or the model is not sure of much."""
    until = time.monotonic() + SECONDS
    found: list[_Asked] = []
    for question in example_questions(qa.kb):
        left = until - time.monotonic()
        if len(found) == ENOUGH or left <= 0 or is_over():
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
