"""Counts, sums and best values of pairs that walks give, from arrays or from terms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import (
    Comparison,
    Ids,
    KnowledgeBase,
    NodeSet,
    Pairs,
    Standings,
    Step,
    Tally,
    Totals,
    Window,
)
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import Number, Value, value_of
from arcaneqa.support.ragged import ranges

# Counts, sums and best values of the pairs that walks give: arrays in, arrays out.


_FINEST = 9
"""Decimals of a number up to which sums are exact, if they are not too large."""
_LARGEST = 2.0**52
"""Whole numbers up to here are exact as floating-point numbers, with a bit to spare."""


def distinct_pairs(origins: Ids, ends: Ids) -> tuple[Ids, Ids]:
    """Each pair once, in order."""
    if not len(origins):
        return origins, ends
    width = int(ends.max()) + 1
    pairs = np.unique(origins * width + ends)
    return pairs // width, pairs % width


def tallied(origins: Ids) -> Tally:
    """How often each origin occurs; they are in order."""
    starts = _runs(origins)
    return Tally(origins[starts], np.diff(np.append(starts, len(origins))))


def totalled(origins: Ids, numbers: NDArray[np.float64]) -> Totals:
    """The sum for each origin; they are in order."""
    units, scale = _units(numbers)
    starts = _runs(origins)
    counts = np.diff(np.append(starts, len(origins)))
    sums = np.add.reduceat(units, starts) if len(starts) else units
    return Totals(origins[starts], sums, scale, counts)


def grouped(groups: Ids, totals: Totals, at: Ids) -> Totals:
    """Sums for each group (in order) of the totals at these places."""
    starts = _runs(groups)
    if not len(starts):
        return Totals(groups, totals.units[:0], totals.scale, totals.counts[:0])
    units, counts = np.add.reduceat(totals.units[at], starts), np.add.reduceat(totals.counts[at], starts)
    return Totals(groups[starts], units, totals.scale, counts)


def best_of(origins: Ids, ends: Ids, scores: NDArray[np.float64], largest: bool) -> Standings:
    """The best end of each origin; they are in order."""
    starts = _runs(origins)
    if not len(starts):
        return Standings(origins, scores, ends)
    lengths = np.diff(np.append(starts, len(origins)))
    best = np.maximum.reduceat(scores, starts) if largest else np.minimum.reduceat(scores, starts)
    places = np.flatnonzero(scores == best.repeat(lengths))
    first = places[_runs(origins[places])]
    return Standings(origins[first], scores[first], ends[first])


def _runs(values: Ids) -> Ids:
    """Where each stretch of equal values begins."""
    if not len(values):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))


def _units(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64] | NDArray[np.float64], int]:
    """The numbers as whole parts of a power of ten, if their sum cannot become too large for that."""
    if not np.isfinite(numbers).all():
        return numbers, 0
    weight = float(np.abs(numbers).sum())
    for scale in range(_FINEST + 1):
        if weight * 10.0**scale > _LARGEST:
            break
        units = np.rint(numbers * 10.0**scale)
        if (units / 10.0**scale == numbers).all():
            return units.astype(np.int64), scale
    return numbers, 0


# Counts, sums and best values of a knowledge base that hands out facts and terms but no arrays of
# values.


class ByTerms(KnowledgeBase):
    """Answers what the interface asks about walks from its other answers."""

    def walks(self, nodes: NodeSet, path: Sequence[Step]) -> Pairs:
        origins = ends = nodes.ids
        here = nodes
        for step in path:
            facts = self._facts_along(step, here)
            firsts = facts.subjects.searchsorted(ends)
            lengths = facts.subjects.searchsorted(ends, "right") - firsts
            origins, ends = origins.repeat(lengths), facts.objects[ranges(firsts, lengths)]
            here = self.walk(step, here)
        return Pairs(origins, ends)

    def _facts_along(self, step: Step, nodes: NodeSet) -> Pairs:
        """From each node where the step leads, in order of the nodes."""
        if not step.inverse:
            return self.values(step.relation, nodes)
        facts = self.values(step.relation, self.subjects(step.relation, nodes))
        starts: dict[Hashable, list[int]] = {}
        for node, key in zip(nodes.ids.tolist(), self._keys(nodes.ids), strict=True):
            starts.setdefault(key, []).append(node)
        led = [
            (start, subject)
            for subject, key in zip(facts.subjects.tolist(), self._keys(facts.objects), strict=True)
            for start in starts.get(key, ())
        ]
        found = np.array(sorted(led), np.int64).reshape(-1, 2)
        return Pairs(found[:, 0].copy(), found[:, 1].copy())

    def _keys(self, ids: Ids) -> list[Hashable]:
        """Equal for nodes that are the same or have the same value."""
        values = self._values(ids)
        return [node if v is None else v for node, v in zip(ids.tolist(), values, strict=True)]

    def _values(self, ids: Ids) -> list[Value | None]:
        different, places = np.unique(ids, return_inverse=True)
        known = [value_of(term) if isinstance(term, Literal) else None for term in self.terms(different)]
        return [known[place] for place in places.tolist()]

    def tally(self, nodes: NodeSet, path: Sequence[Step], within: NodeSet | None = None) -> Tally:
        pairs = self.walks(nodes, path)
        origins, ends = distinct_pairs(pairs.subjects, pairs.objects)
        if within is not None:
            wanted = set(self._keys(within.ids))
            origins = origins[np.array([key in wanted for key in self._keys(ends)], bool)]
        return tallied(origins)

    def totals(self, nodes: NodeSet, path: Sequence[Step]) -> Totals:
        pairs = self.walks(nodes, path)
        values = self._values(pairs.objects)
        kept = np.array([isinstance(value, Number) for value in values], bool)
        numbers = np.array([value.nearest for value in values if isinstance(value, Number)], np.float64)
        return totalled(pairs.subjects[kept], numbers)

    def standings(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> Standings:
        pairs = self.walks(nodes, path)
        values = self._values(pairs.objects)
        numbers = sorted({value for value in values if isinstance(value, Number)})
        if numbers:
            ranks = {number: float(rank) for rank, number in enumerate(numbers)}
            scored = [ranks[value] if isinstance(value, Number) else None for value in values]
        else:
            scored = [(v.end if largest else v.start) if isinstance(v, Window) else None for v in values]
        kept = np.array([score is not None for score in scored], bool)
        scores: NDArray[np.float64] = np.array([score for score in scored if score is not None], np.float64)
        return best_of(pairs.subjects[kept], pairs.objects[kept], scores, largest)

    def edges(self, comparison: Comparison, nodes: NodeSet) -> list[Literal]:
        literals = [term for term in self.terms(nodes.ids) if isinstance(term, Literal)]
        numbers = {lit: value for lit in literals if isinstance(value := value_of(lit), Number)}
        times = {lit: value for lit in literals if isinstance(value := value_of(lit), Window)}
        found = []
        if numbers and (comparison is not Comparison.EQ or len(set(numbers.values())) == 1):
            best = max if comparison in (Comparison.GT, Comparison.GE) else min
            found.append(best(numbers, key=numbers.__getitem__))
        if times and (comparison is not Comparison.EQ or len(set(times.values())) == 1):
            best = max if comparison in (Comparison.GT, Comparison.GE) else min
            by_end = comparison in (Comparison.GT, Comparison.LE)
            found.append(best(times, key=lambda lit: times[lit].end if by_end else times[lit].start))
        return found
