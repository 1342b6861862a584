"""Who has a value before or after another, and who is valid at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.index import sets
from arcaneqa.kb.index.literal_order import Order
from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.interface import Comparison, Ids, NodeSet, Window
from arcaneqa.kb.values import Number, Value


class Comparisons:
    def __init__(
        self,
        load: Callable[[str], Array],
        out: Rows,
        into: Rows,
        order: Order,
        universe: int,
        visible: NDArray[np.bool_],
    ) -> None:
        self._out, self._in, self._order, self._universe = out, into, order, universe
        self._visible = visible
        self._spans = load("relation.spans").reshape(-1, 3)
        self._least, self._greatest = load("relation.numbers").reshape(-1, 2).T
        self._latest_start, self._earliest_end = load("relation.times").reshape(-1, 2).T

    def compare(self, comparison: Comparison, relation: int, edge: Value | None) -> NodeSet:
        """Subjects with a value on that side of the edge; EQ is not asked here."""
        if not isinstance(edge, (Number, Window)):
            return NodeSet(sets.EMPTY)
        base = self._in.starts[relation]
        numbers, times, others = self._spans[relation].tolist()
        first, last = (numbers, times) if isinstance(edge, Number) else (times, others)
        matching = self._order.matching(comparison, edge, self._in.keys[base + first : base + last])
        rows = np.flatnonzero(matching) + (base + first)
        if not len(rows):
            return NodeSet(sets.EMPTY)
        low, high = int(rows[0]), int(rows[-1]) + 1
        if high - low == len(rows):  # neighbouring rows, as a rule: their values lie end to end
            found = self._in.values[self._in.offsets[low] : self._in.offsets[high]]
            return NodeSet(sets.distinct(found, self._universe))
        return NodeSet(self._in.union(rows, self._universe))

    def relations(self, comparison: Comparison, edge: Value | None) -> Ids:
        """Visible relations for which `compare` finds something."""
        if isinstance(edge, Window):
            match comparison:
                case Comparison.LT:
                    mask = self._earliest_end <= edge.start
                case Comparison.LE:
                    mask = self._earliest_end <= edge.end
                case Comparison.GT:
                    mask = self._latest_start >= edge.end
                case Comparison.GE:
                    mask = self._latest_start >= edge.start
        elif isinstance(edge, Number):
            below, through = self._order.around(edge)
            match comparison:
                case Comparison.LT:
                    mask = (self._least >= 0) & (self._least < below)
                case Comparison.LE:
                    mask = (self._least >= 0) & (self._least < through)
                case Comparison.GT:
                    mask = self._greatest >= through
                case Comparison.GE:
                    mask = self._greatest >= below
        else:
            return sets.EMPTY
        return np.flatnonzero(mask & self._visible)

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        starting, times = self._times(start, nodes)
        fits = self._order.starts[times] < window.end
        if end is None:
            return _without_failing(nodes, starting, fits & (self._order.ends[times] > window.start))
        begun = _without_failing(nodes, starting, fits)
        ending, times = self._times(end, begun)
        return _without_failing(begun, ending, self._order.ends[times] > window.start)

    def _times(self, relation: int, nodes: NodeSet) -> tuple[Ids, Ids]:
        """Members with the times this relation gives them, counted from the first time."""
        subjects, objects = self._out.pairs(relation, nodes.ids)
        timed = (objects >= self._order.times) & (objects < self._order.booleans)
        return subjects[timed], objects[timed] - self._order.times


def _without_failing(nodes: NodeSet, dated: Ids, fits: NDArray[np.bool_]) -> NodeSet:
    """Without the members that have dates of which none fits."""
    failing = sets.difference(sets.ordered(dated), sets.ordered(dated[fits]))
    return NodeSet(sets.difference(nodes.ids, failing))
