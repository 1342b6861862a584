"""Numbers as questions write them: digits with commas, powers of ten, words, ordinals, percentages, units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from arcaneqa.kb.names.name_forms import CARDINALS
from arcaneqa.kb.names.name_forms import ORDINALS as ORDINAL_WORDS
from arcaneqa.kb.values import CURRENCIES
from arcaneqa.linking.question_words import UNITS, WORDS

ONES = {word: value for value, word in enumerate(CARDINALS[:20])}
TENS = {word: value * 10 for value, word in enumerate(WORDS["tens"], 2)}
SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
# First and second are left out: they are superlatives and units far more often than the numbers 1 and 2.
ORDINALS = {word: value for value, word in enumerate(ORDINAL_WORDS[3:13], 3)}

_DIGITS = re.compile(
    r"(?P<currency>[$€£¥₹]\s?)?"
    r"(?P<sign>(?<![\w.])(?:[-−+]|(?:minus|negative)\s+))?"
    r"(?<![\w.,])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:(?P<exponent>e[-+]?\d{1,3})(?!\w)"
    r"|\s?(?:[x×*·]\s?)10\s?(?:\^|\*\*)\s?(?P<power>[-−+]?\d{1,3})"
    r"|\^(?P<raised>[-−+]?\d{1,3})(?!\w))?"
    r"(?P<ordinal>st|nd|rd|th)?"
    r"(?:[\s-](?P<scale>hundred|thousand|million|billion|trillion|dozen)s?\b|(?P<letter>k|bn)\b)?"
    r"(?P<percent>\s?%|\s?percent\b|\sper\scent\b)?",
    re.IGNORECASE,
)
_SHARED_SCALE = re.compile(
    r"\s?(?:and|to|or|-|–)\s?\d+(?:\.\d+)?[\s-]?(thousand|million|billion|trillion|k|bn)\b", re.IGNORECASE
)
"""Behind the first of two numbers that are counted alike: between 5 and 6 million."""
_GLUED = re.compile(r"(?<=[a-z]{3})\d+\.\d+(?![\w.])", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_NEXT_WORD = re.compile(r"\s?([^\W\d_]+)")
_SCALES = {**SCALES, "k": 10**3, "bn": 10**9}


@dataclass(frozen=True, slots=True)
class Number:
    """`values` are what it may mean, likeliest first: 5% is 5 in most knowledge bases and 0.05 in some, and
    2 million is 2 where facts are counted in millions."""

    start: int
    end: int
    values: tuple[Decimal, ...]
    whole: bool
    unit: str | None = None


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a text from left to right, not overlapping."""
    found = [*_written_in_digits(text), *_written_in_words(text)]
    end = 0
    for number in sorted(found, key=lambda number: (number.start, -number.end)):
        if number.start >= end:
            end = number.end
            yield number


def _written_in_digits(text: str) -> Iterator[Number]:
    for match in _DIGITS.finditer(text):
        digits = match["digits"].replace(",", "")
        following = text[match.end() : match.end() + 1]
        if following and (following.isalnum() or following == "_") and not _unit_at(text, match.end()):
            continue  # part of a name: 3D, R2D2, 747s
        try:
            value = Decimal(digits)
            if match["raised"]:
                value = value ** int(match["raised"].replace("−", "-"))
            elif match["power"]:
                value = value.scaleb(int(match["power"].replace("−", "-")))
            elif match["exponent"]:
                value = Decimal(digits + match["exponent"])
        except InvalidOperation:
            continue
        if match["sign"] and match["sign"].strip() != "+":
            value = -value
        scale = match["scale"] or match["letter"]
        if scale is None and (shared := _SHARED_SCALE.match(text, match.end())):
            scale = shared[1]
        scaled = value * _SCALES.get((scale or "").lower(), 1)
        unit = CURRENCIES.get((match["currency"] or "").strip()) or _unit_at(text, match.end())
        values = (scaled,) if scaled == value else (scaled, value)
        if match["percent"]:
            unit, values = "percent", (scaled, scaled / 100)
        exact = "." not in digits and not match["exponent"]
        whole = exact and scaled == scaled.to_integral_value()
        yield Number(match.start(), match.end(), values, whole, unit)
    for match in _GLUED.finditer(text):
        yield Number(match.start(), match.end(), (Decimal(match[0]),), False)


def _unit_at(text: str, position: int) -> str | None:
    match = _NEXT_WORD.match(text, position)
    return match[1].lower() if match and match[1].lower() in UNITS else None


def _written_in_words(text: str) -> Iterator[Number]:
    """`two hundred and fifty thousand`, `twenty-five`, `half a million`, `fifth`."""
    tokens = list(_WORD.finditer(text))
    position = 0
    while position < len(tokens):
        end, value = _read_words([token[0].lower() for token in tokens[position : position + 12]])
        if value is None:
            position += 1
            continue
        start, stop = tokens[position].start(), tokens[position + end - 1].end()
        if text[stop - 3 : stop].lower() != "one" or end > 1:  # "which one" counts nothing
            whole = value == value.to_integral_value()
            yield Number(start, stop, (value,), whole, _unit_at(text, stop))
        position += end


def _read_words(words: list[str]) -> tuple[int, Decimal | None]:
    """How many words make up the number that begins here, and the number."""
    if words[0] in ORDINALS:
        return 1, Decimal(ORDINALS[words[0]])
    total, group, used = Decimal(0), Decimal(0), 0
    position = 0
    if words[:2] == ["half", "a"] and len(words) > 2 and words[2] in SCALES:
        return 3, Decimal(SCALES[words[2]]) / 2
    if words[0] == "a" and len(words) > 1 and words[1] in SCALES:
        group, position = Decimal(1), 1
    last = None
    while position < len(words):
        word = words[position]
        kind = "one" if word in ONES else "ten" if word in TENS else "scale" if word in SCALES else None
        if kind is None and not (word == "and" and last == "scale"):
            break
        if kind == "scale" and last is None and group == 0:
            break
        if (kind == "one" and last == "one") or (kind == "ten" and last in ("ten", "one")):
            break
        if kind == "one":
            group += ONES[word]
        elif kind == "ten":
            group += TENS[word]
        elif kind == "scale":
            scale = SCALES[word]
            if scale <= 100:
                group *= scale
            else:
                total, group = total + group * scale, Decimal(0)
        if kind is not None:
            last, used = kind, position + 1
        position += 1
    return (used, total + group) if used and last else (0, None)
