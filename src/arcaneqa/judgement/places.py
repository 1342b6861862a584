"""Where: the first places that a program comes to. "Where is coffee grown?" asks for the countries that grow
it, and not for the continents on which these lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.small_words import SMALL, root_of
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute


def at_the_first_places(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The program without its last step, where that leads from places to places by a relation that nobody
    said, and nobody said either what the first ones are."""
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), first) if wanted(question) is Wanted.PLACE:
            inner = first.right if isinstance(first, ex.And) and isinstance(first.left, ex.Class) else first
        case _:
            return found
    if not (isinstance(inner, ex.Join) and isinstance(inner.argument, ex.Entity)) or inner.relation.inverse:
        return found
    relation = kb.schema.relation_ids.get(iri)
    if relation is None or _is_said(question, kb.schema.relations[relation].label):
        return found
    try:
        result = execute(first, kb)
    except BudgetExceeded:
        return found
    kinds = [kb.schema.classes[kind] for kind in kb.classes(result.nodes).tolist()]
    shown = [kind for kind in kinds if not kind.hidden]
    if any(_is_said(question, kind.label) for kind in shown):
        return found
    both = kb.nodes(np.union1d(result.nodes.ids, found.nodes.ids))
    are_alike = any(_holds(kb.members(kind.id), both, kb) for kind in shown)
    return replace(found, program=first, result=result) if are_alike else found


def _is_said(question: str, name: str) -> bool:
    said = set(map(root_of, split(question)))
    return not said.isdisjoint({root_of(word) for word in split(name)} - SMALL)


def _holds(members: NodeSet, some: NodeSet, kb: KnowledgeBase) -> bool:
    return not len(kb.difference(some, members))
