"""Plurals and verb forms of the words in a schema's labels."""

from __future__ import annotations

from functools import cache

import inflect

from arcaneqa.synthesis.word_tables import TABLES

_ENGINE = inflect.engine()
PREPOSITIONS = frozenset(
    (
        "of",
        "in",
        "at",
        "for",
        "to",
        "from",
        "on",
        "by",
        "with",
        "into",
        "through",
        "under",
        "over",
        "near",
        "as",
    )
)
_IRREGULAR: dict[str, list[str]] = TABLES["verbs"]["irregular"]


@cache
def plural(noun: str) -> str:
    """`date of birth` → `dates of birth`; what is plural already stays."""
    head, rest = _head(noun)
    before, _, last = head.rpartition(" ")
    if last in PARTICIPLES:
        return f"{plural(before)} {last}{rest}".strip()
    if is_plural(head):
        return noun
    return _ENGINE.plural_noun(head) + rest if head else noun


@cache
def singular(noun: str) -> str:
    head, rest = _head(noun)
    found = _ENGINE.singular_noun(head) if is_plural(head) else False
    return f"{found}{rest}" if found else noun


@cache
def is_plural(noun: str) -> bool:
    word = noun.rpartition(" ")[2]
    if word in ("people", "children", "men", "women", "feet", "teeth", "mice", "criteria"):
        return True
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "series", "species", "news")):
        return False
    single = _ENGINE.singular_noun(word)
    return bool(single) and _ENGINE.plural_noun(str(single)) == word


@cache
def with_article(noun: str) -> str:
    return str(_ENGINE.a(noun))


def _head(noun: str) -> tuple[str, str]:
    """The noun before its first preposition, and the rest."""
    words = noun.split(" ")
    for place, word in enumerate(words[1:], 1):
        if word in PREPOSITIONS:
            return " ".join(words[:place]), " " + " ".join(words[place:])
    return noun, ""


def third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def past(verb: str) -> str:
    return _IRREGULAR[verb][0] if verb in _IRREGULAR else _regular_past(verb)


def participle(verb: str) -> str:
    return _IRREGULAR[verb][1] if verb in _IRREGULAR else _regular_past(verb)


def gerund(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return (verb + verb[-1] if _doubles(verb) else verb) + "ing"


def _regular_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return (verb + verb[-1] if _doubles(verb) else verb) + "ed"


def _doubles(verb: str) -> bool:
    """`ship` → `shipped`, but `open` → `opened`: a single short syllable at the end."""
    vowels = sum(letter in "aeiou" for letter in verb)
    short = len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou" and verb[-3] not in "aeiou"
    return short and (vowels == 1 or verb in ("enrol", "control", "program", "commit", "refer"))


_VERBS = tuple(dict.fromkeys([*TABLES["verbs"]["regular"].split(), *_IRREGULAR]))
BASE_FORMS = frozenset(_VERBS)
THIRD_FORMS = {third_person(verb): verb for verb in _VERBS}
PARTICIPLES = {participle(verb): verb for verb in _VERBS}
