"""Others than the one that is named: "other films by the director of Hook" are not Hook."""

from __future__ import annotations

import re
from dataclasses import replace

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute

_OTHERS = re.compile(r"\b(?:other|others|else)\b(?!\s+than\b)", re.IGNORECASE)
"""Who says "other than" names what is left out, and programs have words for that."""


def without_named(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program without the entities that it names, where others are asked for and they are among the
    answers; the program itself where none would be left."""
    if _OTHERS.search(question) is None or found.result.table is not None:
        return found
    whole = found.program
    counted = isinstance(whole, ex.Count) and not whole.path
    if found.result.value is not None and not counted:
        return found
    # A list is sorted once all that it has is known.
    inner = whole.argument if isinstance(whole, ex.Count | ex.Sort) else whole
    if ex.denotes(inner) is not ex.Denotation.SET:
        return found
    others = inner
    try:
        among = execute(inner, kb).nodes if counted else found.nodes
        for entity in ex.mentioned(inner):
            if (node := kb.node(entity.term)) is not None and node in among.ids:
                others = ex.Not(others, entity)
        if others == inner:
            return found
        program = replace(whole, argument=others) if isinstance(whole, ex.Count | ex.Sort) else others
        result = execute(program, kb)
    except BudgetExceeded:
        return found
    is_left = result.value is not None or result.nodes
    return replace(found, program=program, result=result) if is_left else found
