"""Tables that tell more of the rows of another one: films in one, what they earned in another, by one key.

Both have the same key with the same cells, each once. Numbers that count up from somewhere are in every table
and say nothing, unless the key has a word of its own ("film_id").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arcaneqa.kb.build.tables.catalogue import Loaded
from arcaneqa.kb.build.tables.keys import IDENTIFIES, Keys, Link, identifies
from arcaneqa.kb.names.words import words

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LEAST = 3
"""Rows below which the same cells are chance."""
_GAPS = 2
"""How many numbers there must be for each that is a key, from the least to the greatest: what was counted
up and hardly lost a row is the number of anything."""


def row_names(
    tables: Sequence[Loaded],
    links: Mapping[str, Sequence[Link]],
    connection: DuckDBPyConnection,
    keys: Keys,
) -> dict[str, str]:
    """The table, by name, under which the rows of each table, by its place, are known."""
    found: dict[str, str] = {}
    for number, table in enumerate(tables):
        home = next(
            (
                other
                for other in tables[:number]
                if found[other.place] == other.name
                and not _are_linked(table, other, links)
                and _have_same_rows(table, other, connection, keys)
            ),
            table,
        )
        found[table.place] = home.name
    return found


def _are_linked(one: Loaded, two: Loaded, links: Mapping[str, Sequence[Link]]) -> bool:
    return any(link.table is two for link in links[one.place]) or any(
        link.table is one for link in links[two.place]
    )


def _have_same_rows(one: Loaded, two: Loaded, connection: DuckDBPyConnection, keys: Keys) -> bool:
    key, other = keys.key(one), keys.key(two)
    if len(key) != 1 or len(other) != 1 or keys.rows(one) != keys.rows(two) or keys.rows(one) < _LEAST:
        return False
    said = words(one.plain(key[0]))
    if said != words(two.plain(other[0])):
        return False
    mine, theirs = f"trim({one.cell(key[0])})", f"trim({two.cell(other[0])})"
    differing = connection.execute(
        f"SELECT {mine} FROM {one.place} EXCEPT SELECT {theirs} FROM {two.place} LIMIT 1"
    ).fetchone()
    has_word_of_its_own = identifies(said) and IDENTIFIES.sub("", said) != ""
    return differing is None and (has_word_of_its_own or not _counts_up(one, mine, connection))


def _counts_up(table: Loaded, cell: str, connection: DuckDBPyConnection) -> bool:
    """Whether cells are numbers with hardly a gap between them."""
    row = connection.execute(
        f"SELECT count(*), count(n), max(n) - min(n) FROM "
        f"(SELECT TRY_CAST({cell} AS DECIMAL(38, 0)) AS n FROM {table.place})"
    ).fetchone()
    rows, numbers, reach = row or (0, 0, 0)
    return bool(numbers == rows and reach < _GAPS * rows)
