"""What the words of a follow-up refer back to: them, it, that country, or all but one name of a question."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, replace
from enum import StrEnum

from arcaneqa.kb.names.name_forms import stem
from arcaneqa.language.forms import Form
from arcaneqa.verdict.frame import signs


class ReferenceKind(StrEnum):
    WHOLE = "a question by itself"
    COUNT = "how many?"
    AMONG = "which of them …?"
    PRONOUN = "what is its …?"
    FRAGMENT = "and in France?"


class ReferringWord(StrEnum):
    """How a name stands where the word is that refers back."""

    PLAIN = "it"
    OWNER = "its"
    INSIDE = "there"


@dataclass(frozen=True, slots=True)
class Reference:
    """`text` from `start` to `end` refers back; for a fragment all of it is what is new.

    `noun` is the class that "that country" names. `is_many`: "their", "they", "which of them are".
    `is_choice`: some of them are asked for, not something about them. `is_weak`: the words may as well be
    part of a question by itself ("the country").
    """

    kind: ReferenceKind
    text: str
    start: int = 0
    end: int = 0
    place: ReferringWord = ReferringWord.PLAIN
    noun: str | None = None
    is_many: bool = False
    is_choice: bool = False
    is_weak: bool = False

    @property
    def words(self) -> str:
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        return self.text[: self.start]

    @property
    def after(self) -> str:
        return self.text[self.end :]

    def filled(self, name: str) -> tuple[str, int]:
        """The text with a name in place of what refers back, and where the name begins."""
        lead = "in " if self.place is ReferringWord.INSIDE else ""
        tail = "'s" if self.place is ReferringWord.OWNER else ""
        return f"{self.before}{lead}{name}{tail}{self.after}", self.start + len(lead)


_LEAD = re.compile(r"\s*(?:(?:ok|okay|and|but|or|so|now|also|then)\b[\s,:]*)+", re.I)
_ABOUT = re.compile(r"(?:what|how)\s+about\s+", re.I)
_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|do|does|did|has|have|had|can|could"
    r"|list|show|give|name|tell|count|find|sort|describe)\b",
    re.I,
)
_LINKING = re.compile(
    r"(?:in|of|for|from|at|on|with|to|by|after|before|since|until|above|below|over|under)\s", re.I
)
_COUNT = re.compile(
    r"(?:how many|count|what(?:'s| is) the number)(?: of)?(?: (?:them|those|these|they))?"
    r"(?: (?:are|is|were|have) (?:there|that|they|those|these|it|been))?"
    r"(?: in (?:all|total)| altogether)?\W*",
    re.I,
)
_AMONG = (
    (re.compile(r"\b(?:ones? )?(?:of|among|from) (?:all (?:of )?)?(?:them|those|these)\b", re.I), True),
    (re.compile(r"(?<=which )ones?\b|(?<=what )ones\b", re.I), True),
    (re.compile(r"(?<=^which)(?= (?:is|are|was|were|has|have|had)\b)", re.I), True),
    (re.compile(r"(?:(?<=^sort )|(?<=^list )|(?<=^rank )|(?<=^show ))(?:them|those|these)\b", re.I), False),
)
"""With whether some of them are asked for."""
_ONLY = re.compile(r"(?:only|just)\b(?: (?:the ones|those|these|the))?\s*", re.I)
_PRONOUNS = (
    (re.compile(r"\b(?:its|his|her(?=\s+[a-z]))\b", re.I), ReferringWord.OWNER, False),
    (re.compile(r"\btheir\b", re.I), ReferringWord.OWNER, True),
    (
        re.compile(r"(?<!is )(?<!are )(?<!was )(?<!were )\b(?:there|here)\b(?! (?:is|are|was|were))", re.I),
        ReferringWord.INSIDE,
        False,
    ),
    (re.compile(r"\b(?:it|he|she|him|her|this one|that one)\b", re.I), ReferringWord.PLAIN, False),
    (re.compile(r"\b(?:they|them|those|these)\b(?! who| that)", re.I), ReferringWord.PLAIN, True),
)
_POINTING = re.compile(r"\b(?P<how>that|this|the same|the)((?: [\w-]+){1,3})", re.I)
_RESTRICTED = re.compile(r" (?:that|which|who|whose|with|where|of|in)\b", re.I)
_SINGULAR = re.compile(r"\W{1,9}(?:is|was|has|does)\b", re.I)


def referring(text: str, nouns: Set[str]) -> Reference:
    """How a text refers back; `nouns` are stems of the classes that earlier turns were about.

    >>> referring("And which of them use the euro?", frozenset()).words
    'of them'
    >>> referring("how many?", frozenset()).kind.name, referring("and in Sweden?", frozenset()).kind.name
    ('COUNT', 'FRAGMENT')
    """
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead else text.strip()
    if _COUNT.fullmatch(rest):
        return Reference(ReferenceKind.COUNT, rest)
    about = _ABOUT.match(rest)
    rest = rest[about.end() :] if about else rest
    only = _ONLY.match(rest)
    if only:
        return Reference(ReferenceKind.AMONG, rest[only.end() :], is_many=True, is_choice=True)
    for pattern, is_choice in _AMONG:
        if found := pattern.search(rest):
            is_many = not _SINGULAR.match(rest, found.end()) and not is_superlative(rest[: found.start()])
            # "Which is the largest country?" has all it needs.
            is_weak = not found[0]
            return Reference(
                ReferenceKind.AMONG,
                rest,
                *found.span(),
                is_many=is_many,
                is_choice=is_choice,
                is_weak=is_weak,
            )
    is_fragment = bool(about) or (not _ASKS.match(rest) and bool(lead or _LINKING.match(rest)))
    pronoun = _pronoun(rest, nouns)
    if not is_fragment:
        return pronoun or Reference(ReferenceKind.WHOLE, rest)
    if pronoun is not None and not pronoun.is_weak:
        start = "what is "
        return replace(
            pronoun,
            text=start + rest,
            start=pronoun.start + len(start),
            end=pronoun.end + len(start),
        )
    return Reference(ReferenceKind.FRAGMENT, rest)


def is_superlative(text: str) -> bool:
    return any(sign.form in (Form.SUPERLATIVE, Form.BY_COUNT) for sign in signs(text))


def _pronoun(text: str, nouns: Set[str]) -> Reference | None:
    for found in _POINTING.finditer(text):
        how, words = found["how"].lower(), found[2].split()
        said = next((place for place, word in enumerate(words) if stem(word.lower()) in nouns), None)
        if said is None:
            continue
        end = found.start(2) + sum(len(word) + 1 for word in words[: said + 1])
        if how == "the" and _RESTRICTED.match(text, end):
            continue
        noun = stem(words[said].lower())
        return Reference(ReferenceKind.PRONOUN, text, found.start(), end, noun=noun, is_weak=how == "the")
    for pattern, place, is_many in _PRONOUNS:
        if match := pattern.search(text):
            return Reference(ReferenceKind.PRONOUN, text, *match.span(), place=place, is_many=is_many)
    return None
