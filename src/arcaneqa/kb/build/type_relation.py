"""The predicate of a build's facts that says what things are, where it is none that a profile knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

import numpy as np

from arcaneqa.kb.build.sorted_facts import Facts
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.predicate_names import gives_types, lack_types, may_say_types

_MOST_TEXTS = 100
"""Texts that are types are few: more of them are names, or notes."""
_LONGEST_TEXT = 40
"""Characters of a text that is a type."""


def find_type_relation(
    facts: Facts,
    hidden: Array,
    is_typed: Array,
    is_schema: Array,
    first_text: int,
    words_of: Callable[[int], str],
) -> int | None:
    """The visible relation that says what most of the things without a type are, if there is one.

    It leads to things, or to a few texts ("restaurant"), not to both.
    """
    visible = np.flatnonzero(~hidden).tolist()
    candidates = [relation for relation in visible if may_say_types(words_of(relation))]
    if not candidates:
        return None
    described = np.zeros(len(is_typed), bool)
    for relation in visible:
        described[facts.rows("out", relation).keys] = True
    untyped = described & ~is_typed & ~is_schema
    count = int(untyped.sum())
    if not lack_types(count, int((described & ~is_schema).sum())):
        return None
    best, most = None, 0
    for relation in candidates:
        rows = facts.rows("out", relation)
        kinds = np.unique(rows.values)
        if not _are_types(kinds, len(is_typed), first_text):
            continue
        typed = int(untyped[rows.keys].sum())
        if typed >= most and gives_types(typed, count, len(rows.keys), len(kinds)):
            best, most = relation, typed
    return best


def _are_types(kinds: Array, entities: int, first_text: int) -> bool:
    """Whether these nodes can be types: all of them things, or all of them texts, and then few."""
    if np.all(kinds < entities):
        return True
    return bool(np.all(kinds >= first_text)) and len(kinds) <= _MOST_TEXTS


def classes_of_texts(predicate: str, texts: Sequence[str]) -> list[str | None]:
    """IRIs for types that are told as texts, below that of their predicate; None for what is no type."""
    return [
        f"{predicate.rstrip('/#')}/{quote(text, safe='')}"
        if any(map(str.isalpha, text)) and len(text) <= _LONGEST_TEXT
        else None
        for text in texts
    ]
