"""Identifiers that look like numbers: row numbers, keys and codes, which only tell things apart."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.index.store import Array

_ALWAYS = {
    *("id", "ids", "identifier", "code", "codes", "key", "uuid", "guid", "isbn", "issn", "ean", "upc", "sku"),
    *("barcode", "zip", "zipcode", "postcode", "postal", "ssn", "phone", "telephone", "fax", "notation"),
}
_IF_UNIQUE = frozenset(("number", "no", "nr", "num", "index", "serial", "row"))
_ENDINGS = ("id", "no", "code", "num", "nr")
"""Of words written as one, `stuid`; also of `paid` and `volcano`, so that their values must all differ."""
_UNIQUE = 0.95


_NOT_VALUES = {"name", "title", "label", "version", "description", "comment", "text", "note"}


def names_codes(words: str) -> bool:
    """Whether an attribute of these words holds codes or names, even where these are digits."""
    last = words.split()[-1:]
    return bool(last) and (last[0] in _ALWAYS | _IF_UNIQUE | _NOT_VALUES or last[0].endswith("id"))


def is_identifier(words: str, own_words: str, numbers: Array, facts: int, objects: int) -> bool:
    """By the words of the label and of the IRI, the distinct numbers (if any), and how many facts there are
    to how many distinct objects."""
    if len(numbers) and not np.array_equal(numbers, np.floor(numbers)):
        return False
    lasts = {text.split()[-1] for text in (words, own_words) if text.split()}
    if lasts & _ALWAYS:
        return True
    is_unique = len(numbers) > 1 and objects >= _UNIQUE * facts
    return is_unique and any(last in _IF_UNIQUE or last.endswith(_ENDINGS) for last in lasts)
