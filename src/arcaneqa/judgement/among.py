"""Yes or no, where a reading lists what the question names one of: "was Alien directed by Ridley Scott?" asks
whether he is among its directors, and not for these; "does it run more than 90 minutes?" whether its run time
is more, and not for this."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.pointless import conjuncts
from arcaneqa.judgement.polarity import plain_number, said_comparisons
from arcaneqa.judgement.small_words import SMALL, root_of, roots_of
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import words
from arcaneqa.kb.terms import Literal
from arcaneqa.links import LIKELY, Links
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute

_STEM = 4
"""Letters that two words of one origin begin with at least."""


def is_among(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Found | None:
    """Whether the other thing that is named is among what a program lists of one; None where yes or no is not
    asked for, the program says it already, or the words name another relation."""
    if wanted(question) is not Wanted.TRUTH or ex.denotes(found.program) is not ex.Denotation.SET:
        return None
    spans = {topic.term: (topic.words.start, topic.words.end) for topic in found.topics}
    for part in conjuncts(found.program):
        match part:
            case ex.Join(ex.Relation() as relation, ex.Entity() as entity) if entity in spans:
                pass
            case _:
                continue
        if relation.inverse and (beyond := _beyond(question, links, relation.iri, kb)) is not None:
            return put_right(ex.Meet(beyond, entity), found, kb)
        for other, place in _named_beside(spans[entity], links, kb):
            nodes = _nodes(other, kb)
            number = kb.schema.relation_ids.get(relation.iri)
            ends = kb.in_relations(nodes) if relation.inverse else kb.out_relations(nodes)
            if number not in ends.tolist() or _says_another(question, (spans[entity], place), number, kb):
                continue
            program = ex.Meet(part, other)
            try:
                return replace(found, program=program, result=execute(program, kb))
            except BudgetExceeded:
                return None
    return None


def _beyond(question: str, links: Links, iri: str, kb: KnowledgeBase) -> ex.Compare | None:
    """What has more or less of a relation than the one number that the question compares with."""
    said, number = list(said_comparisons(question).items()), kb.schema.relation_ids.get(iri)
    if len(said) != 1 or number is None or not kb.schema.relations[number].comparable:
        return None
    ((digits, ways),) = said
    readings = (literal for stated in links.literals for literal in stated.readings)
    value = next((one for one in readings if plain_number(one.lexical) == digits), None)
    if value is None or len(ways) != 1:
        return None
    (way,) = ways
    return ex.Compare(way, ex.Relation(iri), ex.Value(value))


def _named_beside(
    taken: tuple[int, int], links: Links, kb: KnowledgeBase
) -> Iterator[tuple[ex.Entity | ex.Value, tuple[int, int]]]:
    """What else is named, with its place; things before texts."""
    start, end = taken
    for mention in links.mentions:
        if mention.score >= LIKELY and (mention.end <= start or end <= mention.start):
            for term in kb.terms(np.array([one.node for one in mention.candidates[:1]], np.int64)):
                if not isinstance(term, Literal):
                    yield ex.Entity(term), (mention.start, mention.end)
    for stated in links.literals:
        if stated.end <= start or end <= stated.start:
            yield from ((ex.Value(literal), (stated.start, stated.end)) for literal in stated.readings)


def _nodes(term: ex.Entity | ex.Value, kb: KnowledgeBase) -> NodeSet:
    if isinstance(term, ex.Value):
        return kb.equal(term.literal)
    node = kb.node(term.term)
    return kb.nodes(np.array([] if node is None else [node], np.int64))


def _says_another(
    question: str, spans: tuple[tuple[int, int], ...], number: int | None, kb: KnowledgeBase
) -> bool:
    """Whether a word beside the names is that of another relation: who directs a film need not appear in
    it."""
    said = {
        root_of(word.folded)
        for word in words(question)
        if not any(start < word.end and word.start < end for start, end in spans)
    } - SMALL
    named = [one for one in kb.schema.relations if not one.hidden and _is_said(roots_of(one.label), said)]
    return bool(named) and all(one.id != number for one in named)


def _is_said(roots: set[str], said: set[str]) -> bool:
    """Whoever directs is the director."""
    return any(
        one == other
        or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))
        for one in roots
        for other in said
    )
