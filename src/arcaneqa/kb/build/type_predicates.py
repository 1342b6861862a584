"""Types that are said with other predicates than those a profile knows: `ex:kind`, `dct:type`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcaneqa.kb.build.sorted_facts import Facts
from arcaneqa.kb.index.store import Array

_SAY_TYPES = frozenset(("type", "kind", "class", "instance of", "is a", "has type", "has kind"))
_MOSTLY = 0.5
"""Another predicate is sought where most things have no type; it must give most of them one."""
_MEMBERS = 3
"""A type has on average at least so many members; otherwise it is a property like any other."""


def find_type_relation(
    facts: Facts, hidden: Array, is_typed: Array, is_schema: Array, words_of: Callable[[int], str]
) -> int | None:
    """The visible relation that says what most of the things without a type are, if there is one."""
    visible = np.flatnonzero(~hidden).tolist()
    candidates = [relation for relation in visible if words_of(relation) in _SAY_TYPES]
    if not candidates:
        return None
    described = np.zeros(len(is_typed), bool)
    for relation in visible:
        described[facts.rows("out", relation).keys] = True
    untyped = described & ~is_typed & ~is_schema
    count = int(untyped.sum())
    if not count or count < _MOSTLY * int((described & ~is_schema).sum()):
        return None
    best, most = None, _MOSTLY * count
    for relation in candidates:
        rows = facts.rows("out", relation)
        if np.any(rows.values >= len(is_typed)):  # a class is a thing, not a text
            continue
        typed = int(untyped[rows.keys].sum())
        if typed >= most and len(np.unique(rows.values)) * _MEMBERS <= len(rows.keys):
            best, most = relation, typed
    return best
