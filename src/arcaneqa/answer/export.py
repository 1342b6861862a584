"""Rows to take away, safe to open where they are opened, and answers as data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.describe import MOST_ITEMS
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.record import AnswerItem, Table
from arcaneqa.support.errors import MissingExtra
from arcaneqa.support.harmless import markdown_cell, spreadsheet_cell, turtle_text

if TYPE_CHECKING:
    import pandas
    import polars

    from arcaneqa.answer.entity_facts import Facts
    from arcaneqa.answer.shown import Shown


# Rows to take away: as CSV, TSV, Markdown, JSON or Turtle, safe to open where they are opened.


_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


class Format(StrEnum):
    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    MD = "md"
    JSON = "json"
    TTL = "ttl"


@dataclass(frozen=True, slots=True)
class ExportRows:
    """What a table says, cell by cell as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def rows_of(answer: Answer) -> ExportRows:
    """All rows and columns of an answer; of an entity that was asked about, its facts."""
    if answer.facts is not None:
        return rows_of_facts(answer.facts)
    return rows_of_answer(answer.items, answer.shown(is_whole=True, most=MOST_ITEMS))


def rows_of_answer(items: Sequence[AnswerItem], shown: Shown | None = None) -> ExportRows:
    """Things with their name, IRI and columns, tables, values; all values as the facts have them."""
    if shown is not None:
        columns, rows = shown.table.columns, [tuple(map(_plain, row)) for row in shown.table.cells]
        if shown.is_of_things:
            columns = ("label", "iri", *columns[1:])
            iris = [_address(row[0]) for row in shown.table.cells]
            rows = [(row[0], iri, *row[1:]) for row, iri in zip(rows, iris, strict=True)]
        return ExportRows(columns, tuple(rows))
    if all(item.id is None for item in items):
        return ExportRows(("value",), tuple((item.value or "",) for item in items))
    return ExportRows(("label", "iri"), tuple((_plain(item), _address(item)) for item in items))


def _plain(item: AnswerItem | None) -> str:
    return "" if item is None else item.value if item.value is not None else item.label or item.term


def _address(item: AnswerItem | None) -> str:
    return "" if item is None else item.iri or item.id or ""


def rows_of_facts(facts: Facts) -> ExportRows:
    rows = []
    for relation in facts.relations:
        rows += [(relation.heading, _plain(item), _address(item)) for item in relation.values]
    return ExportRows(("relation", "value", "iri"), tuple(rows))


def write_rows(rows: ExportRows, form: Format) -> str:
    """CSV, TSV or Markdown."""
    if form is Format.MD:
        lines = [rows.columns, tuple("---" for _ in rows.columns), *rows.rows]
        body = [lines[0], lines[1], *(tuple(map(markdown_cell, row)) for row in lines[2:])]
        return "\n".join(f"| {' | '.join(row)} |" for row in body)
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if form is Format.TSV else ",", lineterminator="\n")
    writer.writerow(rows.columns)
    writer.writerows(tuple(map(spreadsheet_cell, row)) for row in rows.rows)
    return text.getvalue().rstrip("\n")


def turtle_of_answer(items: Sequence[AnswerItem], table: Table | None, names: Names) -> str:
    """The answers as RDF: W3C's vocabulary for results of queries, and labels of the entities.

    https://www.w3.org/2001/sw/DataAccess/tests/result-set#
    """
    columns = ("answer",) if table is None else table.columns
    rows = [(item,) for item in items] if table is None else table.cells
    cells = [["" if cell is None else _term(cell, names) for cell in row] for row in rows]
    lines = ["@prefix rs: <http://www.w3.org/2001/sw/DataAccess/tests/result-set#> ."]
    lines.append(f"[] a rs:ResultSet ; rs:resultVariable {', '.join(map(_quoted, columns))}")
    for row in cells:
        bound = (
            f"[ rs:variable {_quoted(column)} ; rs:value {cell} ]"
            for column, cell in zip(columns, row, strict=True)
            if cell
        )
        lines.append(f"  ; rs:solution [ rs:binding {', '.join(bound)} ]")
    lines.append("  .")
    for item in items:
        if item.iri is not None and item.label is not None:
            lines.append(f"{_term(item, names)} {_LABEL} {_quoted(item.label)} .")
    return turtle_text("\n".join(lines))


