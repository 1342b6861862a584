"""Walks along a path: what they reach, count and sum, and the best values at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcaneqa.kb import counting
from arcaneqa.kb.allowance import spend
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.literal_order import Order
from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.interface import Comparison, Ids, Standings, Step, Tally, Totals

# Who has the largest or smallest value at the end of a path: there fact by fact, then back from the
# best.


@dataclass(frozen=True)
class _Leg:
    """A step from a set: the rows of its facts, and where the same facts are by where they lead to."""

    nodes: Ids
    starts: Ids
    """The same, and every literal that has the same value as one of them."""
    relation: int
    ahead: Rows
    back: Rows
    rows: Ids

    @cached_property
    def reached(self) -> Ids:
        """Where its facts lead to, one by one: in no order and with repeats."""
        return self.ahead.every(self.rows)


class Extremes:
    def __init__(self, out: Rows, into: Rows, order: Order, universe: int) -> None:
        self._out, self._into, self._order, self._universe = out, into, order, universe

    def find(self, nodes: Ids, path: Sequence[Step], largest: bool) -> Ids:
        """Those of the nodes that lead to the best value; the last step of the path goes to values."""
        *way, last = path
        legs = [self._leg(path[0], nodes)]
        for step in way[1:]:
            legs.append(self._leg(step, sets.distinct(legs[-1].reached, self._universe)))
        if not way:
            goals = self._best(legs[0].rows, largest)
        else:
            # Whose values are compared is asked only once, so that need not become a set.
            rows = self._out.find_any(last.relation, legs[-1].reached, self._universe)
            best = self._order.with_equals(self._best(rows, largest))
            goals = self._into.union(self._into.find(last.relation, best), self._universe)
        for leg in reversed(legs):
            goals = self._leading(leg, goals)
        return goals

    def _leg(self, step: Step, nodes: Ids) -> _Leg:
        ahead, back = (self._into, self._out) if step.inverse else (self._out, self._into)
        spend()
        starts = self._order.with_equals(nodes)
        return _Leg(nodes, starts, step.relation, ahead, back, ahead.find(step.relation, starts))

    def _best(self, rows: Ids, largest: bool) -> Ids:
        """The largest or smallest value in these rows: a number if there is any, otherwise times, which may
        end or begin at the same moment."""
        numbers = self._out.bounds(rows, self._order.numbers, self._order.times)
        if numbers is not None:
            return np.array([numbers[largest]], np.int64)
        return self._order.best_times(self._out.union(rows, self._universe), largest)

    def _leading(self, leg: _Leg, goals: Ids) -> Ids:
        """Those of the leg's nodes from which it leads to a goal, found from the side with fewer facts."""
        wanted = self._order.with_equals(goals)
        behind = leg.back.find(leg.relation, wanted)
        if leg.back.facts(behind) <= len(leg.nodes):
            return sets.intersection(leg.back.union(behind, self._universe), leg.nodes)
        hits = np.flatnonzero(sets.contained(leg.reached, wanted))
        found = sets.distinct(leg.ahead.owners(leg.rows, hits), self._universe)
        return found if leg.starts is leg.nodes else sets.intersection(found, leg.nodes)


# Every walk along a path, and what can be counted and summed up at their ends.


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
