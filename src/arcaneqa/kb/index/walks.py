"""Every walk along a path, and what can be counted and summed up at their ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcaneqa.kb import counting
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.literal_order import Order
from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.interface import Comparison, Ids, Standings, Step, Tally, Totals


class Walks:
    def __init__(self, out: Rows, into: Rows, order: Order, universe: int) -> None:
        self._out, self._into, self._order, self._universe = out, into, order, universe

    def pairs(self, nodes: Ids, path: Sequence[Step], distinct: bool = False) -> tuple[Ids, Ids]:
        """Where each walk starts, in order, and where it ends; or each such pair once."""
        origins = ends = nodes
        for step in path:
            origins, ends = self._onwards(origins, ends, step)
            if distinct:
                origins, ends = counting.distinct_pairs(origins, ends)
        return origins, ends

    def _onwards(self, origins: Ids, at: Ids, step: Step) -> tuple[Ids, Ids]:
        rows = self._into if step.inverse else self._out
        if step.inverse:
            lengths, at = self._order.each_with_equals(at)
            origins = origins.repeat(lengths)
        elif origins is at:
            return rows.pairs(step.relation, at)
        found, lengths, ends = rows.from_each(step.relation, at, self._universe)
        return origins[found].repeat(lengths), ends

    def tally(self, nodes: Ids, path: Sequence[Step], within: Ids | None) -> Tally:
        """How many different nodes the path leads to from each; a single step is counted without listing
        where it leads."""
        wanted = None if within is None else self._order.with_equals(within)
        if len(path) == 1 and not (path[0].inverse and len(nodes) and nodes[-1] >= self._order.numbers):
            rows = self._into if path[0].inverse else self._out
            found = rows.find(path[0].relation, nodes)
            counts = rows.lengths(found) if wanted is None else rows.lengths_within(found, wanted)
            some = counts > 0
            return Tally(rows.keys[found[some]].astype(np.int64), counts[some])
        origins, ends = self.pairs(nodes, path, distinct=True)
        if wanted is not None:
            kept = sets.contained(ends, wanted)
            origins = origins[kept]
        return counting.tallied(origins)

    def totals(self, nodes: Ids, path: Sequence[Step]) -> Totals:
        origins, ends = self.pairs(nodes, path)
        numbers = (ends >= self._order.numbers) & (ends < self._order.times)
        return counting.totalled(origins[numbers], self._order.numbers_of(ends[numbers]))

    def standings(self, nodes: Ids, path: Sequence[Step], largest: bool) -> Standings:
        origins, ends = self.pairs(nodes, path)
        kept = (ends >= self._order.numbers) & (ends < self._order.times)
        if kept.any():
            scores = self._order.ranks_of(ends[kept])
        else:
            kept = (ends >= self._order.times) & (ends < self._order.booleans)
            times = ends[kept] - self._order.times
            scores = (self._order.ends if largest else self._order.starts)[times]
        return counting.best_of(origins[kept], ends[kept], np.asarray(scores, np.float64), largest)

    def edges(self, comparison: Comparison, nodes: Ids) -> list[int]:
        """The number and the time (as nodes) that stand for all of the nodes (in order)."""
        low, middle, high = nodes.searchsorted((self._order.numbers, self._order.times, self._order.booleans))
        numbers, times = nodes[low:middle], nodes[middle:high]
        found = []
        largest = comparison in (Comparison.GT, Comparison.GE)
        if len(numbers):
            first, last = self._order.ranks_of(numbers[[0, -1]])
            if comparison is not Comparison.EQ or first == last:
                found.append(int(numbers[-1 if largest else 0]))
        if len(times):
            places = times - self._order.times
            starts, ends = self._order.starts[places], self._order.ends[places]
            match comparison:
                case Comparison.GT:
                    best = int(ends.argmax())
                case Comparison.GE:
                    best = int(starts.argmax())
                case Comparison.LT:
                    best = int(starts.argmin())
                case Comparison.LE:
                    best = int(ends.argmin())
                case Comparison.EQ:
                    best = 0
            are_equal = bool((starts == starts[0]).all() and (ends == ends[0]).all())
            if comparison is not Comparison.EQ or are_equal:
                found.append(int(times[best]))
        return found
