"""Gaps that a program goes around: "when did Anna die?" is not answered by the death of her husband, though
only his is known, nor "what is Anna's shoe size?" by the size of her hat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.judgement.said_names import is_said_rather
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, words
from arcaneqa.kb.schema import Relation
from arcaneqa.program import expression as ex


def detour(question: str, found: Found, kb: KnowledgeBase) -> tuple[Relation, ex.Entity] | None:
    """What is asked of whom, where the program takes it from somebody else or takes something else: others of
    the kind have it, this one does not, and the question says nothing of what the program goes by."""
    return _by_another_relation(question, found, kb) or _by_somebody_else(question, found, kb)


def _by_another_relation(question: str, found: Found, kb: KnowledgeBase) -> tuple[Relation, ex.Entity] | None:
    """What the question says by its name, where the program takes a relation that shares a word with it."""
    for step in ex.post_order(found.program):
        match step:
            case ex.Join(ex.Relation(iri, inverse=True), ex.Entity() as entity):
                taken, node = kb.schema.relation_ids.get(iri), kb.node(entity.term)
            case _:
                continue
        if taken is None or node is None:
            continue
        own = kb.nodes(np.array([node], np.int64))
        kinds, has = kb.classes(own).tolist(), set(kb.out_relations(own).tolist())
        said = frozenset(map(root_of, split(question)))
        for relation in kb.schema.relations:
            is_gap = not relation.hidden and relation.domain in kinds and relation.id not in has
            if is_gap and is_said_rather(_roots(relation), _roots(kb.schema.relations[taken]), said):
                return relation, entity
    return None


def _roots(relation: Relation) -> frozenset[str]:
    return frozenset(map(root_of, split(relation.label))) - SMALL


def _by_somebody_else(question: str, found: Found, kb: KnowledgeBase) -> tuple[Relation, ex.Entity] | None:
    asked: list[Relation] = []
    program = found.program
    while isinstance(program, ex.Join) and program.relation.inverse:
        number = kb.schema.relation_ids.get(program.relation.iri)
        if number is None:
            return None
        asked.append(kb.schema.relations[number])
        program = program.argument
        match program:
            case ex.Join(_, ex.Entity() as entity):
                break
    else:
        return None
    node = kb.node(entity.term)
    if node is None or not _says_only(asked, question, found):
        return None
    relation, own = asked[-1], kb.nodes(np.array([node], np.int64))
    is_gap = relation.domain in kb.classes(own).tolist() and relation.id not in kb.out_relations(own).tolist()
    return (relation, entity) if is_gap else None


def _says_only(asked: Sequence[Relation], question: str, found: Found) -> bool:
    """Whether all words beside the names are those of what is asked for, or there is only one, which does
    for it in other words."""
    spans = [(topic.words.start, topic.words.end) for topic in found.topics]
    telling = {
        root
        for word in words(question)
        if (root := root_of(word.folded)) not in SMALL
        and not any(start < word.end and word.start < end for start, end in spans)
    }
    named = {root_of(word) for relation in asked for word in split(relation.label)}
    return len(telling) <= 1 if telling.isdisjoint(named) else telling <= named
