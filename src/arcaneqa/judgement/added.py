"""Readings that no search found and the question's words or the facts lead to, beside one
that was found or in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Class, Relation
from arcaneqa.language import expression as ex
from arcaneqa.language.run import Result, execute
from arcaneqa.support.errors import BudgetExceeded, ProgramError


def added(
    program: ex.Expression,
    near: Found,
    by: Relation | Class,
    kb: KnowledgeBase,
    before: Sequence[Considered] = (),
) -> Found | None:
    """A program as if it had been found, as likely as the one it is `near` to: after the steps `before`, by a
    relation or class that leaves no doubt. None where it finds nothing."""
    if (result := _something(program, kb)) is None:
        return None
    kind = TokenKind.CLASS if isinstance(by, Class) else TokenKind.RELATION
    step = Considered("", [Candidate(kind, by.label)], np.zeros(1, np.float32), 0)
    return replace(near, program=program, result=result, trace=Trace(near.trace.topics, [*before, step]))


def narrowed(
    program: ex.Expression, found: Found, by: Sequence[Candidate], kb: KnowledgeBase
) -> Found | None:
    """A program that was found, with one condition more, after whose steps come those that the condition
    leaves no doubt of. None where nothing is left."""
    try:
        result = execute(program, kb)
    except (BudgetExceeded, ProgramError):
        return None
    if not result.nodes or (result.value is not None and result.value.lexical == "0"):
        return None
    steps = [Considered("", [one], np.zeros(1, np.float32), 0) for one in by]
    trace = Trace(found.trace.topics, [*found.trace.steps, *steps])
    return replace(found, program=program, result=result, trace=trace)


def put_right(program: ex.Expression, found: Found, kb: KnowledgeBase) -> Found:
    """What was found, by another program; as it was where that finds nothing."""
    result = None if program == found.program else _something(program, kb)
    return found if result is None else replace(found, program=program, result=result)


def _something(program: ex.Expression, kb: KnowledgeBase) -> Result | None:
    """What a program finds; None where that is nothing, takes too long, or cannot be said: the average of a
    group compares with a number, and not with the text that one member was compared with."""
    try:
        result = execute(program, kb)
    except (BudgetExceeded, ProgramError):
        return None
    return None if result.nothing or (result.value is None and not result.nodes) else result
