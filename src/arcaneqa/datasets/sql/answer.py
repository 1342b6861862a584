"""A program beside the columns of the query it stands for."""

from __future__ import annotations

from dataclasses import dataclass

from arcaneqa.datasets.sql.mapping import Column
from arcaneqa.program.expression import Expression


@dataclass(frozen=True, slots=True)
class Shown:
    """How a column of the query is read off the program: which of its columns (0 for a set's members), and
    whose cell the nodes there are. `of_row`: the node is the row, and the query shows this cell of it."""

    index: int
    column: Column | None = None
    of_row: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    program: Expression
    columns: tuple[Shown, ...]
