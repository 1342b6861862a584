"""The tables of a database that was turned into a graph, rebuilt from the graph and its mapping, as a SQLite
file and as a folder of CSV."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.terms import Iri
from arcaneqa.lab.datasets.sql.mapping import CellKind, MappedColumn
from arcaneqa.lab.datasets.sql.table_facts import TableFacts


@dataclass(frozen=True)
class Rebuilt:
    """One table: its cells as text, None for a blank one, and the graph's node of each row (None in a table
    that is a relation of the graph, where rows are no nodes)."""

    name: str
    columns: tuple[MappedColumn, ...]
    key: tuple[str, ...]
    types: tuple[str, ...]
    nodes: tuple[int, ...] | None
    cells: tuple[tuple[str | None, ...], ...]

    @cached_property
    def header(self) -> list[str]:
        return [column.name for column in self.columns]


def rebuild(facts: TableFacts, mapping: Any) -> list[Rebuilt]:
    """Every table with its rows; `mapping` is the database's entry in the mapping file."""
    return [_table(facts, name, entry) for name, entry in mapping["tables"].items()]


def _table(facts: TableFacts, name: str, entry: Any) -> Rebuilt:
    table = facts.database.tables[name.lower()]
    columns = tuple(table.columns[each.lower()] for each in entry["columns"])
    types = tuple(_sql_type(cell.get("datatype", "string")) for cell in entry["columns"].values())
    key = tuple(entry["primary_key"]) if isinstance(entry["primary_key"], list) else ()
    if table.class_iri is None:
        return Rebuilt(name, columns, key, types, None, tuple(_pairs(facts, columns)))
    kb = facts.kb
    nodes = tuple(_in_order(kb, kb.members(kb.schema.class_ids[table.class_iri]).ids.tolist()))
    texts = [facts.texts(column) for column in columns]
    cells = tuple(tuple(found.get(node) for found in texts) for node in nodes)
    return Rebuilt(name, columns, key, types, nodes, cells)


def _in_order(kb: KnowledgeBase, nodes: list[int]) -> list[int]:
    """Rows by their IRIs, numbers in them as numbers: a row that is known by its number keeps its place."""
    import numpy as np

    terms = kb.terms(np.array(nodes, np.int64))
    named = [
        (term.value if isinstance(term, Iri) else "", node) for term, node in zip(terms, nodes, strict=True)
    ]
    return [node for name, node in sorted(named, key=lambda pair: (len(pair[0]), pair[0]))]


def _pairs(facts: TableFacts, columns: Sequence[MappedColumn]) -> Iterator[tuple[str | None, ...]]:
    from arcaneqa.language.expression import Has, Relation

    relation = facts.kb.schema.relation_ids[columns[0].relation]
    everything = facts.nodes(Has(Relation(columns[0].relation)))
    pairs = facts.kb.values(relation, everything)
    texts = {column.kind: facts.texts(facts.target(column)) for column in columns}
    for subject, object_ in zip(pairs.subjects.tolist(), pairs.objects.tolist(), strict=True):
        ends = {CellKind.SUBJECT: subject, CellKind.OBJECT: object_}
        yield tuple(texts[column.kind].get(ends[column.kind]) for column in columns)


def _sql_type(datatype: str) -> str:
    if datatype == "integer":
        return "INTEGER"
    return "NUMERIC" if "decimal" in datatype else "TEXT"


def write_sqlite(tables: Sequence[Rebuilt], path: Path) -> list[Path]:
    """With keys, types and foreign keys declared."""
    spelled = {table.name.lower(): table.name for table in tables}
    with closing(sqlite3.connect(path)) as database, database:
        for table in tables:
            lines = [f"{_sql(c.name)} {kind}" for c, kind in zip(table.columns, table.types, strict=True)]
            if table.key:
                lines.append(f"PRIMARY KEY ({', '.join(map(_sql, table.key))})")
            for column in table.columns:
                if column.target is not None:
                    to, there = column.target
                    lines.append(
                        f"FOREIGN KEY ({_sql(column.name)}) REFERENCES {_sql(spelled[to])} ({_sql(there)})"
                    )
            database.execute(f"CREATE TABLE {_sql(table.name)} ({', '.join(lines)})")
            marks = ", ".join("?" * len(table.columns))
            database.executemany(f"INSERT INTO {_sql(table.name)} VALUES ({marks})", table.cells)
    return [path]


def write_csv(tables: Sequence[Rebuilt], folder: Path) -> list[Path]:
    """A file for each table: names and cells, and nothing else."""
    folder.mkdir()
    for table in tables:
        with (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table.header)
            writer.writerows(table.cells)
    return sorted(folder.iterdir())


def row_names(tables: Sequence[Rebuilt], paths: Sequence[Path]) -> dict[int, str]:
    """The IRI that the reader of tables gives to the row of each of the graph's nodes."""
    import duckdb

    from arcaneqa.kb.build.tables.catalogue import load
    from arcaneqa.kb.build.tables.columns import RowKeys
    from arcaneqa.kb.build.tables.triples import PREFIXES, local_name

    names: dict[int, str] = {}
    with duckdb.connect() as connection:
        keys = RowKeys(connection)
        loaded = {table.name.lower(): table for table in load(paths, connection)}
        for table in tables:
            key = keys.key(loaded[table.name.lower()])
            start = f"{PREFIXES['row']}{local_name(table.name)}."
            for number, (node, cells) in enumerate(zip(table.nodes or (), table.cells, strict=False), 1):
                by_name = dict(zip(table.header, cells, strict=True))
                parts = [quote((by_name[column] or "").strip(), safe="") for column in key]
                names[node] = start + (".".join(parts) or str(number))
    return names


def _sql(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
