"""Columns that name other rows of their own table: whom somebody reports to, the station that a platform is
part of, what a species evolves from.

Small numbers are among any numbers that count up, so the name has to say it: by a word for what is above or
came before, or by what the table's rows are. The cells have to agree: most name another row than their own,
and where they are numbers somebody is at the top.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arcaneqa.kb.build.name_words import is_last_name, singular
from arcaneqa.kb.build.tables.catalogue import Loaded
from arcaneqa.kb.build.tables.columns import Column
from arcaneqa.kb.build.tables.keys import IDENTIFIES, Keys, Link, identifies, unnumbered
from arcaneqa.kb.names.words import words
from arcaneqa.kb.terms import XSD

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MOSTLY = 0.95
"""Share of the cells that must be keys of the table: rows get lost."""
_ITSELF = 0.5
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
    table: Loaded, column: Column, tables: Sequence[Loaded], connection: DuckDBPyConnection, keys: Keys
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
