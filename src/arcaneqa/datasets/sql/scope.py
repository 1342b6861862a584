"""The tables of one SELECT by their names in it, and the variables that its columns are."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from sqlglot import exp

from arcaneqa.datasets.sql.mapping import Column, Database, Kind, Table
from arcaneqa.datasets.sql.variables import Unsayable, Variables


@dataclass(frozen=True, slots=True)
class Place:
    """A column of one of the tables that a SELECT names."""

    alias: str
    column: Column


class Scope:
    def __init__(self, database: Database, relations: Container[str]) -> None:
        """`relations` are those that the graph has facts of."""
        self.database = database
        self._relations = relations
        self.variables = Variables()
        self._tables: dict[str, Table] = {}
        self._rows: dict[str, int] = {}
        self._columns: dict[Place, int] = {}

    def enter(self, source: exp.Expr) -> None:
        """One table of FROM or JOIN."""
        if not isinstance(source, exp.Table):
            raise Unsayable("selects from a subquery")
        table = self.database.table(source.name)
        if table is None:
            raise Unsayable("names a table that the mapping does not have")
        alias = (source.alias or source.name).lower()
        self._tables[alias] = table
        if table.class_iri is not None:
            self._rows[alias] = self.variables.add(table.class_iri)
            return
        subject, object = table.end(Kind.SUBJECT), table.end(Kind.OBJECT)
        ends = self.variables.add(), self.variables.add()
        self._columns[Place(alias, subject)], self._columns[Place(alias, object)] = ends
        self.variables.connect(ends[0], subject.relation, ends[1], functional=False)

    def place(self, column: exp.Expr) -> Place | None:
        """Where a column is; None for what is no column, such as text in double quotes."""
        if not isinstance(column, exp.Column):
            return None
        if column.table:
            table = self._tables.get(column.table.lower())
            if table is None:
                raise Unsayable("looks outside its own tables")
            found = table.column(column.name)
            return None if found is None else Place(column.table.lower(), found)
        for alias, table in self._tables.items():
            if (found := table.column(column.name)) is not None:
                return Place(alias, found)
        return None

    def all_places(self) -> list[Place]:
        """Every column of every table, for SELECT *."""
        return [
            Place(alias, column) for alias, table in self._tables.items() for column in table.columns.values()
        ]

    def row(self, place: Place) -> int:
        """The variable of the rows that a column belongs to; in a table that is one relation, its own."""
        return self._rows[place.alias] if place.alias in self._rows else self.value(place)

    def rows(self) -> list[int]:
        """The variables that stand for rows: of every table, or for its ends where it is one relation."""
        ends = [variable for place, variable in self._columns.items() if place.alias not in self._rows]
        return list(dict.fromkeys(map(self.variables.find, [*self._rows.values(), *ends])))

    def value(self, place: Place) -> int:
        """The variable of what stands in a column: a linked row, or a value."""
        if place.column.kind is Kind.LABEL:
            raise Unsayable("treats a name as a value")
        if place.column.relation not in self._relations:
            raise Unsayable("looks at a column without values")
        if place not in self._columns:
            self._columns[place] = self.variables.add()
            subject, relation = self._rows[place.alias], place.column.relation
            self.variables.connect(subject, relation, self._columns[place])
        return self.variables.find(self._columns[place])

    def stands_for_row(self, place: Place) -> bool:
        """A key or a name: who sees it sees the row itself."""
        column = place.column
        return place.alias in self._rows and (column.names or (self._is_key(place) and not column.is_link))

    def _is_key(self, place: Place) -> bool:
        return self._tables[place.alias].key == place.column.name.lower()

    def node(self, place: Place) -> int:
        """The variable that a column shows: its row where it stands for it, else what it holds."""
        return self.row(place) if self.stands_for_row(place) else self.value(place)

    def equate(self, left: Place, right: Place) -> None:
        """A join: both columns hold the same, so they are one variable."""
        for kind, variable in self._readings(left):
            for other_kind, other in self._readings(right):
                if kind == other_kind:
                    self.variables.merge(variable(), other())
                    return
        raise Unsayable("joins on columns that are not linked")

    def _readings(self, place: Place) -> list[tuple[str, Callable[[], int]]]:
        """What a column may be equal to, most telling first: rows of a table, nodes of a class, or values."""
        column = place.column
        found: list[tuple[str, Callable[[], int]]] = []
        if place.alias in self._rows and self.database.identifies(column):
            found.append((f"rows {column.table.lower()}", lambda: self._rows[place.alias]))
        if column.target is not None:
            found.append((f"rows {column.target[0]}", lambda: self.value(place)))
        elif column.kind is Kind.VALUE_NODE:
            found.append((f"nodes {column.value_class}", lambda: self.value(place)))
        elif column.kind is Kind.LITERAL:
            found.append(("values", lambda: self.value(place)))
        return found
