"""Between a published file and a record: a question with its programs, before a knowledge base is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from arcaneqa.language import expression as ex
from arcaneqa.record import Mention
from arcaneqa.support.errors import InputError

NameLookup = Callable[[str], list[str]]
"""The names of an entity, given its short form: label and aliases, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Parse:
    """One reading of a question; without a program where it has none in this language."""

    query: str
    program: ex.Expression | None
    answers: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """`programs` are the accepted ones, best first; without any, `reason` says why.

    `names` holds what the dataset itself calls an entity (by its short form). `answers` are the
    published ones; `parses` has them for every parse, with its program, where there are several.
    `left_out` says why the dataset itself does not count the question; `source` is the program's
    published text; `must_agree` says that a program stands only where a knowledge base finds the published
    answers with it; `mentions` are its topics where the dataset tells them, values among them.
    """

    id: str
    question: str
    programs: tuple[ex.Expression, ...] = ()
    reason: str | None = None
    answers: tuple[str, ...] | None = None
    names: dict[str, list[str]] = field(default_factory=dict)
    exclude_mentioned: bool = False
    must_agree: bool = False
    level: str | None = None
    function: str | None = None
    relations: int | None = None
    parses: tuple[Parse, ...] = ()
    left_out: str | None = None
    source: str | None = None
    mentions: tuple[Mention, ...] | None = None


def text_field(item: Any, key: str, where: str) -> str:
    """A required field as text; numbers are welcome as ids."""
    if not isinstance(item, dict) or not isinstance(item.get(key), str | int):
        raise InputError(f"{where}: the field {key!r} is missing or not text; is this the right format?")
    return str(item[key])


def function_of(program: ex.Expression) -> str:
    """The function that gives a question its kind, in GrailQA's words."""
    for node in reversed(list(ex.post_order(program))):
        if isinstance(node, ex.Count):
            return "count"
        if isinstance(node, ex.Extreme):
            return "argmax" if node.direction is ex.Direction.LARGEST else "argmin"
    for node in ex.post_order(program):
        if isinstance(node, ex.Compare):
            return node.comparison.sign
    return "none"
