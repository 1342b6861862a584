"""Yes or no of one that is named, where a column says it: "does the night service run on Mondays?" asks
whether `monday` is true of it, "is Bolivia landlocked?" whether `landlocked` is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.both_named import named
from arcaneqa.judgement.polarity import said_comparisons
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.judgement.yes_or_no import DENYING, columns_said
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex

_MOST_WORDS = 2
"""Beside the name and the column: what kind of thing it is, and a verb."""


def truth_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """What the one column that a question says tells of the one thing that it names first."""
    question, kb = asked.question, asked.kb
    if wanted(question) is not Wanted.TRUTH or DENYING.search(question) or said_comparisons(question):
        return None
    columns, mentions = columns_said(question, kb), named(asked.links)
    if len(columns) != 1 or len(mentions) != 1:
        return None
    (column,), (mention,) = columns, mentions
    nodes = kb.nodes(np.array([mention.candidates[0].node], np.int64))
    (term,) = kb.terms(nodes.ids)
    own = _telling(column.label)
    before, behind = question[: mention.start], question[mention.end :]
    beside = _telling(f"{before} {behind}") - own
    is_first = not own & _telling(before)
    if isinstance(term, Literal) or not is_first or len(beside) > _MOST_WORDS:
        return None
    if column.id not in kb.out_relations(nodes).tolist() or _says_another(beside, nodes, kb):
        return None
    program = ex.Join(ex.Relation(column.iri, inverse=True), ex.Entity(term))
    topic = Topic(ex.Entity(term), TopicWords(mention.text, mention.start, mention.end, 0), mention.score)

    def further(readings: Sequence[Found]) -> list[Found]:
        new = added(program, likeliest(readings), column, kb)
        return (
            []
            if new is None
            else [replace(new, topics=(topic,), trace=Trace([topic.words], new.trace.steps))]
        )

    return Said(lambda one: not _has(one.program, column), further)


def _has(program: ex.Expression, column: Relation) -> bool:
    return any(one.iri == column.iri for node in ex.post_order(program) for one in ex.relations(node))


def _says_another(beside: set[str], nodes: NodeSet, kb: KnowledgeBase) -> bool:
    """Whether other words are those of what else is told of it: whoever borders something landlocked need not
    be so."""
    relations = (kb.schema.relations[number] for number in kb.out_relations(nodes).tolist())
    names = (_telling(relation.label) for relation in relations if not relation.hidden)
    return any(name and name <= beside for name in names)


def _telling(text: str) -> set[str]:
    return {root_of(word) for word in split(text)} - SMALL
