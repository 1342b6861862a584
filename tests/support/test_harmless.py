"""Whatever strangers wrote: terminals obey none of it, JSON says exactly it, a spreadsheet runs nothing."""

from __future__ import annotations

import ast
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

import arcaneqa
from arcaneqa.support.console import _Harmless, console
from arcaneqa.support.harmless import is_text, json_text, markdown_cell, one_line, printable, spreadsheet_cell

HOSTILE = (
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[1;1H",
    "\x9b31m",
    "\x9d0;t\x9c",
    "a\rb",
    "\x08\x08",
    "\u202egnp.exe",
    "\x7f",
    "\udc80",
)
ANY_TEXT = st.text(st.characters(codec=None), max_size=40) | st.sampled_from(HOSTILE)
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@given(ANY_TEXT)
def test_nothing_is_obeyed(text: str) -> None:
    for cleaned in (printable(text), one_line(text), markdown_cell(text), json_text(text)):
        assert not OBEYED.search(cleaned)
        cleaned.encode()
    assert "\n" not in one_line(text)


@given(st.recursive(ANY_TEXT | st.integers() | st.none(), lambda inner: st.dictionaries(ANY_TEXT, inner)))
def test_json_stays_exact(data: object) -> None:
    assert json.loads(json_text(data)) == data
    assert json.loads(json_text(data, indent=2)) == data


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=40)
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    turned = re.search("[\u202a-\u202e\u2066-\u2069]", text)
    assert (printable(text) == text) == (turned is None)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_console_shows_what_it_is_given(text: str) -> None:
    """In every way that text gets there: lines, styled text, cells, titles; markup in it is no markup."""
    screen = console()
    assert isinstance(screen, _Harmless)
    screen = _Harmless(file=io.StringIO(), force_terminal=True, color_system=None, markup=False, width=200)
    table = Table(title=f"title {text}", box=None)
    table.add_column(f"head {text}")
    table.add_row(Text(f"cell {text}"))
    table.add_row(f"[bold]cell {text}[/x]")
    screen.print(f"line {text}", Text(f"text {text}"), table)
    assert isinstance(screen.file, io.StringIO)
    shown = re.sub(r"\x1b\[\d*(;\d+)*m", "", screen.file.getvalue())  # our own styles
    assert not OBEYED.search(shown)
    assert all(word in shown for word in ("line ", "text ", "title ", "head ", "[bold]cell "))


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3+cmd", "@SUM(A1)", "\t=1", "  =1"])
def test_formulas_are_text(text: str) -> None:
    assert spreadsheet_cell(text).startswith("'")


@pytest.mark.parametrize("text", ["-5", "+3.2e-4", "-1,000", "Paris", "12%", ""])
def test_numbers_are_no_formulas(text: str) -> None:
    assert spreadsheet_cell(text) == text


@given(ANY_TEXT)
def test_text_is_what_can_be_written(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        assert not is_text(text)
    else:
        assert is_text(text)


def test_there_is_one_door_to_the_terminal() -> None:
    """Nothing but the two doors writes to it: no `print`, no `typer.echo`, no console of rich's own."""
    package = Path(arcaneqa.__file__).parent
    found = []
    for path in sorted(package.rglob("*.py")):
        if path.name in ("terminal.py", "console.py") and path.parent == package / "support":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "typer.echo", "Console"):
                found.append(f"{path.relative_to(package)}:{node.lineno}")
    assert not found
