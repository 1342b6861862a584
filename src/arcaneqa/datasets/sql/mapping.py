"""How tables became a graph: which class, relation or link stands for which table and column,
and which column of a query is read off which of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from arcaneqa.errors import InputError
from arcaneqa.program.expression import Expression


class Kind(StrEnum):
    """What the cells of a column are in the graph."""

    LITERAL = "literal"
    LABEL = "label"
    LINK = "link"
    VALUE_NODE = "value_node"
    SUBJECT = "link_subject"
    OBJECT = "link_object"


@dataclass(frozen=True, slots=True)
class Column:
    """`target` is the table that a link leads to; `names` says that its text is what a row is called."""

    table: str
    name: str
    kind: Kind
    relation: str
    target: tuple[str, str] | None = None
    value_class: str | None = None
    names: bool = False
    part_of_name: bool = False

    @property
    def is_link(self) -> bool:
        return self.kind in (Kind.LINK, Kind.SUBJECT, Kind.OBJECT)


@dataclass(frozen=True, slots=True)
class Table:
    """A class of rows, or, without one, a single relation between the rows of two other tables."""

    name: str
    class_iri: str | None
    columns: Mapping[str, Column]
    key: str | None

    def column(self, name: str) -> Column | None:
        return self.columns.get(name.lower())

    def end(self, kind: Kind) -> Column:
        """Of a table that is one relation: the column of its subjects, or of its objects."""
        return next(column for column in self.columns.values() if column.kind is kind)


@dataclass(frozen=True, slots=True)
class Database:
    name: str
    style: str
    split: str
    tables: Mapping[str, Table]
    referred: frozenset[tuple[str, str]]
    """The columns that links of other tables lead to, by the names of table and column."""

    def table(self, name: str) -> Table | None:
        return self.tables.get(name.lower())

    def identifies(self, column: Column) -> bool:
        """A cell of the column stands for its row: it is the key, or what other tables refer to."""
        table = self.tables[column.table.lower()]
        return table.class_iri is not None and (
            column.name.lower() == table.key or (column.table.lower(), column.name.lower()) in self.referred
        )


def read_database(name: str, data: Any, where: str) -> Database:
    """One entry of a mapping file."""
    try:
        tables = [_table(table, entry) for table, entry in data["tables"].items()]
        columns = [column for table in tables for column in table.columns.values()]
        referred = frozenset(column.target for column in columns if column.target is not None)
        by_name = {table.name.lower(): table for table in tables}
        return Database(name, data["style"], data["split"], by_name, referred)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"{where}: the mapping of the database “{name}” lacks or misnames {error}"
        ) from error


def _table(name: str, entry: Any) -> Table:
    columns = {column.lower(): _column(name, column, cell) for column, cell in entry["columns"].items()}
    key = entry["primary_key"]
    single = isinstance(key, list) and len(key) == 1
    return Table(name, entry.get("class"), columns, key[0].lower() if single else None)


def _column(table: str, name: str, entry: Any) -> Column:
    target = entry.get("target")
    kind = Kind(entry["kind"])
    return Column(
        table,
        name,
        kind,
        entry["relation"],
        target=None if target is None else _place(target),
        value_class=entry.get("value_class"),
        names=kind is Kind.LABEL or entry.get("name_column", False),
        part_of_name=entry.get("name_part", False),
    )


def _place(text: str) -> tuple[str, str]:
    table, _, column = text.lower().rpartition(".")
    return table, column


@dataclass(frozen=True, slots=True)
class Shown:
    """How a column of the query is read off the program: which of its columns (0 for a set's members), and
    whose cell the nodes there are. `of_row`: the node is the row, and the query shows this cell of it."""

    index: int
    column: Column | None = None
    of_row: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    program: Expression
    columns: tuple[Shown, ...]
