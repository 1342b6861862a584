"""Tables written as N-Triples by DuckDB itself, one pass a column, so that a million rows take seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from arcaneqa.kb.build.tables.catalogue import load
from arcaneqa.kb.build.tables.columns import IDENTIFIES, Column, Link, RowKeys, identifies, read_columns
from arcaneqa.kb.build.tables.foreign_keys import find_links, is_pairing, link_words
from arcaneqa.kb.build.tables.loaded import NAMELESS, Loaded, is_telling
from arcaneqa.kb.build.tables.server import Server, shown
from arcaneqa.kb.names.words import words
from arcaneqa.kb.profile import RDFS
from arcaneqa.kb.schema import ROW
from arcaneqa.kb.terms import RDF
from arcaneqa.support.errors import InputError, needs

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# Tables that tell more of the rows of another one: films in one, what they earned in another, by
# one key.


_LEAST = 3
"""Rows below which the same cells are chance."""
_GAPS = 2
"""How many numbers there must be for each that is a key, from the least to the greatest: what was counted
up and hardly lost a row is the number of anything."""


def row_names(
    tables: Sequence[Loaded],
    links: Mapping[str, Sequence[Link]],
    connection: DuckDBPyConnection,
    keys: RowKeys,
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


def _have_same_rows(one: Loaded, two: Loaded, connection: DuckDBPyConnection, keys: RowKeys) -> bool:
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


# Tables written as N-Triples by DuckDB itself, one pass a column, so that a million rows take
# seconds.


PREFIXES = {"table": "urn:table:", "column": "urn:column:", "row": "urn:row:"}
_MEMORY = "1GB"
"""DuckDB spills to disk beyond this; more made no build measurably quicker."""
_TOGETHER = 100
"""Queries of one statement: each that runs beside others takes memory."""
_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
"""What a name might have DuckDB fetch from elsewhere."""
_ESCAPES = {"'\\'": "'\\\\'", "'\"'": "'\\\"'", "chr(10)": "'\\n'", "chr(13)": "'\\r'"}
"""As SQL: what must not stand in a literal of N-Triples, and how it is written; the backslash comes first."""


@dataclass
class Told:
    """What there is to tell people of their tables, in words."""

    unread: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


def write_triples(
    paths: Sequence[Path], folder: Path, servers: Sequence[Server], told: Told, most_rows: int | None = None
) -> list[Path]:
    """The facts of some tables as N-Triples files in `folder`. Foreign keys may lead from file to file; a
    table may have `most_rows`, else as many as suit its file's size. What there is to tell of them goes to
    `told`."""
    with needs("Reading tables", "tables"):
        import duckdb
    folder = folder.absolute()  # DuckDB takes some first letters of a name for another place
    for path in (folder, *paths):
        if "\\" in str(path.absolute()):
            raise InputError(
                f"{path} has a backslash in its path, which is not read; rename that folder or file."
            )
    place = folder / "tables.duckdb"
    try:
        with duckdb.connect(str(place), config=_ALONE) as connection:
            connection.execute(f"SET memory_limit = '{_MEMORY}'")
            connection.execute(f"SET temp_directory = '{_text(str(folder / 'spill'))}'")
            loaded = load(paths, connection, servers, most_rows)
            written = list(_written(loaded, folder, connection, told))
    except duckdb.Error as error:  # memory or disk that it could not have
        said = str(error).splitlines()[0]
        sources = (*map(str, paths), *(shown(server.address) for server in servers))
        raise InputError(f"The tables of {', '.join(sources)} cannot be read: {said}") from None
    place.unlink()
    return written


def _written(
    tables: Sequence[Loaded], folder: Path, connection: DuckDBPyConnection, told: Told
) -> Iterator[Path]:
    keys = RowKeys(connection)
    columns = {table.place: read_columns(table, connection) for table in tables}
    for table in tables:
        read = columns[table.place]
        told.unread += [
            f"{column.odd[0]:,} of {table.name}.{column.name}, such as “{column.odd[1]}”"
            for column in read
            if column.odd
        ]
        known = {column.name for column in read}
        told.empty += [
            f"{table.name}.{name}"
            for name in table.columns
            if name not in known and not NAMELESS.fullmatch(name)
        ]
    links = find_links(tables, columns, connection, keys)
    told.links += [
        f"{table.name}.{'+'.join(link.columns)} → {link.table.name}"
        for table in tables
        for link in links[table.place]
    ]
    names = row_names(tables, links, connection, keys)
    for table in tables:
        kind = words(table.name) if len(tables) > 1 or is_telling(table.name) else ROW
        queries = list(_Writer(table, kind, columns[table.place], links[table.place], keys, names).queries())
        for first in range(0, len(queries), _TOGETHER):
            target = folder / f"{table.place}-{first}.nt"
            select = " UNION ALL ".join(queries[first : first + _TOGETHER])
            connection.execute(
                f"COPY ({select}) TO '{_text(str(target))}' "
                "(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01')"
            )
            yield target


class _Writer:
    """One table as queries, each of whose rows is a line of N-Triples. `kind` says what its rows are; `names`
    are those that the rows of each table, by its place, are known under."""

    def __init__(
        self,
        table: Loaded,
        kind: str,
        columns: Sequence[Column],
        links: Sequence[Link],
        keys: RowKeys,
        names: Mapping[str, str],
    ) -> None:
        self._table, self._columns, self._links, self._keys = table, columns, links, keys
        self._kind, self._names = kind, names
        self._name = local_name(table.name)
        self._row = self._row_of(table)

    def queries(self) -> Iterator[str]:
        if is_pairing(self._table, self._links, self._keys):
            yield from self._pairing()
            return
        table = self._table
        yield _line(_iri("table", self._name), f"<{RDFS}label>", _literal(self._kind))
        yield (f"SELECT {self._row} || ' <{RDF}type> {_iri('table', self._name)} .' FROM {table.place}")
        linked = {link.columns[0]: link for link in self._links}
        for column in self._columns:
            link = linked.get(column.name)
            yield from self._described(column, link)
            if link is None:
                yield self._values(column)
            else:
                yield self._followed(link) if link.separator is None else self._followed_each(column, link)

    def _described(self, column: Column, link: Link | None) -> Iterator[str]:
        relation = self._relation(column.name)
        name = self._table.plain(column.name)
        said = link_words(name, link.table.name) if link else _with_unit(name, column.unit)
        yield _line(relation, f"<{RDFS}label>", _literal(said))
        yield _line(relation, f"<{RDFS}domain>", _iri("table", self._name))
        if link is not None:
            yield _line(relation, f"<{RDFS}range>", _iri("table", local_name(link.table.name)))

    def _relation(self, column: str) -> str:
        return _iri("column", f"{self._name}.{local_name(column)}")

    def _values(self, column: Column) -> str:
        typed = f"^^<{column.datatype}>" if column.datatype else ""
        shown = "v" if column.datatype else _escaped("v")
        source = f"(SELECT {self._row} AS s, {column.values} AS v FROM {self._table.place})"
        return (
            f"SELECT s || ' {self._relation(column.name)} \"' || {shown} || '\"{typed} .' "
            f"FROM {source} WHERE v IS NOT NULL"
        )

    def _followed(self, link: Link) -> str:
        """A link's object is written from the cells themselves where they are the other table's key."""
        table, other = self._table, link.table
        key = self._keys.key(other)
        if set(link.targets) == set(key):
            # Named with their table: inside EXISTS a bare name would be the other table's.
            cells = {
                target: f"trim({table.place}.{table.cell(own)})"
                for own, target in zip(link.columns, link.targets, strict=True)
            }
            target = self._row_of(other, cells)
            filled = " AND ".join(f"{cell} <> ''" for cell in cells.values())
            known = (
                f" AND EXISTS (SELECT 1 FROM {other.place} o WHERE "
                + " AND ".join(f"trim(o.{other.cell(name)}) = {cell}" for name, cell in cells.items())
                + ")"
            )
            return (
                f"SELECT {self._row} || ' {self._relation(link.columns[0])} ' || {target} || ' .' "
                f"FROM {table.place} WHERE {filled}{known}"
            )
        joined = " AND ".join(
            f"trim(t.{table.cell(own)}) = trim(o.{other.cell(target)})"
            for own, target in zip(link.columns, link.targets, strict=True)
        )
        return (
            f"SELECT s || ' {self._relation(link.columns[0])} ' || o.r || ' .' FROM "
            f"(SELECT *, {self._row} AS s FROM {table.place}) t JOIN "
            f"(SELECT *, {self._row_of(other)} AS r FROM {other.place}) o ON {joined}"
        )

    def _followed_each(self, column: Column, link: Link) -> str:
        """The rows that the values of a list name."""
        source = f"(SELECT {self._row} AS s, {column.values} AS v FROM {self._table.place})"
        return (
            f"SELECT t.s || ' {self._relation(column.name)} ' || o.r || ' .' "
            f"FROM {source} t JOIN {self._other(link)} o ON t.v = o.v"
        )

    def _pairing(self) -> Iterator[str]:
        relation, (first, second) = _iri("column", self._name), self._links
        yield _line(relation, f"<{RDFS}label>", _literal(words(self._table.said or self._table.name)))
        left, right = self._other(first), self._other(second)
        yield (
            f"SELECT l.r || ' {relation} ' || m.r || ' .' FROM {self._table.place} t "
            f"JOIN {left} l ON trim(t.{self._table.cell(first.columns[0])}) = l.v "
            f"JOIN {right} m ON trim(t.{self._table.cell(second.columns[0])}) = m.v"
        )

    def _other(self, link: Link) -> str:
        other = link.table
        cell = other.cell(link.targets[0])
        return f"(SELECT {self._row_of(other)} AS r, trim({cell}) AS v FROM {other.place})"

    def _row_of(self, table: Loaded, cells: dict[str, str] | None = None) -> str:
        """SQL for a row's IRI; `cells` stand in for the table's own where another table names the row."""
        key = self._keys.key(table)
        given = cells or {column: f"trim({table.cell(column)})" for column in key}
        parts = [f"url_encode({given[column]})" for column in key] or ["(rowid + 1)::VARCHAR"]
        start = PREFIXES["row"] + local_name(self._names[table.place])
        return f"'<{_text(start)}.' || {' || chr(46) || '.join(parts)} || '>'"


def local_name(name: str) -> str:
    """A table's or column's name inside an IRI; `catalogue` refuses two names that would become one."""
    return quote(name.replace(" ", "_"), safe="")


def _with_unit(name: str, unit: str | None) -> str:
    said = words(name)
    return f"{said} in {unit}" if unit and unit not in said.split() else said


def _line(subject: str, predicate: str, object_: str) -> str:
    return f"SELECT '{_text(f'{subject} {predicate} {object_} .')}'"


def _iri(kind: str, name: str) -> str:
    return f"<{PREFIXES[kind]}{name}>"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _escaped(cell: str) -> str:
    """SQL for a text as N-Triples writes it between quotes."""
    for character, written in _ESCAPES.items():
        cell = f"replace({cell}, {character}, {written})"
    return cell


def _text(text: str) -> str:
    """Inside SQL's quotes."""
    return text.replace("'", "''")
