"""How names are compared: words, keys they are found under, and words of one origin."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import unquote

from rapidfuzz import fuzz

from arcaneqa.kb.names.words import CAMEL, tail

# How names are compared: words of a text, and the keys under which a name can be found again.


# Scripts that put no spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese), and Korean, which
# joins endings to names: every letter is taken for a word, so that a name can begin and end anywhere.
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff"
SPACELESS += "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_BEHIND = r"(?:[+#]+(?!\w))?|&"
ASCII_WORD = re.compile(rf"[a-zA-Z0-9]+(?:['`][a-zA-Z0-9]+)*{_BEHIND}")
PARENTHESIS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
POSSESSIVE = re.compile(r"['’`´]s?$")
COMBINING = re.compile("[\u0300-\u036f]")
# Letters that are written without their strokes where a keyboard lacks them, and do not come apart as é does.
UNSTROKED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})
ARTICLES = frozenset({"the", "a", "an"})
SMALL_WORDS = ARTICLES | frozenset({"of", "and", "for", "in", "on", "at", "de", "la", "du", "der", "von"})
# A letter beside a figure, or nothing but figures and letters that nobody can say together.
_PLAIN_CODE = re.compile(
    r"[a-z0-9._-]*(?:[a-z][0-9]|[0-9][a-z])[a-z0-9._-]*"
    r"|(?=[^a-z]*[a-z])(?:[._-]*(?:[a-z]|[b-df-hj-np-tv-xz]+|[0-9]+)(?![a-z0-9]))+[._-]*"
)
_BETWEEN = str.maketrans("", "", "._-")
TITLE_BREAK = re.compile(r":\s+|\s+[-–—]\s+")
SHORTEST_TITLE = 4
"""Characters of a part before a colon or dash that is a name by itself."""
LONGEST_ACRONYM = 6
"""Letters; with fewer than three it is an abbreviation of anything."""


class Forgotten(IntEnum):
    """What had to be forgotten of a name to arrive at a key, from nothing to nearly everything."""

    PLAIN = 0
    LOOSE = 1
    SHORT = 2
    ACRONYM = 3


class Word(NamedTuple):
    """A word of a text: as it compares (`folded`), and where it stands."""

    folded: str
    start: int
    end: int


def fold(text: str) -> str:
    """Case and accents forgotten; other scripts keep their marks."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", COMBINING.sub("", apart)).translate(UNSTROKED)


@cache
def word_of_any_script() -> re.Pattern[str]:
    """Takes several milliseconds to compile, which whoever asks in plain English shall not wait for."""
    is_mark = [unicodedata.category(chr(place))[0] == "M" for place in range(0x1D00)]
    # From each first one to the last beside it: one by one they take longer to compile than all the rest.
    marks = "".join(
        f"{chr(first)}-{chr(is_mark.index(False, first) - 1)}"
        for first in range(0x300, 0x1CFF)
        if is_mark[first] and not is_mark[first - 1]
    )
    letters = rf"[^\W_{SPACELESS}](?:[^\W_{SPACELESS}]|[{marks}])*"
    return re.compile(rf"{letters}(?:['’`´]{letters})*{_BEHIND}|(?=[{SPACELESS}])[^\W_][{marks}]*")


@lru_cache(maxsize=64)
def words(text: str) -> tuple[Word, ...]:
    """Of a question, which is taken apart a dozen times before it is answered."""
    word = ASCII_WORD if text.isascii() else word_of_any_script()
    return tuple(Word(_plain(match[0]), match.start(), match.end()) for match in word.finditer(text))


def split(text: str) -> list[str]:
    """The words of a name, folded."""
    return list(_split(text))


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[str, ...]:
    """Rules ask for the words of the same questions, relations and classes again and again."""
    if text.isascii():
        return tuple([word if word.isalnum() else _plain(word) for word in ASCII_WORD.findall(text.lower())])
    return tuple([_plain(word) for word in word_of_any_script().findall(unicodedata.normalize("NFC", text))])


def _plain(word: str) -> str:
    if word.isalnum():
        return fold(word)
    if word == "&":
        return "and"
    return re.sub(r"['’`´]", "", fold(POSSESSIVE.sub("", word)))


