"""Rows to take away: as CSV, TSV, Markdown, JSON or Turtle, safe to open where they are opened."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from arcaneqa.errors import InputError
from arcaneqa.harmless import markdown_cell, spreadsheet_cell
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.record import AnswerItem, Table

if TYPE_CHECKING:  # the command line reads `Format` from here before it knows what it will need
    from arcaneqa.entity_facts import Facts
    from arcaneqa.kb.short_names import Names


class Format(StrEnum):
    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    MD = "md"
    JSON = "json"
    TTL = "ttl"


@dataclass(frozen=True, slots=True)
class Rows:
    """What a table says, cell by cell as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def rows_of_answer(items: Sequence[AnswerItem], table: Table | None = None) -> Rows:
    """A table as people read it; else entities with their name and IRI, values by themselves."""
    if table is not None:
        return Rows(table.columns, tuple(tuple(cell or "" for cell in row) for row in table.labels))
    if all(item.id is None for item in items):
        return Rows(("value",), tuple((item.value or "",) for item in items))
    return Rows(
        ("label", "iri"), tuple((item.label or item.value or "", item.iri or item.id or "") for item in items)
    )


def rows_of_facts(facts: Facts) -> Rows:
    rows = []
    for relation in facts.relations:
        label = f"is {relation.label} of" if relation.inverse else relation.label
        rows += [(label, item.label or item.value or "", item.id or "") for item in relation.values]
    return Rows(("relation", "value", "id"), tuple(rows))


def write_rows(rows: Rows, form: Format) -> str:
    """CSV, TSV or Markdown."""
    if form is Format.TTL:
        raise InputError("Turtle holds facts, not answers: take csv, tsv, md or json, or `arcaneqa facts`.")
    if form is Format.MD:
        lines = [rows.columns, tuple("---" for _ in rows.columns), *rows.rows]
        body = [lines[0], lines[1], *(tuple(map(markdown_cell, row)) for row in lines[2:])]
        return "\n".join(f"| {' | '.join(row)} |" for row in body)
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if form is Format.TSV else ",", lineterminator="\n")
    writer.writerow(rows.columns)
    writer.writerows(tuple(map(spreadsheet_cell, row)) for row in rows.rows)
    return text.getvalue().rstrip("\n")


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
    return "\n".join(lines)


def _term(item: AnswerItem, names: Names) -> str:
    from arcaneqa.kb.sparql.terms import written

    if item.id is not None:
        return item.id if item.id.startswith("_:") else written(Iri(names.expand(item.id)))
    assert item.value is not None
    return written(Literal(item.value, item.datatype)) if item.datatype else written(Literal(item.value))
