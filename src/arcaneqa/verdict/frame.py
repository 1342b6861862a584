"""A question as data: what its words ask for, whatever the knowledge base.

Nothing here knows a fact or a schema. The patterns are in `words.toml`; they need not find every form, only
be right about those they find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.names.name_forms import Word, split, words
from arcaneqa.language.forms import SAYABLE, Form
from arcaneqa.verdict.words import DATA, SMALL, pattern, patterns, root_of

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


@dataclass(frozen=True, slots=True)
class Telling:
    """A word that says what a question is about."""

    word: Word
    root: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that the question states, in plain digits, and how it is compared as far as that is said."""

    number: str
    start: int
    end: int
    compared: Comparison | None = None


@dataclass(frozen=True)
class Frame:
    """`noun` are the roots of what is asked for by "which …" and the like. `ends` are scales of which one end
    is said, with whether that is the first. `denied` is where a denial stands."""

    question: str
    telling: tuple[Telling, ...]
    signs: tuple[Sign, ...]
    wanted: Wanted | None
    noun: tuple[str, ...]
    figures: tuple[Figure, ...]
    ends: Mapping[str, bool]
    names: tuple[tuple[int, int], ...]
    denied: int | None
    is_different: bool
    is_of_others: bool
    is_placed: bool

    @property
    def roots(self) -> frozenset[str]:
        return frozenset(one.root for one in self.telling)

    def asks(self, *forms: Form) -> bool:
        return any(sign.form in forms for sign in self.signs)


@lru_cache(REMEMBERED)
def frame_of(question: str) -> Frame:
    text = _lowered(question)
    denial = _DENIAL.search(text)
    told = ((word, root_of(word.folded)) for word in words(question))
    return Frame(
        question,
        tuple(Telling(word, root) for word, root in told if root not in SMALL),
        signs(question),
        wanted(question),
        _noun(text),
        tuple(_figures(text)),
        dict(_ends(text)),
        tuple(_names(question)),
        None if denial is None else denial.start(),
        _DIFFERENT.search(text) is not None,
        _OTHERS.search(text) is not None,
        _DIRECTION.search(text) is not None,
    )


@lru_cache(REMEMBERED)
def signs(question: str) -> tuple[Sign, ...]:
    """Every form that the words ask for, each at its first place.

    >>> [sign.form.name for sign in signs("Which supplier offers the most products?")]
    ['BY_COUNT', 'SUPERLATIVE']
    """
    text = _lowered(question)
    asked = []
    for form, met_by, ways in _FORMS:
        found = next((match for way in ways if (match := way.search(text))), None)
        if found is not None:
            start, end = _span(found, "said", 0)
            counted = found.span("counted") if "counted" in found.re.groupindex else None
            asked.append(Sign(form, start, end, met_by, _span(found, "about", "said", 0), counted))
    return tuple(asked)


def lacking(asked: Iterable[Sign], had: frozenset[Form]) -> Sign | None:
    """The first form that is asked for and that neither a model nor a program has (`had`)."""
    return next((sign for sign in asked if sign.form not in had | SAYABLE), None)


@lru_cache(REMEMBERED)
def wanted(question: str) -> Wanted | None:
    """The kind of answer that the question word asks for, where it tells.

    >>> wanted("Who directed Alien?"), wanted("which films are long?")
    (<Wanted.PERSON: 'somebody'>, None)
    """
    text = " ".join(question.lower().split())
    return next((kind for kind, ways in _ANSWERS if any(way.search(text) for way in ways)), None)


def asked_alone(question: str) -> tuple[int, int] | None:
    """Where the name stands in a question that asks for nothing but who or what it is.

    >>> asked_alone("Who was Marie Curie?"), asked_alone("tell me about gold"), asked_alone("who won?")
    ((8, 19), (14, 18), None)
    >>> asked_alone("who was Marie Curie and what did she do?")
    (8, 19)
    """
    found = _ALONE.fullmatch(question.replace("’", "'"))
    return None if found is None else found.span("name")


