"""How names are compared: words of a text, and the keys under which a name can be found again."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['’`´][^\W_]+)*(?:[+#]+(?!\w))?|&")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
PARENTHESIS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
POSSESSIVE = re.compile(r"['’`´]s?$")
COMBINING = re.compile("[̀-ͯ]")
ARTICLES = frozenset({"the", "a", "an"})
SMALL_WORDS = ARTICLES | frozenset({"of", "and", "for", "in", "on", "at", "de", "la", "du", "der", "von"})
LONGEST_ACRONYM = 6


class Form(IntEnum):
    """What had to be forgotten of a name to arrive at a key, from nothing to nearly everything."""

    PLAIN = 0
    LOOSE = 1
    SHORT = 2
    ACRONYM = 3


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: as it compares (`folded`), and where it stands."""

    folded: str
    start: int
    end: int


def fold(text: str) -> str:
    """Case and accents forgotten; other scripts keep their marks."""
    if text.isascii():
        return text.lower()
    return COMBINING.sub("", unicodedata.normalize("NFKD", text)).casefold()


def words(text: str) -> list[Word]:
    return [Word(_plain(match[0]), match.start(), match.end()) for match in WORD.finditer(text)]


def split(text: str) -> list[str]:
    """The words of a name, folded."""
    if text.isascii():
        return [word if word.isalnum() else _plain(word) for word in WORD.findall(text.lower())]
    return [_plain(word) for word in WORD.findall(unicodedata.normalize("NFC", text))]


def _plain(word: str) -> str:
    if word.isalnum():
        return fold(word)
    if word == "&":
        return "and"
    return re.sub(r"['’`´]", "", fold(POSSESSIVE.sub("", word)))


# Ways to write one thing. The Roman numerals I, V and X are letters more often than numbers.
_NUMERALS = ["ii", "iii", "iv", "", "vi", "vii", "viii", "ix"]
_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
SAME = {"saint": "st", "mount": "mt", "doctor": "dr", "junior": "jr", "versus": "vs"}
SAME |= {word: str(number) for number, word in enumerate(_NUMERALS, 2) if word}
SAME |= {word: str(number) for number, word in enumerate(_NUMBERS, 1)}


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


def short(name: str) -> str | None:
    """The name without what tells it apart from its namesakes: `Paris, Texas` → `Paris`."""
    without = PARENTHESIS.sub(" ", name).strip() if "(" in name or "[" in name else name
    head, comma, tail = without.partition(",")
    if comma and head.strip() and tail.strip():
        without = head.strip()
    return without if without and without != name else None


def acronyms(parts: Sequence[str]) -> list[str]:
    """Initials with and without the small words, from three words up: fewer say too little."""
    found: list[str] = []
    for chosen in (parts, [part for part in parts if part not in SMALL_WORDS]):
        if 3 <= len(chosen) <= LONGEST_ACRONYM:
            letters = "".join(part[0] for part in chosen)
            if letters.isalpha() and letters not in found:
                found.append(letters)
    return found


def keys_of_name(name: str) -> Iterator[tuple[int, Form]]:
    """Every key a name can be found under, each once, most faithful first."""
    parts = split(name) or ([name.strip()] if name.strip() else [])
    if parts:
        yield from keys_of_words(name, parts, loose(parts))


def keys_of_words(name: str, parts: Sequence[str], loosened: Sequence[str]) -> Iterator[tuple[int, Form]]:
    """The keys of a name that has been taken apart already."""
    seen = {first := key(parts)}
    yield first, Form.PLAIN
    more: list[tuple[Sequence[str], Form]] = [(loosened, Form.LOOSE)] if loosened != parts else []
    if shorter := short(name):
        shorter_parts = split(shorter)
        more += [(shorter_parts, Form.SHORT), (loose(shorter_parts), Form.SHORT)]
    if len(parts) > 2:
        more += [([letters], Form.ACRONYM) for letters in acronyms(parts)]
    for other, form in more:
        if other and (value := key(other)) not in seen:
            seen.add(value)
            yield value, form


def name_from_iri(iri: str) -> str | None:
    """The last part of an IRI as words, or None where it is a code rather than a name."""
    tail = re.split(r"[/#]", iri.rstrip("/#"))[-1]
    if "%" in tail:
        from urllib.parse import unquote

        tail = unquote(tail)
    text = CAMEL.sub(" ", tail.replace("_", " ")).strip()
    parts = split(text)
    letters = [part for part in parts if part.isalpha() and len(part) > 1]
    mixed = any(not part.isalpha() and any(map(str.isalpha, part)) for part in parts)
    if not letters or mixed or not any(_pronounceable(part) for part in letters):
        return None
    return text


def _pronounceable(part: str) -> bool:
    return not part.isascii() or any(letter in "aeiouy" for letter in part)
