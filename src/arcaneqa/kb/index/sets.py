"""Sorted integer arrays as sets: numpy for small ones, compiled loops for large ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.index.store import Array, narrow
from arcaneqa.kb.interface import Ids, NodeSet, ordered
from arcaneqa.support import loops

# From here on a compiled loop wins over numpy, whose sorting and temporaries grow.
LARGE = 4096
_MEMBER = 5e-8
"""Seconds that a member of a large set takes in numpy, about."""
# One side this much shorter: looking its members up beats walking through the other.
_LOPSIDED = 32
# Nodes whose bits, one each, take as much room as one key of 32 bits.
_DENSE = 32
# Where fewer than one bit in 256 is set, looking for them takes longer than sorting their numbers.
_SPARSE = 256

EMPTY: Ids = np.empty(0, np.int64)


def is_large(count: int) -> bool:
    """Whether a compiled loop goes over so many."""
    return count >= LARGE and loops.are_worth(count * _MEMBER)


def distinct(values: Array, universe: int) -> Ids:
    """Sorted, without repeats; `universe` is one more than the largest there can be."""
    if not is_large(len(values)):
        return _ids(ordered(values))
    from arcaneqa.kb.index import kernels

    if is_sparse(len(values), universe):
        return kernels.sorted_values(values, universe)
    words = np.zeros((universe >> 6) + 1, np.uint64)
    kernels.mark_each(values, words)
    return kernels.set_bits(words)


def is_sparse(count: int, universe: int) -> bool:
    """Whether so many values are better sorted than set as bits."""
    return universe > _SPARSE * count


def find(keys: Array, nodes: Ids) -> Ids:
    """Places in `keys` (in order) of those that are among `nodes` (in order)."""
    if not len(keys) or not len(nodes):
        return EMPTY
    if len(nodes) == 1:
        place = int(keys.searchsorted(keys.dtype.type(nodes[0])))
        found = place < len(keys) and keys[place] == nodes[0]
        return np.array([place], np.int64) if found else EMPTY
    if len(keys) * _LOPSIDED < len(nodes):
        wanted = _ids(keys)
        places = nodes.searchsorted(wanted)
        places[places == len(nodes)] = 0
        return np.flatnonzero(nodes[places] == wanted)
    if len(nodes) * _LOPSIDED < len(keys) or not is_large(len(nodes)):
        # The keys' own type: otherwise numpy would convert all of them.
        wanted = nodes.astype(keys.dtype)
        places = keys.searchsorted(wanted)
        places[places == len(keys)] = 0
        return _ids(places[keys[places] == wanted])
    from arcaneqa.kb.index import kernels

    words = np.zeros((max(int(keys[-1]), int(nodes[-1])) >> 6) + 1, np.uint64)
    kernels.mark_each(nodes, words)
    return kernels.marked_places(keys, words)


def are_dense(keys: Array) -> bool:
    """Whether a bit for every possible node takes no more room than the keys themselves."""
    return len(keys) >= max(LARGE, 1) and int(keys[-1]) < _DENSE * len(keys)


class Bits:
    """A large set (in order) as a bit for every node that could be in it."""

    def __init__(self, members: Array) -> None:
        from arcaneqa.kb.index import kernels

        self.words = np.zeros((int(members[-1]) >> 6) + 1, np.uint64)
        kernels.mark_each(members, self.words)

    def among(self, nodes: Ids) -> Ids:
        """Those of the nodes (in order) that are in the set."""
        from arcaneqa.kb.index import kernels

        possible = self._possible(nodes)
        found: Ids = possible[kernels.marked_places(possible, self.words)]
        return found

    def _possible(self, nodes: Ids) -> Ids:
        """Without those (in order) that no bit stands for."""
        end = len(self.words) << 6
        return nodes if not len(nodes) or nodes[-1] < end else nodes[: nodes.searchsorted(end)]


class LargeClass(NodeSet):
    """The members of a class, with a map of them that is made when first needed and then kept."""

    __slots__ = ("_klass", "_maps")

    def __init__(self, ids: Ids, maps: dict[int, Bits], klass: int) -> None:
        super().__init__(ids)
        self._maps, self._klass = maps, klass

    def bits(self) -> Bits:
        if self._klass not in self._maps:
            self._maps[self._klass] = Bits(self.ids)
        return self._maps[self._klass]


class Places(Bits):
    """Where a node is in a large array of keys (in order), however large: with how many keys are before each
    word of bits."""

    def __init__(self, keys: Array) -> None:
        super().__init__(keys)
        counts = np.bitwise_count(self.words)
        self._ranks = (np.cumsum(counts, dtype=np.int64) - counts).astype(narrow(max(len(keys), 1 << 16)))

    def find(self, nodes: Ids, first: int) -> Ids:
        """Places of those nodes (in order) that are keys, counted from `first`."""
        from arcaneqa.kb.index import kernels

        return kernels.ranked(self._possible(nodes), self.words, self._ranks, first)

    def find_any(self, nodes: Ids, first: int) -> Ids:
        """The same of nodes in any order."""
        from arcaneqa.kb.index import kernels

        end = len(self.words) << 6
        possible = nodes if nodes.max(initial=0) < end else nodes[nodes < end]
        return kernels.ranked(possible, self.words, self._ranks, first)

    def onwards(
        self, nodes: Ids, first: int, offsets: Array, values: Array, most: int
    ) -> tuple[Ids, Ids, Ids]:
        """For nodes in any order: which of them are keys, how many values their rows (counted from `first`)
        have, and these values, or none where they are more than `most`."""
        from arcaneqa.kb.index import kernels

        return kernels.onwards(nodes, self.words, self._ranks, first, offsets, values, most)


def contained(values: Ids, wanted: Ids) -> NDArray[np.bool_]:
    """Which of the values (in any order) are wanted (in order)."""
    if not len(wanted):
        return np.zeros(len(values), bool)
    mask: NDArray[np.bool_] = (values >= wanted[0]) & (values <= wanted[-1])
    mask[mask] = wanted[wanted.searchsorted(values[mask])] == values[mask]
    return mask


def merged(left: Ids, right: Ids) -> Ids:
    """Union."""
    return (
        ordered(np.concatenate((left, right))) if len(left) and len(right) else left if len(left) else right
    )


def intersection(left: Ids, right: Ids) -> Ids:
    if not _overlap(left, right):
        return EMPTY
    if len(left) > len(right):
        left, right = right, left
    return right[find(right, left)]


def intersects(left: Ids, right: Ids) -> bool:
    if not _overlap(left, right):
        return False
    if len(left) > len(right):
        left, right = right, left
    if not is_large(len(left)):
        # A few first: sets that meet usually meet soon.
        return len(find(right, left[:64])) > 0 or len(find(right, left[64:])) > 0
    from arcaneqa.kb.index import kernels

    return kernels.meet(left, right)


def includes(large: Ids, small: Ids) -> bool:
    if not len(small):
        return True
    if len(small) > len(large) or small[0] < large[0] or small[-1] > large[-1]:
        return False
    # A few first: what is no part usually shows soon.
    few = small[:8]
    return len(find(large, few)) == len(few) and len(find(large, small)) == len(small)


def difference(left: Ids, right: Ids) -> Ids:
    if not _overlap(left, right):
        return left
    kept = np.ones(len(left), bool)
    kept[find(left, right)] = False
    return left[kept]


def _overlap(left: Ids, right: Ids) -> bool:
    return len(left) > 0 and len(right) > 0 and left[0] <= right[-1] and right[0] <= left[-1]


def _ids(values: Array) -> NDArray[np.int64]:
    return values.astype(np.int64, copy=False)
