"""Gaps that a program goes around: "when did Anna die?" is not answered by the death of her husband, though
only his is known."""

from __future__ import annotations

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import words
from arcaneqa.kb.schema import Relation
from arcaneqa.program import expression as ex


def detour(question: str, found: Found, kb: KnowledgeBase) -> tuple[Relation, ex.Entity] | None:
    """What is asked of whom, where the program takes it from somebody else: others of the kind have it, this
    one does not, and beside the name the question has only one telling word, which does for one relation."""
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), ex.Join(_, ex.Entity() as entity)):
            number, node = kb.schema.relation_ids.get(iri), kb.node(entity.term)
        case _:
            return None
    if number is None or node is None or _telling(question, found) > 1:
        return None
    relation, own = kb.schema.relations[number], kb.nodes(np.array([node], np.int64))
    is_gap = relation.domain in kb.classes(own).tolist() and number not in kb.out_relations(own).tolist()
    return (relation, entity) if is_gap else None


def _telling(question: str, found: Found) -> int:
    """How many words say something beside the names that the program takes up."""
    spans = [(topic.words.start, topic.words.end) for topic in found.topics]
    return sum(
        root_of(word.folded) not in SMALL
        and not any(start < word.end and word.start < end for start, end in spans)
        for word in words(question)
    )
