"""Answers to go on with elsewhere: as text in a format, or as a data frame of pandas or polars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcaneqa.answered import Answer
from arcaneqa.errors import MissingExtra
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.record import AnswerItem
from arcaneqa.showing.export import (
    Format,
    rows_of_answer,
    rows_of_facts,
    turtle_of_answer,
    turtle_of_facts,
    write_rows,
)

if TYPE_CHECKING:
    import pandas
    import polars

Cell = str | int | float | bool


def exported(answer: Answer, form: Format, names: Names) -> str:
    """An answer as CSV, TSV, Markdown or Turtle; of an entity that was asked about, its facts."""
    if answer.facts is not None:
        if form is Format.TTL:
            return turtle_of_facts(answer.facts, names)
        return write_rows(rows_of_facts(answer.facts), form)
    if form is Format.TTL:
        return turtle_of_answer(answer.items, answer.table, names)
    return write_rows(rows_of_answer(answer.items, answer.table), form)


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


def _columns(answer: Answer) -> dict[str, list[Cell]]:
    """Numbers and truth values as such, where the answers are values; all else as text."""
    rows = rows_of_answer(answer.items, answer.table) if answer.facts is None else rows_of_facts(answer.facts)
    if rows.columns == ("value",):
        return {"value": [_value(item) for item in answer.items]}
    return {name: [row[place] for row in rows.rows] for place, name in enumerate(_apart(rows.columns))}


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
