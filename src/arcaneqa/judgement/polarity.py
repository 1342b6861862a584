"""Which end of time a superlative means: the oldest brewery is the one founded first."""

from __future__ import annotations

import re

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex

_EARLIEST = re.compile(r"\b(oldest|eldest|earliest)\b", re.IGNORECASE)
_LATEST = re.compile(r"\b(newest|youngest|latest|most recent(ly)?)\b", re.IGNORECASE)


def is_reversed(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a program takes the latest where the question says the earliest, or the other way round.

    Only of times: who is oldest by an age has the largest number.
    """
    earliest, latest = _EARLIEST.search(question) is not None, _LATEST.search(question) is not None
    if earliest == latest:
        return False
    meant = ex.Direction.SMALLEST if earliest else ex.Direction.LARGEST
    found = {
        node.direction
        for node in ex.post_order(program)
        if isinstance(node, ex.Extreme) and isinstance(node.key, tuple) and _is_time(node.key, kb)
    }
    return bool(found) and meant not in found


def _is_time(path: ex.Path, kb: KnowledgeBase) -> bool:
    relation = kb.schema.relation_ids.get(path[-1].iri)
    return relation is not None and kb.schema.relations[relation].kinds == frozenset({ValueKind.TIME})
