"""Databases as graphs and as tables: every gold program gives the same answers on both.

The gold program of the graph is put into the names of the tables: a class is a table, a relation a column, an
entity a row, and what the graph says of a column in another way than the tables do (a text as a node, a name
as a label, a key as a number where the tables have found a link) is said in theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.tables.triples import PREFIXES, local_name
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import NodeSet
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import value_of
from arcaneqa.lab.datasets.spider import MAPPING, databases, read
from arcaneqa.lab.datasets.sql.mapping import CellKind, MappedColumn
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.language.text import print_program
from arcaneqa.support.errors import ProgramError
from arcaneqa.support.files import read_json
from benchmarks.rebuilt_tables import Rebuilt, rebuild, row_names, write_csv, write_sqlite

_SHOWN = 3
_SAME_DIGITS = 9
"""Averages are added up in another order."""


@dataclass
class Compared:
    """What became of the gold programs of one database in one form."""

    database: str
    form: str
    same: int = 0
    differing: list[str] = field(default_factory=list)
    links_missed: int = 0


def run(source: Path, names: Sequence[str], say: Callable[[str], None]) -> str:
    """`source` is a folder with the graphs (`kb/`), the mapping and the questions."""
    lines = [
        "| database | tables, rows | gold programs | as | same answers | links not found |",
        "|---|---|---|---|---|---|",
    ]
    for name in names:
        with TemporaryDirectory() as work:
            build_index([source / "kb" / f"{name}.nt.gz"], Path(work) / "graph")
            with Index(Path(work) / "graph") as graph:
                facts = TableFacts(databases(source)[name], graph)
                tables = rebuild(facts, read_json(source / MAPPING)[name])
                gold = [(d.id, d.programs[0]) for d in read(source, name, graph) if d.programs]
                rows = sum(len(table.cells) for table in tables)
                for found in _compared(name, facts, tables, gold, Path(work)):
                    for line in found.differing:
                        say(f"{name} as {found.form}: {line}")
                    lines.append(
                        f"| {name} | {len(tables)}, {rows:,} | {len(gold)} | {found.form} | {found.same} "
                        f"| {found.links_missed} |"
                    )
    return "\n".join(lines)


def _compared(
    name: str,
    facts: TableFacts,
    tables: Sequence[Rebuilt],
    gold: Sequence[tuple[str, ex.Expression]],
    work: Path,
) -> Iterator[Compared]:
    forms = {"SQLite": (write_sqlite, "tables.sqlite"), "CSV": (write_csv, "csv")}
    for form, (write, target) in forms.items():
        paths = write(tables, work / target)
        build_index(paths, work / f"{form}-index")
        with Index(work / f"{form}-index") as index:
            there = InTables(facts, tables, index, row_names(tables, paths))
            found = Compared(name, form)
            for id_, program in gold:
                try:
                    differs = _differs(program, there)
                except (Unlike, ProgramError) as reason:
                    differs = str(reason)
                if differs is None:
                    found.same += 1
                else:
                    found.differing.append(f"{id_}: {differs}")
            found.links_missed = len(there.not_found)
        yield found


def _differs(program: ex.Expression, there: InTables) -> str | None:
    own = there.facts.rows(program)
    translated = there.program(program)
    theirs = TableFacts(there.facts.database, there.index).rows(translated)
    wanted = sorted(tuple(there.meant(cell) for cell in row) for row in own)
    found = sorted(tuple(map(_plain, row)) for row in theirs)
    if wanted == found:
        return None
    only, theirs_only = (
        sorted({*one} - {*other})[:_SHOWN] for one, other in ((wanted, found), (found, wanted))
    )
    return f"{print_program(translated, Names(there.index.profile))}: {only}, there {theirs_only}"


class Unlike(Exception):
    """Something that the graph says cannot be said of the tables."""


class InTables:
    """Programs and terms of a graph in the names of an index of its tables."""

    def __init__(
        self, facts: TableFacts, tables: Sequence[Rebuilt], index: Index, rows: dict[int, str]
    ) -> None:
        self.facts, self.index = facts, index
        self._rows = rows
        self._columns: dict[str, list[MappedColumn]] = {}
        self._classes: dict[str, str] = {}
        for table in tables:
            of_class = facts.database.tables[table.name.lower()].class_iri
            if of_class is not None:
                self._classes[of_class] = table.name
            for column in table.columns:
                self._columns.setdefault(column.relation, []).append(column)
        self._cells = self._same_cells(tables)
        self.not_found: set[str] = set()
        """Links of the graph that the tables have not."""

    def _same_cells(self, tables: Sequence[Rebuilt]) -> dict[Term, Literal]:
        """What the graph has in a cell, and what literal the tables have there, where it is one."""
        found: dict[Term, Literal] = {}
        for table in tables:
            for column in table.columns if table.nodes is not None else ():
                relation = self.index.schema.relation_ids.get(_column(column))
                cells = self.facts.cells(column)
                if relation is None or not cells or column.is_link:
                    continue
                rows = {self.index.node(Iri(self._rows[node])): node for node in cells}
                known = NodeSet(np.array(sorted(node for node in rows if node is not None), np.int64))
                pairs = self.index.values(relation, known)
                values = self.index.terms(pairs.objects)
                for row, value in zip(pairs.subjects.tolist(), values, strict=True):
                    [term] = self.facts.terms([cells[rows[row]]])
                    if isinstance(value, Literal):
                        found.setdefault(term, value)
        return found

    # Terms -----------------------------------------------------------------------------------

    def meant(self, term: Term | None) -> str:
        """A term of the graph, as `_plain` writes the tables' own."""
        if term is None or isinstance(term, Literal):
            return _plain(self._cells.get(term, term) if term is not None else None)
        if term in self._cells:
            return _plain(self._cells[term])
        node = self.facts.kb.node(term)
        if node is None or node not in self._rows:
            raise Unlike(f"{term} is no row")
        return self._rows[node]

    def _topic(self, node: ex.Entity | ex.Value) -> ex.Expression:
        term = node.term if isinstance(node, ex.Entity) else node.literal
        if term in self._cells:
            return ex.Value(self._cells[term])
        if isinstance(node, ex.Value):
            return node
        return ex.Entity(Iri(self.meant(term)))

    # Relations -------------------------------------------------------------------------------

    def paths(self, relation: ex.Relation) -> list[ex.Path]:
        """The ways that lead through the tables where the relation leads; several where it serves several
        tables."""
        if relation.iri not in self._columns:
            raise Unlike(f"{relation.iri} is no column")
        found = dict.fromkeys(self._path(column) for column in self._columns[relation.iri])
        if not relation.inverse:
            return list(found)
        return [_backwards(path) for path in found]

    def _path(self, column: MappedColumn) -> ex.Path:
        if column.kind in (CellKind.SUBJECT, CellKind.OBJECT):
            return self._pairing(column)
        return self._cell_path(column)

    def _cell_path(self, column: MappedColumn) -> ex.Path:
        own = ex.Relation(_column(column))
        known = self.index.schema.relation_ids.get(own.iri)
        if known is None:
            return (own,)  # all of its cells are blank
        leads_to_rows = ValueKind.ENTITY in self.index.schema.relations[known].kinds
        if leads_to_rows and not column.is_link:  # a link that only the tables have: its key is the cell
            return (own, ex.Relation(self._key_of(known)))
        if column.is_link and not leads_to_rows:  # nothing tells of the link: the same key is in both tables
            self.not_found.add(own.iri)
            return (own, ex.Relation(_column(self.facts.target(column)), inverse=True))
        return (own,)

    def _pairing(self, column: MappedColumn) -> ex.Path:
        """A table that the graph has as one relation: one here as well, or rows in between."""
        one = f"{PREFIXES['column']}{local_name(column.table)}"
        table = self.facts.database.tables[column.table.lower()]
        first, second = table.end(CellKind.SUBJECT), table.end(CellKind.OBJECT)
        if one in self.index.schema.relation_ids:
            of_first = next(iter(table.columns.values())) == first
            return (ex.Relation(one, not of_first),)
        return (*_backwards(self._cell_path(first)), *self._cell_path(second))

    def _key_of(self, link: int) -> str:
        """The column whose cells a link stands for."""
        from arcaneqa.kb.build.tables.foreign_keys import link_words

        range_ = self.index.schema.relations[link].range
        assert range_ is not None
        table = self.index.schema.classes[range_].iri.removeprefix(PREFIXES["table"])
        said = link_words(self.index.schema.relations[link].iri.rpartition(".")[2])
        keys = [
            r.iri
            for r in self.index.schema.relations
            if r.iri.startswith(f"{PREFIXES['column']}{table}.") and r.objects == r.facts
        ]
        fitting = [iri for iri in keys if link_words(iri.rpartition(".")[2]) == said]
        return (fitting or keys)[0]

    # Programs --------------------------------------------------------------------------------

    def program(self, program: ex.Expression) -> ex.Expression:
        return rewrite(program, self._changed)

    def _changed(self, node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Entity() | ex.Value():
                return self._topic(node)
            case ex.Class(iri):
                if iri not in self._classes:
                    raise Unlike(f"{iri} is no table")
                return ex.Class(f"{PREFIXES['table']}{local_name(self._classes[iri])}")
            case ex.Named(text):
                columns = [c for each in self._columns.values() for c in each if c.kind is CellKind.LABEL]
                return _either([ex.Join(ex.Relation(_column(column)), text) for column in columns])
            case ex.Join(relation, argument):
                return _either([_joined(path, argument) for path in self.paths(relation)])
            case ex.Has(relation):
                return _either([_nested(path, ex.Has(path[-1])) for path in self.paths(relation)])
            case ex.Like(relation, text):
                return _either([_nested(p, ex.Like(p[-1], text)) for p in self.paths(relation)])
            case ex.Cons(argument, relation, constant):
                among = [_joined(path, self._topic(constant)) for path in self.paths(relation)]
                return ex.And(argument, _either(among))
            case ex.Compare(_, ex.Relation() as relation, _):
                return _either([_nested(p, replace(node, key=p[-1])) for p in self.paths(relation)])
            case ex.Compare(_, (ex.Counted() | ex.Totalled()) as key, _):
                return replace(node, key=self._key(key, None))
            case ex.Count(argument, path) | ex.Aggregate(_, argument, path):
                return replace(node, path=self._only(path, argument))
            case ex.Extreme(_, argument, key) | ex.Sort(argument, key):
                if isinstance(argument, ex.Per) or (isinstance(key, tuple) and not key):
                    return node
                return replace(node, key=self._key(key, argument))
            case ex.Show(argument, columns):
                return replace(node, columns=tuple(self._key(column, argument) for column in columns))
            case ex.Per(argument, path, columns):
                kept = tuple(self._key(column, argument) for column in columns)
                return replace(node, path=self._only(path, argument), columns=kept)
            case _:
                return node

    def _key(self, key: ex.Key, argument: ex.Expression | None) -> Any:
        if isinstance(key, tuple):
            return self._only(key, argument)
        within = key.within if isinstance(key, ex.Counted) else None
        return replace(key, path=self._only(key.path, argument, within))

    def _only(
        self, path: ex.Path, argument: ex.Expression | None, within: ex.Expression | None = None
    ) -> ex.Path:
        """A path in the tables; where relations serve several tables, the ways that lead from the members
        (from anything, if these are not known) to something (that is `within`)."""
        ways = [tuple(chain(*parts)) for parts in product(*map(self.paths, path))]
        if len(ways) > 1:
            ways = [way for way in ways if self._leads(argument, way, within)] or ways[:1]
        return ways[0]

    def _leads(self, argument: ex.Expression | None, path: ex.Path, within: ex.Expression | None) -> bool:
        found = _joined(path, within) if within is not None else _nested(path, ex.Has(path[-1]))
        while isinstance(argument, ex.Sort):
            argument = argument.argument
        try:
            return bool(execute(found if argument is None else ex.And(argument, found), self.index).nodes)
        except ProgramError:
            return False


def _backwards(path: ex.Path) -> ex.Path:
    return tuple(ex.Relation(step.iri, not step.inverse) for step in reversed(path))


def _column(column: MappedColumn) -> str:
    return f"{PREFIXES['column']}{local_name(column.table)}.{local_name(column.name)}"


def _joined(path: ex.Path, argument: ex.Expression) -> ex.Expression:
    for step in reversed(path):
        argument = ex.Join(step, argument)
    return argument


def _nested(path: ex.Path, last: ex.Expression) -> ex.Expression:
    """What stands at the end of a path of one or more steps, whose last one is in `last`."""
    return _joined(path[:-1], last)


def _either(choices: Sequence[ex.Expression]) -> ex.Expression:
    if not choices:
        raise Unlike("nothing has such a name")
    found = choices[0]
    for choice in choices[1:]:
        found = ex.Or(found, choice)
    return found


def _plain(term: Term | None) -> str:
    if isinstance(term, Literal):
        value = value_of(term)
        if value is None:
            return " ".join(term.lexical.split())
        near = getattr(value, "nearest", None)
        return repr(value) if near is None else f"{near:.{_SAME_DIGITS}g}"
    return "" if term is None else str(getattr(term, "value", term))
