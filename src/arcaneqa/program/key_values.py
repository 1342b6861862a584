"""What members are ordered and compared by, as arrays of numbers; and numbers as literals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import Comparison, Ids, Totals
from arcaneqa.kb.terms import XSD, Literal

_COMPARED = {
    Comparison.LT: np.less,
    Comparison.LE: np.less_equal,
    Comparison.GT: np.greater,
    Comparison.GE: np.greater_equal,
    Comparison.EQ: np.equal,
}
_PLAIN = 1e15
"""Larger numbers are written with an exponent."""


@dataclass(frozen=True, slots=True)
class Scores:
    """A number for each node; nodes are in order, and those without a number are left out."""

    nodes: Ids
    numbers: NDArray[np.float64]

    def ranked(self, largest: bool, first: int, last: int) -> Ids:
        """Nodes whose rank is from `first` to `last`: one more than how many are better."""
        keys = -self.numbers if largest else self.numbers
        ranks = np.sort(keys).searchsorted(keys) + 1
        found: Ids = self.nodes[(ranks >= first) & (ranks <= last)]
        return found

    def compared(self, comparison: Comparison, limit: float) -> Ids:
        found: Ids = self.nodes[_COMPARED[comparison](self.numbers, limit)]
        return found


def with_zeros(nodes: Ids, some: Ids, counts: Ids) -> NDArray[np.float64]:
    """The counts of all nodes, 0 for those that are not among the counted ones; both are in order."""
    found = np.zeros(len(nodes))
    found[nodes.searchsorted(some)] = counts
    return found


def total(totals: Totals) -> Decimal | float | None:
    """The sum of all; None where there is nothing to sum up."""
    if not len(totals.nodes):
        return None
    if totals.units.dtype.kind == "i":
        return Decimal(int(totals.units.sum())).scaleb(-totals.scale)
    try:
        return math.fsum(totals.units.tolist())
    except (OverflowError, ValueError):  # too large, or both infinities
        return float(totals.units.sum())


def whole_number(count: int) -> Literal:
    return Literal(str(count), XSD + "integer")


def number(value: Decimal | float) -> Literal:
    """A literal that says the number plainly: 12, 8.5, 1e300."""
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    if not exact.is_finite():
        return Literal({"Infinity": "INF", "-Infinity": "-INF"}.get(str(exact), "NaN"), XSD + "double")
    if exact == exact.to_integral_value() and abs(exact) < _PLAIN:
        return whole_number(int(exact))
    if 1e-6 < abs(exact) < _PLAIN:
        return Literal(f"{exact.normalize():f}", XSD + "decimal")
    return Literal(repr(float(exact)), XSD + "double")
