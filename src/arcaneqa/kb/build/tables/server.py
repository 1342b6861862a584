"""Tables of a PostgreSQL server, read in one snapshot, with the keys that its catalogue declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from arcaneqa.kb.build.tables.loaded import Declared, Loaded, insert, unique
from arcaneqa.support.errors import InputError, needs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SCHEMES = ("postgresql://", "postgres://")
_SECONDS = 10
"""For a server to answer at all."""
_ROWS = 5_000
"""Rows fetched at a time."""
_TABLES = """
SELECT c.oid::int, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%%'
AND (%(schema)s::text IS NULL OR n.nspname = %(schema)s) ORDER BY n.nspname, c.relname
"""
_COLUMNS = """
SELECT a.attname, format_type(a.atttypid, NULL), t.typcategory FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
_NAMES = """
(SELECT array_agg(attname ORDER BY place)::text[] FROM unnest({}) WITH ORDINALITY AS u(number, place)
JOIN pg_attribute ON attrelid = {} AND attnum = number)
"""
_KEYS = f"""
SELECT k.contype::text, {_NAMES.format("k.conkey", "k.conrelid")},
k.confrelid::int, {_NAMES.format("k.confkey", "k.confrelid")}
FROM pg_constraint k WHERE k.conrelid = %s AND k.contype IN ('p', 'f')
"""


@dataclass(frozen=True)
class Server:
    """An address, and which tables are wanted of it: those named, else all, of one schema, else of all."""

    address: str = field(repr=False)
    tables: tuple[str, ...] = ()
    schema: str | None = None


def is_server(source: str) -> bool:
    return source.startswith(_SCHEMES)


def shown(address: str) -> str:
    """The address without its password, and without options, which may hold one."""
    parts = urlsplit(address)
    user = f"{parts.username}@" if parts.username else ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{user}{parts.hostname or ''}{port}{parts.path}"


def load_server(given: Server, connection: DuckDBPyConnection, first: int) -> list[Loaded]:
    address = given.address
    with needs("Reading a PostgreSQL server", "postgres"):
        import psycopg
    try:
        with psycopg.connect(address, connect_timeout=_SECONDS) as server:
            server.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            server.read_only = True
            known = server.execute(_TABLES, {"schema": given.schema}).fetchall()
            tables = _chosen(known, given.tables, address)
            names = _names(tables)
            return [
                _load(server, row, names, Path(shown(address)), connection, f"t{first + number}")
                for number, row in enumerate(tables)
            ]
    except ValueError as error:
        raise InputError(f"This is no address of a PostgreSQL server: {error}.") from None
    except psycopg.Error as error:
        said = " ".join(str(error).split()) or type(error).__name__
        password = urlsplit(address).password
        said = said.replace(password, "…") if password else said
        raise InputError(f"{shown(address)} cannot be read: {said}.") from None


def _chosen(known: Sequence[Any], wanted: Sequence[str], address: str) -> list[tuple[int, str, str]]:
    tables = [(int(oid), schema, name) for oid, schema, name in known]
    found = [row for row in tables if not wanted or row[2] in wanted or f"{row[1]}.{row[2]}" in wanted]
    there = {name for _, schema, table in tables for name in (table, f"{schema}.{table}")}
    if missing := [name for name in wanted if name not in there]:
        raise InputError(
            f"{shown(address)} has no table “{missing[0]}”; it has {', '.join(row[2] for row in tables[:8])}."
        )
    if not found:
        raise InputError(f"{shown(address)} has no tables that this user may see.")
    return found


def _names(tables: Sequence[tuple[int, str, str]]) -> dict[int, str]:
    """Of tables, with their schema where two are called alike."""
    plain = [name for _, _, name in tables]
    return {oid: name if plain.count(name) == 1 else f"{schema} {name}" for oid, schema, name in tables}


def _load(
    server: Any,
    table: tuple[int, str, str],
    names: dict[int, str],
    source: Path,
    connection: DuckDBPyConnection,
    place: str,
) -> Loaded:
    from psycopg import sql

    oid, schema, name = table
    about = server.execute(_COLUMNS, (oid,)).fetchall()
    columns = unique([row[0] for row in about], source)
    insert(connection, place, len(columns), _rows(server, sql.Identifier(schema, name), about))
    keys = server.execute(_KEYS, (oid,)).fetchall()
    return Loaded(
        names[oid],
        place,
        columns,
        source,
        next((tuple(own) for kind, own, _, _ in keys if kind == "p"), ()),
        tuple(
            Declared(tuple(own), names[other], tuple(theirs))
            for kind, own, other, theirs in keys
            if kind == "f" and other in names
        ),
        frozenset(column for column, kind, _ in about if kind == "boolean"),
        has_types=True,
    )


def _rows(server: Any, name: Any, about: Sequence[Any]) -> Iterator[Sequence[str | None]]:
    from psycopg import sql

    cells = sql.SQL(", ").join(_cell(sql, *row) for row in about)
    with server.cursor(name="rows") as cursor:  # on the server, which hands out so many at a time
        cursor.itersize = _ROWS
        yield from cursor.execute(sql.SQL("SELECT {} FROM {}").format(cells, name))


def _cell(sql: Any, name: str, kind: str, category: str) -> Any:
    """A column as text; a list with its parts apart, a picture as nobody's value."""
    column = sql.Identifier(name)
    if kind == "bytea":
        return sql.SQL("NULL::text")
    return sql.SQL("array_to_string({}, '; ')" if category == "A" else "{}::text").format(column)
