"""What the words of a question ask for, whatever the knowledge base: forms of programs, and a kind of answer.

The rules are in `signs.toml`. They need not find every form, only be right about those they find: a form that
a program lacks is named to the person who asked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from arcaneqa.language.forms import SAYABLE, Form

REMEMBERED = 64
"""Questions: every program that was found for one is held against the same words."""


@dataclass(frozen=True, slots=True)
class Sign:
    """Words that ask for a form; any of the forms `met_by` does what they ask. `about` is where those words
    stand that ask for nothing if they are the name of something, `counted` where it is said what to count."""

    form: Form
    start: int
    end: int
    met_by: frozenset[Form]
    about: tuple[int, int]
    counted: tuple[int, int] | None = None


class Wanted(StrEnum):
    """What kind of thing an answer must be."""

    PERSON = "somebody"
    PLACE = "a place"
    TIME = "a time"
    AMOUNT = "an amount"
    COUNT = "a number"
    TRUTH = "yes or no"


@lru_cache(REMEMBERED)
def signs(question: str) -> tuple[Sign, ...]:
    """Every form that the words ask for, each at its first place.

    >>> [sign.form.name for sign in signs("Which supplier offers the most products?")]
    ['BY_COUNT', 'SUPERLATIVE']
    """
    if question.isascii():
        words = question.lower()
    else:  # one character for one, so that places stay
        words = "".join(char.lower() if len(char.lower()) == 1 else char for char in question)
        words = words.replace("’", "'")
    asked = []
    for form, met_by, patterns in _FORMS:
        found = next((match for pattern in patterns if (match := pattern.search(words))), None)
        if found is not None:
            start, end = _span(found, "said", 0)
            counted = found.span("counted") if "counted" in found.re.groupindex else None
            asked.append(Sign(form, start, end, met_by, _span(found, "about", "said", 0), counted))
    return tuple(asked)


def lacking(asked: Iterable[Sign], had: frozenset[Form]) -> Sign | None:
    """The first form that is asked for and that neither a model nor a program has (`had`)."""
    return next((sign for sign in asked if sign.form not in had | SAYABLE), None)


def _span(found: re.Match[str], *groups: str | int) -> tuple[int, int]:
    """Where the first of these groups stands that the rule has."""
    return found.span(next(group for group in groups if not group or group in found.re.groupindex))


@lru_cache(REMEMBERED)
def wanted(question: str) -> Wanted | None:
    """The kind of answer that the question word asks for, where it tells.

    >>> wanted("Who directed Alien?"), wanted("which films are long?")
    (<Wanted.PERSON: 'somebody'>, None)
    """
    words = " ".join(question.lower().split())
    return next((kind for kind, patterns in _ANSWERS if any(p.search(words) for p in patterns)), None)


_ALONE = re.compile(
    r"\s*(?:(?:who|what)(?:'s|\s+(?:is|are|was|were))"
    r"|(?:please\s+)?(?:tell me|say)\s+(?:something|more|all)?\s*about"
    r"|(?:please\s+)?describe|what do you know (?:of|about)|(?:facts|info|information)\s+(?:on|of|about))"
    r"\s+(?:the\s+)?(?P<name>\S.*?)(?:,?\s+and\s+what\s+(?:did|does|do)\s+(?:he|she|it|they)\s+do)?[\s?.!]*",
    re.I,
)


def asked_alone(question: str) -> tuple[int, int] | None:
    """Where the name stands in a question that asks for nothing but who or what it is.

    >>> asked_alone("Who was Marie Curie?"), asked_alone("tell me about gold"), asked_alone("who won?")
    ((8, 19), (14, 18), None)
    >>> asked_alone("who was Marie Curie and what did she do?")
    (8, 19)
    """
    found = _ALONE.fullmatch(question.replace("’", "'"))
    return None if found is None else found.span("name")


_LIST = re.compile(r"\{([a-z_]+)\}")
"""The name of a list, in whose place any of its words may stand."""


def _patterns(words: list[str], lists: dict[str, list[str]]) -> list[re.Pattern[str]]:
    @cache
    def filled(text: str) -> str:
        return _LIST.sub(lambda name: f"(?:{'|'.join(map(filled, lists[name[1]]))})", text)

    return [re.compile(filled(text)) for text in words]


_RULES: dict[str, Any] = tomllib.loads((files(__package__) / "signs.toml").read_text(encoding="utf-8"))
_LISTS, _WORDS = _RULES.pop("lists"), _RULES.pop("answers")
_FORMS = [
    (
        Form[name],
        frozenset((Form[name], *(Form[other] for other in rule.get("met_by", ())))),
        _patterns(rule["words"], _LISTS),
    )
    for name, rule in _RULES.items()
]
_ANSWERS = [(Wanted[name], _patterns(words, _LISTS)) for name, words in _WORDS.items()]
