"""Patterns that read questions, over long text that makes bad ones run away, as the entrance lets it in."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

import arcaneqa
from arcaneqa.answer.answer import MOST_CHARACTERS, as_asked
from arcaneqa.answer.arcaneqa import ArcaneQA

ELSEWHERE = (
    "kb.build",
    "training",
    "model",
    "cli",
    "bench",
    "datasets",
    "synthesis",
    "evaluation",
    "recipes",
)
"""What these read are no questions."""
SECONDS = 0.05
PIECES = (
    *(
        " ",
        "a",
        "7",
        "a ",
        "  a",
        "a  ",
        "7 ",
        "7,",
        "1.",
        "- ",
        "a-",
        "'",
        "''",
        '"',
        "a'",
        "“a",
        "’s ",
        "?",
    ),
    *(
        ". ",
        ", ",
        "the ",
        "of ",
        "of the ",
        "and ",
        "most ",
        "in ",
        "in 19",
        "is ",
        "how many ",
        "which a ",
        "ab ",
    ),
    *(
        "who ",
        "are there ",
        "than ",
        "A. ",
        "a.a",
        "a:b",
        "http://",
        "_",
        "é",
        "\u0301",
        "日",
        "\xa0a",
        "\n",
        "((",
        "x]",
    ),
)
BEGINNINGS = ("", "which a ")


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern that a module of the package holds, alone or among others."""

    def inside(value: object) -> Iterator[re.Pattern[str]]:
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield value
        elif isinstance(value, dict):
            yield from inside(list(value.values()))
        elif isinstance(value, list | tuple | set | frozenset) and len(value) < 1_000:
            for each in value:
                yield from inside(each)

    for found in pkgutil.walk_packages(arcaneqa.__path__, "arcaneqa."):
        if found.name.removeprefix("arcaneqa.").startswith(ELSEWHERE) or found.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            for number, pattern in enumerate(inside(value)):
                yield f"{found.name}.{name}[{number}]", pattern


def grown() -> Iterator[str]:
    for beginning in BEGINNINGS:
        for piece in PIECES:
            for end in ("", ", capital of France"):
                room = MOST_CHARACTERS - len(beginning) - len(end)
                yield as_asked((beginning + piece * (room // len(piece)))[: MOST_CHARACTERS - len(end)] + end)


SOURCE = "\n".join(path.read_text() for path in Path(arcaneqa.__path__[0]).rglob("*.py"))


def ways_used(name: str) -> set[str]:
    """How a pattern is matched, wherever that is; both ways for one among others, which has no name."""
    name = name.rpartition(".")[2].partition("[")[0]
    used = set(re.findall(rf"\b{name}\.(search|match|fullmatch|finditer|findall|sub|split)\(", SOURCE))
    if not used:
        return {"finditer", "fullmatch"}
    return {way if way in ("match", "fullmatch") else "finditer" for way in used}


def seconds(pattern: re.Pattern[str], ways: set[str], text: str) -> float:
    """Of the slowest way, with every place that it finds."""
    most = 0.0
    for way in ways:
        started = time.thread_time()
        found = getattr(pattern, way)(text)
        if way == "finditer":
            deque(found, maxlen=0)
        most = max(most, time.thread_time() - started)
    return most


def test_no_pattern_over_questions_runs_away() -> None:
    texts = sorted(set(grown()))
    slow: dict[str, float] = {}
    seen: set[re.Pattern[str]] = set()
    for name, pattern in patterns():
        if pattern in seen:
            continue
        seen.add(pattern)
        ways = ways_used(name)
        for text in texts:
            if (took := seconds(pattern, ways, text)) > SECONDS and seconds(pattern, ways, text) > SECONDS:
                slow[f"{name} on {text[:30]!r}"] = round(took, 2)
                break
    assert len(seen) > 50
    assert not slow


def test_the_question_that_held_the_service(qa: ArcaneQA) -> None:
    started = time.thread_time()
    answer = qa.ask("which" + " " * 1970 + ", capital of France")
    assert time.thread_time() - started < 5
    assert answer.question == "which , capital of France"


@pytest.fixture(scope="module")
def qa() -> ArcaneQA:
    return ArcaneQA.load()
