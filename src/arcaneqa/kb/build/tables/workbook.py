"""Spreadsheets: every sheet with a table in it, under the first row that names all its columns."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcaneqa.kb.build.tables.loaded import Loaded, insert, is_telling, numbered, stem, unique
from arcaneqa.support.errors import InputError, needs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_TITLES = 20
"""Rows within which the names of the columns stand; what is above them are titles and notes."""
_ENOUGH = 0.6
"""Share of the widest row's cells that a row of names fills."""


def load_workbook(path: Path, connection: DuckDBPyConnection, first: int) -> list[Loaded]:
    with needs("Reading spreadsheets", "tables"):
        from python_calamine import CalamineError, CalamineWorkbook
    tables: list[Loaded] = []
    try:
        with CalamineWorkbook.from_path(str(path)) as workbook:
            for name in workbook.sheet_names:
                rows = workbook.get_sheet_by_name(name).to_python()
                if (table := _table(path, name, rows, connection, f"t{first + len(tables)}")) is not None:
                    tables.append(table)
    except (CalamineError, OSError) as error:
        if "password" in str(error).lower():
            reason = "it is locked by a password; save it without one"
        else:
            reason = f"is it a spreadsheet, and whole? ({error})"
        raise InputError(f"{path} cannot be read: {reason}.") from None
    if not tables:
        raise InputError(f"{path} holds no table: no sheet has a row of column names with rows below it.")
    return tables


def _table(
    path: Path, sheet: str, rows: list[list[Any]], connection: DuckDBPyConnection, place: str
) -> Loaded | None:
    filled = [[cell for cell in row if cell != ""] for row in rows[:_TITLES]]
    widest = max(map(len, filled), default=0)
    header = next((n for n, cells in enumerate(filled) if cells and len(cells) >= _ENOUGH * widest), None)
    if header is None or not any(map(any, rows[header + 1 :])):
        return None
    used = [place for place in range(len(rows[header])) if any(row[place] != "" for row in rows[header:])]
    columns = unique(numbered([_text(rows[header][place]) or "" for place in used]), path)
    name = sheet if is_telling(sheet) else stem(path)
    insert(connection, place, len(columns), _cells(rows[header + 1 :], used))
    return Loaded(name, place, columns, path)


def _cells(rows: Sequence[Sequence[Any]], used: Sequence[int]) -> Iterator[list[str | None]]:
    for row in rows:
        cells = [_text(row[place]) for place in used]
        if any(cells):
            yield cells


def _text(cell: Any) -> str | None:
    """A cell as tables of text have it: whole numbers without a point, days without a time."""
    match cell:
        case bool():
            return "true" if cell else "false"
        case float() if cell.is_integer():
            return str(int(cell))
        case datetime.datetime() if cell.time() == datetime.time():
            return cell.date().isoformat()
        case datetime.datetime():
            return cell.isoformat(" ", "seconds")
        case datetime.date() | datetime.time():
            return cell.isoformat()
    return str(cell).strip() or None
