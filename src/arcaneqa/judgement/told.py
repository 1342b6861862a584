"""Programs that a question says in so many words, and what its names stand for in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.added import added
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Class, Relation
from arcaneqa.kb.terms import Literal
from arcaneqa.links import Links, MentionLink
from arcaneqa.program import expression as ex


@dataclass(frozen=True, slots=True)
class Told:
    """A program for what the question says, by a relation or class. Unless `is_certain` it may mean more: a
    port that is no capital by its kind may be one by what is told of it."""

    program: ex.Expression
    topics: tuple[Topic, ...]
    by: Relation | Class
    is_certain: bool = True

    def is_other(self, program: ex.Expression) -> bool:
        return self.is_certain and program != self.program

    def as_found(self, near: Found, kb: KnowledgeBase) -> Found | None:
        return added(self.program, replace(near, topics=self.topics), self.by, kb)


def named(links: Links, kb: KnowledgeBase) -> Iterator[Topic]:
    """What each mention most likely names, and all that are called so."""
    for mention in links.mentions:
        for place, candidate in enumerate(mention.candidates):
            if place == 0 or candidate.label.casefold() == mention.text.casefold():
                yield _topic(mention, place, kb)


def _topic(mention: MentionLink, place: int, kb: KnowledgeBase) -> Topic:
    candidate = mention.candidates[place]
    (term,) = kb.terms(np.array([candidate.node], np.int64))
    assert not isinstance(term, Literal)
    words = TopicWords(candidate.label, mention.start, mention.end, 0)
    return Topic(ex.Entity(term), words, mention.score + candidate.score)


def in_small(question: str) -> str | None:
    """The question in small letters, unless these are longer and places would not fit."""
    text = question.lower().rstrip(" ?.!")
    return text if len(text) <= len(question) else None
