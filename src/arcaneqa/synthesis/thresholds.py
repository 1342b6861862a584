"""Values that questions would name: round numbers, whole years."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from random import Random

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import value_of


def threshold(values: Sequence[Literal | None], comparison: Comparison, rng: Random) -> Literal | None:
    """A value to compare with, near those that exist; rounded most of the time."""
    known = [value for value in values if value is not None and value_of(value) is not None]
    if not known:
        return None
    literal = rng.choice(known)
    value = value_of(literal)
    if isinstance(value, Window):
        return _year(literal, rng)
    if rng.random() < 0.25:
        return _plain(literal)
    rounded = _rounded(float(literal.lexical), rng, up=comparison in (Comparison.LT, Comparison.LE))
    if rounded is None:
        return _plain(literal)
    whole = rounded == int(rounded)
    return Literal(str(int(rounded)) if whole else f"{rounded:g}", XSD + ("integer" if whole else "decimal"))


def _plain(literal: Literal) -> Literal:
    """A whole number is written as one, whatever type its neighbours need."""
    number = float(literal.lexical)
    is_whole = math.isfinite(number) and number == int(number) and abs(number) < 10**15
    return Literal(str(int(number)), XSD + "integer") if is_whole else literal


def moment(literal: Literal, rng: Random) -> tuple[Literal, Window] | None:
    """A year, a month or the day itself, with the stretch of time it names."""
    chosen = _year(literal, rng)
    if (
        literal.datatype == XSD + "date"
        and rng.random() < 0.3
        and re.fullmatch(r"\d{4}-\d\d-\d\d", literal.lexical)
    ):
        chosen = Literal(literal.lexical[:7], XSD + "gYearMonth")
    window = value_of(chosen)
    return (chosen, window) if isinstance(window, Window) else None


def _year(literal: Literal, rng: Random) -> Literal:
    found = re.match(r"\d{4}(?=-|$)", literal.lexical)
    return Literal(found[0], XSD + "gYear") if found and rng.random() < 0.75 else literal


def _rounded(number: float, rng: Random, up: bool) -> float | None:
    if number == 0 or not math.isfinite(number):
        return None
    digits = rng.choice((1, 1, 2))
    scale = 10.0 ** (math.floor(math.log10(abs(number))) - digits + 1)
    rounded = (math.ceil if up else math.floor)(number / scale) * scale
    return float(f"{rounded:.12g}") or None
