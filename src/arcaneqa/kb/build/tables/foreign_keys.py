"""Which column names a row of which table: foreign keys that are declared or found.

A foreign key is found where the cells of a column are among the cells of another table's unique column, and
the names say so too ("supplier_id" beside the table "suppliers", "country_code" in both): inclusion alone
is chance, every small number is among some row numbers. Rows of the same table are named by a "parent"
(`self_references`). Texts need no names (`references`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from enum import IntEnum
from typing import TYPE_CHECKING

from arcaneqa.kb.build.tables.catalogue import Loaded
from arcaneqa.kb.build.tables.columns import Column
from arcaneqa.kb.build.tables.keys import ENDINGS, IDENTIFIES, Keys, Link, identifies, unnumbered
from arcaneqa.kb.build.tables.references import referred
from arcaneqa.kb.build.tables.self_references import refers_to_itself
from arcaneqa.kb.names.words import words

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def find_links(
    tables: Sequence[Loaded],
    columns: Mapping[str, Sequence[Column]],
    connection: DuckDBPyConnection,
    keys: Keys,
) -> dict[str, list[Link]]:
    """The links of each table, by its place, as `columns` are."""
    by_name = {table.name.lower(): table for table in tables}
    known = _declared_names(tables, by_name)
    found: dict[str, list[Link]] = {}
    for table in tables:
        links = []
        for declared in table.declared:
            target = by_name.get(declared.table.lower())
            if target is not None and _resolves(keys, target, declared.targets, declared.columns, table):
                named = tuple(_spelled(target, column) for column in declared.targets)
                links.append(Link(tuple(_spelled(table, c) for c in declared.columns), target, named))
        # The first column of several stands for the link; "job country" among them may name a country, too.
        taken = {link.columns[0] for link in links}
        key = keys.key(table)
        for column in columns[table.place]:
            if column.name in taken:
                continue
            link = _found(table, column.name, tables, connection, keys, key, known)
            link = link or refers_to_itself(table, column, tables, connection, keys)
            if link is not None or (link := referred(table, column, tables, connection, keys)):
                links.append(link)
        # SQLite lists what is declared backwards.
        found[table.place] = sorted(links, key=lambda link: table.columns.index(link.columns[0]))
    return found


def _declared_names(
    tables: Sequence[Loaded], by_name: Mapping[str, Loaded]
) -> frozenset[tuple[str, str, str]]:
    """Who declares in one table that `atomic_number` is an element's hardly means another by it elsewhere."""
    return frozenset(
        (declared.columns[0].lower(), declared.table.lower(), declared.targets[0].lower())
        for table in tables
        for declared in table.declared
        if len(declared.columns) == len(declared.targets) == 1 and declared.table.lower() in by_name
    )


def is_pairing(table: Loaded, links: Sequence[Link], keys: Keys) -> bool:
    """The table says nothing but which rows of two others belong together."""
    if len(links) != 2 or any(len(link.columns) != 1 or link.separator for link in links):
        return False
    paired = {link.columns[0] for link in links}
    return paired == set(table.columns) and keys.unique(table, sorted(paired))


def link_words(column: str, other: str = "") -> str:
    """ "supplier_id" is about a supplier, and so is "supplierkey" where that is the other table's name."""
    said = words(column)
    about = _singular(words(other))
    if about and said in {f"{about}{ending}" for ending in ENDINGS}:
        return about
    return IDENTIFIES.sub("", said).strip() or said


def _found(
    table: Loaded,
    column: str,
    tables: Sequence[Loaded],
    connection: DuckDBPyConnection,
    keys: Keys,
    key: tuple[str, ...],
    known: Set[tuple[str, str, str]],
) -> Link | None:
    """Of the columns whose names fit, the best fitting one that holds all the cells. `known`: names of
    columns that other tables declare, with the table and the column that they name."""
    fitting: list[tuple[_Fit, Loaded, str]] = []
    plain = table.plain(column)
    for other in tables:
        for target in other.columns if other is not table else ():
            is_known = (column.lower(), other.name.lower(), target.lower()) in known
            fit = _Fit.NAMES_IT if is_known else _names_fit(plain, target, other, keys)
            # Of two tables with one key, only the smaller may be about the other's rows, and only if the key
            # has a word of its own: an "id" is in every table.
            is_chance = (
                key == (column,)
                and keys.key(other) == (target,)
                and not _tells(plain, other)
                and (IDENTIFIES.sub("", words(plain)) == "" or keys.rows(other) <= keys.rows(table))
            )
            if fit is not None and not is_chance:
                fitting.append((fit, other, target))
    for fit, other, target in sorted(fitting, key=lambda each: each[0]):
        # Small numbers are included everywhere, and "rank" or "year" is a number of its own.
        if fit is _Fit.SAME_WORD and _are_numbers(table, column, connection):
            continue
        least = _MOSTLY if fit is _Fit.NAMES_IT else 1.0
        if keys.unique(other, [target]) and _included(table, column, other, target, connection) >= least:
            return Link((column,), other, (target,))
    return None


