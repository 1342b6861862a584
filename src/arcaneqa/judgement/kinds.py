"""What is a kind of what, where a question says no more: "which kinds of ascocarp are there?" asks for what
is right below it, and "is Lisbon a city?" whether it is one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.asked_kinds import classes_called
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.told import Told, in_small, named
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.profile import SKOS
from arcaneqa.kb.schema import Relation
from arcaneqa.links import Links
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute

_ARTICLE = r"(?:(?:the|an?)\s+)?"
_OF = r"(?:kind|type|sort|variety|varietie|form|subclasse?|subtype|example|instance)s?\s+of\s+"
_KINDS = re.compile(
    r"(?:(?P<many>how\s+many)\s+|(?:what|which|(?:list|show|name|give)(?:\s+me)?)\s+)?"
    rf"(?:are\s+)?(?:all\s+)?(?:the\s+)?(?:different\s+)?{_OF}{_ARTICLE}"
    rf"|(?:what|(?:which|what)(?:\s+\w+){{1,2}})\s+(?:is|are)\s+(?:narrower|more\s+specific)\s+than\s+{_ARTICLE}"
)
_THERE = re.compile(r"(?:\s+(?:are\s+there|there\s+are|exist|do\s+you\s+know))?")
_IS = re.compile(rf"(?:is|are|was|were)\s+{_ARTICLE}")
_ONE = re.compile(rf"\s+(?:an?\s+(?:{_OF}{_ARTICLE})?|{_OF}{_ARTICLE}|one\s+of\s+the\s+)(?P<kind>\w.*)")
_DEEPEST = 8
"""Steps that are followed from a kind to the kinds below it."""


def kinds_told(question: str, links: Links, kb: KnowledgeBase) -> Told | None:
    if (text := in_small(question)) is None:
        return None
    for topic in named(links, kb):
        before, behind = text[: topic.words.start], text[topic.words.end :]
        if (asked := _KINDS.fullmatch(before)) is not None and _THERE.fullmatch(behind):
            for down, relation in _ways_down(kb):
                below = ex.Join(down, topic.term)
                if _nodes(below, kb):
                    return Told(ex.Count(below) if asked["many"] else below, (topic,), relation)
        elif _IS.fullmatch(before) and (one := _ONE.fullmatch(behind)) is not None:
            start = topic.words.end + one.start("kind")
            if (found := _is_one(topic, start, one["kind"], links, kb)) is not None:
                return found
    return None


def _is_one(topic: Topic, start: int, kind: str, links: Links, kb: KnowledgeBase) -> Told | None:
    """Whether what is named is of a class of that name, or below something of that name."""
    node = kb.node(topic.term.term) if isinstance(topic.term, ex.Entity) else None
    own = np.array([] if node is None else [node], np.int64)
    has = [kb.schema.classes[number] for number in kb.classes(kb.nodes(own)).tolist()]
    noun = _roots(kind)
    # A big city is a city.
    of = [klass for klass in has if _roots(klass.label)[-len(noun) :] == noun]
    called = [kb.schema.classes[number] for number in classes_called(kind, kb)] if has else []
    if of or len(called) == 1:
        klass = (of or called)[0]
        return Told(ex.Meet(topic.term, ex.Class(klass.iri)), (topic,), klass, is_certain=bool(of))
    for above in named(links, kb):
        if (above.words.start, above.words.end) != (start, start + len(kind)):
            continue
        for down, relation in _ways_down(kb):
            below: ex.Expression = above.term
            for _ in range(_DEEPEST):
                below = ex.Join(down, below)
                nodes = _nodes(below, kb)
                if node in nodes.ids:
                    return Told(ex.Meet(topic.term, below), (topic,), relation)
                if not nodes:
                    break
            if _nodes(right_below := ex.Join(down, above.term), kb):
                return Told(ex.Meet(topic.term, right_below), (topic,), relation, is_certain=False)
    return None


def _nodes(program: ex.Expression, kb: KnowledgeBase) -> NodeSet:
    """What a program finds; nothing where that takes too long."""
    try:
        return execute(program, kb).nodes
    except BudgetExceeded:
        return kb.nodes(np.empty(0, np.int64))


def _roots(name: str) -> list[str]:
    return [root_of(word) for word in split(name)]


def _ways_down(kb: KnowledgeBase) -> Iterator[tuple[ex.Relation, Relation]]:
    """Relations from what is above to what is right below it."""
    for relation in kb.schema.relations:
        if relation.hidden:
            continue
        if relation.iri in (*kb.profile.subclass, SKOS + "broader") or relation.label == "subclass of":
            yield ex.Relation(relation.iri), relation
        elif relation.iri == SKOS + "narrower":
            yield ex.Relation(relation.iri, inverse=True), relation
