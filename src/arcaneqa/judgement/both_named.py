"""Yes or no about two that are named: "did Brahms play the piano?" asks whether a fact joins them, and is
answered with no where others of his kind have a piano by the one relation that leads there and he has not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import are_of_one_origin, split
from arcaneqa.kb.schema import Relation
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.links import LIKELY, Links, MentionLink

_COMPARED = re.compile(r"\b(?:than|as|same|both|or|not|no|more|less|\w+n't|any|some|all|every|other)\b", re.I)
"""Words of what is no one fact."""
_MOST_WORDS = 3
"""Beside the two names, the verb that joins them, and perhaps a noun or two: "was Alien first shown in"."""


def joined_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """Whether a fact joins the two things that a question names: by the one relation that it says, else by
    the only one there is."""
    if wanted(asked.question) is not Wanted.TRUTH or _COMPARED.search(asked.question):
        return None
    pair = named(asked.links)
    if len(pair) != 2 or len(beside := _beside(asked.question, *pair)) > _MOST_WORDS:
        return None
    one, other = pair
    ways = [*_ways(one, other, asked.kb), *_ways(other, one, asked.kb)]
    said = [way for way in ways if _is_said(way.relation, beside)]
    if len(said or ways) != 1:
        return None
    (way,) = said or ways

    def is_other(reading: Found) -> bool:
        walked = {one.iri for node in ex.post_order(reading.program) for one in ex.relations(node)}
        is_told = ex.denotes(reading.program) is ex.Denotation.TRUTH
        return not is_told or (bool(said) and way.relation.iri not in walked)

    def further(readings: Sequence[Found]) -> list[Found]:
        new = added(way.program, likeliest(readings), way.relation, asked.kb)
        trace = None if new is None else Trace([topic.words for topic in way.topics], new.trace.steps)
        return [] if new is None or trace is None else [replace(new, topics=way.topics, trace=trace)]

    return Said(is_other, further)


def _is_said(relation: Relation, words: Sequence[str]) -> bool:
    """Whether a telling word is that of a relation: whoever was directed has a director."""
    name = {root_of(word) for word in split(relation.label)} - SMALL
    said = {root_of(word) for word in words} - SMALL
    return any(one == word or are_of_one_origin(one, word) for one in name for word in said)


def named(links: Links) -> list[MentionLink]:
    """The mentions that are likely, or just what something is called, and that no longer one holds."""
    likely = [one for one in links.mentions if one.score >= LIKELY or _is_name(one)]
    return [
        one
        for one in likely
        if not any(
            other.start <= one.start
            and one.end <= other.end
            and other is not one
            and (other.end - other.start, other.score) > (one.end - one.start, one.score)
            for other in likely
        )
    ]


def _is_name(mention: MentionLink) -> bool:
    return mention.candidates[0].label.casefold() == mention.text.casefold()


def _beside(question: str, one: MentionLink, other: MentionLink) -> list[str]:
    first, last = sorted((one, other), key=lambda mention: mention.start)
    rest = [question[: first.start], question[first.end : last.start], question[last.end :]]
    return [word for text in rest for word in split(text) if root_of(word) not in SMALL]


@dataclass(frozen=True, slots=True)
class _Way:
    program: ex.Meet
    relation: Relation
    topics: tuple[Topic, ...]


def _ways(one: MentionLink, other: MentionLink, kb: KnowledgeBase) -> Iterator[_Way]:
    """The relations that lead from things of the kind of one to the other, or from one to things of its
    kind."""
    ids = [mention.candidates[0].node for mention in (one, other)]
    terms = kb.terms(np.array(ids, np.int64))
    if any(isinstance(term, Literal) for term in terms):
        return
    subject, target = (kb.nodes(np.array([node], np.int64)) for node in ids)
    from_, to = (ex.Entity(term) for term in terms if not isinstance(term, Literal))
    own, others = (set(kb.classes(nodes).tolist()) for nodes in (subject, target))
    topics = tuple(
        Topic(entity, TopicWords(mention.text, mention.start, mention.end, 0), mention.score)
        for entity, mention in ((to, other), (from_, one))
    )
    into, out = set(kb.in_relations(target).tolist()), set(kb.out_relations(subject).tolist())
    for number in sorted(into | out):
        relation = kb.schema.relations[number]
        is_from = number in out or not own.isdisjoint((relation.domain, *relation.other_domains))
        is_to = number in into or relation.range in others
        if not relation.hidden and is_from and is_to:
            yield _Way(ex.Meet(ex.Join(ex.Relation(relation.iri), to), from_), relation, topics)
