"""What one row says of several things: "did Tom Hanks win in 1994?" asks whether there is a row of both, and
"what is the melting point of gold?" asks a table that says it of gold and is not the elements' own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.topics import Topic, topics_from_links
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked import Wanted, signs, wanted
from arcaneqa.judgement.asked_columns import column_asked_for
from arcaneqa.judgement.coverage import left_out_by
from arcaneqa.judgement.looked_up import columns_with, nodes_of
from arcaneqa.judgement.polarity import said_comparisons
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import roots_of
from arcaneqa.judgement.yes_or_no import DENYING
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form, forms_of
from arcaneqa.language.run import execute
from arcaneqa.links import LIKELY, Links
from arcaneqa.support.errors import BudgetExceeded, ProgramError

_OTHERWISE = frozenset((Form.EITHER, Form.SUPERLATIVE, Form.NUMBER, Form.COMPARISON))
"""Forms of which some condition is not just that a row has something."""


# Yes or no --------------------------------------------------------------------------------------------------


def row_said(asked: Asked, found: Sequence[Found]) -> Said | None:
    """Whether any row has all that a question of yes or no names, where no reading asks that."""
    question = asked.question
    if wanted(question) is not Wanted.TRUTH or said_comparisons(question):
        return None
    if DENYING.search(question) or any(sign.form in _OTHERWISE for sign in signs(question)):
        return None

    def is_other(one: Found) -> bool:
        unused = left_out_by(asked, one).unused
        return Form.TRUTH not in forms_of(one.program) or bool(unused)

    if not all(map(is_other, found)):
        return None
    named = _named(asked.links, asked.kb)
    ways = [way for kind in _kinds(named, asked.kb) if (way := _all_in(kind, named, question, asked.kb))]
    if len(named) < _SEVERAL or len(ways) != 1:
        return None
    (conditions,) = ways

    def further(found: Sequence[Found]) -> list[Found]:
        one = _as_one(conditions, likeliest(found), asked.kb)
        return [] if one is None else [one]

    return Said(is_other, further)


_SEVERAL = 2


def _named(links: Links, kb: KnowledgeBase) -> list[list[Topic]]:
    """For each stretch that likely names or states something what it may mean."""
    likely = replace(links, mentions=tuple(one for one in links.mentions if one.score > LIKELY))
    spans: dict[tuple[int, int], list[Topic]] = {}
    for topic in topics_from_links(likely, kb).items:
        spans.setdefault((topic.words.start, topic.words.end), []).append(topic)
    return list(spans.values())


def _kinds(named: Sequence[Sequence[Topic]], kb: KnowledgeBase) -> list[int]:
    """Kinds whose members have something of what is named first."""
    nodes = [nodes_of(topic.term, kb) for topic in (named[0] if named else ())]
    leading = {kb.schema.relations[r].domain for some in nodes for r in kb.in_relations(some).tolist()}
    own = {kind for some in nodes for kind in kb.classes(some).tolist()}
    return sorted(kind for kind in leading | own if kind is not None and not kb.schema.classes[kind].hidden)


def _all_in(
    kind: int, named: Sequence[Sequence[Topic]], question: str, kb: KnowledgeBase
) -> dict[Topic, ex.Expression] | None:
    """The condition that each thing that is named is for rows of a kind; None where one of them is none, or
    may be several."""
    conditions: dict[Topic, ex.Expression] = {}
    for topics in named:
        ways = [(topic, way) for topic in topics for way in _ways(kind, topic, question, kb)]
        if len(ways) != 1:
            return None
        conditions.update(ways)
    return conditions


def _ways(kind: int, topic: Topic, question: str, kb: KnowledgeBase) -> list[ex.Expression]:
    """It is a row itself, or rows have it in one column, or in one whose name is said."""
    nodes = nodes_of(topic.term, kb)
    if isinstance(topic.term, ex.Entity) and kb.intersects(kb.members(kind), nodes):
        return [topic.term]
    columns = columns_with(nodes, kind, kb)
    said = [one for one in columns if roots_of(one.label) & roots_of(question)]
    return [ex.Join(ex.Relation(one.iri), topic.term) for one in (said if len(said) == 1 else columns)]


def _as_one(conditions: Mapping[Topic, ex.Expression], near: Found, kb: KnowledgeBase) -> Found | None:
    """Whether the first of them is among those of the others; a row that is named stands last."""
    first, *others = sorted(conditions.values(), key=lambda one: not isinstance(one, ex.Entity))
    program = ex.Meet(reduce(ex.And, others), first)
    try:
        result = execute(program, kb)
    except (BudgetExceeded, ProgramError):
        return None
    labels = [kb.schema.relations[kb.schema.relation_ids[iri]].label for iri in _iris(program)]
    steps = [
        Considered("", [Candidate(TokenKind.RELATION, label)], np.zeros(1, np.float32), 0) for label in labels
    ]
    trace = Trace(near.trace.topics, steps)
    return replace(near, program=program, result=result, topics=tuple(conditions), trace=trace)


def _iris(program: ex.Expression) -> Iterator[str]:
    for node in ex.post_order(program):
        yield from (relation.iri for relation in ex.relations(node))


# A table beside ---------------------------------------------------------------------------------------------


def beside_said(asked: Asked, found: Sequence[Found]) -> Said | None:
    """The column that is asked for of the one thing that is named, where only rows about it have that column,
    and no reading gives it."""
    columns, rest = column_asked_for(asked.question, asked.kb)
    named = [one for one in asked.links.mentions if one.score > LIKELY and one.text.lower() in rest]
    if len(columns) != 1 or len(named) != 1 or any(one.text.lower() in rest for one in asked.links.literals):
        return None
    (column,), (mention,) = columns, named
    if not rest.startswith(("of ", "for ")) or ValueKind.ENTITY in column.kinds:
        return None  # the characters that come from a planet are not those of a film that shows it
    if any(column.iri in _iris(one.program) for one in found):
        return None
    topics = topics_from_links(Links(asked.question, (mention,)), asked.kb).items[:1]
    ways = [
        (topic, way)
        for topic in topics
        for way in columns_with(nodes_of(topic.term, asked.kb), column.domain, asked.kb)
    ]
    if len(ways) != 1:
        return None
    ((topic, way),) = ways
    program = ex.Join(ex.Relation(column.iri, inverse=True), ex.Join(ex.Relation(way.iri), topic.term))

    def further(found: Sequence[Found]) -> list[Found]:
        one = added(program, replace(likeliest(found), topics=(topic,)), column, asked.kb)
        return [] if one is None else [one]

    return Said(lambda one: column.iri not in _iris(one.program), further)
