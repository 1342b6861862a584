"""Where a question names the topics of its program: entities by their names, values as people write them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache

import inflect
import numpy as np

from arcaneqa.datasets.mention_places import locate
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import NUMBERS, TIMES
from arcaneqa.program.expression import Entity, Expression, Value, post_order
from arcaneqa.record import Mention

_SPELLED_OUT = 100
"""Whole numbers up to this are also looked for as words."""
_DAYS = ("%Y-%m-%d", "%B %d, %Y", "%B %d %Y", "%d %B %Y", "%b %d, %Y", "%m/%d/%Y", "%Y/%m/%d")
# Codes that people never say; other codes stand in the question, or nothing says what they mean.
_SAID = {
    "f": ("female", "females", "women", "woman", "girls", "girl"),
    "m": ("male", "males", "men", "man", "boys", "boy"),
}


def mentions(program: Expression, question: str, kb: KnowledgeBase) -> tuple[Mention, ...]:
    """The topics of a program in the order of the question; without a span where it does not say them."""
    topics = dict.fromkeys(node for node in post_order(program) if isinstance(node, Entity | Value))
    spoken = [(topic, _ways(topic, kb)) for topic in topics]
    found: list[Mention] = []
    rest = question
    # Longer names first, so that a number inside a name is not taken for the number.
    for topic, ways in sorted(spoken, key=lambda pair: -max(map(len, pair[1]), default=0)):
        span = locate(rest, ways)
        if span is None:
            found.append(Mention(_id(topic, kb)))
            continue
        start, end = span
        rest = rest[:start] + " " * (end - start) + rest[end:]
        found.append(Mention(_id(topic, kb), question[start:end], start, end))
    return tuple(sorted(found, key=lambda m: len(question) if m.start is None else m.start))


def _id(topic: Entity | Value, kb: KnowledgeBase) -> str:
    if isinstance(topic, Entity):
        return Names(kb.profile).write(topic.term)
    return f"{topic.literal.lexical}^^{topic.literal.datatype}"


def _ways(topic: Entity | Value, kb: KnowledgeBase) -> list[str]:
    if isinstance(topic, Value):
        return list(_said(topic.literal))
    node = kb.node(topic.term)
    if node is None:
        return []
    ids = np.array([node], np.int64)
    names = [name for name in (*kb.labels(ids), *kb.aliases(ids)[0]) if name]
    return [way for name in names for way in _said(Literal(name))]


def _said(literal: Literal) -> Iterator[str]:
    """How people write a value."""
    text = literal.lexical
    if literal.datatype in TIMES:
        yield from _times(text, literal.datatype)
    yield text
    if literal.datatype in NUMBERS:
        yield from _numbers(text)
    yield from _SAID.get(text.lower(), ())


def _numbers(text: str) -> Iterator[str]:
    number = float(text)
    if not number.is_integer():
        yield f"{number:,}"
        return
    whole = int(number)
    yield str(whole)
    yield f"{whole:,}"
    if 0 <= whole <= _SPELLED_OUT:
        yield _words(whole)
    for size, word in ((10**6, "million"), (10**9, "billion")):
        if whole and whole % (size // 10) == 0:
            yield f"{whole / size:g} {word}"


@cache
def _words(number: int) -> str:
    return str(_engine().number_to_words(number))  # type: ignore[arg-type]


@cache
def _engine() -> inflect.engine:
    return inflect.engine()


def _times(text: str, datatype: str) -> Iterator[str]:
    if datatype in (XSD + "date", XSD + "dateTime"):
        moment = datetime.fromisoformat(text)
        yield text.replace("T", " ")
        yield from (moment.strftime(form) for form in _DAYS)
