"""Loops over all relations of a set's members at once, compiled on first use (and kept on disk).

Relation by relation, a set with a hundred of them takes a hundred rounds of small arrays; here each fact's
row is looked at once, and of a relation that has shown what was asked nothing more.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.kb.index.kernels import meet
from arcaneqa.kb.index.store import Array


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
