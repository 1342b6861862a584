"""A query as tables and variables, and the set that each variable stands for as a program."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import reduce

from sqlglot import exp

from arcaneqa.lab.datasets.sql.mapping import CellKind, Database, MappedColumn, MappedTable
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Entity, Expression, Path, Relation
from arcaneqa.language.rewrite import leaves

# A query as variables: each stands for rows, linked rows or values, with what restricts and what
# joins them.


class Unsayable(Exception):
    """A query that has no program; the message is the reason it is counted under."""


class Nothing(Unsayable):
    """A condition that nothing in the graph meets."""


@dataclass(slots=True)
class QueryVariable:
    """`within` and `without` are sets that its nodes are in, and not in; `implied` ones need not be said
    where they take nothing away."""

    class_iri: str | None = None
    within: list[Expression] = field(default_factory=list)
    without: list[Expression] = field(default_factory=list)
    implied: list[Expression] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QueryEdge:
    """A relation from one variable to another. `functional`: each subject has at most one object."""

    subject: int
    relation: str
    object: int
    functional: bool = True


@dataclass(frozen=True, slots=True)
class Hop:
    """An edge as it is walked from `start` to `end`."""

    edge: QueryEdge
    start: int
    end: int

    @property
    def relation(self) -> Relation:
        """As a path writes it: plain from subject to object."""
        return Relation(self.edge.relation, self.start != self.edge.subject)

    @property
    def single(self) -> bool:
        """Leads to one node at most."""
        return self.edge.functional and self.start == self.edge.subject


class Variables:
    def __init__(self) -> None:
        self._all: list[QueryVariable] = []
        self._same_as: list[int] = []
        self._edges: list[QueryEdge] = []

    def add(self, class_iri: str | None = None) -> int:
        self._all.append(QueryVariable(class_iri))
        self._same_as.append(len(self._same_as))
        return len(self._all) - 1

    def connect(self, subject: int, relation: str, object: int, functional: bool = True) -> None:
        self._edges.append(QueryEdge(subject, relation, object, functional))

    def merge(self, left: int, right: int) -> None:
        left, right = self.find(left), self.find(right)
        if left == right:
            return
        kept, gone = self._all[left], self._all[right]
        kept.class_iri = kept.class_iri or gone.class_iri
        kept.within += gone.within
        kept.without += gone.without
        kept.implied += gone.implied
        self._same_as[right] = left

    def find(self, variable: int) -> int:
        while self._same_as[variable] != variable:
            variable = self._same_as[variable]
        return variable

    def __getitem__(self, variable: int) -> QueryVariable:
        return self._all[self.find(variable)]

    def hops(self, variable: int) -> list[Hop]:
        """All edges at a variable, walked away from it; equal ones once."""
        here = self.find(variable)
        found: dict[Hop, None] = {}
        for edge in self._edges:
            subject, object = self.find(edge.subject), self.find(edge.object)
            known = QueryEdge(subject, edge.relation, object, edge.functional)
            if subject == here:
                found[Hop(known, subject, object)] = None
            if object == here:
                found[Hop(known, object, subject)] = None
        return list(found)

    def walk(self, start: int, end: int) -> list[Hop]:
        """The hops from one variable to another."""
        start, end = self.find(start), self.find(end)
        paths: dict[int, list[Hop]] = {start: []}
        queue = [start]
        for here in queue:
            if here == end:
                return paths[here]
            for hop in self.hops(here):
                if hop.end not in paths:
                    paths[hop.end] = [*paths[here], hop]
                    queue.append(hop.end)
        raise Unsayable("joins tables without a link between them")

    def is_idle(self, variable: int) -> bool:
        """Only looked at: nothing restricts it, and nothing but one column leads to it."""
        known = self[variable]
        bare = known.class_iri is None and not known.within and not known.without and not known.implied
        return bare and len(self.hops(variable)) == 1

    def path(self, start: int, end: int) -> Path:
        return tuple(hop.relation for hop in self.walk(start, end))

    def fan_out(self, start: int, looking_back: bool = False) -> int:
        """How many steps away from a variable may lead to several nodes: 0 where a node is one row each.

        Towards a single entity there is one way, unless one looks back from it at all there is.
        """
        start = self.find(start)
        seen, queue, several = {start}, [start], 0
        for here in queue:
            for hop in self.hops(here):
                if hop.end not in seen:
                    seen.add(hop.end)
                    queue.append(hop.end)
                    several += not hop.single and (looking_back or not self._is_one(hop.end))
        return several

    def _is_one(self, variable: int) -> bool:
        return any(isinstance(part, Entity) for part in self[variable].within)


# The tables of one SELECT by their names in it, and the variables that its columns are.


@dataclass(frozen=True, slots=True)
class QueryPlace:
    """A column of one of the tables that a SELECT names."""

    alias: str
    column: MappedColumn


class Scope:
    def __init__(self, database: Database, relations: Container[str]) -> None:
        """`relations` are those that the graph has facts of."""
        self.database = database
        self._relations = relations
        self.variables = Variables()
        self._tables: dict[str, MappedTable] = {}
        self._rows: dict[str, int] = {}
        self._columns: dict[QueryPlace, int] = {}

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
        subject, object = table.end(CellKind.SUBJECT), table.end(CellKind.OBJECT)
        ends = self.variables.add(), self.variables.add()
        self._columns[QueryPlace(alias, subject)], self._columns[QueryPlace(alias, object)] = ends
        self.variables.connect(ends[0], subject.relation, ends[1], functional=False)

    def place(self, column: exp.Expr) -> QueryPlace | None:
        """Where a column is; None for what is no column, such as text in double quotes."""
        if not isinstance(column, exp.Column):
            return None
        if column.table:
            table = self._tables.get(column.table.lower())
            if table is None:
                raise Unsayable("looks outside its own tables")
            found = table.column(column.name)
            return None if found is None else QueryPlace(column.table.lower(), found)
        for alias, table in self._tables.items():
            if (found := table.column(column.name)) is not None:
                return QueryPlace(alias, found)
        return None

    def all_places(self) -> list[QueryPlace]:
        """Every column of every table, for SELECT *."""
        return [
            QueryPlace(alias, column)
            for alias, table in self._tables.items()
            for column in table.columns.values()
        ]

    def row(self, place: QueryPlace) -> int:
        """The variable of the rows that a column belongs to; in a table that is one relation, its own."""
        return self._rows[place.alias] if place.alias in self._rows else self.value(place)

    def rows(self) -> list[int]:
        """The variables that stand for rows: of every table, or for its ends where it is one relation."""
        ends = [variable for place, variable in self._columns.items() if place.alias not in self._rows]
        return list(dict.fromkeys(map(self.variables.find, [*self._rows.values(), *ends])))

    def value(self, place: QueryPlace) -> int:
        """The variable of what stands in a column: a linked row, or a value."""
        if place.column.kind is CellKind.LABEL:
            raise Unsayable("treats a name as a value")
        if place.column.relation not in self._relations:
            raise Unsayable("looks at a column without values")
        if place not in self._columns:
            self._columns[place] = self.variables.add()
            subject, relation = self._rows[place.alias], place.column.relation
            self.variables.connect(subject, relation, self._columns[place])
        return self.variables.find(self._columns[place])

    def stands_for_row(self, place: QueryPlace) -> bool:
        """A key or a name: who sees it sees the row itself."""
        column = place.column
        return place.alias in self._rows and (column.names or (self._is_key(place) and not column.is_link))

    def _is_key(self, place: QueryPlace) -> bool:
        return self._tables[place.alias].key == place.column.name.lower()

    def node(self, place: QueryPlace) -> int:
        """The variable that a column shows: its row where it stands for it, else what it holds."""
        return self.row(place) if self.stands_for_row(place) else self.value(place)

    def equate(self, left: QueryPlace, right: QueryPlace) -> None:
        """A join: both columns hold the same, so they are one variable."""
        for kind, variable in self._readings(left):
            for other_kind, other in self._readings(right):
                if kind == other_kind:
                    self.variables.merge(variable(), other())
                    return
        raise Unsayable("joins on columns that are not linked")

    def _readings(self, place: QueryPlace) -> list[tuple[str, Callable[[], int]]]:
        """What a column may be equal to, most telling first: rows of a table, nodes of a class, or values."""
        column = place.column
        found: list[tuple[str, Callable[[], int]]] = []
        if place.alias in self._rows and self.database.identifies(column):
            found.append((f"rows {column.table.lower()}", lambda: self._rows[place.alias]))
        if column.target is not None:
            found.append((f"rows {column.target[0]}", lambda: self.value(place)))
        elif column.kind is CellKind.VALUE_NODE:
            found.append((f"nodes {column.value_class}", lambda: self.value(place)))
        elif column.kind is CellKind.LITERAL:
            found.append(("values", lambda: self.value(place)))
        return found


# From variables to programs: the set that a variable stands for, seen from it through all the
# others.


def both(parts: Iterable[ex.Expression]) -> ex.Expression:
    """Sets that all hold, the class first."""
    flat = list(dict.fromkeys(leaf for part in parts for leaf in leaves(part, ex.And)))
    flat.sort(key=lambda part: not isinstance(part, ex.Class))
    return reduce(lambda rest, part: ex.And(part, rest), reversed(flat))


def either(parts: Iterable[ex.Expression]) -> ex.Expression:
    """Sets of which one holds; a class that all share is said once."""
    found = list(dict.fromkeys(parts))
    split = [leaves(part, ex.And) for part in found]
    first = split[0][0]
    if len(found) > 1 and isinstance(first, ex.Class) and all(s[0] == first and len(s) > 1 for s in split):
        return both([first, either([both(s[1:]) for s in split])])
    alike = [part.relation for part in found if isinstance(part, ex.Join)]
    if 1 < len(found) == len(alike) and len(set(alike)) == 1:
        return ex.Join(alike[0], either([part.argument for part in found if isinstance(part, ex.Join)]))
    return reduce(lambda rest, part: ex.Or(part, rest), reversed(found))


def but_not(kept: ex.Expression, gone: ex.Expression) -> ex.Expression:
    """What is taken away need not repeat the class of what it is taken from."""
    classes = [leaf for leaf in leaves(kept, ex.And) if isinstance(leaf, ex.Class)]
    rest = [leaf for leaf in leaves(gone, ex.And) if leaf not in classes]
    return ex.Not(kept, both(rest) if rest else gone)


class Denoter:
    """Reads sets off the variables of a query.

    `shown` are edges that are there to show what they lead to, `counted` the hops from a group to what is
    counted of it: where they take nothing away, they are not said.
    """

    def __init__(self, variables: Variables, facts: TableFacts) -> None:
        self.variables = variables
        self.facts = facts
        self.shown: set[QueryEdge] = set()
        self.counted: set[Hop] = set()
        self.lean = False
        """Leaves out joins that ask only that there is something."""

    def set_of(
        self, variable: int, ignoring: frozenset[QueryEdge] = frozenset(), inner: bool = False
    ) -> ex.Expression | None:
        """The program of a variable's nodes; None where nothing restricts it.

        `inner`: it is reached through a relation, so its class is said only where that says more.
        """
        return self._set(self.variables.find(variable), ignoring, inner, frozenset())

    def _set(
        self, here: int, ignoring: frozenset[QueryEdge], inner: bool, seen: frozenset[int]
    ) -> ex.Expression | None:
        variable = self.variables[here]
        parts: list[ex.Expression] = list(dict.fromkeys(variable.within))
        optional: list[ex.Expression] = list(variable.implied)
        for hop in self.variables.hops(here):
            # Whoever comes round in a circle has been there: the last join says what the others said.
            if hop.edge in ignoring or hop.end in seen:
                continue
            if hop.single and self.variables.is_idle(hop.end):
                continue
            said = self._across(hop, ignoring, seen | {here})
            plain = isinstance(said, ex.Has) or isinstance(said.argument, ex.Class)
            if plain and self.lean:
                continue
            spare = hop in self.counted or (plain and (hop.single or hop.edge in self.shown))
            (optional if spare else parts).append(said)
        said_class = ex.Class(variable.class_iri) if variable.class_iri is not None else None
        return self._together(said_class, parts, optional, variable.without, inner)

    def _across(self, hop: Hop, ignoring: frozenset[QueryEdge], seen: frozenset[int]) -> ex.Has | ex.Join:
        """What a walk along an edge asks of the nodes that it starts from."""
        relation = ex.Relation(hop.edge.relation, hop.relation.inverse)
        beyond = self._set(hop.end, ignoring | {hop.edge}, True, seen)
        if beyond is None or (not relation.inverse and self._is_plain(beyond, hop)):
            return ex.Has(relation)
        return ex.Join(relation, beyond)

    def _is_plain(self, beyond: ex.Expression, hop: Hop) -> bool:
        """A class that everything at the end of the relation has anyway."""
        arrived = ex.Has(ex.Relation(hop.edge.relation, not hop.relation.inverse))
        return isinstance(beyond, ex.Class) and self.facts.holds(arrived, beyond)

    def _together(
        self,
        said_class: ex.Class | None,
        parts: list[ex.Expression],
        optional: list[ex.Expression],
        without: list[ex.Expression],
        inner: bool,
    ) -> ex.Expression | None:
        chosen = [part for part in parts if isinstance(part, ex.Extreme | ex.Entity)]
        if chosen:
            # Whoever has been picked out already meets what is merely implied.
            others = [part for part in [*parts, *optional] if part not in chosen]
            parts = [*chosen, *(part for part in others if not self.facts.holds(both(chosen), part))]
            optional = []
            inner = True
        parts = [*parts, *self._needed(said_class, parts, optional)]
        if said_class is not None and not (inner and parts and self.facts.holds(both(parts), said_class)):
            parts.insert(0, said_class)
        if not parts:
            return None
        kept = both(parts)
        if chosen:
            without = [gone for gone in without if not self.facts.are_apart(kept, gone)]
        return but_not(kept, either(without)) if without else kept

    def _needed(
        self, said_class: ex.Class | None, parts: list[ex.Expression], optional: list[ex.Expression]
    ) -> list[ex.Expression]:
        """Of what may be left out, that which takes something away or says something at all."""
        kept = list(optional)
        for part in optional:
            others = [*([said_class] if said_class else []), *parts, *(p for p in kept if p != part)]
            if others and self.facts.holds(both(others), part):
                kept.remove(part)
        return kept
