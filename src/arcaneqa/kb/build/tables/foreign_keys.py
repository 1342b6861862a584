"""Which columns name rows of which table, or of their own, declared or found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from enum import IntEnum
from typing import TYPE_CHECKING

from arcaneqa.kb.build.name_attributes import is_last_name, singular
from arcaneqa.kb.build.tables.columns import (
    ENDINGS,
    IDENTIFIES,
    Column,
    Link,
    RowKeys,
    identifies,
    unnumbered,
)
from arcaneqa.kb.build.tables.loaded import Loaded
from arcaneqa.kb.names.words import words
from arcaneqa.kb.terms import XSD

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# Columns whose texts all tell rows apart: the neighbours of a country as "CH,DE,IT" beside the
# codes of countries. Among numbers that may be chance, and among few texts; of many it is none,
# whatever the column is called.


_DIFFERENT = 10
"""Texts below which it may be chance."""
_MOSTLY = 0.95
"""Share of the texts that must be there: a list of neighbours may name one that has no row."""
_ITSELF = 0.5
"""Share of the cells that may name their own row."""


def referred(
    table: Loaded, column: Column, tables: Sequence[Loaded], connection: DuckDBPyConnection, keys: RowKeys
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


# Columns that name other rows of their own table: whom somebody reports to, the station that a
# platform is part of, what a species evolves from.


"""Share of the cells that must be keys of the table: rows get lost."""
"""Share of the cells that may name their own row: what mostly does only says the key again."""
_ORDER = "previous|preceding|prior|next|following"
_UP = "parent|superior|predecessor|successor|ancestor"
_KIN = "mother|father|sire|spouse|husband|wife|mentor|sibling|twin"
_FROM = (
    "(part|child|subclass|subtype|subset|variant|version|copy|duplicate|alias) of|belongs to|replaces"
    "|replaced by|(derived|derives|descended|descends|evolved|evolves) from"
)
_BEGINS = re.compile(rf"({_ORDER}|{_UP}|{_FROM})( .+)?")
_ENDS = re.compile(rf"(.+ )?({_UP}|{_KIN}|{_FROM})")
"""A number called so is a key though nothing else says it: a `parent`, not a `previous` rank."""
_ABOVE = re.compile(r"(.+ )?(manager|supervisor|boss|leader|reports? to|managed by|supervised by)")
"""Who is above persons: the manager of a department is none of the departments."""
_MAY_BE_OWN = re.compile(rf"(.+ )?{_UP}( .+)?")
"""Whoever has none above may have himself there."""
_STAFF = frozenset(("employee", "staff", "worker", "personnel"))
_PERSONS = frozenset(("person", "people", "member", "user", "agent", "player", "student", "teacher"))


def refers_to_itself(
    table: Loaded, column: Column, tables: Sequence[Loaded], connection: DuckDBPyConnection, keys: RowKeys
) -> Link | None:
    """The link to other rows of the column's own table that its name speaks of and its cells bear out."""
    key, is_text = keys.key(table), column.datatype is None and column.separator is None
    if len(key) != 1 or column.name == key[0] or not (is_text or column.datatype == XSD + "integer"):
        return None
    name = table.plain(column.name)
    about = IDENTIFIES.sub("", unnumbered(words(name))).strip()
    is_above = bool(_ABOVE.fullmatch(about)) and table is _persons(tables)
    is_said = is_above or bool(_ENDS.fullmatch(about))
    if not (is_said or _BEGINS.fullmatch(about) or _is_another(about, table)):
        return None
    if not (is_text or is_said or identifies(name)):
        return None
    may_be_own = is_text or is_above or bool(_MAY_BE_OWN.fullmatch(about))
    others = [other for other in table.columns if is_text and other not in (key[0], column.name)]
    for target in (key[0], *others):
        if keys.unique(table, [target]) and _leads_to_others(table, column, target, may_be_own, connection):
            return Link((column.name,), table, (target,))
    return None


def _is_another(about: str, table: Loaded) -> bool:
    """Whether a name is that of the table's own rows with something before it: what a species "evolves from
    species" and the "head dept" of departments; a "species" alone is the row's own."""
    *before, last = map(singular, about.split() or [""])
    return bool(before) and last == singular((words(table.name).split() or ["?"])[-1])


def _persons(tables: Sequence[Loaded]) -> Loaded | None:
    """The one table of staff, else the one of persons: of several, a manager may be in any."""
    kinds = {table.place: set(map(singular, words(table.name).split())) for table in tables}
    for found in (
        [table for table in tables if _STAFF & kinds[table.place]],
        [table for table in tables if _PERSONS & kinds[table.place] or _has_last_names(table)],
    ):
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _has_last_names(table: Loaded) -> bool:
    return any(is_last_name(words(table.plain(column)), words(table.name)) for column in table.columns)


def _leads_to_others(
    table: Loaded, column: Column, target: str, may_be_own: bool, connection: DuckDBPyConnection
) -> bool:
    """Whether the cells name rows of the table, mostly others than their own. Where all numbers are keys and
    nobody is at the top, as among numbers that only count, some are those of their own rows by chance."""
    cell, key = f"trim({table.cell(column.name)})", f"trim({table.cell(target)})"
    counted = connection.execute(
        f"SELECT count(*), count(*) FILTER (v <> ''), count(*) FILTER (v = k), "
        f"count(*) FILTER (v IN (SELECT {key} FROM {table.place})) "
        f"FROM (SELECT {cell} AS v, {key} AS k FROM {table.place})"
    ).fetchone()
    rows, filled, own, there = counted or (0, 0, 0, 0)
    has_top = there < rows or (may_be_own and own > 0)
    return bool(there >= max(1, _MOSTLY * filled) and own <= _ITSELF * filled and has_top)


# Which column names a row of which table: foreign keys that are declared or found.


def find_links(
    tables: Sequence[Loaded],
    columns: Mapping[str, Sequence[Column]],
    connection: DuckDBPyConnection,
    keys: RowKeys,
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


def is_pairing(table: Loaded, links: Sequence[Link], keys: RowKeys) -> bool:
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
    keys: RowKeys,
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


def _names_fit(column: str, target: str, other: Loaded, keys: RowKeys) -> _Fit | None:
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
    keys: RowKeys, target: Loaded, targets: Sequence[str], columns: Sequence[str], table: Loaded
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
