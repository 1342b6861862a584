"""A column that a question asks for by its name: "which varieties come from Taiwan?" wants no coffees, though
only coffees come from there, but what varieties they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.asked_kinds import asked_noun
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute

_NAMES: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[Relation]]] = WeakKeyDictionary()
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""


def asked_columns(question: str, kb: KnowledgeBase) -> list[Relation]:
    """The relations that are called what the question asks for."""
    return _by_name(kb).get(asked_noun(question, kb), [])


def _by_name(kb: KnowledgeBase) -> dict[tuple[str, ...], list[Relation]]:
    """Relations by the roots of their names' words; read once a knowledge base."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for relation in kb.schema.relations:
            if not relation.hidden:
                names.setdefault(tuple(map(root_of, split(relation.label))), []).append(relation)
        _NAMES[kb] = names
    return names


def owns_column(found: Found, columns: Sequence[Relation], kb: KnowledgeBase) -> Relation | None:
    """The column that was asked for, where things were found that have it instead, and are not called so."""
    if not columns or ex.denotes(found.program) is not ex.Denotation.SET or found.result.value is not None:
        return None
    few = kb.nodes(found.nodes.ids[:_LOOKED_AT])
    if not few or kb.are_literals(few.ids).any():
        return None
    had = set(kb.out_relations(few).tolist())
    column = next((one for one in columns if one.id in had), None)
    if column is None or set(kb.labels(few.ids)) & set(kb.labels(kb.objects(column.id, few).ids)):
        return None
    return column


def with_columns(found: Iterable[Found], columns: Sequence[Relation], kb: KnowledgeBase) -> Iterator[Found]:
    """The programs, and after each that finds what has such a column the column itself."""
    known = list(found)
    programs = {one.program for one in known}
    for one in known:
        yield one
        column = owns_column(one, columns, kb)
        program = None if column is None else ex.Join(ex.Relation(column.iri, inverse=True), one.program)
        if column is None or program is None or program in programs:
            continue
        try:
            result = execute(program, kb)
        except BudgetExceeded:
            continue
        step = Considered("", [Candidate(TokenKind.RELATION, column.label)], np.zeros(1, np.float32), 0)
        trace = Trace(one.trace.topics, [*one.trace.steps, step])
        yield replace(one, program=program, result=result, trace=trace)
