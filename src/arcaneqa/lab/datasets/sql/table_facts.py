"""What the graph of a database says of its tables: the text of every cell, and what a program finds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.lab.datasets.sql.mapping import CellKind, Database, MappedColumn
from arcaneqa.language.expression import Expression
from arcaneqa.language.run import execute
from arcaneqa.support.errors import ProgramError


class TableFacts:
    """A database with its graph; everything asked of it is remembered."""

    def __init__(self, database: Database, kb: KnowledgeBase) -> None:
        self.database = database
        self.kb = kb
        self.nodes = cache(self._nodes)
        self.cells = cache(self._cells)
        self.texts = cache(self._texts)

    def _nodes(self, program: Expression) -> NodeSet:
        """The set that a program denotes."""
        return execute(program, self.kb).nodes

    def rows(self, program: Expression) -> list[tuple[Term | None, ...]]:
        """The rows of a table; of a set, each member in a row of its own, and of a number, the number."""
        found = execute(program, self.kb)
        if found.table is not None:
            return found.table.terms(self.kb)
        if found.value is not None:
            return [(found.value,)]
        return [(term,) for term in self.kb.terms(found.nodes.ids)]

    def holds(self, smaller: Expression, larger: Expression) -> bool:
        """Whether all of one set is in the other; not where one of them is no set by itself."""
        try:
            return not self.kb.difference(self.nodes(smaller), self.nodes(larger))
        except ProgramError:
            return False

    def are_apart(self, left: Expression, right: Expression) -> bool:
        """Whether two sets share no member."""
        return not self.kb.intersects(self.nodes(left), self.nodes(right))

    def _cells(self, column: MappedColumn) -> dict[int, int]:
        """The node in the column of each row; of a table that is one relation, of each end's node itself."""
        table = self.database.tables[column.table.lower()]
        relation = self.kb.schema.relation_ids.get(column.relation)
        if column.kind is CellKind.LABEL or relation is None:
            return {}
        if table.class_iri is None:
            ends = self.kb.values(relation, self._everything(relation))
            side = ends.subjects if column.kind is CellKind.SUBJECT else ends.objects
            return {int(node): int(node) for node in side}
        pairs = self.kb.values(relation, self._rows(column))
        return dict(zip(pairs.subjects.tolist(), pairs.objects.tolist(), strict=True))

    def _everything(self, relation: int) -> NodeSet:
        from arcaneqa.language.expression import Has, Relation

        return self.nodes(Has(Relation(self.kb.schema.relations[relation].iri)))

    def _rows(self, column: MappedColumn) -> NodeSet:
        iri = self.database.tables[column.table.lower()].class_iri
        known = None if iri is None else self.kb.schema.class_ids.get(iri)
        return self.kb.nodes(np.empty(0, np.int64)) if known is None else self.kb.members(known)

    def _texts(self, column: MappedColumn) -> dict[int, str]:
        """The text of a column's cell for each row: as the table had it."""
        if column.kind is CellKind.LABEL:
            rows = self._rows(column).ids
            labels = zip(rows.tolist(), self.kb.labels(rows), strict=True)
            return {row: label for row, label in labels if label is not None}
        cells = self.cells(column)
        written = self._written(column, cells.values())
        return {row: written[node] for row, node in cells.items() if node in written}

    def _written(self, column: MappedColumn, nodes: Iterable[int]) -> dict[int, str]:
        if column.target is not None:
            return self.texts(self.target(column))
        ids = np.array(sorted(set(nodes)), np.int64)
        if column.kind is CellKind.VALUE_NODE:
            labels = zip(ids.tolist(), self.kb.labels(ids), strict=True)
            return {node: label for node, label in labels if label is not None}
        return {node: lexical(term) for node, term in zip(ids.tolist(), self.kb.terms(ids), strict=True)}

    def row_text(self, column: MappedColumn, row: Term) -> str:
        """What the table writes in the column of a row."""
        node = self.kb.node(row)
        return "" if node is None else self.texts(column).get(node, "")

    def value_text(self, column: MappedColumn, value: Term) -> str:
        """What the table writes for what stands in the column."""
        node = self.kb.node(value)
        return lexical(value) if node is None else self._written(column, [node]).get(node, "")

    def target(self, column: MappedColumn) -> MappedColumn:
        assert column.target is not None
        table, name = column.target
        return self.database.tables[table].columns[name]

    def label(self, node: int) -> str | None:
        return self.kb.labels(np.array([node], np.int64))[0]

    def terms(self, nodes: Iterable[int]) -> list[Term]:
        return self.kb.terms(np.array(list(nodes), np.int64))


def lexical(term: Term) -> str:
    return term.lexical if isinstance(term, Literal) else str(term)
