"""English words as the verdict compares them: roots, opposites, lists of words that say little
(`words.toml`)."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from arcaneqa.kb.names.name_forms import split, stem

DATA: dict[str, Any] = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))
_WORDS: dict[str, str] = DATA["words"]
_OPPOSITES: dict[str, Any] = DATA["opposites"]
SMALL = frozenset(stem(word) for word in _WORDS["small"].split())
MEASURING = frozenset(stem(word) for word in _WORDS["measuring"].split())
SO, NOT_SO = (frozenset(_WORDS[name].split()) for name in ("so", "not_so"))
ENGLISH = frozenset(_WORDS["english"].split())
FOREIGN = tuple(
    (frozenset(language["asking"].split()), frozenset(language["other"].split()))
    for language in DATA["languages"].values()
)
"""For each of some languages, words that ask and other small words."""
_BASES = {
    form: verb for verb, *forms in map(str.split, _WORDS["irregular"].strip().splitlines()) for form in forms
}
_KEPT = 5_000
"""Words, and names of schemas, whose roots are kept: every reading of every question asks for them again."""
_LIST = re.compile(r"\{([a-z_]+)\}")
"""The name of a list, in whose place any of its words may stand."""
_SHORTEST_DONE = 5
"""Letters: what is red or a seed was not done."""


@lru_cache(_KEPT)
def root_of(word: str) -> str:
    """The stem of a folded word; people are persons, and what is spoken is what somebody speaks."""
    return "person" if word == "people" else stem(_BASES.get(word, word))


def roots(text: str) -> frozenset[str]:
    return frozenset(map(root_of, text.split()))


FOLLOWING = roots(_WORDS["following"])
"""Of words in the name of a relation that says what comes next or was before."""
BESIDE_A_NAME = roots(_OPPOSITES["beside_a_name"])
WITHIN = roots(_OPPOSITES["within"])
COORDINATES = roots(_OPPOSITES["coordinates"])
OPPOSITES: dict[str, set[str]] = {}
for _one, _other in (map(root_of, pair.split()) for pair in _OPPOSITES["pairs"]):
    OPPOSITES.setdefault(_one, set()).add(_other)
    OPPOSITES.setdefault(_other, set()).add(_one)
_DENYING: dict[str, list[str]] = {}
for _word, _denied in map(str.split, _OPPOSITES["denying"]):
    _DENYING.setdefault(_word, []).append(_denied)


@lru_cache(_KEPT)
def roots_of(text: str) -> frozenset[str]:
    """The roots of its words, also of two run together: who says "classrooms" means a "class room"."""
    said = split(text)
    return frozenset(map(root_of, (*said, *map("".join, pairwise(said)))))


def roots_in_order(text: str) -> tuple[str, ...]:
    return tuple(map(root_of, split(text)))


@lru_cache(_KEPT)
def roots_of_name(name: str) -> frozenset[str]:
    """The roots of a name and of other ways to say its last word: what is tradeable can be traded, a winner
    wins, and who did not survive has died."""
    *_, last = split(name) or [""]
    return roots_of(name).union(map(root_of, [*_verbs(last), *_DENYING.get(last, ())]))


def _verbs(word: str) -> list[str]:
    if len(word) <= _SHORTEST_DONE:
        return []
    if word.endswith("able"):
        return [word.removesuffix("able").removesuffix("e") + "ed"]
    if word.endswith(("ed", "er", "or")):
        verb = word[:-2]
        return (
            [f"{verb[:-1]}y"]
            if verb.endswith("i")
            else [verb, f"{verb}e", *([verb[:-1]] if verb[-1] == verb[-2] else [])]
        )
    return []


def patterns(words: list[str]) -> list[re.Pattern[str]]:
    """Regular expressions of `words.toml`, with its lists filled in."""
    return [re.compile(_filled(text), re.IGNORECASE) for text in words]


def pattern(name: str) -> re.Pattern[str]:
    return re.compile(DATA["patterns"][name], re.IGNORECASE)


@cache
def _filled(text: str) -> str:
    return _LIST.sub(lambda name: f"(?:{'|'.join(map(_filled, DATA['lists'][name[1]]))})", text)
