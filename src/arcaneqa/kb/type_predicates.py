"""Types that are said with other predicates than those a profile knows: `ex:kind`, `dct:type`."""

from __future__ import annotations

_SAY_TYPES = frozenset(("type", "kind", "class", "instance of", "is a", "has type", "has kind"))
_MOSTLY = 0.5
"""Another predicate is sought where most things have no type; it must give most of them one."""
_MEMBERS = 3
"""A type has on average at least so many members; otherwise it is a property like any other."""


def may_say_types(words: str) -> bool:
    return words in _SAY_TYPES


def lack_types(untyped: int, things: int) -> bool:
    """Whether so many of the things have no type that another predicate is sought."""
    return untyped > 0 and untyped >= _MOSTLY * things


def gives_types(typed: int, untyped: int, subjects: int, types: int) -> bool:
    """Whether a predicate with so many subjects and different objects types enough of the untyped things."""
    return typed >= _MOSTLY * untyped and types * _MEMBERS <= subjects
