"""What is stated is taken up: "the average price of lanthanides" is not that of all elements, and "how many
single-tier townships are there?" counts no cities, where a search has one condition and drops the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.topics import Topic, topics_from_links
from arcaneqa.judgement.asked import signs
from arcaneqa.judgement.coverage import left_out_by
from arcaneqa.judgement.looked_up import columns_with, nodes_of
from arcaneqa.judgement.rules import Asked, Said
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.links import LIKELY, Links
from arcaneqa.support.errors import BudgetExceeded, ProgramError

MOST = 2
"""Conditions that one reading is given, and ways in which one may be meant."""
_FAR = 3.0
"""In log-probability, behind the likeliest reading: one that is this much less likely is hardly meant."""
_LOOKED_AT = 4
"""Readings that are mended: others are hardly ever meant."""
_SEVERAL = frozenset((Form.EXCEPT, Form.EITHER))


def stated_said(asked: Asked, found: Sequence[Found]) -> Said | None:
    """Of each reading that goes by all of a kind and leaves out what is named or stated, the same with only
    those of the kind that have it. Not where a reading about as likely leaves nothing out, nor where
    something is denied, or either may hold."""
    if any(sign.form in _SEVERAL for sign in signs(asked.question)):
        return None
    likely = sorted(found, key=lambda one: -one.score)
    least = likely[0].score - _FAR
    near = [one for one in likely if one.score >= least]
    left_out = [left_out_by(asked, one).unused for one in near]
    if not all(left_out):
        return None
    pairs = list(zip(near, left_out, strict=True))[:_LOOKED_AT]
    fewer = {one.program: list(_with_stated(asked, one, unused)) for one, unused in pairs}
    wider = {program for program, some in fewer.items() if some}
    if not wider:
        return None
    return Said(lambda one: one.program in wider, lambda _: [one for some in fewer.values() for one in some])


def _with_stated(asked: Asked, found: Found, unused: Sequence[str]) -> Iterator[Found]:
    kind = _all_of(found.program)
    number = None if kind is None else asked.kb.schema.class_ids.get(kind.iri)
    if kind is None or number is None:
        return
    stated = list(_groups(asked.question, asked.links, unused, asked.kb))
    ways: list[Found] = [found]
    for topics in stated[:MOST]:
        fewer = [
            one for way in ways for topic in topics for one in _narrowed(way, kind, number, topic, asked)
        ]
        ways = fewer[:MOST] or ways
    yield from (way for way in ways if way is not found)


def _groups(question: str, links: Links, unused: Sequence[str], kb: KnowledgeBase) -> Iterator[list[Topic]]:
    """For each text that is left out what it may mean: things that are likely named, and texts."""
    likely = replace(
        links,
        mentions=tuple(one for one in links.mentions if one.score > LIKELY),
        literals=tuple(one for one in links.literals if kind_of(one.readings[0]) is ValueKind.TEXT),
    )
    topics = topics_from_links(likely, kb).items
    for text in unused:
        same = [one for one in topics if question[one.words.start : one.words.end] == text]
        if same:
            yield same


def _all_of(program: ex.Expression) -> ex.Class | None:
    """The kind of which a program takes all, or all that meet its conditions, in one place."""
    kinds = [node for node in ex.post_order(program) if isinstance(node, ex.Class)]
    inner = program
    while len(kinds) == 1:
        match inner:
            case ex.Class():
                return inner
            case ex.And(ex.Class() as kind, _):
                return kind
            case ex.Count() | ex.Aggregate() | ex.Extreme() | ex.Sort() | ex.Show() | ex.Per() | ex.Cons():
                inner = inner.argument
            case ex.Join(ex.Relation(_, True), argument):
                inner = argument
            case _:
                return None
    return None


def _narrowed(found: Found, kind: ex.Class, number: int, topic: Topic, asked: Asked) -> Iterator[Found]:
    taken = {relation.iri for node in ex.post_order(found.program) for relation in ex.relations(node)}
    for relation, those in _conditions(number, topic.term, asked.kb):
        if relation.iri in taken:
            continue
        having = ex.And(kind, ex.Join(ex.Relation(relation.iri), those))
        program = _put_for(kind, having, found.program)
        try:
            result = execute(program, asked.kb)
        except (BudgetExceeded, ProgramError):
            continue
        is_nothing = result.nothing or not result.nodes
        if is_nothing or (result.value is not None and result.value.lexical == "0"):
            continue
        step = Considered("", [Candidate(TokenKind.RELATION, relation.label)], np.zeros(1, np.float32), 0)
        trace = Trace(found.trace.topics, [*found.trace.steps, step])
        yield replace(found, program=program, result=result, topics=(*found.topics, topic), trace=trace)


def _put_for(kind: ex.Class, those: ex.Expression, program: ex.Expression) -> ex.Expression:
    return rewrite(program, lambda node: those if node == kind else node)


def _conditions(
    kind: int, term: ex.Entity | ex.Value, kb: KnowledgeBase
) -> Iterator[tuple[Relation, ex.Expression]]:
    """How members of a kind may have to do with what is stated: they have it, or they lead to what is called
    so."""
    nodes = nodes_of(term, kb)
    if direct := columns_with(nodes, kind, kb):
        yield from ((relation, term) for relation in direct)
    elif isinstance(term, ex.Value):
        for number in kb.in_relations(nodes).tolist():
            called = kb.subjects(number, nodes)
            is_name = set(kb.labels(called.ids)) == {term.literal.lexical}
            naming = ex.Relation(kb.schema.relations[number].iri)
            for relation in columns_with(called, kind, kb) if is_name else ():
                yield relation, ex.Join(naming, term)
