"""What kind of phrase a relation's label is, which decides how people put it into a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

from arcaneqa.synthesis.inflection import BASE_FORMS, PARTICIPLES, PREPOSITIONS, THIRD_FORMS
from arcaneqa.synthesis.word_tables import TABLES


class Shape(Enum):
    NOUN = auto()
    """capital: the capital of X; X's capital"""
    AGENT = auto()
    """discovered by: Y discovered X"""
    STATE = auto()
    """located in, named after: X is located in Y"""
    VERB = auto()
    """borders, flows through: X borders Y"""
    MEMBER = auto()
    """member of: X is a member of Y"""


@dataclass(frozen=True)
class Wording:
    """`words` is the noun of NOUN and MEMBER, the base form of the verb otherwise; `tail` what follows it."""

    shape: Shape
    words: str
    tail: str = ""


# Third persons that are at least as often plural nouns at the start of a label.
_NOUNS_RATHER = frozenset(
    (
        "works",
        "headquarters",
        "plays",
        "uses",
        "costs",
        "ends",
        "starts",
        "orders",
        "names",
        "places",
        "rates",
        "covers",
        "records",
    )
)


@cache
def wording(label: str) -> Wording:
    """`label` is in lower case words."""
    words = label.split()
    if len(words) > 1 and words[0] in ("is", "was", "are", "were"):
        words = words[1:]
    if len(words) > 1 and words[0] in ("has", "have"):
        return Wording(Shape.NOUN, " ".join(words[1:]))
    first, last = words[0], words[-1]
    if first in PARTICIPLES and len(words) > 1 and (last in PREPOSITIONS or last == "after"):
        verb, tail = PARTICIPLES[first], " ".join(words[1:])
        if len(words) > 2 and words[1] not in PREPOSITIONS:
            return Wording(Shape.VERB, verb, tail)
        return Wording(Shape.AGENT, verb) if tail == "by" else Wording(Shape.STATE, verb, tail)
    if last == "of" and len(words) > 1 and first not in THIRD_FORMS:
        return Wording(Shape.MEMBER, " ".join(words[:-1]))
    ends_verb = len(words) == 1 or last in PREPOSITIONS
    if first in THIRD_FORMS and ends_verb and not (len(words) == 1 and first in _NOUNS_RATHER):
        return Wording(Shape.VERB, THIRD_FORMS[first], " ".join(words[1:]))
    if len(words) == 2 and first.endswith("s") and last in PREPOSITIONS and last != "by":
        return Wording(Shape.VERB, _base(first), last)
    if first in BASE_FORMS and len(words) == 2 and last in PREPOSITIONS:
        return Wording(Shape.VERB, first, last)
    return Wording(Shape.NOUN, label)


_PEOPLE = frozenset(TABLES["nouns"]["people"].split())
_PLACES = frozenset(TABLES["nouns"]["places"].split())


def is_person(class_words: str | None) -> bool:
    return class_words is not None and any(word in _PEOPLE for word in class_words.lower().split())


def is_place(class_words: str | None) -> bool:
    return class_words is not None and any(word in _PLACES for word in class_words.lower().split())


def _base(third: str) -> str:
    """The verb of a third person that is in no list: `lies` → `lie`, `goes` → `go`."""
    if third.endswith("ies") and len(third) > 4:
        return third[:-3] + "y"
    return third[:-2] if third.endswith(("ches", "shes", "sses", "xes", "oes")) else third[:-1]
