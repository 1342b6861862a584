"""What all relations of a set lead to, asked at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.index.rows import Lists, Rows
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.interface import Ids


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
        from arcaneqa.kb.index import step_kernels

        found = np.zeros(self._relations, bool)
        if len(target):
            step_kernels.leading(nodes, self._lists, self._facts, target, self._asked(relations), found)
        return relations[found[relations]]

    def leading_to(self, nodes: Ids, relations: Ids, lists: tuple[Array, Array], codes: Ids) -> Ids:
        """Those of the relations that lead from some node to one in whose list one of the codes is."""
        from arcaneqa.kb.index import step_kernels

        found = np.zeros(self._relations, bool)
        wanted, asked = self._asked(codes), self._asked(relations)
        step_kernels.leading_to(nodes, self._lists, self._facts, lists, wanted, asked, found)
        return relations[found[relations]]

    def telling_apart(self, nodes: Ids, relations: Ids) -> Ids:
        """Those of the relations of which some nodes have more than others."""
        from arcaneqa.kb.index import step_kernels

        found = np.zeros(self._relations, bool)
        step_kernels.telling_apart(nodes, self._lists, self._facts, self._asked(relations), found)
        return relations[found[relations]]

    def ends(self, nodes: Ids, asked: NDArray[np.bool_], universe: int) -> Ids:
        """Where the asked relations lead from the nodes, in order and each once."""
        from arcaneqa.kb.index import step_kernels

        rows = step_kernels.rows_of(nodes, self._lists, self._facts, asked)
        return self._rows.union(rows, universe)

    def _asked(self, relations: Ids) -> NDArray[np.bool_]:
        asked = np.zeros(self._relations, bool)
        asked[relations] = True
        return asked
