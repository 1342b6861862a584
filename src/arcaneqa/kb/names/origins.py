"""Words that may be the same. Of one origin, they differ in their endings: who is smoking smokes, rodents are
Rodentia, and what is done heavily is heavy. With a slip, they share most letters."""

from __future__ import annotations

from itertools import takewhile

from rapidfuzz import fuzz

SHORTEST = 5
"""Letters that two words of one origin share, unless behind four stands only what verbs and doers end in."""
_AFTER_FOUR = frozenset(("", "e", "ed", "er", "or", "ing"))
_ENDINGS = frozenset(
    (
        *("", "a", "ae", "al", "an", "ance", "ary", "e", "ed", "er", "ese", "i", "ia", "ial", "ian", "ic"),
        *("ics", "idae", "ies", "ing", "ion", "ional", "ish", "ism", "ist", "ity", "ive", "ly", "ment", "n"),
        *("d", "or", "ous", "r", "y"),
    )
)

SLIP = 75
"""Of 100: letters that two words share, from which on one may be the other."""


def may_be_slip(one: str, other: str) -> bool:
    """Whether somebody who typed one may have meant the other: Rand for Randy."""
    return fuzz.ratio(one, other) >= SLIP


def are_of_one_origin(one: str, other: str) -> bool:
    """Whether two words begin alike and only their endings differ, of those that English and Latin have."""
    if "ily" in (one[-3:], other[-3:]):
        one, other = (f"{word[:-3]}y" if word.endswith("ily") else word for word in (one, other))
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    endings = {one[shared:], other[shared:]}
    return endings <= (_ENDINGS if shared >= SHORTEST else _AFTER_FOUR) and shared >= SHORTEST - 1
