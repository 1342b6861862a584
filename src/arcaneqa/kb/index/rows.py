"""Facts and lists of an index, as compressed rows: from keys to their values, from nodes to their codes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.allowance import left, spend
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.interface import Ids
from arcaneqa.support.ragged import ranges

_FEW = 64
"""Codes; where no more than these are missing they are looked up one by one."""
_PARTS = 16
"""A large set is read in so many parts, until few codes are missing."""
_TRIED = 4
"""Parts that are read before it is decided whether to look the missing codes up or to read all the rest."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""Of the golden ratio: steps of this share of a set come near everywhere soon."""
_LOOKED_UP = 8
"""Looking up a key takes about as long as reading the lists of 8 nodes."""


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

    def has(self, relation: int, nodes: Ids) -> bool:
        """Whether any of these nodes has this relation."""
        return len(self.find(relation, nodes)) > 0

    def find(self, relation: int, nodes: Ids) -> Ids:
        """Rows of those nodes (in order) that have this relation."""
        first, last = self.starts[relation], self.starts[relation + 1]
        if not (sets.is_large(len(nodes)) and sets.are_dense(self.keys[first:last])):
            return sets.find(self.keys[first:last], nodes) + first
        return self._places(relation).find(nodes, first)

    def find_any(self, relation: int, nodes: Ids, universe: int) -> Ids:
        """The same of nodes in any order, which may repeat; and so may the rows."""
        first, last = self.starts[relation], self.starts[relation + 1]
        if not (sets.is_large(len(nodes)) and sets.are_dense(self.keys[first:last])):
            return sets.find(self.keys[first:last], sets.distinct(nodes, universe)) + first
        return self._places(relation).find_any(nodes, first)

    def _places(self, relation: int) -> sets.Places:
        """Made when first needed and kept: most relations are too small to need it."""
        places = self._dense.get(relation)
        if places is None:
            keys = self.keys[self.starts[relation] : self.starts[relation + 1]]
            places = self._dense[relation] = sets.Places(keys)
        return places

    def facts(self, rows: Ids) -> int:
        """How many facts these rows have."""
        return int(self._spans(rows)[1].sum())

    def union(self, rows: Ids, universe: int) -> Ids:
        """The distinct values of these rows."""
        if not len(rows):
            return sets.EMPTY
        if len(rows) == 1:
            row = int(rows[0])
            return self.values[self.offsets[row] : self.offsets[row + 1]].astype(np.int64)
        if not sets.is_large(len(rows)):
            return sets.distinct(self.values[ranges(*self._spans(rows))], universe)
        from arcaneqa.kb.index import kernels

        if sets.is_sparse(len(rows), universe):
            return sets.distinct(kernels.collect(rows, self.offsets, self.values), universe)
        words = np.zeros((universe >> 6) + 1, np.uint64)
        kernels.mark_values(rows, self.offsets, self.values, words)
        return kernels.set_bits(words)

    def every(self, rows: Ids) -> Ids:
        """The values of these rows, one row after the other."""
        if not sets.is_large(len(rows)):
            return self.values[ranges(*self._spans(rows))].astype(np.int64)
        from arcaneqa.kb.index import kernels

        return kernels.collect(rows, self.offsets, self.values)

    def owners(self, rows: Ids, places: Ids) -> Ids:
        """Whose those values are that are at these places among all values of the rows."""
        ends = np.cumsum(self._spans(rows)[1])
        return self.keys[rows[ends.searchsorted(places, "right")]].astype(np.int64)

    def bounds(self, rows: Ids, low: int, high: int) -> tuple[int, int] | None:
        """The smallest and the largest value of these rows from `low` to below `high`, if there is any."""
        if not len(rows):
            return None
        if not sets.is_large(len(rows)):
            # A row is in order, and as a rule all of it is between the bounds.
            least = int(self.values[self.offsets[rows]].min())
            greatest = int(self.values[self.offsets[rows + 1] - 1].max())
            if low <= least and greatest < high:
                return least, greatest
            values = self.values[ranges(*self._spans(rows))]
            values = values[(values >= low) & (values < high)]
            return (int(values.min()), int(values.max())) if len(values) else None
        from arcaneqa.kb.index import kernels

        least, greatest = kernels.bounds(rows, self.offsets, self.values, low, high)
        return (least, greatest) if least <= greatest else None

    def pairs(self, relation: int, nodes: Ids) -> tuple[Ids, Ids]:
        """Every fact of these nodes with this relation: the node and the value."""
        rows = self.find(relation, nodes)
        spend(2 * self.facts(rows))
        if not sets.is_large(len(nodes)):
            starts, lengths = self._spans(rows)
            keys, values = self.keys[rows].repeat(lengths), self.values[ranges(starts, lengths)]
            return keys.astype(np.int64), values.astype(np.int64)
        from arcaneqa.kb.index import kernels

        return kernels.gather(rows, self.offsets, self.values, self.keys)

    def from_each(self, relation: int, nodes: Ids, universe: int) -> tuple[Ids, Ids, Ids]:
        """For nodes in any order, with repeats: the places of those with this relation, how many values each
        of them has, and all those values one after the other. Two cells are spent for each."""
        first, last = self.starts[relation], self.starts[relation + 1]
        if sets.is_large(len(nodes)) and sets.are_dense(self.keys[first:last]):
            keyed = self._places(relation)
            found, lengths, ends = keyed.onwards(nodes, first, self.offsets, self.values, left() // 2)
            spend(2 * int(lengths.sum()))
            return found, lengths, ends
        rows = self.find(relation, sets.distinct(nodes, universe))
        if not len(rows):
            return sets.EMPTY, sets.EMPTY, sets.EMPTY
        keys = self.keys[rows].astype(np.int64)
        places = keys.searchsorted(nodes)
        places[places == len(keys)] = 0
        found = np.flatnonzero(keys[places] == nodes)
        starts, lengths = self._spans(rows[places[found]])
        spend(2 * int(lengths.sum()))
        return found, lengths, self.values[ranges(starts, lengths)].astype(np.int64)

    def lengths(self, rows: Ids) -> Ids:
        """How many values each of these rows has."""
        return self._spans(rows)[1]

    def lengths_within(self, rows: Ids, wanted: Ids) -> Ids:
        """How many values of each of these rows are wanted (in order)."""
        if len(wanted) and sets.is_large(len(rows)):
            from arcaneqa.kb.index import kernels

            return kernels.count_marked(rows, self.offsets, self.values, sets.Bits(wanted).words)
        starts, lengths = self._spans(rows)
        hits = sets.contained(self.values[ranges(starts, lengths)].astype(np.int64), wanted)
        owners = np.arange(len(rows)).repeat(lengths)
        return np.bincount(owners[hits], minlength=len(rows))

    def _spans(self, rows: Ids) -> tuple[Ids, Ids]:
        """Where the values of these rows begin, and how many they are."""
        starts = self.offsets[rows].astype(np.int64)
        return starts, self.offsets[rows + 1] - starts


class ByCode(Protocol):
    """The same as lists, the other way: from a code to the nodes that have it."""

    def count(self, codes: Ids) -> int:
        """How much there is to look through for these codes."""

    def has(self, code: int, nodes: Ids) -> bool:
        """Whether any of these nodes has the code."""


class Lists:
    """A short list of codes for each node."""

    def __init__(
        self, load: Callable[[str], Array], name: str, possible: NDArray[np.bool_], by_code: ByCode | None
    ) -> None:
        """No other codes than `possible` are in the lists: who has seen them all need not look on."""
        self._offsets, self._codes = load(f"{name}.offsets"), load(f"{name}.codes")
        self._possible, self._by_code = possible, by_code
        self._is_exact = False

    @property
    def arrays(self) -> tuple[Array, Array]:
        """Where each node's codes begin, and all codes."""
        return self._offsets, self._codes

    def any(self, nodes: Ids) -> bool:
        """Whether any of these nodes has a code at all."""
        known = nodes[: nodes.searchsorted(len(self._offsets) - 1)]
        return bool((self._offsets[known + 1] != self._offsets[known]).any())

    def filled(self, nodes: int) -> NDArray[np.bool_]:
        """For each of the first so many nodes, whether it has a code."""
        offsets = self._offsets[: nodes + 1]
        return np.asarray(offsets[1:] != offsets[:-1])

    def union(self, nodes: Ids) -> Ids:
        """The distinct codes of these nodes; nodes beyond the lists have none."""
        if len(nodes) and nodes[-1] >= len(self._offsets) - 1:
            nodes = nodes[: nodes.searchsorted(len(self._offsets) - 1)]
        if not len(nodes):
            return sets.EMPTY
        if len(nodes) == 1:
            node = int(nodes[0])
            return self._codes[self._offsets[node] : self._offsets[node + 1]].astype(np.int64)
        seen = np.zeros(len(self._possible), bool)
        if not sets.is_large(len(nodes)):
            starts = self._offsets[nodes].astype(np.int64)
            lengths = self._offsets[nodes + 1].astype(np.int64) - starts
            seen[self._codes[ranges(starts, lengths)]] = True
        else:
            self._look(nodes, seen)
        return np.flatnonzero(seen)

    def _look(self, nodes: Ids, seen: NDArray[np.bool_]) -> None:
        """Parts of a large set have most of the codes. The few that are then missing are quicker to look up
        one by one than to wait for, unless they are common elsewhere."""
        from arcaneqa.kb.index import kernels

        if not self._is_exact:
            # A code that is nowhere would be waited for in vain, each time; one look at everything tells.
            occurring = np.zeros(len(self._possible), bool)
            kernels.mark_present(self._codes, occurring)
            self._possible = self._possible & occurring
            self._is_exact = True
        most = int(np.count_nonzero(self._possible))
        step, read = _far(len(nodes)), 0
        for part in range(1, _TRIED + 1):
            until = len(nodes) * part // _PARTS
            kernels.mark_codes(nodes, read, until, step, self._offsets, self._codes, seen, most)
            read = until
            missing = np.flatnonzero(self._possible & ~seen)
            if self._work(missing) * _LOOKED_UP <= len(nodes) // _PARTS:
                break
        if self._by_code is not None and self._work(missing) <= len(nodes):
            for code in missing.tolist():
                seen[code] = self._by_code.has(code, nodes)
        else:
            kernels.mark_codes(nodes, read, len(nodes), step, self._offsets, self._codes, seen, most)

    def _work(self, missing: Ids) -> float:
        """How much there is to look through for these codes, if they are looked up one by one."""
        if not len(missing):
            return 0
        if self._by_code is None or len(missing) > _FEW:
            return np.inf
        return self._by_code.count(missing)


def _far(places: int) -> int:
    """How far to go each time to come everywhere, and soon near everywhere: neighbours are much alike."""
    step = max(1, int(places * _GOLDEN))
    while math.gcd(step, places) > 1:
        step += 1
    return step


class ValueSteps:
    """Steps to numbers and times by code: twice the relation, and one more where it is walked backwards."""

    def __init__(self, out: Rows, into: Rows, comparable: Lists, universe: int) -> None:
        self._ways, self._comparable, self._universe = (out, into), comparable, universe

    def count(self, codes: Ids) -> int:
        return sum(self._ways[code & 1].count(np.array([code >> 1])) for code in codes.tolist())

    def has(self, code: int, nodes: Ids) -> bool:
        way = self._ways[code & 1]
        return self._comparable.any(way.union(way.find(code >> 1, nodes), self._universe))
