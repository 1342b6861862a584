"""A table as it was loaded: the names of its columns, its keys, and where its cells are in DuckDB."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arcaneqa.kb.build.formats import PACKED
from arcaneqa.kb.names.words import words
from arcaneqa.support.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CHUNK = 50_000
_CHUNK_TEXT = 1 << 24
"""Rows, or characters, handed over at a time, which bounds memory."""
MOST_COLUMNS = 2_000
"""SQLite's own limit; each column is looked at by itself, for its kind and for what it refers to."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A foreign key that the source itself declares: some columns, and the columns of a table they name."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]


NAMELESS = re.compile(r"column \d+|unnamed: ?\d+|__index_level_\d+__|row_?names?|index|x", re.IGNORECASE)
"""How spreadsheets, pandas and R call the column of row numbers or names that nobody gave a name."""
_BEGINNING = re.compile(r"[A-Za-z]{1,2}_(?=.)")
_FEW = 3
"""Columns that begin alike by chance."""


@dataclass(frozen=True)
class Loaded:
    """One table: `place` is its name in DuckDB, where column number n is called `cn`."""

    name: str
    place: str
    columns: tuple[str, ...]
    source: Path
    key: tuple[str, ...] = ()
    declared: tuple[Declared, ...] = ()
    booleans: frozenset[str] = frozenset()
    may_have_decimal_commas: bool = False
    has_types: bool = False
    """Whether the source says which columns hold truth values."""
    said: str = ""
    """What its rows, or the relation that it is, are called, where that is not its name."""

    def cell(self, column: str) -> str:
        return f"c{self.columns.index(column)}"

    def plain(self, column: str) -> str:
        """A column's name without the letters that stand before all names of the table: `o_orderdate` among
        the `o_…` of orders. A first column without a name has the names of the rows."""
        if NAMELESS.fullmatch(column) and column == self.columns[0] and "name" not in self.columns:
            return "name"
        return column[self._shared :]

    @cached_property
    def _shared(self) -> int:
        """How many letters all names of columns begin with."""
        found = [begun[0].lower() for name in self.columns if (begun := _BEGINNING.match(name))]
        is_shared = len(found) == len(self.columns) >= _FEW and len(set(found)) == 1
        return len(found[0]) if is_shared else 0


def insert(
    connection: DuckDBPyConnection, place: str, width: int, rows: Iterator[Sequence[str | None]]
) -> None:
    cells = [f"c{number}" for number in range(width)]
    connection.execute(f"CREATE TABLE {place} ({', '.join(f'{cell} VARCHAR' for cell in cells)})")
    for chunk in _chunks(rows):
        columns = {
            cell: np.array(column, object)
            for cell, column in zip(cells, zip(*chunk, strict=True), strict=True)
        }
        connection.register("chunk", columns)
        connection.execute(f"INSERT INTO {place} SELECT * FROM chunk")
        connection.unregister("chunk")


def _chunks(rows: Iterator[Sequence[str | None]]) -> Iterator[list[Sequence[str | None]]]:
    chunk: list[Sequence[str | None]] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += sum(map(len, filter(None, row)))
        if len(chunk) == _CHUNK or size > _CHUNK_TEXT:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def too_many(columns: int) -> str:
    return f"a table may have {MOST_COLUMNS:,} columns, and this has {columns:,}; make rows of some of them."


def numbered(names: list[str]) -> list[str]:
    """The second of two columns of one name with a number, as people tell them apart."""
    seen: set[str] = set()
    for place, name in enumerate(names):
        number, own = 1, name
        while own and own.lower().replace(" ", "_") in seen:
            number += 1
            own = f"{name} {number}"
        seen.add(own.lower().replace(" ", "_"))
        names[place] = own
    return names


def unique(names: list[str], path: Path) -> tuple[str, ...]:
    if len(names) > MOST_COLUMNS:
        raise InputError(f"{path}: {too_many(len(names))}")
    seen: set[str] = set()
    named = tuple(name or f"column {number}" for number, name in enumerate(names, 1))
    for name in named:
        plain = name.lower().replace(" ", "_")
        if plain in seen:
            raise InputError(f"{path}, line 1: two columns are called “{name}”; give each a name of its own.")
        seen.add(plain)
    return named


def stem(path: Path) -> str:
    name = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return name.stem


# Whether the name of a file says what its table lists: `hurricanes.csv` does, `data (1).csv` does
# not.


_OF_FILES = """
archive backup book csv data database dataframe dataset datasets datei db df document download dump entries
entry excel export exported extract extracted file files import imported input json kb list output page
parquet queries query raw record records response responses result results row rows sample sheet source
spreadsheet sqlite tabelle table tables temp temporary test text tmp tsv txt unnamed untitled workbook
worksheet xls xlsx
"""
"""What files, and the tables in them, are called as such."""
_OF_VERSIONS = """
a all clean cleaned complete copy final first full latest main merged my new of old original part processed
public set small the train updated v version
"""
"""What else is said of files, and not of what they list."""
_UNTELLING = frozenset((*_OF_FILES.split(), *_OF_VERSIONS.split()))
_HASH = re.compile("[0-9a-f]*[0-9][0-9a-f]*")
"""Figures, and letters between them as in sums and keys: `3f9a1c`."""


def is_telling(name: str) -> bool:
    said = words(name).split()
    return any(word.rstrip("0123456789") not in _UNTELLING and not _HASH.fullmatch(word) for word in said)
