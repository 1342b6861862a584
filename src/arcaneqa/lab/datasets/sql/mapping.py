"""How tables become a graph, and which class, relation or link stands for which table and column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox

from arcaneqa.kb.terms import RDF, XSD
from arcaneqa.language.expression import Expression
from arcaneqa.support.errors import InputError

# How tables became a graph: which class, relation or link stands for which table and column, and
# which column of a query is read off which of a program.


class CellKind(StrEnum):
    """What the cells of a column are in the graph."""

    LITERAL = "literal"
    LABEL = "label"
    LINK = "link"
    VALUE_NODE = "value_node"
    SUBJECT = "link_subject"
    OBJECT = "link_object"


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """`target` is the table that a link leads to; `names` says that its text is what a row is called."""

    table: str
    name: str
    kind: CellKind
    relation: str
    target: tuple[str, str] | None = None
    value_class: str | None = None
    names: bool = False
    part_of_name: bool = False

    @property
    def is_link(self) -> bool:
        return self.kind in (CellKind.LINK, CellKind.SUBJECT, CellKind.OBJECT)


@dataclass(frozen=True, slots=True)
class MappedTable:
    """A class of rows, or, without one, a single relation between the rows of two other tables."""

    name: str
    class_iri: str | None
    columns: Mapping[str, MappedColumn]
    key: str | None

    def column(self, name: str) -> MappedColumn | None:
        return self.columns.get(name.lower())

    def end(self, kind: CellKind) -> MappedColumn:
        """Of a table that is one relation: the column of its subjects, or of its objects."""
        return next(column for column in self.columns.values() if column.kind is kind)


@dataclass(frozen=True, slots=True)
class Database:
    name: str
    style: str
    split: str
    tables: Mapping[str, MappedTable]
    referred: frozenset[tuple[str, str]]
    """The columns that links of other tables lead to, by the names of table and column."""

    def table(self, name: str) -> MappedTable | None:
        return self.tables.get(name.lower())

    def identifies(self, column: MappedColumn) -> bool:
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


def _table(name: str, entry: Any) -> MappedTable:
    columns = {column.lower(): _column(name, column, cell) for column, cell in entry["columns"].items()}
    key = entry["primary_key"]
    single = isinstance(key, list) and len(key) == 1
    return MappedTable(name, entry.get("class"), columns, key[0].lower() if single else None)


def _column(table: str, name: str, entry: Any) -> MappedColumn:
    target = entry.get("target")
    kind = CellKind(entry["kind"])
    return MappedColumn(
        table,
        name,
        kind,
        entry["relation"],
        target=None if target is None else _place(target),
        value_class=entry.get("value_class"),
        names=kind is CellKind.LABEL or entry.get("name_column", False),
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
    column: MappedColumn | None = None
    of_row: bool = False


@dataclass(frozen=True, slots=True)
class MappedAnswer:
    program: Expression
    columns: tuple[Shown, ...]


# Tables as a graph with its mapping: rows are entities, columns are relations, in one of three
# habits.


_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_CLASS = "http://www.w3.org/2000/01/rdf-schema#Class"
Cell = str | int | float | date | None


class Style(StrEnum):
    """`LABELLED`: everything has a label. `NAMES`: rows have none, their names stand in a column of their
    own. `BARE`: classes and relations have none, and their names are in their IRIs."""

    LABELLED = "labelled"
    NAMES = "no_entity_labels"
    BARE = "bare_iris"


@dataclass(frozen=True, slots=True)
class RawColumn:
    """`refers` is the table whose key stands in the column; `called` are its words, if not its name."""

    name: str
    refers: str | None = None
    called: str | None = None

    @property
    def words(self) -> str:
        return self.called or self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class RawTable:
    """`called` are the words for one of its rows; `key` and `label` are columns, where it has them."""

    name: str
    called: str
    columns: Sequence[RawColumn]
    rows: Sequence[Sequence[Cell]]
    key: str | None = None
    label: str | None = None


class Grapher:
    """Turns the tables of one database into facts; repeated texts become nodes where `value_nodes`."""

    def __init__(
        self, name: str, tables: Sequence[RawTable], style: Style, base: str, value_nodes: bool
    ) -> None:
        self.name = name
        self.style = style
        self._base = base
        self._value_nodes = value_nodes and style is not Style.NAMES
        self._tables = {table.name.lower(): table for table in tables}

    def database(self) -> Database:
        tables = {name: self._table(table) for name, table in self._tables.items()}
        columns = [column for table in tables.values() for column in table.columns.values()]
        referred = frozenset(column.target for column in columns if column.target is not None)
        return Database(self.name, self.style, "train", tables, referred)

    def facts(self) -> Iterator[ox.Triple]:
        described: set[ox.Triple] = set()
        for name, table in self.database().tables.items():
            raw = self._tables[name]
            assert table.class_iri is not None
            yield from self._said(table.class_iri, raw.called, _CLASS)
            for column, said in zip(table.columns.values(), raw.columns, strict=True):
                if column.kind is not CellKind.LABEL:
                    yield from self._said(column.relation, said.words, RDF + "Property")
            for number, cells in enumerate(raw.rows):
                row = self._row(raw, number)
                yield ox.Triple(row, _node(RDF + "type"), _node(table.class_iri))
                if raw.label is None and self.style is not Style.NAMES:
                    yield ox.Triple(row, _node(_LABEL), ox.Literal(f"{raw.called} {self._key(raw, number)}"))
                for column, cell in zip(table.columns.values(), cells, strict=True):
                    if cell is not None:
                        described.update(self._value_label(column, cell))
                        yield ox.Triple(row, _node(column.relation), self._object(column, cell))
        yield from sorted(described, key=str)

    def _said(self, iri: str, words: str, kind: str) -> Iterator[ox.Triple]:
        if self.style is not Style.BARE:
            yield ox.Triple(_node(iri), _node(RDF + "type"), _node(kind))
            yield ox.Triple(_node(iri), _node(_LABEL), ox.Literal(words, language="en"))

    # The mapping -------------------------------------------------------------------------------------

    def _table(self, raw: RawTable) -> MappedTable:
        columns = [self._column(raw, place, column) for place, column in enumerate(raw.columns)]
        by_name = {column.name.lower(): column for column in columns}
        named = raw.called if self.style is Style.BARE else raw.name
        key = raw.key.lower() if raw.key is not None else None
        return MappedTable(raw.name, self._base + "class/" + _slug(named), by_name, key)

    def _column(self, raw: RawTable, place: int, column: RawColumn) -> MappedColumn:
        relation = f"{self._base}relation/{_slug(raw.name)}.{_slug(column.name)}"
        if self.style is Style.BARE:
            relation = f"{self._base}{_slug(column.words)}"
        if column.refers is not None:
            target = self._tables[column.refers.lower()]
            assert target.key is not None
            goal = (target.name.lower(), target.key.lower())
            return MappedColumn(raw.name, column.name, CellKind.LINK, relation, target=goal)
        if column.name == raw.label:
            if self.style is Style.NAMES:
                return MappedColumn(raw.name, column.name, CellKind.LITERAL, relation, names=True)
            return MappedColumn(raw.name, column.name, CellKind.LABEL, _LABEL, names=True)
        if self._value_nodes and _repeats([row[place] for row in raw.rows]):
            class_iri = f"{self._base}class/{_slug(column.name)}"
            return MappedColumn(raw.name, column.name, CellKind.VALUE_NODE, relation, value_class=class_iri)
        return MappedColumn(raw.name, column.name, CellKind.LITERAL, relation)

    # Nodes -------------------------------------------------------------------------------------------

    def _row(self, raw: RawTable, number: int) -> ox.NamedNode:
        return _node(f"{self._base}{_slug(raw.name)}/{_slug(str(self._key(raw, number)))}")

    def _key(self, raw: RawTable, number: int) -> Cell:
        places = [place for place, column in enumerate(raw.columns) if column.name == raw.key]
        return raw.rows[number][places[0]] if places else number + 1

    def _object(self, column: MappedColumn, cell: Cell) -> ox.NamedNode | ox.Literal:
        if column.target is not None:
            return _node(f"{self._base}{_slug(self._tables[column.target[0]].name)}/{_slug(str(cell))}")
        if column.kind is CellKind.VALUE_NODE:
            return self._value(column, cell)
        if isinstance(cell, date):
            return ox.Literal(cell.isoformat(), datatype=_node(XSD + "date"))
        if isinstance(cell, int):
            return ox.Literal(str(cell), datatype=_node(XSD + "integer"))
        if isinstance(cell, float):
            return ox.Literal(
                f"{cell:f}".rstrip("0") + "0" * cell.is_integer(), datatype=_node(XSD + "decimal")
            )
        return ox.Literal(str(cell))

    def _value(self, column: MappedColumn, cell: Cell) -> ox.NamedNode:
        return _node(f"{self._base}value/{_slug(column.name)}/{_slug(str(cell))}")

    def _value_label(self, column: MappedColumn, cell: Cell) -> Iterator[ox.Triple]:
        if column.kind is CellKind.VALUE_NODE and column.value_class is not None:
            yield ox.Triple(self._value(column, cell), _node(_LABEL), ox.Literal(str(cell)))
            yield ox.Triple(self._value(column, cell), _node(RDF + "type"), _node(column.value_class))
            yield from self._said(column.value_class, column.name.replace("_", " "), _CLASS)


def _node(iri: str) -> ox.NamedNode:
    return ox.NamedNode(iri)


def _slug(text: str) -> str:
    return quote("_".join(text.split()), safe="")


def _repeats(cells: Sequence[Cell]) -> bool:
    """Texts that say of what kind a row is, as a country or a status does, rather than describe it."""
    texts = Counter(cell for cell in cells if isinstance(cell, str))
    return len(texts) > 1 and 2 * len(texts) <= texts.total() == sum(cell is not None for cell in cells)
