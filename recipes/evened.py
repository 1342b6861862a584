"""Answers as people write them down, evened out, so that those that say the same are the same."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from functools import lru_cache

_DATES = ("%Y-%m-%d", "%B %d, %Y", "%d %B %Y", "%B %d %Y", "%b %d, %Y", "%d %b %Y", "%b. %d, %Y")
_NUMBER = re.compile(r"[$€£]? ?([+-]?[\d,]*\.?\d+) ?(%|[a-z²³/]{1,12})?")
_MARKS = re.compile(r"\[[^\]]*\]|[\"“”‘’'`]")
_DASHES = str.maketrans("–—−‑", "----")


@lru_cache(50_000)
def even(text: str) -> str:
    """Numbers without their units, days as ISO writes them, words without marks and accents.

    >>> even("1,282"), even("$5.0"), even("January 6, 1979"), even('"Hot Love"[2]')
    ('1282', '5', '1979-01-06', 'hot love')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    plain = " ".join(_MARKS.sub(" ", plain.translate(_DASHES)).casefold().split()).rstrip(".")
    if number := _NUMBER.fullmatch(plain):
        return f"{float(number[1].replace(',', '')):.6g}"
    for form in _DATES:
        try:
            return datetime.strptime(plain, form).date().isoformat()
        except ValueError:
            continue
    return {"true": "yes", "false": "no"}.get(plain, plain)
