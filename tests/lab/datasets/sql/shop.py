"""A small shop as an SQLite database and as graphs of all three habits, so that both can be asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph as ox

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.lab.datasets.sql.mapping import Grapher, RawColumn, RawTable, Style
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.translate import Recorded

MAKER = RawTable(
    "maker",
    "maker",
    [RawColumn("id"), RawColumn("name"), RawColumn("country"), RawColumn("founded")],
    [
        (1, "Abbey", "France", 1890),
        (2, "Brook", "Spain", 1950),
        (3, "Crown", "France", 1975),
        (4, "Dale", "Italy", None),
        (5, "Elm", "Spain", 2001),
    ],
    key="id",
    label="name",
)
PRODUCT = RawTable(
    "product",
    "product",
    [
        RawColumn("id"),
        RawColumn("name"),
        RawColumn("price"),
        RawColumn("kind"),
        RawColumn("maker_id", "maker"),
    ],
    [
        (1, "red sauce", 4, "food", 1),
        (2, "green sauce", 7, "food", 1),
        (3, "lamp", 40, "light", 2),
        (4, "candle", 3, "light", 3),
        (5, "torch", 25, "light", 3),
        (6, "bread", 2, "food", 3),
        (7, "stone", 11, None, None),
        (8, "bulb", 9, "light", 2),
    ],
    key="id",
    label="name",
)
SALE = RawTable(
    "sale",
    "sale",
    [RawColumn("id"), RawColumn("product_id", "product"), RawColumn("city"), RawColumn("amount")],
    [
        (1, 1, "Paris", 3),
        (2, 1, "Rome", 5),
        (3, 3, "Paris", 1),
        (4, 4, "Oslo", 8),
        (5, 4, "Paris", 2),
        (6, 4, "Rome", 13),
        (7, 6, "Oslo", 21),
        (8, 8, "Paris", 34),
    ],
    key="id",
)
TABLES = (MAKER, PRODUCT, SALE)


def sqlite() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for table in TABLES:
        connection.execute(
            f"CREATE TABLE {table.name} ({', '.join(column.name for column in table.columns)})"
        )
        marks = ", ".join("?" for _ in table.columns)
        connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", table.rows)
    return connection


@contextmanager
def graph(folder: Path, style: Style) -> Iterator[TableFacts]:
    grapher = Grapher("shop", TABLES, style, "http://example.org/shop/", value_nodes=True)
    source = folder / f"{style}.nt"
    ox.serialize(grapher.facts(), str(source), format=ox.RdfFormat.N_TRIPLES)
    build_index([source], folder / style)
    with Index(folder / style) as kb:
        yield TableFacts(grapher.database(), kb)


def recorded(connection: sqlite3.Connection, sql: str) -> Recorded | None:
    """What a query finds; None for nothing, which no program stands for."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in connection.execute(sql)]
    answers = list(dict.fromkeys(row[0] for row in rows if row[0]))
    if not answers:
        return None
    return Recorded(answers, answers, rows if len(rows[0]) > 1 else None)
