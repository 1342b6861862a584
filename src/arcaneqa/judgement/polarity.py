"""Which end a superlative means: the oldest brewery is the one founded first, the oldest guest the one with
the largest age."""

from __future__ import annotations

import re

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex

_OLD = re.compile(r"\b(oldest|eldest|earliest)\b", re.IGNORECASE)
_YOUNG = re.compile(r"\b(newest|youngest|latest|most recent(ly)?)\b", re.IGNORECASE)
_AGE, _YEAR = stem("age"), stem("year")


def is_reversed(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a program takes the latest where the question says the earliest, or the other way round.

    Of numbers only where their name tells: the oldest have the largest age and the smallest year.
    """
    is_old, is_young = _OLD.search(question) is not None, _YOUNG.search(question) is not None
    if is_old == is_young:
        return False
    told = [
        (node.direction, grows_old)
        for node in ex.post_order(program)
        if isinstance(node, ex.Extreme) and isinstance(node.key, tuple)
        if (grows_old := _grows_old(node.key, kb)) is not None
    ]
    largest = ex.Direction.LARGEST
    return bool(told) and not any((way is largest) == (is_old == grows_old) for way, grows_old in told)


def _grows_old(path: ex.Path, kb: KnowledgeBase) -> bool | None:
    """Whether what has most of a relation is oldest (by age) or youngest (by time); None of others."""
    number = kb.schema.relation_ids.get(path[-1].iri)
    if number is None:
        return None
    relation = kb.schema.relations[number]
    said = {stem(word) for word in split(relation.label)}
    if relation.kinds == frozenset({ValueKind.TIME}):
        return False
    if relation.kinds == frozenset({ValueKind.NUMBER}) and (_AGE in said) != (_YEAR in said):
        return _AGE in said
    return None