def plain_number(number: str) -> str:
    """The same however it is written: 1,000.0 is 1000."""
    digits = number.replace(",", "").rstrip(".")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _lowered(question: str) -> str:
    """In small letters, one for one, so that places stay."""
    if question.isascii():
        return question.lower()
    return "".join(low if len(low := char.lower()) == 1 else char for char in question).replace("’", "'")


def _span(found: re.Match[str], *groups: str | int) -> tuple[int, int]:
    """Where the first of these groups stands that the pattern has."""
    return found.span(next(group for group in groups if not group or group in found.re.groupindex))


def _noun(text: str) -> tuple[str, ...]:
    """The roots of the words between "which", "list all" and the like and the word that goes on."""
    asking = _ASKING.match(text)
    if asking is None:
        return ()
    said = split(text[asking.end() :])
    length = next((place for place, word in enumerate(said) if _GOES_ON.fullmatch(word)), len(said))
    return tuple(map(root_of, said[:length])) if length <= _LONGEST_NOUN else ()


def _figures(text: str) -> Iterable[Figure]:
    found = list(_FIGURE.finditer(text))
    for place, match in enumerate(found):
        before, behind = text[: match.start()], text[match.end() :]
        between = place + 1 < len(found) and _BETWEEN.search(before[-_NEAR:])
        if between and re.match(r" (?:and|to) \W?$", text[match.end() : found[place + 1].start(1)]):
            comparison: Comparison | None = Comparison.GE
        elif place and re.search(r"(?:between|from) \W?[\d,.]+ (?:and|to) \W?$", before[-_NEAR:]):
            comparison = Comparison.LE
        else:
            comparison = next((how for how, way in _BEFORE if way.search(before)), None)
            comparison = comparison or next((how for how, way in _BEHIND if way.match(behind)), None)
        yield Figure(plain_number(match[1]), *match.span(1), comparison)


def _ends(text: str) -> Iterable[tuple[str, bool]]:
    for name, (more, less) in SCALES.items():
        is_more, is_less = (way.search(text) is not None for way in (more, less))
        if is_more != is_less:
            yield name, is_more


def _names(question: str) -> Iterable[tuple[int, int]]:
    """Words written like names, unless all words or small ones are; the first of a sentence tells nothing."""
    _, *rest = question.split() or [""]
    capitals = [word for word in rest if word[0].isupper()]
    if len(capitals) == len(rest) or (2 * len(capitals) > len(rest) and any(map(_is_small, capitals))):
        return
    for match in _NAME.finditer(question):
        if not re.search(r"[.?!:]\s*$", question[: match.start()]):
            yield match.span(1 if match[1] else 2)


def _is_small(word: str) -> bool:
    return root_of(word.lower()) in SMALL


_LONGEST_NOUN = 4
_NEAR = 30
"""Characters before a number in which "between" may stand."""
_DENIAL, _DIFFERENT, _DIRECTION = pattern("denial"), pattern("different"), pattern("direction")
_OTHERS = pattern("others")
_ASKING, _GOES_ON, _ALONE = pattern("asking"), pattern("goes_on"), pattern("alone")
_FIGURE, _BETWEEN, _NAME = pattern("figure"), pattern("between"), re.compile(DATA["patterns"]["name"])
_BEFORE = [
    (how, re.compile(rf"\b{DATA['patterns'][name]}{DATA['patterns']['filler']} *\W?$"))
    for name, how in (
        ("from", Comparison.GE),
        ("to", Comparison.LE),
        ("above", Comparison.GT),
        ("below", Comparison.LT),
    )
]
_BEHIND = [
    (how, re.compile(rf" (?:[a-z]+ )?{DATA['patterns'][name]}\b"))
    for name, how in (("behind_from", Comparison.GE), ("behind_to", Comparison.LE))
]
SCALES = {
    name: tuple(re.compile(rf"\b(?:{scale[end]})\b") for end in ("more", "less"))
    for name, scale in DATA["scales"].items()
}
_FORMS = [
    (Form[name], frozenset(Form[one] for one in (name, *rule.get("met_by", ()))), patterns(rule["words"]))
    for name, rule in DATA["forms"].items()
]
_ANSWERS = [(Wanted[name], patterns(ways)) for name, ways in DATA["answers"].items()]
