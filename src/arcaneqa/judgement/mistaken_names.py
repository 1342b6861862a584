"""Names of which the question says another: "the international system of units" is not the imperial one,
though both are systems of units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from arcaneqa.induction.found import Found
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.names.name_forms import split, words
from arcaneqa.links import Links
from arcaneqa.program import expression as ex

_SLIP = 75
"""Of 100: letters that two words share, from which on one may be the other."""

_COMMON = 3
"""Words of an end and names with it, together, from which on it is no name by itself."""


@dataclass(frozen=True, slots=True)
class Mistaken:
    """What the question calls something, and who are called nearly so."""

    said: str
    near: tuple[str, ...]


def mistaken_name(question: str, links: Links, found: Found, unknown: Sequence[str]) -> Mistaken | None:
    """A name that the program takes for that of an entity whose name only ends like it: what stands right
    before the end was said to tell such things apart, and none of them has it. An end of one word must be
    that of several, for it may follow a title ("president Lincoln"). `unknown`: words that nothing in the
    program says."""
    for topic in found.topics:
        start, end = topic.words.start, topic.words.end
        mention = next((one for one in links.mentions if (one.start, one.end) == (start, end)), None)
        if mention is None or not isinstance(topic.term, ex.Entity):
            continue
        ending = _roots(question[start:end])
        names = {one.label: _roots(one.label) for one in mention.candidates}
        near = [label for label, own in names.items() if own[-len(ending) :] == ending != own]
        before = [word for word in words(question) if word.end <= start][-1:]
        if len(near) < len(names) or len(near) + len(ending) < _COMMON or not before:
            continue
        (word,) = before
        root = root_of(word.folded)
        said = question[word.start : word.end]
        if root not in SMALL and said in unknown and not _is_nearly_in(root, names.values()):
            return Mistaken(question[word.start : end], tuple(near))
    return None


def _is_nearly_in(word: str, names: Iterable[Sequence[str]]) -> bool:
    """Whether a word may be one of theirs with a slip: Rand for Randy."""
    return any(fuzz.ratio(word, own) >= _SLIP for name in names for own in name)


def _roots(text: str) -> list[str]:
    return [root_of(word) for word in split(text)]
