"""Lists of words that say little about what a question is about (`small_words.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from arcaneqa.kb.names.name_forms import split, stem

_LISTS: dict[str, Any] = tomllib.loads((files(__package__) / "small_words.toml").read_text(encoding="utf-8"))

SMALL = frozenset(stem(word) for word in _LISTS["small"].split())
MEASURING = frozenset(stem(word) for word in _LISTS["measuring"].split())
ENGLISH = frozenset(_LISTS["english"].split())
FOREIGN = tuple(
    (frozenset(words["asking"].split()), frozenset(words["other"].split()))
    for words in _LISTS.values()
    if isinstance(words, dict)
)
"""For each of some languages, words that ask and other small words."""

_BASES = {
    form: verb for verb, *forms in map(str.split, _LISTS["irregular"].strip().splitlines()) for form in forms
}


_KEPT = 5_000
"""Words, and names of schemas, whose roots are kept: every reading of every question asks for them again."""


@lru_cache(_KEPT)
def root_of(word: str) -> str:
    """The stem of a folded word; people are persons, and what is spoken is what somebody speaks."""
    return "person" if word == "people" else stem(_BASES.get(word, word))


FOLLOWING = frozenset(map(root_of, _LISTS["following"].split()))
"""Of words in the name of a relation that says what comes next or was before."""


def roots_in_order(text: str) -> list[str]:
    return [root_of(word) for word in split(text)]


@lru_cache(_KEPT)
def roots_of(text: str) -> frozenset[str]:
    """The roots of its words, also of two run together: who says "classrooms" means a "class room"."""
    said = split(text)
    return frozenset(map(root_of, (*said, *map("".join, pairwise(said)))))


_SHORTEST_ABLE = 7
"""Letters: a cable and what is stable are not what can be done."""
_SHORTEST_DONE = 5
"""Letters: what is red or a seed was not done."""


def ways_to_say(name: str) -> Iterator[list[str]]:
    """The words of a name, and what can be done or was: what is tradeable can be traded, and who did not
    improve is none of the improved."""
    said = split(name)
    yield said
    *before, last = said or [""]
    if last.endswith("able") and len(last) > _SHORTEST_ABLE:
        yield [*before, last.removesuffix("able").removesuffix("e") + "ed"]
    if last.endswith("ed") and len(last) > _SHORTEST_DONE:
        verb = last.removesuffix("ed")
        ways = [f"{verb[:-1]}y"] if verb.endswith("i") else [verb, f"{verb}e"]
        yield from ([*before, way] for way in ways)


def ways_of_doing(name: str) -> Iterator[list[str]]:
    """What somebody does who is called so: a series winner wins the series."""
    *before, last = split(name) or [""]
    if last.endswith(("er", "or")) and len(last) > _SHORTEST_DONE:
        verb = last[:-2]
        ways = [verb, f"{verb}e"] if verb[-1] != verb[-2] else [verb, verb[:-1]]
        yield from ([*before, way] for way in ways)


_OPPOSITES = {
    "survived": "died dead perished",
    "survive": "died dead perished",
    "alive": "dead died",
    "active": "inactive retired",
    "passed": "failed",
    "won": "lost",
    "paid": "unpaid",
    "approved": "rejected",
    "present": "absent",
    "married": "unmarried single",
}
"""What is so of whom the name of a column is not so."""


def ways_to_deny(name: str) -> Iterator[list[str]]:
    """Words of whom the name is not true: who did not survive has died."""
    *before, last = split(name) or [""]
    yield from ([*before, other] for other in _OPPOSITES.get(last, "").split())


def otherwise_said(name: str) -> list[list[str]]:
    """Other ways to say a name, or that it is not true of somebody."""
    _, *others = ways_to_say(name)
    return [*others, *ways_to_deny(name)]


@lru_cache(_KEPT)
def roots_of_name(name: str) -> frozenset[str]:
    """The roots of a name and of other ways to say it."""
    return roots_of(name).union(root_of(word) for said in otherwise_said(name) for word in said)
