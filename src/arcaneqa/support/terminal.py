"""Every line that is printed goes through here, and no terminal obeys what is in it. Tables: `console.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from arcaneqa.support.harmless import json_text, printable

Progress = Callable[[str, int, int | None], None]
"""Told how far long work is: its stage, how much of that is done, and of how much, where that is known."""


def untold(stage: str, done: int, total: int | None) -> None:
    """The progress that nobody watches."""


def say(text: str, *, err: bool = False) -> None:
    """A line, or several."""
    print(printable(text), file=sys.stderr if err else sys.stdout)


_loudness = 0


def set_loudness(quiet: bool, verbose: bool) -> None:
    """For this process: without what is only good to know, or with what few want to know."""
    global _loudness
    _loudness = int(verbose) - int(quiet)


def is_quiet() -> bool:
    return _loudness < 0


def note(text: str) -> None:
    """Something good to know, beside the result."""
    if _loudness >= 0:
        say(text, err=True)


def detail(text: str) -> None:
    """Something for those who want to know how it went."""
    if _loudness > 0:
        say(text, err=True)


def say_json(data: Any, indent: int | None = None) -> None:
    print(json_text(data, indent))