# Ways to write one thing. The Roman numerals I, V and X are letters more often than numbers.
_ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
_NUMERALS = {unit: n for n, unit in enumerate(_ROMAN, 1) if unit not in ("i", "v")}
_NUMERALS |= {f"x{unit}": n for n, unit in enumerate(_ROMAN, 11)} | {"xx": 20}
_CARDINALS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
"""
CARDINALS = tuple(_CARDINALS.split())
_ORDINALS = """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
"""
ORDINALS = tuple(_ORDINALS.split())
"""Each at the place of its number, as in `CARDINALS`."""
SAME = {"saint": "st", "mount": "mt", "doctor": "dr", "junior": "jr", "versus": "vs"}
SAME |= {"gases": "gas", "buses": "bus", "viruses": "virus", "bonuses": "bonus", "campuses": "campus"}
SAME |= {"women": "woman", "men": "man", "children": "child"}
SAME |= {numeral: str(number) for numeral, number in _NUMERALS.items()}
SAME |= {word: str(number) for number, word in enumerate(CARDINALS[1:13], 1)}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word as it is compared where spelling may differ: singular, numbers as digits, usual short forms."""
    if word in SAME:
        return SAME[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
        return word[:-1]
    return word


def key(parts: Sequence[str]) -> int:
    """64 bits for a name, spaces forgotten: `dead sea` and `deadsea` are one."""
    return int.from_bytes(hashlib.blake2b("".join(parts).encode(), digest_size=8).digest(), "little")


def loose(parts: Sequence[str]) -> list[str]:
    """Plurals and a leading article forgotten."""
    kept = parts[1:] if len(parts) > 1 and parts[0] in ARTICLES else parts
    return [stem(part) for part in kept]


def shorter(name: str) -> Iterator[str]:
    """The name without what tells it apart from its namesakes (`Paris, Texas` → `Paris`), and the parts of a
    title (`Star Wars: A New Hope` → `Star Wars`, `A New Hope`)."""
    without = PARENTHESIS.sub(" ", name).strip() if "(" in name or "[" in name else name
    head, comma, tail = without.partition(",")
    if comma and head.strip() and tail.strip():
        without = head.strip()
    if without and without != name:
        yield without
    parts = TITLE_BREAK.split(without)
    if len(parts) > 1:
        yield from (part for part in parts if len(part) >= SHORTEST_TITLE)


def acronyms(parts: Sequence[str]) -> list[str]:
    """Initials with and without the small words, from three words up: fewer say too little."""
    found: list[str] = []
    for chosen in (parts, [part for part in parts if part not in SMALL_WORDS]):
        if 3 <= len(chosen) <= LONGEST_ACRONYM:
            letters = "".join(part[0] for part in chosen)
            if letters.isalpha() and letters not in found:
                found.append(letters)
    return found


def keys_of_name(name: str) -> Iterator[tuple[int, Forgotten]]:
    """Every key a name can be found under, each once, most faithful first."""
    parts = split(name) or ([name.strip()] if name.strip() else [])
    if parts:
        yield from keys_of_words(name, parts, loose(parts))


def keys_of_words(
    name: str, parts: Sequence[str], loosened: Sequence[str]
) -> Iterator[tuple[int, Forgotten]]:
    """The keys of a name that has been taken apart already."""
    seen = {first := key(parts)}
    yield first, Forgotten.PLAIN
    more: list[tuple[Sequence[str], Forgotten]] = [(loosened, Forgotten.LOOSE)] if loosened != parts else []
    if (
        not name.isascii()
        and (spelt := split(unicodedata.normalize("NFC", name).lower().translate(UMLAUTS))) != parts
    ):
        more.append((spelt, Forgotten.LOOSE))
    for part in shorter(name):
        shorter_parts = split(part)
        more += [(shorter_parts, Forgotten.SHORT), (loose(shorter_parts), Forgotten.SHORT)]
    if len(parts) > 2:
        more += [([letters], Forgotten.ACRONYM) for letters in acronyms(parts)]
    for other, form in more:
        if other and (value := key(other)) not in seen:
            seen.add(value)
            yield value, form


def name_from_iri(iri: str) -> str:
    """The last part of an IRI as words."""
    last = tail(iri)
    if "%" in last:
        last = unquote(last)
    last = last.replace("_", " ")
    return (last if last.islower() else CAMEL.sub(" ", last)).strip() or iri


def code_from_iri(iri: str) -> str | None:
    """The letters and figures of an IRI's last part, if it is plainly a code (`m.0abc`, `x-17`), in a third
    of the time that `name_from_iri` and `is_code` take. None where they have to say what it is."""
    last = tail(iri)
    return last.translate(_BETWEEN) if _PLAIN_CODE.fullmatch(last) else None


def is_code(parts: Sequence[str]) -> bool:
    """Whether the words of an IRI's last part are a code (`Q42`, `m 0abc`) rather than a name: nobody says a
    piece of it, or misspells it and is understood."""
    is_sayable = False
    for part in parts:
        if not part.isalpha():
            if any(map(str.isalpha, part)):
                return True
        elif len(part) > 1 or not part.isascii():
            is_sayable = is_sayable or _pronounceable(part)
    return not is_sayable


def _pronounceable(part: str) -> bool:
    return not part.isascii() or any(letter in "aeiouy" for letter in part)


# Words that may be the same. Of one origin, they differ in their endings: who is smoking smokes,
# rodents are Rodentia, and what is done heavily is heavy. With a slip, they share most letters.


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
