"""How sure a figure is: intervals from resampled questions, alone and against another system."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from arcaneqa.evaluation.breakdown import percent

SAMPLES = 1000
"""Times that the questions are drawn anew."""
_AT_ONCE = 2_000_000  # drawn numbers held in memory at a time

Scores = NDArray[np.float64]


def resampled_means(values: Scores, seed: int = 0, samples: int = SAMPLES) -> Scores:
    """`values` is questions × figures; the result is samples × figures."""
    random = np.random.default_rng(seed)
    count = len(values)
    means = np.empty((samples, values.shape[1]))
    step = max(1, _AT_ONCE // count)
    for start in range(0, samples, step):
        chosen = random.integers(0, count, size=(min(step, samples - start), count))
        for figure in range(values.shape[1]):
            means[start : start + len(chosen), figure] = values[chosen, figure].mean(axis=1)
    return means


def interval(means: Scores) -> tuple[float, float]:
    low, high = np.quantile(means, [0.025, 0.975])
    return percent(float(low)), percent(float(high))


@dataclass(frozen=True, slots=True)
class Comparison:
    """`difference` is this system minus the other in percentage points; `p` is two-sided."""

    difference: float
    interval: tuple[float, float]
    p: float

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def paired(own: Scores, other: Scores, seed: int = 0, samples: int = SAMPLES) -> Comparison:
    """The same questions are drawn for both, so that a hard sample is hard for both."""
    differences = own - other
    means = resampled_means(differences[:, None], seed, samples)[:, 0]
    # Half of an even split counts for either side, so that equal systems give p = 1.
    below = float(np.mean(means < 0) + np.mean(means == 0) / 2)
    p = max(2 * min(below, 1 - below), 1 / samples)
    return Comparison(percent(float(differences.mean())), interval(means), round(p, 6))
