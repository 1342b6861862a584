"""The fitted choice: how likely each reading is meant, and how likely none is.

A conditional logit. Each reading has a worth, the weighted sum of its evidence, and so has the case that none
is meant; chances are as their exponentials. Readings with the same answers add up. It is fitted by maximum
likelihood on graphs that the encoder did not learn from, and kept as JSON in the folder of the model it was
fitted for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.support.errors import ModelError
from arcaneqa.support.files import plain_json, replacing
from arcaneqa.support.sealed import seal_again

FILE = "verdict.json"
Row = Mapping[str, float]
Numbers = NDArray[np.float64]
_UNFITTED = {
    "log-probability": 0.4,
    "behind the best found": 0.1,
    "as a reading": 1.0,
    "words not used": -0.25,
    "forms not met": -0.25,
    "another kind": -0.5,
    "log-odds that none is meant": 0.5,
}
"""For models that nobody has fitted: the signs are common sense, the sizes a guess."""
_STEPS = 60
_LARGEST = 30.0


@dataclass(frozen=True)
class Case:
    """A question's readings, each a row with the number of its answers; `right` are those numbers that are
    right."""

    rows: Sequence[Row]
    groups: Sequence[int]
    none: Row
    right: frozenset[int]


@dataclass(frozen=True)
class Fitted:
    """`answer` is the chance from which on a reading is given as the answer, `ask` that of the best readings
    together from which on they are offered. `expected` holds thresholds, each with the share of right answers
    at and above it, on graphs left out of the fit. `examples` counts questions that the weights were fitted
    on."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(_UNFITTED))
    answer: float = 0.5
    ask: float = 0.3
    examples: int = 0
    expected: tuple[tuple[float, float], ...] = ()

    def chances(
        self, rows: Sequence[Row], groups: Sequence[int], none: Row
    ) -> tuple[list[float], list[float]]:
        """The chance of each reading by itself, and of each together with all that have the same answers."""
        worths = np.array([self._worth(row) for row in (*rows, none)])
        shares = np.exp(worths - worths.max())
        shares /= shares.sum()
        together = np.bincount(groups, shares[:-1], minlength=max(groups, default=0) + 1)
        return shares[:-1].tolist(), together[list(groups)].tolist()

    def _worth(self, row: Row) -> float:
        worth = sum(self.weights.get(name, 0.0) * value for name, value in row.items())
        return max(-_LARGEST, min(_LARGEST, worth))

    def precision(self, threshold: float) -> float | None:
        """The share of right answers to expect at and above a threshold, as far as was measured."""
        known = [share for limit, share in self.expected if limit <= threshold]
        return known[-1] if known else None

    def save(self, folder: Path) -> None:
        with replacing(folder / FILE) as file:
            file.write(json.dumps(asdict(self), indent=1) + "\n")
        seal_again(folder)

    @classmethod
    def of_model(cls, folder: Path) -> Fitted:
        """What was fitted for a model; the built-in numbers where nothing was."""
        path = folder / FILE
        try:
            data: Any = plain_json(path)
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, RecursionError) as error:
            raise ModelError(f"{path} cannot be read ({error}); fit it again or remove it.") from error
        try:
            return cls(
                {str(name): float(weight) for name, weight in data["weights"].items()},
                float(data["answer"]),
                float(data["ask"]),
                int(data["examples"]),
                tuple((float(limit), float(share)) for limit, share in data["expected"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{path} does not fit ({error}); fit it again or remove it.") from error


def fit(cases: Sequence[Case], ridge: float) -> dict[str, float]:
    """The weights that make the right readings likeliest, each held back by `ridge` in units of its scale."""
    names = sorted({name for case in cases for row in (*case.rows, case.none) for name in row})
    places = {name: place for place, name in enumerate(names)}
    inputs = np.zeros((sum(len(case.rows) + 1 for case in cases), len(names)))
    is_right = np.zeros(len(inputs), bool)
    starts = []
    at = 0
    for case in cases:
        starts.append(at)
        for row, group in zip(case.rows, case.groups, strict=True):
            inputs[at, [places[name] for name in row]] = list(row.values())
            is_right[at] = group in case.right
            at += 1
        inputs[at, [places[name] for name in case.none]] = list(case.none.values())
        is_right[at] = not case.right
        at += 1
    scale = np.sqrt((inputs**2).mean(0))
    scale[scale < 1e-9] = 1.0
    held = np.full(len(names), ridge)
    held[places["none"]] = 1e-6
    weights = _maximized(inputs / scale, is_right, np.array(starts), held)
    return dict(zip(names, (weights / scale).round(6).tolist(), strict=True))


def _maximized(
    inputs: Numbers, is_right: NDArray[np.bool_], starts: NDArray[np.int64], ridge: Numbers
) -> Numbers:
    """Newton's method on the likelihood of the right ones, with halved steps."""
    sizes = np.diff([*starts, len(inputs)])

    def shares(worths: Numbers) -> tuple[Numbers, Numbers]:
        best = np.repeat(np.maximum.reduceat(worths, starts), sizes)
        own = np.exp(worths - best)
        total = np.add.reduceat(own, starts)
        return own / np.repeat(total, sizes), np.log(total) + best[starts]

    def loss(weights: Numbers) -> float:
        worths = inputs @ weights
        _, every = shares(worths)
        _, right = shares(np.where(is_right, worths, -np.inf))
        return float((every - right).sum() + ridge @ weights**2 / 2)

    weights = np.zeros(inputs.shape[1])
    current = loss(weights)
    for _ in range(_STEPS):
        worths = inputs @ weights
        every, _ = shares(worths)
        right, _ = shares(np.where(is_right, worths, -np.inf))
        gradient = inputs.T @ (every - right) + ridge * weights
        means = np.add.reduceat(inputs * every[:, None], starts)
        curvature = (inputs * every[:, None]).T @ inputs - means.T @ means + np.diag(ridge)
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), gradient)
        while (proposed := loss(weights - step)) > current and np.abs(step).max() > 1e-10:
            step = step / 2
        if current - proposed < 1e-7:
            break
        weights, current = weights - step, proposed
    return weights
