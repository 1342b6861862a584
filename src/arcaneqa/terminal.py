"""Every line that is printed goes through here, and no terminal obeys what is in it. Tables: `console.py`."""

from __future__ import annotations

from typing import Any

import typer

from arcaneqa.harmless import json_text, printable


def say(text: str, *, err: bool = False) -> None:
    """A line, or several."""
    typer.echo(printable(text), err=err)


def say_json(data: Any, indent: int | None = None) -> None:
    typer.echo(json_text(data, indent))
