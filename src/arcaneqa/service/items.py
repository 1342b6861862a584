"""Answer items, tables of them and facts as they travel, with the address that a browser may open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from arcaneqa.entity_facts import PAGE, Facts
from arcaneqa.record import AnswerItem, Table
from arcaneqa.service.contract import EntityResponse, Item, RelationFacts, TableSent


def items_sent(items: Sequence[AnswerItem]) -> list[Item]:
    return [_sent(item) for item in items]


MOST_CELLS = 100_000
"""Of a table that is sent: the page that shows it has to hold them."""


def rows_sent(columns: int, most: int) -> int:
    """How many rows of a table are sent, of at most so many."""
    return min(most, MOST_CELLS // max(1, columns))


def table_sent(table: Table | None, most: int, total: int | None = None) -> TableSent | None:
    """The first rows of a table, which may be only a part of `total` rows."""
    if table is None:
        return None
    most = rows_sent(len(table.columns), most)
    total = len(table.cells) if total is None else total
    cells = [[None if cell is None else _sent(cell) for cell in row] for row in table.cells[:most]]
    rows = [list(row) for row in table.rows[:most]]
    return TableSent(columns=list(table.columns), rows=rows, cells=cells, total=total)


def _sent(item: AnswerItem) -> Item:
    return Item(**asdict(item), address=_address(item.iri))


def facts_sent(facts: Facts, page: int = 0) -> EntityResponse:
    (itself,) = items_sent([facts.entity])
    assert itself.id is not None, "values are no entities"
    return EntityResponse(
        id=itself.id,
        label=itself.label,
        iri=itself.iri,
        address=itself.address,
        classes=list(facts.classes),
        facts=[
            RelationFacts(
                relation=each.relation,
                label=each.label,
                inverse=each.inverse,
                values=items_sent(each.values),
                total=each.total,
            )
            for each in facts.relations
        ],
        namesakes=items_sent(facts.namesakes),
        page=page,
        page_size=PAGE,
    )


def _address(iri: str | None) -> str | None:
    """Only what a browser may open safely."""
    return iri if iri is not None and iri.startswith(("http://", "https://")) else None
