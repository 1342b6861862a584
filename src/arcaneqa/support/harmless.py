"""Text of strangers made harmless for where it goes: a terminal, JSON, a spreadsheet, a Markdown table.

Labels, IRIs and error texts come from files and servers that anybody may have written. A terminal obeys
control characters, a spreadsheet runs what begins like a formula; neither may happen to whoever only asked.
"""

from __future__ import annotations

import json
import re
from typing import Any

# C0 but tab and line feed, DEL and C1, what turns the direction of writing, and halves of characters.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# JSON escapes C0 by itself.
_BEYOND_JSON = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[0-9.,]+([eE][+-]?[0-9]+)?%?")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#])")


def printable(text: str) -> str:
    """For a terminal: controls are shown (`\\x1b`), not obeyed; tabs and line ends stay."""
    return _CONTROLS.sub(_shown, text)


def one_line(text: str) -> str:
    """The same where a line or a tab of its own would look like ours."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def json_text(data: Any, indent: int | None = None) -> str:
    """JSON that says exactly `data` and is harmless to print; even half a character can be written."""
    return _BEYOND_JSON.sub(_escaped, json.dumps(data, ensure_ascii=False, indent=indent))


def turtle_text(text: str) -> str:
    """Turtle that says exactly this; half a character, which it cannot say, as the sign for it."""
    return _CONTROLS.sub(lambda found: "\\ufffd" if found[0] >= "\ud800" else _escaped(found), text)


def spreadsheet_cell(text: str) -> str:
    """For CSV and TSV: what a spreadsheet would take for a formula gets an apostrophe before it."""
    is_formula = text.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return f"'{printable(text)}" if is_formula else printable(text)


def markdown_cell(text: str) -> str:
    """For a Markdown table: no markup, no HTML, one line."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: half a character (a lone surrogate) cannot."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
