"""Words beside those of a schema: longest, older than, how tall; who wrote it: the tables of `words.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from arcaneqa.language.english import is_plural, plural

_TABLES: dict[str, Any] = tomllib.loads(
    (files("arcaneqa.lab.synthesis") / "words.toml").read_text(encoding="utf-8")
)
COMMANDS: tuple[str, ...] = tuple(_TABLES["openings"]["commands"])
COUNTING: tuple[str, ...] = tuple(_TABLES["openings"]["counting"])
_PEOPLE = frozenset(_TABLES["nouns"]["people"].split())


@dataclass(frozen=True, slots=True)
class Attribute:
    """Ways to speak of one quantity or date; every list may be empty.

    `most` and `least` go before a noun; `most_with` and `least_with` after it ("with the most people").
    `over` and `under` hold `{v}` for a value and follow a noun or "is"; `over_with` and `under_with` follow
    "with" or "has". `asks` are whole questions with `{x}` for what is asked about; `{is}`, `{does}`
    and `{was}` agree with it. `{r}` is the label.
    """

    most: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    most_with: tuple[str, ...] = ()
    least_with: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    over_with: tuple[str, ...] = ()
    under_with: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Idiom:
    """Verbs for a relation: `asks` are questions with `{x}` for the subject, `held` with `{y}` for the other.

    `holders` say with `{y}` what a subject has to do with the object, after a noun or "is"; `verbs` are base
    form and rest: "play", "for {y}".
    """

    asks: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    verbs: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()


def _attribute(row: dict[str, Any]) -> Attribute:
    return Attribute(**{name: tuple(texts) for name, texts in row.items() if name != "pattern"})


def _idiom(row: dict[str, Any]) -> Idiom:
    lists = {name: tuple(row.get(name, ())) for name in ("asks", "holders", "held")}
    if "did" in row:
        past, done = row["did"]
        lists["asks"] += (f"who {past} {{x}}", f"who {{was}} {{x}} {done} by")
        lists["holders"] += (f"{done} by {{y}}",)
    return Idiom(**lists, verbs=tuple((verb, rest) for verb, rest in row.get("verbs", ())))


_ATTRIBUTES = [(re.compile(row["pattern"]), _attribute(row)) for row in _TABLES["attribute"]]
_IDIOMS = [(re.compile(row["pattern"]), _idiom(row)) for row in _TABLES["idiom"]]
_ANY = {name: _attribute(row) for name, row in _TABLES["any"].items()}
_COUNTED = re.compile(
    r"^(?:total )?(?:(?:number|no|num|count) of|number|num) (.+)$|^(.+?) (?:count|quantity)$"
)
_NOT_COUNTED = {"years", "dates", "times", "sales", "earnings", "hours", "minutes", "seconds", "ids", "gross"}
"""Plurals that are no things to count, or units."""
_OWNED = re.compile(
    r"^(length|height|depth|width|area|size|weight|mass|age|speed|temperature) of (?:the |its )?(.+)$"
)


@cache
def attribute(label: str) -> Attribute | None:
    """The special ways of speaking of this quantity or date, if there are any."""
    if owned := _OWNED.match(label):
        return _of_part(attribute(owned[1]), owned[2])
    if counted := _COUNTED.match(label):
        return _amount(plural(counted[1] or counted[2]))
    known = next((found for pattern, found in _ATTRIBUTES if pattern.search(label)), None)
    is_countable = is_plural(label) and label.rpartition(" ")[2] not in _NOT_COUNTED
    return _amount(label) if known is None and is_countable else known


def any_attribute(is_time: bool) -> Attribute:
    """What can be said of every quantity or date."""
    return _ANY["date" if is_time else "number"]


@cache
def idiom(label: str) -> Idiom:
    """The verbs for a relation; empty where the table has none."""
    return next((found for pattern, found in _IDIOMS if pattern.search(label)), Idiom())


def is_person(class_words: str | None) -> bool:
    return class_words is not None and not _PEOPLE.isdisjoint(class_words.lower().split())


def _amount(noun: str) -> Attribute:
    """Something counted: the most employees, fewer than 50 employees."""
    return Attribute(
        most_with=(f"the most {noun}", f"the most {noun}", f"the largest number of {noun}"),
        least_with=(f"the fewest {noun}", f"the smallest number of {noun}"),
        over_with=(f"more than {{v}} {noun}", f"over {{v}} {noun}"),
        under_with=(f"fewer than {{v}} {noun}", f"less than {{v}} {noun}", f"under {{v}} {noun}"),
        asks=(f"how many {noun} {{does}} {{x}} have",),
    )


def _of_part(whole: Attribute | None, part: str) -> Attribute | None:
    """`length of coastline`: the longest coastline, how long is the coastline."""
    if whole is None:
        return None
    return Attribute(
        most_with=tuple(f"the {word} {part}" for word in whole.most),
        least_with=tuple(f"the {word} {part}" for word in whole.least),
        over_with=tuple(f"a {part} {text}" for text in whole.over),
        under_with=tuple(f"a {part} {text}" for text in whole.under),
        asks=tuple(ask.replace("{x}", f"the {part} of {{x}}") for ask in whole.asks),
    )
