"""A question as somebody else would type it: another opening, keywords, a slip of the fingers.

Only what stands between the mentions changes: names stay as they were said, at the place where they are then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

Span = tuple[int, int]

_OPENING = re.compile(
    r"(?:please )?(?:what (?:is|are|was|were)|(?:can you |could you )?(?:show|give|tell)(?: me)?"
    r"|list(?: out)?|find(?: out)?|return|display|name)(?: all)?(?: of)?(?: the)?\s+",
    re.IGNORECASE,
)
_OPENINGS = (
    *("What are the ", "Show me the ", "Show ", "List the ", "List all ", "Give me the ", "Find the "),
    *("Return ", "Tell me the ", "Can you tell me the ", "I need the ", "I would like to know the ", ""),
)
_COUNTING = re.compile(r"how many\s+", re.IGNORECASE)
_COUNTINGS = ("What is the number of ", "Count the ", "Number of ", "Tell me how many ", "Find how many ")
_ARE_THERE = re.compile(r"\s+(?:are there|do we have|exist)\b|\b(?:are|is) there\s+", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")
_DROPPED = """
a an the is are was were do does did there that which who whom whose have has had what where show list give
find return tell display me please all it they them their its we you can could be been also some any
"""
_OFTEN_DROPPED = "of in by for at on"
_SHORTEST_SLIP = 5
"""Letters of a word in which a slip leaves it readable."""


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    new: str


def restyled(question: str, mentions: Sequence[Span], draw: Random) -> tuple[str, list[Span]] | None:
    """The question typed otherwise, and where its mentions are then; None where nothing is left to change."""
    way = draw.choice((_opened_otherwise, _opened_otherwise, _tersely, _tersely, _with_a_slip))
    edits = [edit for edit in way(question, draw) if _is_free(edit, mentions)]
    if not edits:
        return None
    text, spans = _applied(question, edits, mentions)
    if draw.random() < 0.5:
        # Capitals carry no length, so the places hold. Other scripts may have letters that grow.
        text = text.lower() if len(text.lower()) == len(text) else text
    return (text, spans) if len(text.split()) > 1 else None


def _opened_otherwise(question: str, draw: Random) -> Iterable[Edit]:
    if match := _COUNTING.match(question):
        yield Edit(0, match.end(), draw.choice(_COUNTINGS))
        if there := _ARE_THERE.search(question):
            yield Edit(there.start(), there.end(), " " if there.group().startswith(" ") else "")
    elif match := _OPENING.match(question):
        yield Edit(0, match.end(), draw.choice(_OPENINGS))
    else:
        return
    yield from _without_mark(question)


def _tersely(question: str, draw: Random) -> Iterable[Edit]:
    dropped = {*_DROPPED.split(), *(_OFTEN_DROPPED.split() if draw.random() < 0.5 else ())}
    for match in _WORD.finditer(question):
        if match.group().lower() in dropped:
            end = match.end() + (question[match.end() : match.end() + 1] == " ")
            yield Edit(match.start(), end, "")
    yield from _without_mark(question)


def _with_a_slip(question: str, draw: Random) -> Iterable[Edit]:
    words = [match for match in _WORD.finditer(question) if len(match.group()) >= _SHORTEST_SLIP]
    if not words:
        return
    match = draw.choice(words)
    place = draw.randrange(match.start() + 1, match.end() - 1)
    one, other = question[place], question[place + 1]
    yield Edit(place, place + 2, draw.choice((other + one, one, one + one + other)))


def _without_mark(question: str) -> Iterable[Edit]:
    if question[-1:] in ("?", "."):
        bare = question[:-1].rstrip()
        yield Edit(len(bare), len(question), "")


def _is_free(edit: Edit, mentions: Sequence[Span]) -> bool:
    return all(edit.end <= start or end <= edit.start for start, end in mentions)


def _applied(question: str, edits: Sequence[Edit], mentions: Sequence[Span]) -> tuple[str, list[Span]]:
    parts, at, moved = [], 0, []
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [question[at : edit.start], edit.new]
        at = edit.end
        moved.append((edit.end, len(edit.new) - (edit.end - edit.start)))
    text = "".join([*parts, question[at:]]).rstrip()

    def place(old: int) -> int:
        return old + sum(by for end, by in moved if end <= old)

    return text, [(place(start), place(start) + end - start) for start, end in mentions]