def _quoted(text: str) -> str:
    from arcaneqa.kb.sparql.terms import written

    return written(Literal(text))


def turtle_of_facts(facts: Facts, names: Names) -> str:
    """The facts as statements with whole IRIs, which every reader of RDF takes."""
    from arcaneqa.kb.sparql.terms import written

    lines = []
    for relation in facts.relations:
        predicate = written(Iri(names.expand(relation.relation)))
        for item in relation.values:
            ends = _term(facts.entity, names), _term(item, names)
            subject, object_ = reversed(ends) if relation.inverse else ends
            lines.append(f"{subject} {predicate} {object_} .")
    return turtle_text("\n".join(lines))


def _term(item: AnswerItem, names: Names) -> str:
    from arcaneqa.kb.sparql.terms import written

    if item.id is not None:
        return item.id if item.id.startswith("_:") else written(Iri(names.expand(item.id)))
    assert item.value is not None
    return written(Literal(item.value, item.datatype)) if item.datatype else written(Literal(item.value))


# Answers to go on with elsewhere: as text in a format, or as a data frame of pandas or polars.


Cell = str | int | float | bool


def exported(answer: Answer, form: Format, names: Names) -> str:
    """An answer as CSV, TSV, Markdown or Turtle; of an entity that was asked about, its facts."""
    if form is not Format.TTL:
        return write_rows(rows_of(answer), form)
    if answer.facts is not None:
        return turtle_of_facts(answer.facts, names)
    return turtle_of_answer(answer.items, answer.table, names)


def pandas_frame(answer: Answer) -> pandas.DataFrame:
    try:
        import pandas
    except ModuleNotFoundError:
        raise MissingExtra("to_pandas needs pandas: `pip install pandas`.") from None
    return pandas.DataFrame(_columns(answer))


def polars_frame(answer: Answer) -> polars.DataFrame:
    try:
        import polars
    except ModuleNotFoundError:
        raise MissingExtra("to_polars needs polars: `pip install polars`.") from None
    return polars.DataFrame(_columns(answer), strict=False)


def _columns(answer: Answer) -> dict[str, Sequence[Cell | None]]:
    """Numbers and truth values as such in columns of values only; all else as text."""
    rows = rows_of(answer)
    names, columns = _apart(rows.columns), list(zip(*rows.rows, strict=True)) or [()] * len(rows.columns)
    found: dict[str, Sequence[Cell | None]] = dict(zip(names, columns, strict=True))
    shown = None if answer.facts is not None else answer.shown(is_whole=True, most=MOST_ITEMS)
    if rows.columns == ("value",):
        found["value"] = [_value(item) for item in answer.items]
    elif shown is not None:
        names = [name for name in names if name != "iri" or not shown.is_of_things]
        for name, cells in zip(names, zip(*shown.table.cells, strict=True), strict=False):
            if all(cell is None or cell.datatype is not None for cell in cells):
                found[name] = [None if cell is None else _value(cell) for cell in cells]
    return found


def _apart(columns: tuple[str, ...]) -> list[str]:
    """Every column by a name of its own."""
    named = []
    for place, name in enumerate(columns):
        again = columns[:place].count(name)
        named.append(f"{name} {again + 1}" if again else name)
    return named


def _value(item: AnswerItem) -> Cell:
    text = item.value or ""
    match kind_of(Literal(text, item.datatype)) if item.datatype else None:
        case ValueKind.NUMBER:
            return int(text) if text.lstrip("+-").isdigit() else float(text)
        case ValueKind.BOOLEAN:
            return text in ("true", "1")
        case _:
            return text
