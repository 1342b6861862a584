"""Rows to take away: as CSV, TSV, Markdown, JSON or Turtle, safe to open where they are opened."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from arcaneqa.facts import Facts
from arcaneqa.harmless import json_text, markdown_cell, spreadsheet_cell
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.sparql.terms import written
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.record import AnswerItem


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


def rows_of_items(items: Sequence[AnswerItem]) -> Rows:
    """Entities with their name and IRI, values by themselves."""
    if all(item.id is None for item in items):
        return Rows(("value",), tuple((item.value or "",) for item in items))
    return Rows(("label", "id"), tuple((item.label or "", item.id or "") for item in items))


def rows_of_facts(facts: Facts) -> Rows:
    rows = []
    for relation in facts.relations:
        label = f"is {relation.label} of" if relation.inverse else relation.label
        rows += [(label, item.label or item.value or "", item.id or "") for item in relation.values]
    return Rows(("relation", "value", "id"), tuple(rows))


def write_rows(rows: Rows, form: Format) -> str:
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


def write_json(data: Any) -> str:
    return json_text(data, indent=2)


def turtle_of_facts(facts: Facts, names: Names) -> str:
    """The facts as statements with whole IRIs, which every reader of RDF takes."""
    lines = []
    for relation in facts.relations:
        predicate = written(Iri(names.expand(relation.relation)))
        for item in relation.values:
            ends = _term(facts.entity, names), _term(item, names)
            subject, object_ = reversed(ends) if relation.inverse else ends
            lines.append(f"{subject} {predicate} {object_} .")
    return "\n".join(lines)


def _term(item: AnswerItem, names: Names) -> str:
    if item.id is not None:
        return item.id if item.id.startswith("_:") else written(Iri(names.expand(item.id)))
    assert item.value is not None
    return written(Literal(item.value, item.datatype)) if item.datatype else written(Literal(item.value))
