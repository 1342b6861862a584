"""Verbs that people use where a schema has a noun: `author` → who wrote it, written by her."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from arcaneqa.synthesis.inflection import BASE_FORMS, participle, past, third_person
from arcaneqa.synthesis.word_tables import TABLES


@dataclass(frozen=True)
class Idiom:
    """`asks` are questions with `{x}` for the subject; `holders` say with `{y}` what a subject has to do with
    the object, after a noun or "is"; `verbs` are base form and rest: "play", "for {y}".
    `has` says that the object may be said to have the subject: which rivers does Texas have.
    `held` are questions with `{y}` for the object: where is it spoken."""

    asks: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    verbs: tuple[tuple[str, str], ...] = ()
    has: bool = False
    held: tuple[str, ...] = ()


def _doing(verb: str, *more: str) -> Idiom:
    """Someone did it: who wrote X; written by Y."""
    done = participle(verb)
    return Idiom(
        (f"who {past(verb)} {{x}}", f"who {{was}} {{x}} {done} by", f"by whom {{was}} {{x}} {done}", *more),
        (f"{done} by {{y}}",),
    )


def _read(row: dict[str, Any]) -> Idiom:
    asks = tuple(row.get("asks", ()))
    if "did" in row:
        return _doing(row["did"], *asks)
    return Idiom(
        asks, tuple(row.get("holders", ())), tuple((verb, rest) for verb, rest in row.get("verbs", ()))
    )


_TABLE = tuple((re.compile(row["pattern"]), _read(row)) for row in TABLES["idiom"])


@cache
def idiom(label: str) -> Idiom | None:
    for pattern, found in _TABLE:
        if pattern.search(label):
            return found
    return _agent(label)


def _agent(label: str) -> Idiom | None:
    """`discoverer` → who discovered it: the verb inside the noun."""
    word = label.rpartition(" ")[2]
    for ending in ("er", "or"):
        for stem in (word.removesuffix(ending), word.removesuffix(ending) + "e"):
            if word.endswith(ending) and stem in BASE_FORMS:
                return _doing(stem)
    return None


def verb_forms(verb: str, rest: str) -> tuple[str, str]:
    """Plural and singular: "play for Y", "plays for Y"."""
    return f"{verb} {rest}", f"{third_person(verb)} {rest}"
