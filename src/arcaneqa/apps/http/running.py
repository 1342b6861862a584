"""Runs a program for a request: as a response, or as rows to take away."""

from __future__ import annotations

import time

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import items_of_result, table_of_result, unit_of
from arcaneqa.answer.export import Format, rows_of_answer, write_rows
from arcaneqa.answer.shown import shown
from arcaneqa.answer.support import support
from arcaneqa.apps.http.contract import (
    RunRequest,
    RunResponse,
    items_sent,
    rows_sent,
    shown_sent,
    support_sent,
    table_sent,
)
from arcaneqa.language.expression import Expression
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.run import Budget, Result, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import parse, print_program
from arcaneqa.language.tree import program_tree


def response_of(qa: ArcaneQA, request: RunRequest, until: float) -> RunResponse:
    program, result = _executed(qa, request, until)
    most, total = request.rows, 0
    if result.table is not None:
        most, total = rows_sent(len(result.table.columns), most), len(result.table.rows)
    items = items_of_result(qa.kb, result, request.rows)
    table = table_of_result(qa.kb, result, most)
    view = shown(qa.kb, program, items, table, request.columns == "all", request.rows)
    return RunResponse(
        program=print_program(program, qa.names),
        sparql=to_sparql(program, qa.kb.profile, qa.kb.schema, request.exclude_mentioned),
        paraphrase=paraphrase(program, qa.kb),
        answers=items_sent(items),
        total=_total(result),
        table=table_sent(table, most, total),
        shown=None if table is not None else shown_sent(view, request.rows, _total(result)),
        ordered=result.order is not None,
        unit=unit_of(program, qa.kb),
        tree=program_tree(program, qa.kb) if request.tree else None,
        **(support_sent(support(qa.kb, program, items)) if request.support else {}),
    )


def file_of(qa: ArcaneQA, request: RunRequest, until: float) -> str:
    """The rows in the format asked for."""
    program, result = _executed(qa, request, until)
    items = items_of_result(qa.kb, result, request.rows)
    table = table_of_result(qa.kb, result, request.rows)
    all_of_it = shown(qa.kb, program, items, table, is_whole=True, most=request.rows)
    return write_rows(rows_of_answer(items, all_of_it), Format(request.format))


def _total(result: Result) -> int:
    if result.value is not None or result.nothing:
        return int(not result.nothing)
    if result.table is not None:
        return len(result.table.rows)
    return len(result.nodes)


def _executed(qa: ArcaneQA, request: RunRequest, until: float) -> tuple[Expression, Result]:
    program = parse(request.program, qa.names, qa.kb.schema)
    budget = Budget(seconds=max(0.0, until - time.monotonic()))
    return program, execute(program, qa.kb, budget, request.exclude_mentioned)
