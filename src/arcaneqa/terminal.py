"""Every line that is printed goes through here, and no terminal obeys what is in it. Tables: `console.py`."""

from __future__ import annotations

import sys
from typing import Any

from arcaneqa.harmless import json_text, printable


def say(text: str, *, err: bool = False) -> None:
    """A line, or several."""
    print(printable(text), file=sys.stderr if err else sys.stdout)


def say_json(data: Any, indent: int | None = None) -> None:
    print(json_text(data, indent))
