"""An answer as a notebook shows it: what was found, what it was read as, and the program drawn as boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.export import ExportRows, rows_of
from arcaneqa.record import Outcome

MOST_ROWS = 20
"""Of a table in a notebook; the others are counted."""
_BOX = "display:inline-block;vertical-align:top;border:1px solid #9ab;border-radius:4px;padding:3px"
_DIM = "color:#667"


def answer_html(answer: Answer) -> str:
    """Everything that strangers wrote is text here, never markup."""
    shown = answer.shown()
    rows = rows_of(answer) if shown is None else ExportRows(shown.table.columns, shown.table.told)
    parts = [f"<b>{escape(answer.question)}</b>"]
    if answer.reason is not None:
        heading = "Not sure." if answer.outcome is Outcome.ASK else "No answer."
        parts.append(f"{heading} {escape(answer.reason)}")
        parts += [escape(reading.paraphrase) for reading in answer.readings]
    else:
        parts.append(_table(rows))
    read_as = answer.paraphrase if answer.reason is None else None
    for name, text in (("carried", answer.carried), ("read as", read_as)):
        if text is not None:
            parts.append(f'<span style="{_DIM}">{name}</span> {escape(text)}')
    if answer.tree is not None and answer.reason is None:
        parts.append(_boxes(answer.tree))
    if answer.confidence is not None:
        parts.append(f'<span style="{_DIM}">{answer.confidence:.0%} sure</span>')
    return _lines(parts)


def _lines(parts: Iterable[str]) -> str:
    return "".join(f"<div>{part}</div>" for part in parts)


def _table(rows: ExportRows) -> str:
    shown = [_row("td", row) for row in rows.rows[:MOST_ROWS]]
    more = len(rows.rows) - len(shown)
    rest = f'<div style="{_DIM}">… and {more:,} more</div>' if more else ""
    return f"<table>{_row('th', rows.columns)}{''.join(shown)}</table>{rest}"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _boxes(tree: dict[str, Any]) -> str:
    """What a step does and with what, around the boxes of its arguments."""
    inner = "".join(map(_boxes, tree["children"]))
    head = f'<span style="{_DIM}">{escape(tree["kind"])}</span> {escape(tree["label"])}'
    return f'<div style="{_BOX}">{head}{f"<div>{inner}</div>" if inner else ""}</div>'
