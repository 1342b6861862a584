"""Where a question names an entity: its label or another of its names, exactly or nearly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from rapidfuzz import fuzz, process

_WORD = re.compile(r"\w+")
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_CLOSE_ENOUGH = 84.0
"""Of 100: how alike (rapidfuzz, share of letters in common) a stretch of the question and a name must be to
be taken for its mention."""
# Words of names that by themselves name nothing in particular.
# fmt: off
_VAGUE = frozenset((
    "and", "at", "award", "awards", "book", "by", "central", "city", "club", "college", "country", "county",
    "day", "de", "der", "east", "el", "film", "first", "for", "from", "game", "games", "general", "high",
    "in", "international", "king", "la", "language", "le", "literary", "movie", "national", "new", "north",
    "of", "old", "on", "party", "people", "person", "president", "prince", "queen", "river", "saint",
    "school", "season", "second", "series", "show", "south", "state", "states", "team", "the", "to", "town",
    "union", "university", "van", "von", "west", "with", "world", "year",
))
# fmt: on


def locate(question: str, names: Iterable[str]) -> tuple[int, int] | None:
    """Start and end of the stretch of the question that says one of the names, the first that fits.

    Names are tried as they are, then without case, accents and punctuation, then as the stretch of
    words that comes nearest in spelling, then in part: some words of a name, or its initials.
    """
    tried = [name for name in dict.fromkeys(names) if name.strip()]
    tried += [short for name in tried if (short := _BRACKETED.sub("", name)) and short != name]
    for name in tried:
        if (span := _exact(question, name)) is not None:
            return span
    words = [(found.start(), found.end()) for found in _WORD.finditer(question)]
    plain = [_plain(question[start:end]) for start, end in words]
    for name in tried:
        if (span := _by_words(words, plain, name)) is not None:
            return span
    return _nearest(words, plain, tried) or _partly(words, plain, tried) or _initials(words, plain, tried)


def _exact(question: str, name: str) -> tuple[int, int] | None:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
    return found.span() if found else None


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in folded if character.isalnum())


def _by_words(words: list[tuple[int, int]], plain: list[str], name: str) -> tuple[int, int] | None:
    """Compared without spaces, so that "dead sea" is found in "deadsea" and the other way round."""
    wanted = _plain(name)
    if not wanted:
        return None
    for first in range(len(words)):
        joined = ""
        for last in range(first, len(words)):
            joined += plain[last]
            if joined == wanted:
                return words[first][0], words[last][1]
            if not wanted.startswith(joined):
                break
    return None


def _nearest(words: list[tuple[int, int]], plain: list[str], names: list[str]) -> tuple[int, int] | None:
    best: tuple[float, tuple[int, int]] | None = None
    for name in names:
        wanted = " ".join(_plain(found[0]) for found in _WORD.finditer(name))
        size = wanted.count(" ") + 1
        if len(wanted) < 4:
            continue
        stretches = {
            (first, last): " ".join(plain[first : last + 1])
            for length in range(max(1, size - 1), size + 2)
            for first in range(len(words) - length + 1)
            for last in (first + length - 1,)
        }
        found = process.extractOne(wanted, stretches, scorer=fuzz.ratio, score_cutoff=_CLOSE_ENOUGH)
        if found is not None and (best is None or found[1] > best[0]):
            first, last = found[2]
            best = found[1], (words[first][0], words[last][1])
    return None if best is None else best[1]


def _partly(words: list[tuple[int, int]], plain: list[str], names: list[str]) -> tuple[int, int] | None:
    """The longest run of a name's words, one of them telling; the start of a word stands for it (Shaq)."""
    best: tuple[int, tuple[int, int]] | None = None
    for name in names:
        wanted = [_plain(found[0]) for found in _WORD.finditer(name)]
        for first in range(len(words)):
            for start in range(len(wanted)):
                size = 0
                while (
                    first + size < len(words)
                    and start + size < len(wanted)
                    and _stands_for(plain[first + size], wanted[start + size])
                ):
                    size += 1
                run = plain[first : first + size]
                letters = sum(map(len, run))
                telling = any(len(word) > 2 and word not in _VAGUE for word in run)
                if telling and (best is None or letters > best[0]):
                    best = letters, (words[first][0], words[first + size - 1][1])
    return None if best is None else best[1]


def _stands_for(word: str, whole: str) -> bool:
    return word == whole or (len(word) >= 4 and whole.startswith(word))


def _initials(words: list[tuple[int, int]], plain: list[str], names: list[str]) -> tuple[int, int] | None:
    """As "jfk" for John F. Kennedy, "us" and "usa" for United States of America."""
    for name in names:
        letters = "".join(found[0][0] for found in _WORD.finditer(name) if found[0][0].isupper()).lower()
        for (start, end), word in zip(words, plain, strict=True):
            if len(word) >= 2 and letters.startswith(word):
                return start, end
    return None
