"""Identifiers that look like numbers: row numbers, keys and codes, which only tell things apart."""

from __future__ import annotations

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


def may_identify(words: str, own_words: str) -> bool:
    """Whether the words of the label, or of the IRI, allow for an identifier at all."""
    lasts = _lasts(words, own_words)
    return bool(lasts & _ALWAYS) or any(last in _IF_UNIQUE or last.endswith(_ENDINGS) for last in lasts)


def is_identifier(
    words: str, own_words: str, numbers: int, are_whole: bool, facts: int, objects: int
) -> bool:
    """By the words of the label and of the IRI, how many different numbers there are (if any) and whether all
    of them are whole, and how many facts there are to how many distinct objects."""
    if (numbers and not are_whole) or not may_identify(words, own_words):
        return False
    return bool(_lasts(words, own_words) & _ALWAYS) or (numbers > 1 and objects >= _UNIQUE * facts)


def _lasts(*texts: str) -> set[str]:
    return {text.split()[-1] for text in texts if text.split()}
