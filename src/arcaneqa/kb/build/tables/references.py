"""Columns whose texts all tell rows apart: the neighbours of a country as "CH,DE,IT" beside the codes of
countries. Among numbers that may be chance, and among few texts; of many it is none, whatever the column is
called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arcaneqa.kb.build.tables.catalogue import Loaded
from arcaneqa.kb.build.tables.columns import Column
from arcaneqa.kb.build.tables.keys import Keys, Link

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DIFFERENT = 10
"""Texts below which it may be chance."""
_MOSTLY = 0.95
"""Share of the texts that must be there: a list of neighbours may name one that has no row."""
_ITSELF = 0.5
"""Share of the cells that may name their own row."""


def referred(
    table: Loaded, column: Column, tables: Sequence[Loaded], connection: DuckDBPyConnection, keys: Keys
) -> Link | None:
    """What the texts of a column refer to, if anything. What tells the rows of its own table apart is what
    they are called, and no reference; what mostly names its own row only says the key again."""
    if column.datatype is not None or (not column.separator and keys.unique(table, [column.name])):
        return None
    texts = f"(SELECT DISTINCT v FROM (SELECT {column.values} AS v FROM {table.place}) WHERE v IS NOT NULL)"
    for other in tables:
        for target in other.columns:
            if other is table and (target == column.name or _repeats(table, column, target, connection)):
                continue
            if keys.unique(other, [target]) and _are_there(texts, other, target, connection):
                return Link((column.name,), other, (target,), column.separator)
    return None


def _repeats(table: Loaded, column: Column, target: str, connection: DuckDBPyConnection) -> bool:
    counted = connection.execute(
        f"SELECT count(v), count(*) FILTER (v = k) FROM "
        f"(SELECT {column.lexical} AS v, trim({table.cell(target)}) AS k FROM {table.place})"
    ).fetchone()
    filled, own = counted or (0, 0)
    return bool(own > _ITSELF * filled)


def _are_there(texts: str, other: Loaded, target: str, connection: DuckDBPyConnection) -> bool:
    found = connection.execute(
        "SELECT count(*), count(*) FILTER (regexp_matches(v, '[A-Za-z]')), "
        f"count(*) FILTER (v IN (SELECT trim({other.cell(target)}) FROM {other.place})) FROM {texts}"
    ).fetchone()
    different, written, there = found or (0, 0, 0)
    return bool(different == written >= _DIFFERENT and there >= _MOSTLY * different)
