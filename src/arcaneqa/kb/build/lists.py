"""What touches each node, as one list a node: relations out and in, those with values, steps to values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.sorted_facts import Facts
from arcaneqa.kb.index.store import Array, Draft, narrow
from arcaneqa.terminal import Progress

Entries = Callable[[], Iterator[tuple[int, Array]]]


def write_lists(
    facts: Facts, dictionary: Dictionary, hidden: Array, draft: Draft, progress: Progress
) -> None:
    """`hidden` relations are in no list: nobody may be offered them."""
    visible = np.flatnonzero(~hidden).tolist()
    first, last = dictionary.entities, dictionary.entities + dictionary.numbers + dictionary.times
    has_value = np.zeros(dictionary.nodes, bool)

    def compared(relation: int) -> Array:
        rows = facts.rows("out", relation)
        return rows.keys[rows.any((rows.values >= first) & (rows.values < last))]

    def out() -> Iterator[tuple[int, Array]]:
        return ((relation, facts.rows("out", relation).keys) for relation in visible)

    def into() -> Iterator[tuple[int, Array]]:
        return ((relation, facts.rows("in", relation).keys) for relation in visible)

    def comparable() -> Iterator[tuple[int, Array]]:
        return ((relation, compared(relation)) for relation in visible)

    def steps() -> Iterator[tuple[int, Array]]:
        for relation in visible:
            rows = facts.rows("out", relation)
            yield 2 * relation, rows.keys[rows.any(has_value[rows.values])]
            rows = facts.rows("in", relation)
            yield 2 * relation + 1, rows.keys[rows.any(has_value[rows.values])]

    code = narrow(2 * facts.relations)
    invert(draft, "relations.out", out, dictionary.entities, code)
    progress("listing relations", 1, 4)
    invert(draft, "relations.in", into, dictionary.nodes, code)
    progress("listing relations", 2, 4)
    for _, nodes in comparable():
        has_value[nodes] = True
    invert(draft, "relations.comparable", comparable, dictionary.entities, code)
    progress("listing relations", 3, 4)
    invert(draft, "steps", steps, dictionary.nodes, code)
    progress("listing relations", 4, 4)


def invert(draft: Draft, name: str, entries: Entries, nodes: int, code: np.dtype) -> None:
    """Code → its nodes, turned into node → its codes in order; `entries` is read twice."""
    counts = np.zeros(nodes + 1, np.int64)
    for _, members in entries():
        counts[members.astype(np.int64) + 1] += 1
    np.cumsum(counts, out=counts)
    total = int(counts[-1])
    draft.save(f"{name}.offsets", counts.astype(narrow(max(total, 1 << 16))))
    codes = draft.scatter(f"{name}.codes", code, total)
    cursors = counts
    for number, members in entries():
        places = cursors[members]
        codes[places] = number
        cursors[members] = places + 1
