"""Attributes that say what something is called, judged by their words and by samples of their texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

_NAME = frozenset(("name", "title", "label", "caption", "heading", "headline"))
_NAME_OF_IT = 3
"""Words, at least, of a name that says whose it is."""
_ARTICLES = frozenset(("a", "an", "the"))
_PLAIN = frozenset(("full", "display", "preferred", "official", "main", "complete", "proper", "whole"))
"""What may stand before "name" and changes nothing."""
_SHOWN = frozenset(("display", "displayed"))
"""What is made to be shown is the name, though there be another for machines: `golden_carrot`."""
_USUAL = frozenset(
    ("common", "primary", "english", "original", "long", "short", "local", "native", "scientific")
)
_FIRST = frozenset(
    ("first name", "given name", "forename", "fname", "f name", "firstname", "givenname", "name first")
)
_LAST = frozenset(
    ("last name", "family name", "surname", "lname", "l name", "lastname", "familyname", "name last")
)


_MAKER = frozenset(("make", "maker", "manufacturer", "brand"))
_MODEL = frozenset(("model", "model name"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PERSONS = _words(
    "contact manager owner author creator director representative parent agent editor user login middle "
    "maiden file domain host alternative alternate other former old second"
)
"""Whose name is another's, or not the usual one."""
_NUMBERS = _words("number no nr num")
_LONGER = _words("description desc details detail address text summary date")
"""Texts that name something only where nothing else does, and only if they are short."""
_SLUGS = _words("identifier slug handle")
"""Written for machines, and yet the only name that some tables have: `karate-chop`."""
_NEVER = _words(
    "id ids code key number no nr num time day month year hour email mail phone fax tel url uri "
    "homepage website web link password hash comment note notes remark remarks abstract status state type "
    "kind category class group gender sex color colour location place country city region county street zip "
    "postcode language languages nationality size unit format path file image photo picture icon version "
    "price currency score result rank grade level position job role religion nickname username filename "
    "hostname theme topic subject genre"
)


_THINGS = _words(
    "country city region county state street place location language nationality religion job role genre"
)
"""What is said of other things and is a name of its own: the city of cities."""


class Worth(IntEnum):
    """How much the words of an attribute say for its being the name; more is better."""

    NEVER = 0
    DATE = 1
    OWN_NUMBER = 2
    """The flight number of a flight, where it is more than a number."""
    LAST_RESORT = 3
    SLUG = 4
    """An identifier, where its texts are words."""
    UNIQUE_TEXT = 5
    """Only its texts speak for it."""
    ABOUT_IT = 6
    """So do its texts, and it has a word of the class."""
    NAME_OF_OTHERS = 7
    NAME_OF_A_PART = 8
    ITS_KIND = 9
    """It is called as the class is: the device of a device."""
    USUAL_NAME = 10
    NAME = 11
    ITS_NAME = 12

    @property
    def is_named(self) -> bool:
        """Whether words alone make it a name, where its texts are not all alike."""
        return self >= Worth.NAME_OF_OTHERS


def worth(attribute: str, klass: str, others: frozenset[str]) -> Worth:
    """Of an attribute for a class, both as words; `others` are words of all classes."""
    words = [singular(word) for word in _headed(attribute.split())]
    own = {singular(word) for word in klass.split()}
    rest = list(words)
    for word in klass.split():  # `student l name` of students is their `l name`
        if rest and rest[0] == singular(word) and len(rest) > 1:
            rest = rest[1:]
    last = words[-1] if words else ""
    if last in _NUMBERS and own & set(words[:-1]):
        return Worth.OWN_NUMBER
    if rest and rest[0] in _NAME and set(rest[1:]) and set(rest[1:]) <= _USUAL | _PLAIN:
        return Worth.USUAL_NAME  # `name.common`, as tables made from nested data write it
    is_its_kind = set(words) == own or (klass and words == [singular(klass.split()[-1])])
    if last in _NEVER and not (is_its_kind and last in _THINGS):
        return Worth.NEVER
    if last in _NAME or last.endswith("name"):
        if set(rest[:-1]) & _SHOWN and set(rest[:-1]) <= _SHOWN | _PLAIN | own:
            return Worth.ITS_NAME
        before = set(rest[:-1]) - _PLAIN
        if last not in _NAME and last.removesuffix("name") not in own | {"full"}:
            before |= {last.removesuffix("name")}
        if not before:
            return Worth.ITS_NAME if len(rest) < len(words) else Worth.NAME
        if before <= own:
            return Worth.ITS_NAME
        if before - own <= _USUAL:
            return Worth.USUAL_NAME
        return Worth.NAME_OF_OTHERS if before & (_PERSONS | others) else Worth.NAME_OF_A_PART
    if is_its_kind:
        return Worth.ITS_KIND
    if last in _SLUGS:
        return Worth.SLUG
    if last in _LONGER:
        return Worth.DATE if last == "date" else Worth.LAST_RESORT
    return Worth.ABOUT_IT if own & set(words) else Worth.UNIQUE_TEXT


