"""What is no question in English: noise, other languages, code, and wishes meant for somebody else."""

from __future__ import annotations

import re
import unicodedata

from arcaneqa.verdict.words import ENGLISH, FOREIGN, pattern

_WORD = re.compile(r"[^\W\d_]+")
_CODE, _WISH, _ROWS = pattern("code"), pattern("wish"), pattern("keyboard_rows")
_VOWELLESS, _REPEATED = pattern("vowelless"), pattern("repeated")


def junk(text: str) -> str | None:
    """Why this is nothing to look up, in one sentence; None where it may be a question.

    >>> junk("???")
    'There are no words in this; ask a question in English.'
    >>> junk("what is the capital of France?") is None
    True
    """
    found = [word.lower() for word in _WORD.findall(text)]
    if not found:
        has_number = any(char.isdigit() for char in text)
        return None if has_number else "There are no words in this; ask a question in English."
    if _CODE.search(text):
        return "This looks like code; ask in words, or run a program with `arcaneqa run`."
    if _WISH.search(text):
        return "This asks for writing or for a role; only questions about the facts here are answered."
    if any(word in ENGLISH for word in found):
        return None
    if _is_foreign(text, found):
        return "Questions are understood in English only; names may be in any language."
    if all(_is_noise(word) for word in found):
        return "This does not look like words; ask a question in English."
    return None


def _is_foreign(text: str, found: list[str]) -> bool:
    letters = [char for char in text if char.isalpha()]
    latin = sum("LATIN" in unicodedata.name(char, "") for char in letters)
    # A name alone may be in any script: so several words, or a question mark.
    if 2 * latin < len(letters):
        return len(found) > 2 or text.rstrip().endswith(("?", "？", "؟"))
    said = set(found)
    return any(said & asking and len(said & (asking | other)) > 1 for asking, other in FOREIGN)


def _is_noise(word: str) -> bool:
    if not word.isascii():
        return False
    return bool(_REPEATED.search(word) or _VOWELLESS.search(word) or (len(word) > 3 and _ROWS.search(word)))
