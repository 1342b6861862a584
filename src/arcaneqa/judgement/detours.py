"""Gaps that a program goes around: "when did Anna die?" is not answered by the death of her husband, though
only his is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, words
from arcaneqa.kb.schema import Relation
from arcaneqa.program import expression as ex


def detour(question: str, found: Found, kb: KnowledgeBase) -> tuple[Relation, ex.Entity] | None:
    """What is asked of whom, where the program takes it from somebody else: others of the kind have it, this
    one does not, and the question says nothing of the step that leads to them."""
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
