"""Units of one measure, so that 6 kg are found where a column is called body mass (g)."""

from __future__ import annotations

from collections.abc import Iterator, Set
from decimal import Context, Decimal
from weakref import WeakKeyDictionary

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind

_MEASURES: tuple[dict[str, str], ...] = (
    {
        "mg": "0.001",
        "g gram grams": "1",
        "kg kilo kilos kilogram kilograms": "1000",
        "ton tons tonne tonnes": "1000000",
        "oz ounce ounces": "28.349523125",
        "lb lbs pound pounds": "453.59237",
    },
    {
        "mm millimeter millimeters millimetre millimetres": "0.001",
        "cm centimeter centimeters centimetre centimetres": "0.01",
        "m meter meters metre metres": "1",
        "km kilometer kilometers kilometre kilometres": "1000",
        "inch inches": "0.0254",
        "ft foot feet": "0.3048",
        "yard yards": "0.9144",
        "mi mile miles": "1609.344",
    },
    {
        "sec second seconds": "1",
        "min minute minutes": "60",
        "hr hrs hour hours": "3600",
        "day days": "86400",
        "week weeks": "604800",
    },
)
"""How many of one unit each is; tons are metric."""
_SIZES = [
    {name: Decimal(size) for names, size in measure.items() for name in names.split()}
    for measure in _MEASURES
]
_EXACT = Context(prec=12)
"""Digits: more than any table has, and no thirds without end."""
_USED: WeakKeyDictionary[KnowledgeBase, frozenset[str]] = WeakKeyDictionary()


_IN_MINUTES = frozenset(("runtime", "duration", "run time", "running time", "playing time"))
"""What is told in minutes where no unit is named."""


def converted(value: Decimal, unit: str | None, kb: KnowledgeBase) -> Iterator[Decimal]:
    """What a number with a unit is in the units that relations are called by, where none has its own."""
    for sizes in _SIZES:
        if unit in sizes:
            others = {sizes[name] for name in _used(kb) if name in sizes}
            if sizes[unit] in others:
                return
            yield from (_EXACT.divide(value * sizes[unit], other) for other in sorted(others))


def _used(kb: KnowledgeBase) -> Set[str]:
    """Units at the end of the names of numbers, or that go without saying; read once a knowledge base."""
    if kb not in _USED:
        numbers = (one for one in kb.schema.relations if ValueKind.NUMBER in one.kinds and not one.hidden)
        labels = [one.label.lower().strip() for one in numbers]
        untold = {"minutes"} if any(label in _IN_MINUTES for label in labels) else set()
        _USED[kb] = frozenset(label.split()[-1] for label in labels if label) | untold
    return _USED[kb]
