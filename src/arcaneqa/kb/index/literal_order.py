"""The order of an index's literals, and who has a value before or after another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.allowance import spend
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.index.sets import EMPTY
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.interface import Comparison, Ids, NodeSet, Window, ordered
from arcaneqa.kb.values import Number, Value
from arcaneqa.support.ragged import ranges

# The order of an index's literals: numbers and times lie in the order of their values.


class Order:
    """Values by node: numbers from `numbers`, times from `times`, booleans from `booleans`, up to `text`."""

    def __init__(self, load: Callable[[str], Array], counts: dict[str, int]) -> None:
        self.numbers = counts["entities"]
        self.times = self.numbers + counts["numbers"]
        self.booleans = self.times + counts["times"]
        self.text = self.booleans + counts["booleans"]
        self._nearest, self._rest = load("number.major"), load("number.minor")
        self.starts, self.ends = load("time.major"), load("time.minor")
        self._truths = load("boolean.major")
        self._groups = load("literal.groups")

    def equal(self, value: Value) -> Ids:
        """All nodes with this value."""
        match value:
            case Number(nearest, rest):
                low, high = _between(self._nearest, self._rest, nearest, rest)
                return np.arange(low, high) + self.numbers
            case Window(start, end):
                low, high = _between(self.starts, self.ends, start, end)
                return np.arange(low, high) + self.times
        low, high = self._truths.searchsorted((float(value), value + 0.5))
        return np.arange(low, high) + self.booleans

    def with_equals(self, nodes: Ids) -> Ids:
        """These nodes, and every literal that has the same value as one of them."""
        if not len(nodes) or nodes[-1] < self.numbers:
            return nodes
        low, high = nodes.searchsorted((self.numbers, self.text))
        if low == high:
            return nodes
        groups = ordered(self._groups[nodes[low:high] - self.numbers])
        firsts = self._groups.searchsorted(groups)
        lasts = self._groups.searchsorted(groups, "right")
        same = ranges(firsts, lasts - firsts) + self.numbers
        return np.concatenate((nodes[:low], same, nodes[high:]))

    def each_with_equals(self, nodes: Ids) -> tuple[Ids, Ids]:
        """For nodes in any order: how many literals are of the value of each, and all those literals; of any
        other node there is one, itself."""
        lengths = np.ones(len(nodes), np.int64)
        valued = (nodes >= self.numbers) & (nodes < self.text)
        if not valued.any():
            return lengths, nodes
        groups = self._groups[nodes[valued] - self.numbers]
        firsts = nodes.copy()
        firsts[valued] = self._groups.searchsorted(groups) + self.numbers
        lengths[valued] = self._groups.searchsorted(groups, "right") + self.numbers - firsts[valued]
        spend(2 * int(lengths.sum()))
        return lengths, ranges(firsts, lengths)

    def numbers_of(self, nodes: Ids) -> NDArray[np.float64]:
        """The nearest floating-point numbers of nodes that are numbers."""
        return np.asarray(self._nearest[nodes - self.numbers], np.float64)

    def ranks_of(self, nodes: Ids) -> NDArray[np.float64]:
        """Where nodes that are numbers stand among all numbers, equal ones at the same place."""
        return np.asarray(self._groups[nodes - self.numbers], np.float64)

    def around(self, value: Number) -> tuple[int, int]:
        """The first node that is not below the number, and the first above it."""
        low, high = _between(self._nearest, self._rest, value.nearest, value.rest)
        return low + self.numbers, high + self.numbers

    def matching(self, comparison: Comparison, value: Number | Window, candidates: Array) -> Array:
        """Which of these nodes compare so; a mask. `candidates` are numbers or times, in order."""
        mask = np.zeros(len(candidates), bool)
        dtype = candidates.dtype.type
        if isinstance(value, Number):
            low, high = self.around(value)
            match comparison:
                case Comparison.LT:
                    first, last = self.numbers, low
                case Comparison.LE:
                    first, last = self.numbers, high
                case Comparison.GT:
                    first, last = high, self.times
                case Comparison.GE:
                    first, last = low, self.times
            mask[candidates.searchsorted(dtype(first)) : candidates.searchsorted(dtype(last))] = True
            return mask
        begin = int(candidates.searchsorted(dtype(self.times)))
        finish = int(candidates.searchsorted(dtype(self.booleans)))
        if comparison in (Comparison.GT, Comparison.GE):
            edge = value.end if comparison is Comparison.GT else value.start
            first = self.times + int(self.starts.searchsorted(edge))
            mask[int(candidates.searchsorted(dtype(first))) : finish] = True
            return mask
        # Over by the edge implies begun before it, so only those that began before need a look.
        edge = value.start if comparison is Comparison.LT else value.end
        last = int(candidates.searchsorted(dtype(self.times + int(self.starts.searchsorted(edge)))))
        mask[begin:last] = self.ends[candidates[begin:last].astype(np.int64) - self.times] <= edge
        return mask

    def best_times(self, candidates: Ids, largest: bool) -> Ids:
        """Those of the nodes (in order) that are times and end last, or begin first."""
        times = candidates[candidates.searchsorted(self.times) : candidates.searchsorted(self.booleans)]
        if not len(times):
            return EMPTY
        edges = (self.ends if largest else self.starts)[times - self.times]
        found: Ids = times[edges == (edges.max() if largest else edges.min())]
        return found


def _between(major: Array, minor: Array, first: float, second: float) -> tuple[int, int]:
    low, high = int(major.searchsorted(first)), int(major.searchsorted(first, "right"))
    inner = minor[low:high]
    return low + int(inner.searchsorted(second)), low + int(inner.searchsorted(second, "right"))


# Who has a value before or after another, and who is valid at a time.


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
    failing = sets.difference(ordered(dated), ordered(dated[fits]))
    return NodeSet(sets.difference(nodes.ids, failing))