_MOSTLY = 0.95
"""Share of a column's cells that another table must have where the name speaks of it: rows get lost, and 0 or
-1 often stand for none."""


class _Fit(IntEnum):
    """How the name of a column speaks of another table, the best first."""

    NAMES_IT = 0
    """ "supplier_id" beside "suppliers", "StuID" beside the key "stuid"."""
    ENDS_SO = 1
    """ "home_supplier_id" beside "suppliers", "company_id" beside "operating_companies"."""
    SAME_WORD = 2
    """ "grape" beside the key "Grape", which may be chance."""


def _names_fit(column: str, target: str, other: Loaded, keys: Keys) -> _Fit | None:
    said, table = unnumbered(words(column)), _singular(words(other.name))
    plain = other.plain(target)
    named, is_key = words(plain), keys.key(other) == (target,)
    # "StuID" is put into words as a student's, "stuid" is not: as they are written they are the same.
    if said.replace(" ", "") == named.replace(" ", "") or _letters(column) == _letters(plain):
        if identifies(column) and (is_key or _tells(column, other)):
            return _Fit.NAMES_IT
        return _Fit.SAME_WORD if is_key else None
    if not is_key and not identifies(plain):
        return _Fit.NAMES_IT if _singular(said) == table else None
    about = _singular(link_words(said, table))
    if about == table:
        return _Fit.NAMES_IT
    if about.endswith(f" {table}") or (is_key and table.endswith(f" {about}")):
        return _Fit.ENDS_SO
    return _Fit.ENDS_SO if is_key and " " in named and said.endswith(f" {named}") else None


def _tells(column: str, other: Loaded) -> bool:
    return _singular(link_words(column, other.name)) == _singular(words(other.name))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith(("sses", "xes", "ches", "shes")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _included(
    table: Loaded, column: str, other: Loaded, target: str, connection: DuckDBPyConnection
) -> float:
    """Which share of the filled cells is in the other column."""
    cell, there = f"trim({table.cell(column)})", f"trim({other.cell(target)})"
    row = connection.execute(
        f"SELECT count(*), count(*) FILTER (o.v IS NULL) FROM "
        f"(SELECT {cell} AS v FROM {table.place} WHERE {cell} <> '') t LEFT JOIN "
        f"(SELECT {there} AS v FROM {other.place}) o ON t.v = o.v"
    ).fetchone()
    filled, missing = row or (0, 0)
    return 1 - missing / filled if filled else 0.0


def _are_numbers(table: Loaded, column: str, connection: DuckDBPyConnection) -> bool:
    cell = f"trim({table.cell(column)})"
    other = f"{cell} <> '' AND NOT regexp_full_match({cell}, '[+-]?[0-9.]+')"
    return connection.execute(f"SELECT 1 FROM {table.place} WHERE {other} LIMIT 1").fetchone() is None


def _resolves(
    keys: Keys, target: Loaded, targets: Sequence[str], columns: Sequence[str], table: Loaded
) -> bool:
    known = {column.lower() for column in target.columns}
    own = {column.lower() for column in table.columns}
    return (
        len(targets) == len(columns) > 0
        and all(column.lower() in known for column in targets)
        and all(column.lower() in own for column in columns)
        and keys.unique(target, [_spelled(target, column) for column in targets])
    )


def _spelled(table: Loaded, column: str) -> str:
    """SQL's names hold in any case; the table's own spelling is used throughout."""
    return next(known for known in table.columns if known.lower() == column.lower())
