"""How well confidence keeps its word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Bin(NamedTuple):
    """Answers whose confidence lies in `[low, high)`; the last bin includes 1."""

    low: float
    high: float
    size: int
    confidence: float
    accuracy: float


def reliability(confidence: Sequence[float], correct: Sequence[bool], bins: int = 10) -> list[Bin]:
    """Bins that hold something, from unsure to sure."""
    values, right = np.asarray(confidence, dtype=float), np.asarray(correct, dtype=float)
    place = np.minimum((values * bins).astype(int), bins - 1)
    found = []
    for at in range(bins):
        inside = place == at
        if inside.any():
            means = float(values[inside].mean()), float(right[inside].mean())
            found.append(Bin(at / bins, (at + 1) / bins, int(inside.sum()), *means))
    return found


def expected_calibration_error(confidence: Sequence[float], correct: Sequence[bool], bins: int = 10) -> float:
    """Mean gap between confidence and accuracy over the bins, weighted by how many answers they hold."""
    found = reliability(confidence, correct, bins)
    total = sum(each.size for each in found)
    return sum(each.size * abs(each.confidence - each.accuracy) for each in found) / total if total else 0.0
