"""Counts, sums and best values of the pairs that walks give: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import Ids, Standings, Tally, Totals

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
