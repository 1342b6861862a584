"""A few questions that a knowledge base can answer, for people who see it for the first time."""

from __future__ import annotations

import time

from arcaneqa.errors import ArcaneError
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.record import Question
from arcaneqa.synthesis.synthesize import synthesize

_KINDS = (
    {"none"},
    {"argmax", "argmin"},
    {"count"},
    {"<", ">", "<=", ">="},
    {"none"},
    {"argmax", "argmin", "tc"},
)
_LONGEST = 70
_DRAWN = 150
_SECONDS = 0.8


def example_questions(kb: KnowledgeBase, count: int = 6, seed: int = 0) -> list[str]:
    """Short questions of different functions; fewer, or none, where there is little to ask."""
    open_turns = [_KINDS[turn % len(_KINDS)] for turn in range(count)]
    chosen: list[str | None] = [None] * count
    spare: list[str] = []
    until: float | None = None
    try:
        for question in synthesize(kb, _DRAWN, seed, careful=True):
            until = until or time.monotonic() + _SECONDS
            if _is_readable(question):
                fitting = (
                    t for t in range(count) if chosen[t] is None and question.function in open_turns[t]
                )
                if (turn := next(fitting, None)) is None:
                    spare.append(question.question)
                else:
                    chosen[turn] = question.question
            if None not in chosen or time.monotonic() > until:
                break
    except ArcaneError:
        return []
    found = [question for question in chosen if question is not None]
    return found + spare[: count - len(found)]


def _is_readable(question: Question) -> bool:
    """A whole question about one thing at a time."""
    is_simple = question.relations is not None and question.relations <= 2
    return is_simple and question.question.endswith("?") and len(question.question) <= _LONGEST
