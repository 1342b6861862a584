"""What tells the rows of a table apart, and what leads from rows to rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arcaneqa.kb.build.tables.catalogue import Loaded
from arcaneqa.kb.names.words import words

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

IDENTIFIES = re.compile(
    r"(^| )(id|ids|code|key|nr|no|num|number|iso|isbn|sku|uuid|guid|abbr|abbreviation|ref)$"
)
ENDINGS = ("id", "no", "nr", "num", "code", "key")
"""Of words written as one, "stuid", "dno"."""
_NUMBERED = re.compile(r" [0-9]+$")
"""The first and the second of two: "club_id_1"."""


@dataclass(frozen=True, slots=True)
class Link:
    """Cells of `columns` are those of `targets` in one row of `table`; where there is a `separator`, the one
    column's cells are lists of them."""

    columns: tuple[str, ...]
    table: Loaded
    targets: tuple[str, ...]
    separator: str | None = None


class Keys:
    """Which columns of the tables tell their rows apart; each is looked at once."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection
        self._unique: dict[tuple[str, tuple[str, ...]], bool] = {}

    def unique(self, table: Loaded, columns: Sequence[str]) -> bool:
        """Every row has a value of its own there, and none is blank."""
        name = (table.place, tuple(columns))
        if name not in self._unique:
            cells = [f"trim({table.cell(column)})" for column in columns]
            filled = " AND ".join(f"coalesce({cell}, '') <> ''" for cell in cells)
            counts = f"count(*), count(*) FILTER ({filled}), count(DISTINCT ({', '.join(cells)}))"
            row = self._connection.execute(f"SELECT {counts} FROM {table.place}").fetchone()
            assert row is not None
            self._unique[name] = row[0] > 0 and row[0] == row[1] == row[2]
        return self._unique[name]

    def rows(self, table: Loaded) -> int:
        row = self._connection.execute(f"SELECT count(*) FROM {table.place}").fetchone()
        assert row is not None
        return int(row[0])

    def key(self, table: Loaded) -> tuple[str, ...]:
        """What the table is known to be keyed by; without any such column, () for the row's number."""
        if table.key and self.unique(table, table.key):
            return table.key
        named = [column for column in table.columns if identifies(table.plain(column))]
        for column in (*named, *table.columns[:1]):
            if self.unique(table, [column]):
                return (column,)
        return ()


def identifies(column: str) -> bool:
    said = unnumbered(words(column))
    return IDENTIFIES.search(said) is not None or said.endswith(ENDINGS)


def unnumbered(said: str) -> str:
    return _NUMBERED.sub("", said)