def _headed(words: list[str]) -> list[str]:
    """A "name of the covered entity" is a covered entity's name: whose it is stands first."""
    if len(words) < _NAME_OF_IT or words[1] != "of" or singular(words[0]) not in _NAME:
        return words
    return [*(word for word in words[2:] if word not in _ARTICLES), words[0]]


def is_thing(attribute: str) -> bool:
    """Whether it says by one word which place, language or job something has, or is."""
    return attribute in _THINGS


def is_first_name(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _FIRST)


def is_last_name(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _LAST)


def is_maker(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _MAKER)


def is_model(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _MODEL)


def _is_part(attribute: str, klass: str, parts: frozenset[str]) -> bool:
    return attribute in parts or attribute.removeprefix(klass).strip() in parts


def singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE = re.compile(
    rf"\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\b{_MONTH}[a-z]*\.? \d|\d {_MONTH}", re.IGNORECASE
)
_LINK = re.compile(r"\S+@\S+\.\S+|[a-z]+://\S*|www\.\S+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_CODE = re.compile(r"[A-Z]{1,6}[-_.:/]?\d[\dA-Z\-_.:/]*")
"""`TOY0008` tells articles apart, and is what none of them is called."""
_SLUG = re.compile(r"[^\W\d_]+(?:[-_. ][^\W_]+)*\d?")
"""Words and numbers with marks between them, as in addresses of pages: `generation-iii`, `water1`."""
_LONGEST_NAME = 100
"""Characters, on average: longer texts are descriptions."""
_LONGEST_WEAK_NAME = 40
"""Characters, on average, where nothing but uniqueness speaks for a name."""

_LONGEST_DESIGNATION = 20
"""Characters: a longer text is no number of a kind."""


def read_as_names(texts: Sequence[str], of_worth: Worth) -> bool:
    """Whether texts are such as people use for names: words, not codes, and short."""
    count = len(texts)
    if not count or sum(map(len, texts)) > _LONGEST_NAME * count:
        return False
    if sum(bool(_LINK.fullmatch(text.strip())) for text in texts) * 2 > count:
        return False
    if of_worth.is_named:
        return sum(any(map(str.isalpha, text)) for text in texts) * 2 > count
    if sum(map(len, texts)) > _LONGEST_WEAK_NAME * count:
        return False
    dates = sum(bool(_DATE.search(text)) for text in texts)
    wordy = sum(bool(_WORD.search(text)) and not _CODE.fullmatch(text.strip()) for text in texts)
    if of_worth is Worth.SLUG:
        return 5 * sum(bool(_SLUG.fullmatch(text) and _WORD.search(text)) for text in texts) >= 4 * count
    if of_worth is Worth.OWN_NUMBER:
        return all(any(map(str.isalpha, text)) for text in texts)
    # What only has a date is called by it.
    return (dates * 5 < count or of_worth is Worth.DATE) and wordy * 5 >= 4 * count


def read_as_designations(texts: Sequence[str]) -> bool:
    """Whether texts are such as tell things apart, words or not: short, no links, and more than a number."""
    short = [
        text for text in texts if len(text) <= _LONGEST_DESIGNATION and not _LINK.fullmatch(text.strip())
    ]
    return len(short) == len(texts) and sum(text.strip().isdecimal() for text in texts) * 2 <= len(texts)
