"""Facts and lists of an index, as compressed rows: from keys to their values, from nodes to their codes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb import sets
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.store import Array

_FEW = 64
"""Relations that are looked up one by one rather than searched for."""


class Rows:
    """All facts one way: for each relation its keys in order, and for each key its values in order."""

    def __init__(self, load: Callable[[str], Array], way: str) -> None:
        self.starts: list[int] = load(f"{way}.starts").tolist()
        self.keys, self.offsets, self.values = (
            load(f"{way}.{part}") for part in ("keys", "offsets", "values")
        )
        self._dense: dict[int, sets.Places] = {}

    def count(self, relations: Ids) -> int:
        """How many rows these relations have."""
        return sum(self.starts[each + 1] - self.starts[each] for each in relations.tolist())

    def find(self, relation: int, nodes: Ids) -> Ids:
        """Rows of those nodes that have this relation."""
        first, last = self.starts[relation], self.starts[relation + 1]
        keys = self.keys[first:last]
        if len(nodes) < sets.LARGE or not sets.are_dense(keys):
            return sets.find(keys, nodes) + first
        # Made when first needed and kept: most relations are too small to need it.
        places = self._dense.get(relation)
        if places is None:
            places = self._dense[relation] = sets.Places(keys)
        return places.find(nodes) + first

    def facts(self, rows: Ids) -> int:
        """How many facts these rows have."""
        return int(self._lengths(rows).sum())

    def union(self, rows: Ids, universe: int) -> Ids:
        """The distinct values of these rows."""
        if len(rows) == 1:
            row = int(rows[0])
            return self.values[self.offsets[row] : self.offsets[row + 1]].astype(np.int64)
        if len(rows) < sets.LARGE:
            return sets.distinct(self.values[self._places(rows)], universe)
        from arcaneqa.kb import kernels

        words = np.zeros((universe >> 6) + 1, np.uint64)
        kernels.mark_values(rows, self.offsets, self.values, words)
        return kernels.set_bits(words)

    def pairs(self, rows: Ids) -> tuple[Ids, Ids]:
        if len(rows) < sets.LARGE:
            lengths = self._lengths(rows)
            keys = np.repeat(self.keys[rows], lengths).astype(np.int64)
            return keys, self.values[self._places(rows)].astype(np.int64)
        from arcaneqa.kb import kernels

        return kernels.gather(rows, self.offsets, self.values, self.keys)

    def _lengths(self, rows: Ids) -> Ids:
        return self.offsets[rows + 1].astype(np.int64) - self.offsets[rows].astype(np.int64)

    def _places(self, rows: Ids) -> Ids:
        return sets.spread(self.offsets[rows].astype(np.int64), self._lengths(rows))


class Lists:
    """A short list of codes for each node."""

    def __init__(
        self, load: Callable[[str], Array], name: str, possible: NDArray[np.bool_], rows: Rows | None
    ) -> None:
        """`possible` are the codes that can occur in the lists: who has seen them all need not look on.
        `rows` hold the nodes of each code, where the codes are relations."""
        self._offsets, self._codes = load(f"{name}.offsets"), load(f"{name}.codes")
        self._possible, self._rows = possible, rows

    def union(self, nodes: Ids) -> Ids:
        """The distinct codes of these nodes; nodes beyond the lists have none."""
        if not len(nodes):
            return sets.EMPTY
        if nodes[-1] >= len(self._offsets) - 1:
            nodes = nodes[: nodes.searchsorted(len(self._offsets) - 1)]
        if len(nodes) == 1:
            node = int(nodes[0])
            return self._codes[self._offsets[node] : self._offsets[node + 1]].astype(np.int64)
        seen = np.zeros(len(self._possible), bool)
        if len(nodes) < sets.LARGE:
            starts = self._offsets[nodes].astype(np.int64)
            lengths = self._offsets[nodes + 1].astype(np.int64) - starts
            seen[self._codes[sets.spread(starts, lengths)]] = True
        else:
            self._look(nodes, seen)
        return np.flatnonzero(seen)

    def _look(self, nodes: Ids, seen: NDArray[np.bool_]) -> None:
        """A part of a large set has most of the codes. The few that are then missing are quicker to look up
        one by one than to wait for, unless they are common elsewhere."""
        from arcaneqa.kb import kernels

        most = int(np.count_nonzero(self._possible))
        part = len(nodes) // 16
        kernels.mark_codes(nodes[:part], self._offsets, self._codes, seen, most)
        missing = np.flatnonzero(self._possible & ~seen)
        if self._rows is not None and len(missing) <= _FEW and self._rows.count(missing) <= len(nodes):
            for code in missing.tolist():
                seen[code] = len(self._rows.find(code, nodes)) > 0
        elif len(missing):
            kernels.mark_codes(nodes[part:], self._offsets, self._codes, seen, most)
