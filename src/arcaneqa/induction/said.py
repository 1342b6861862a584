"""What a question says besides names and values: ranks, numbers to count by, texts to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from arcaneqa.kb.names.name_forms import CARDINALS, ORDINALS
from arcaneqa.program.steps import Ranks

MOST_RANK = 1000
"""A larger number ("the 2000th") is rather a year."""
# How often, and more than once, without a number.
_IMPLIED = {"once": 1, "twice": 2, "thrice": 3, "single": 1, "multiple": 1, "several": 1, "dozen": 12}
_COUNTS = {word: number for number, word in enumerate(CARDINALS)} | _IMPLIED
_RANKS = {word: number for number, word in enumerate(ORDINALS[2:], 2)}
_WORD = re.compile(r"(?<![\w.,])(?:(\d{1,4})(st|nd|rd|th)?|([a-z]+))(?![\w]|[.,]\d)", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)(?:'([^']{1,60})'|\"([^\"]{1,60})\"|“([^”]{1,60})”|‘([^’]{1,60})’)(?!\w)")
_INTRODUCED = re.compile(
    r"\b(?:contain(?:s|ing|ed)?|includ(?:es?|ing)|with|the)\s+(?:the\s+)?"
    r"(?:word|phrase|text|string|substring|letters?)\s+(\w+)"
    r"|\b(?:called|named)\s+(\w+(?:\s+[A-Z]\w*)*)",
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text that the question gives as such, and where."""

    text: str
    start: int
    end: int


def numbers_said(question: str) -> tuple[tuple[Ranks, ...], tuple[int, ...]]:
    """Ranks ("three" may be the first three, "third" the third) and numbers that counts may compare with."""
    ranks: dict[Ranks, None] = {}
    counts: dict[int, None] = {}
    for digits, ending, word in _WORD.findall(question):
        ordinal = int(digits) if ending else _RANKS.get(word.lower())
        cardinal = int(digits) if digits and not ending else _COUNTS.get(word.lower())
        if ordinal is not None and 1 < ordinal <= MOST_RANK:
            ranks[Ranks(ordinal, ordinal)] = None
        elif cardinal is not None:
            counts[cardinal] = None
            if 1 < cardinal <= MOST_RANK:
                ranks[Ranks(1, cardinal)] = None
    return tuple(ranks), tuple(sorted(counts))


def texts_said(question: str) -> Iterator[Text]:
    """What stands in quotation marks or after words that introduce a text, from left to right."""
    found: list[Text] = []
    for pattern in (_QUOTED, _INTRODUCED):
        for match in pattern.finditer(question):
            group = next(number for number, text in enumerate(match.groups(), 1) if text)
            text = Text(match[group], *match.span(group))
            if not any(text.start < other.end and other.start < text.end for other in found):
                found.append(text)
    yield from sorted(found, key=lambda text: text.start)
