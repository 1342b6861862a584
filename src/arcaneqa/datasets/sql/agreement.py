"""Whether a program finds what the query was recorded to find."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from arcaneqa.datasets.sql.mapping import Answer, Shown
from arcaneqa.datasets.sql.table_facts import Facts, lexical
from arcaneqa.datasets.sql.translate import translations
from arcaneqa.datasets.sql.variables import Unsayable
from arcaneqa.errors import ProgramError
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.program.canonical import canonical
from arcaneqa.program.expression import Expression

OTHER_ANSWERS = "finds other answers than those recorded"


@dataclass(frozen=True, slots=True)
class Recorded:
    """`answers` and `ids` are the different values of the first column, as text and as identifiers of the
    graph; `rows` are there where the query shows several columns, only the first of them where `cut`."""

    answers: Sequence[str]
    ids: Sequence[str]
    rows: Sequence[Sequence[str]] | None = None
    cut: bool = False


def program_of(sql: str, recorded: Recorded, facts: Facts) -> Expression:
    """The most natural program that finds what was recorded; raises Unsayable where there is none."""
    for answer in translations(sql, facts):
        with suppress(ProgramError):
            if agrees(answer, recorded, facts):
                return canonical(answer.program)
    raise Unsayable(OTHER_ANSWERS)


def agrees(answer: Answer, recorded: Recorded, facts: Facts) -> bool:
    found = facts.rows(answer.program)
    if recorded.rows is None:
        (shown,) = answer.columns
        cells = {cell for row in found if (cell := row[shown.index]) is not None}
        if {_identifier(cell) for cell in cells} == set(map(_even, recorded.ids)):
            return True
        return {_text(cell, shown, facts) for cell in cells} - {""} == set(map(_even, recorded.answers))
    mine = {tuple(_text(row[shown.index], shown, facts) for shown in answer.columns) for row in found}
    theirs = {tuple(map(_even, row)) for row in recorded.rows}
    if not recorded.cut:
        return mine == theirs
    return theirs <= mine and {row[0] for row in mine} - {""} == set(map(_even, recorded.answers))


def _identifier(cell: Term) -> str:
    """IRIs as they are, literals by their text."""
    return _even(cell.lexical) if isinstance(cell, Literal) else getattr(cell, "value", str(cell))


def _text(cell: Term | None, shown: Shown, facts: Facts) -> str:
    """What the query shows for what the program found."""
    if cell is None:
        return ""
    if shown.column is None:
        return _even(lexical(cell))
    if shown.of_row:
        return _even(facts.row_text(shown.column, cell))
    return _even(facts.value_text(shown.column, cell))


def _even(text: str) -> str:
    """Numbers to six digits, whatever their type."""
    try:
        return f"{float(text or ''):.6g}"
    except ValueError:
        return text
