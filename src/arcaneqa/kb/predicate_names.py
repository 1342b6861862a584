"""What the words of a predicate tell of its values, the same for an index and for an endpoint.

Row numbers, keys and codes look like numbers but only tell things apart; `ex:kind` or `dct:type` says what
things are, beside the predicates for types that a profile knows.
"""

from __future__ import annotations

_ALWAYS = {
    *("id", "ids", "identifier", "code", "codes", "key", "uuid", "guid", "isbn", "issn", "ean", "upc", "sku"),
    *("barcode", "zip", "zipcode", "postcode", "postal", "ssn", "phone", "telephone", "fax", "notation"),
}
_IF_UNIQUE = frozenset(("number", "no", "nr", "num", "index", "serial", "row"))
_ENDINGS = ("id", "no", "code", "num", "nr", "key")
"""Of words written as one, `stuid`; also of `paid` and `volcano`, so that their values must all differ."""
_UNIQUE = 0.95
"""Share of the facts whose objects must differ where the words only allow for an identifier."""
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


_SAY_TYPES = frozenset(("type", "kind", "class", "instance of", "is a", "has type", "has kind"))
_MOSTLY = 0.5
"""Another predicate is sought where most things have no type; it must give most of them one."""
_MEMBERS = 3
"""Members that a type has on average at least; with fewer it is a property like any other."""


def may_say_types(words: str) -> bool:
    return words in _SAY_TYPES


def lack_types(untyped: int, things: int) -> bool:
    """Whether so many of the things have no type that another predicate is sought."""
    return untyped > 0 and untyped >= _MOSTLY * things


def gives_types(typed: int, untyped: int, subjects: int, types: int) -> bool:
    """Whether a predicate with so many subjects and different objects types enough of the untyped things."""
    return typed >= _MOSTLY * untyped and types * _MEMBERS <= subjects
