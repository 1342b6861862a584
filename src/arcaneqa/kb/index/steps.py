"""What all relations of a set lead to, asked at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.index.kernels import meet
from arcaneqa.kb.index.rows import Lists, Rows
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.interface import Ids
from arcaneqa.support.compiled import compiled

# Loops over all relations of a set's members at once, compiled on first use (and kept on disk).


@compiled
def leading(
    nodes: Array,
    lists: tuple[Array, Array],
    rows: tuple[Array, Array, Array, Array],
    target: Array,
    asked: Array,
    found: Array,
) -> None:
    """Mark the asked relations that lead from a node to a member of the target (in order, not empty)."""
    ends, codes = lists
    starts, keys, offsets, values = rows
    left = 0
    for flag in asked:
        left += flag
    for node in nodes:
        if left == 0 or node + 1 >= len(ends):
            return
        for place in range(ends[node], ends[node + 1]):
            relation = codes[place]
            if asked[relation] and not found[relation]:
                row = _row(keys, starts[relation], starts[relation + 1], node)
                if row >= 0 and meet(values[offsets[row] : offsets[row + 1]], target):
                    found[relation] = True
                    left -= 1


@compiled
def leading_to(
    nodes: Array,
    lists: tuple[Array, Array],
    rows: tuple[Array, Array, Array, Array],
    further: tuple[Array, Array],
    wanted: Array,
    asked: Array,
    found: Array,
) -> None:
    """Mark the asked relations that lead from a node to one in whose further list a wanted code is."""
    ends, codes = lists
    starts, keys, offsets, values = rows
    left = 0
    for flag in asked:
        left += flag
    for node in nodes:
        if left == 0 or node + 1 >= len(ends):
            return
        for place in range(ends[node], ends[node + 1]):
            relation = codes[place]
            if asked[relation] and not found[relation]:
                row = _row(keys, starts[relation], starts[relation + 1], node)
                if row >= 0 and _lists_any(values[offsets[row] : offsets[row + 1]], further, wanted):
                    found[relation] = True
                    left -= 1


@compiled
def _lists_any(nodes: Array, lists: tuple[Array, Array], wanted: Array) -> bool:
    """Whether a wanted code is in the list of a node (in order)."""
    ends, codes = lists
    for node in nodes:
        if node + 1 >= len(ends):
            return False
        for place in range(ends[node], ends[node + 1]):
            if wanted[codes[place]]:
                return True
    return False


@compiled
def rows_of(
    nodes: Array, lists: tuple[Array, Array], rows: tuple[Array, Array, Array, Array], asked: Array
) -> Array:
    """The rows of the nodes by the asked relations."""
    ends, codes = lists
    starts, keys, _, _ = rows
    most = 0
    for node in nodes:
        if node + 1 >= len(ends):
            break
        most += int(ends[node + 1]) - int(ends[node])
    found = np.empty(most, np.int64)
    count = 0
    for node in nodes:
        if node + 1 >= len(ends):
            break
        for place in range(ends[node], ends[node + 1]):
            relation = codes[place]
            if asked[relation]:
                found[count] = _row(keys, starts[relation], starts[relation + 1], node)
                count += found[count] >= 0
    return found[:count]


@compiled
def telling_apart(
    nodes: Array,
    lists: tuple[Array, Array],
    rows: tuple[Array, Array, Array, Array],
    asked: Array,
    found: Array,
) -> None:
    """Mark the asked relations of which some nodes have more values than others."""
    ends, codes = lists
    starts, keys, offsets, _ = rows
    having, lengths = np.zeros(len(asked), np.int64), np.zeros(len(asked), np.int64)
    for node in nodes:
        if node + 1 >= len(ends):
            break
        for place in range(ends[node], ends[node + 1]):
            relation = codes[place]
            if asked[relation] and not found[relation]:
                row = _row(keys, starts[relation], starts[relation + 1], node)
                if row >= 0:
                    length = int(offsets[row + 1]) - int(offsets[row])
                    found[relation] = having[relation] > 0 and length != lengths[relation]
                    lengths[relation] = length
                    having[relation] += 1
    for relation in range(len(asked)):
        found[relation] |= 0 < having[relation] < len(nodes)


@compiled
def _row(keys: Array, low: int, high: int, node: int) -> int:
    """Where the node is among the keys (in order) from `low` to before `high`; -1 where it is not."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == node else -1


# What all relations of a set lead to, asked at once.


class EveryStep:
    """The facts one way, with the relations that each node has that way."""

    def __init__(self, rows: Rows, lists: Lists) -> None:
        self._rows = rows
        starts = np.array(rows.starts, np.int64)
        self._relations = len(starts) - 1
        self._lists: tuple[Array, Array] = lists.arrays
        self._facts: tuple[Array, Array, Array, Array] = (starts, rows.keys, rows.offsets, rows.values)

    def leading(self, nodes: Ids, relations: Ids, target: Ids) -> Ids:
        """Those of the relations that lead from some node to a member of the target."""

        found = np.zeros(self._relations, bool)
        if len(target):
            leading(nodes, self._lists, self._facts, target, self._asked(relations), found)
        return relations[found[relations]]

    def leading_to(self, nodes: Ids, relations: Ids, lists: tuple[Array, Array], codes: Ids) -> Ids:
        """Those of the relations that lead from some node to one in whose list one of the codes is."""

        found = np.zeros(self._relations, bool)
        wanted, asked = self._asked(codes), self._asked(relations)
        leading_to(nodes, self._lists, self._facts, lists, wanted, asked, found)
        return relations[found[relations]]

    def telling_apart(self, nodes: Ids, relations: Ids) -> Ids:
        """Those of the relations of which some nodes have more than others."""

        found = np.zeros(self._relations, bool)
        telling_apart(nodes, self._lists, self._facts, self._asked(relations), found)
        return relations[found[relations]]

    def ends(self, nodes: Ids, asked: NDArray[np.bool_], universe: int) -> Ids:
        """Where the asked relations lead from the nodes, in order and each once."""

        rows = rows_of(nodes, self._lists, self._facts, asked)
        return self._rows.union(rows, universe)

    def _asked(self, relations: Ids) -> NDArray[np.bool_]:
        asked = np.zeros(self._relations, bool)
        asked[relations] = True
        return asked
