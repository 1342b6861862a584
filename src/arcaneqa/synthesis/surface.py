"""The last touch: capitals, question marks, dropped articles, typing errors; then names go into the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from arcaneqa.synthesis.noun_phrases import FIRST_MARK

_MARK = re.compile(f"[{chr(FIRST_MARK)}-{chr(FIRST_MARK + 99)}]")
_QUESTION = re.compile(
    r"^(wh|how|in which|by wh|of which|at which|from which|can you|do |does |did |is |are )"
)
_ARTICLE = re.compile(r"\b(the|a|an) ")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Span:
    """Where the text of mark `index` stands."""

    index: int
    text: str
    start: int
    end: int


def finish(draft: str, surfaces: Sequence[str], rng: Random, careful: bool) -> tuple[str, list[Span]]:
    """The text of a draft with marks, and where its names stand; `careful` as a book would print it."""
    text = " ".join(draft.split())
    if careful:
        text = re.sub(r"\bi\b", "I", text)
        text = text if _MARK.match(text) else text[0].upper() + text[1:]
        return _filled(text + ("?" if _QUESTION.match(text.lower()) else ""), list(surfaces))
    if rng.random() < 0.12:
        text = _ARTICLE.sub("", text)
    if rng.random() < 0.05:
        text = _mistyped(text, rng)
    names = list(surfaces)
    style = rng.random()
    if style < 0.55:
        if text and not _MARK.match(text):
            text = text[0].upper() + text[1:]
        if _QUESTION.match(text.lower()):
            text += "?" if rng.random() < 0.85 else ""
        else:
            text += "." if rng.random() < 0.15 else ""
    else:
        if _QUESTION.match(text) and rng.random() < 0.35:
            text += "?"
        if style > 0.8:
            names = [name.lower() for name in names]
    return _filled(text, names)


def _filled(text: str, names: list[str]) -> tuple[str, list[Span]]:
    parts: list[str] = []
    spans: list[Span] = []
    length = place = 0
    for found in _MARK.finditer(text):
        before = text[place : found.start()]
        index = ord(found[0]) - FIRST_MARK
        start = length + len(before)
        spans.append(Span(index, names[index], start, start + len(names[index])))
        parts += [before, names[index]]
        length = spans[-1].end
        place = found.end()
    parts.append(text[place:])
    return "".join(parts), spans


def _mistyped(text: str, rng: Random) -> str:
    """One slip of the finger in one of the longer words."""
    words = text.split(" ")
    places = [
        place for place, word in enumerate(words) if len(word) > 4 and word.isalpha() and word.isascii()
    ]
    if not places:
        return text
    place = rng.choice(places)
    word = words[place]
    at = rng.randrange(1, len(word) - 1)
    words[place] = rng.choice(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + rng.choice(_LETTERS) + word[at + 1 :],
        )
    )
    return " ".join(words)
