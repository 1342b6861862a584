"""Who has the largest or smallest value at the end of a path: there fact by fact, then back from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcaneqa.kb.allowance import spend
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.literal_order import Order
from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.interface import Ids, Step


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
