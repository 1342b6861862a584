"""How people speak of quantities and dates: longest, older than, how tall, when was it built."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from arcaneqa.synthesis.inflection import is_plural, plural
from arcaneqa.synthesis.word_tables import TABLES


@dataclass(frozen=True)
class Attribute:
    """Ways to say things about one attribute; every list may be empty.

    `most` and `least` go before a noun; `most_with` and `least_with` after it ("with the most people").
    `over` and `under` hold `{v}` for a value and follow a noun or "is"; `over_with` and `under_with` follow
    "with" or "has". `asks` are whole questions with `{x}` for what is asked about; `{is}`, `{does}`
    and `{was}` agree with it.
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


def _read(row: dict[str, Any]) -> Attribute:
    return Attribute(**{name: tuple(texts) for name, texts in row.items() if name != "pattern"})


def _amount(noun: str) -> Attribute:
    """Something counted: the most employees, fewer than 50 employees."""
    return Attribute(
        most_with=(f"the most {noun}", f"the most {noun}", f"the largest number of {noun}"),
        least_with=(f"the fewest {noun}", f"the smallest number of {noun}"),
        over_with=(f"more than {{v}} {noun}", f"over {{v}} {noun}"),
        under_with=(f"fewer than {{v}} {noun}", f"less than {{v}} {noun}", f"under {{v}} {noun}"),
        asks=(f"how many {noun} {{does}} {{x}} have",),
    )


_TABLE = tuple((re.compile(row["pattern"]), _read(row)) for row in TABLES["attribute"])
_ANY = {name: _read(row) for name, row in TABLES["any"].items()}
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
    """The special ways of speaking of this attribute, if there are any."""
    if owned := _OWNED.match(label):
        return _of_part(attribute(owned[1]), owned[2])
    if counted := _COUNTED.match(label):
        return _amount(plural(counted[1] or counted[2]))
    known = next((found for pattern, found in _TABLE if pattern.search(label)), None)
    return _amount(label) if known is None and _is_countable(label) else known


def _is_countable(label: str) -> bool:
    """Whether a column of numbers is called after what it counts: "police officers", "votes"."""
    last = label.rpartition(" ")[2]
    return is_plural(last) and last not in _NOT_COUNTED


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


def generic(is_time: bool) -> Attribute:
    """What can be said of any attribute, with `{r}` for its label."""
    return _ANY["date" if is_time else "number"]
