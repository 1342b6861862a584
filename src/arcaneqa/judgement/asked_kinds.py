"""The kind of thing that a question asks for by its name: "which carriers have no costs?" wants carriers, and
not the generators that have none. Where those lead to carriers in one way, that is the way."""

from __future__ import annotations

import re
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute

_ASKING = re.compile(
    r"\s*(?:which|what|(?:list|show|find|give|name)(?:\s+me)?(?:\s+all)?)(?:\s+of)?(?:\s+the)?\s+",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    "is|are|was|were|has|have|had|do|does|did|can|could|will|would|that|who|which|whose|with|without|in|of|on|at"
    "|from|for|by|there"
)
"""Words behind a noun that is whole: in "which carrier types are there?" carriers are not asked for."""
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""
_NAMES: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[int]]] = WeakKeyDictionary()


def asked_kind(question: str, kb: KnowledgeBase) -> int | None:
    """The class that the question asks for by its whole name, if it is one."""
    asking = _ASKING.match(question)
    said = [] if asking is None else split(question[asking.end() :])
    length = next((n for n in range(1, len(said)) if _GOES_ON.fullmatch(said[n])), None)
    if length is None:
        return None
    kinds = _by_name(kb).get(tuple(map(root_of, said[:length])), ())
    return kinds[0] if len(kinds) == 1 else None


def _by_name(kb: KnowledgeBase) -> dict[tuple[str, ...], list[int]]:
    """Classes by the roots of their names' words; read once a knowledge base, which may have thousands."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for klass in kb.schema.classes:
            if not klass.hidden and klass.members:
                names.setdefault(tuple(map(root_of, split(klass.label))), []).append(klass.id)
        _NAMES[kb] = names
    return names


def is_another_kind(kind: int, found: Found, kb: KnowledgeBase) -> bool:
    """Whether things are found, and none of them is of that kind."""
    few = found.nodes.ids[:_LOOKED_AT]
    if found.result.value is not None or found.result.table is not None or kb.are_literals(few).any():
        return False
    return kind not in kb.classes(kb.nodes(few)).tolist()


def led_on(kind: int, found: Found, kb: KnowledgeBase) -> Found | None:
    """What those that were found lead to of that kind, if only one of their relations leads there and the
    program has not come by it."""
    taken = {node.relation.iri for node in ex.post_order(found.program) if isinstance(node, ex.Join)}
    relations = kb.schema.relations
    ways = [
        relations[number]
        for number in kb.out_relations(kb.nodes(found.nodes.ids[:_LOOKED_AT])).tolist()
        if relations[number].range == kind
    ]
    if len(ways) != 1 or ways[0].iri in taken:
        return None
    program = ex.Join(ex.Relation(ways[0].iri, inverse=True), found.program)
    try:
        result = execute(program, kb)
    except BudgetExceeded:
        return None
    if not result.nodes:
        return None
    step = Considered("", [Candidate(TokenKind.RELATION, ways[0].label)], np.zeros(1, np.float32), 0)
    trace = Trace(found.trace.topics, [*found.trace.steps, step])
    return replace(found, program=program, result=result, trace=trace)
