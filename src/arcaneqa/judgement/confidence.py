"""Confidence that means what it says: of the answers given with 80%, four in five should be right.

A logistic regression turns what a search knew about its best program into a probability. Its few numbers
are kept as JSON in the folder of the model they were fitted for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.judgement.evidence import FEATURES, LIMIT, Row
from arcaneqa.support.errors import InputError, ModelError
from arcaneqa.support.files import plain_json, replacing
from arcaneqa.support.sealed import seal_again

FILE = "confidence.json"
SURELY_NONE = 0.98
"""How likely it must be that none of the readings is meant for an answer to need better evidence."""
_UNFITTED = {
    "log-probability": 0.4,
    "log-odds among the found": 0.5,
    "log-probability of the entities": 0.1,
    "what the whole program gained as a reading": 0.1,
    "log-odds that none is meant": -0.5,
    "linked things not used": -0.25,
    "forms not met": -0.25,
    "answer of another kind": -0.5,
}
"""The signs are common sense, the sizes a guess: for models that nobody has fitted confidence for."""
RIDGES = (1.0, 10.0, 100.0)
"""How much weights are held back, in examples; the more, the less a fit trusts its own graphs."""
_STEPS = 100
"""Of Newton's method at most; it ends as soon as one gains nothing."""


@dataclass(frozen=True)
class Confidence:
    """`mean` and `scale` bring each feature to a common measure before it is weighed.

    Below `threshold` it is better to say nothing, and below `if_none` where surely none of the readings is
    meant. `expected` holds thresholds, each with the share of right answers among those at and above it, on
    graphs left out of the fit. `examples` counts what the numbers were fitted on; 0 for the built-in ones,
    which only know that more evidence is better.
    """

    mean: tuple[float, ...] = (0.0,) * len(FEATURES)
    scale: tuple[float, ...] = (1.0,) * len(FEATURES)
    weights: tuple[float, ...] = tuple(_UNFITTED.get(name, 0.0) for name in FEATURES)
    bias: float = 0.0
    threshold: float = 0.05
    examples: int = 0
    expected: tuple[tuple[float, float], ...] = ()
    if_none: float = 0.0

    def limit(self, none: float) -> float:
        """Below which it is better to say nothing, where none of the readings is meant with this chance."""
        return max(self.threshold, self.if_none) if none > SURELY_NONE else self.threshold

    def weigh(self, row: Row) -> float:
        """How likely an answer with this evidence is right."""
        total = self.bias + float(((_finite(row) - self.mean) / self.scale) @ np.asarray(self.weights))
        return 1 / (1 + math.exp(-max(-LIMIT, min(LIMIT, total))))

    def precision(self, threshold: float) -> float | None:
        """The share of right answers to expect at and above a threshold, as far as was measured."""
        known = [share for limit, share in self.expected if limit <= threshold]
        return known[-1] if known else None

    @classmethod
    def fit(
        cls, rows: Sequence[Row], correct: Sequence[bool], threshold: float = 0.05, ridge: float = RIDGES[0]
    ) -> Confidence:
        """Maximum likelihood with a ridge, and Platt's smoothed targets, so that a few examples do not
        make it certain."""
        if len(rows) != len(correct):
            raise InputError(f"There are {len(rows)} examples, but {len(correct)} marks of which were right.")
        if not len(rows):
            raise InputError("Confidence cannot be fitted without a single example.")
        raw = np.stack([_finite(row) for row in rows])
        mean, scale = raw.mean(axis=0), raw.std(axis=0)
        scale[scale < 1e-9] = 1.0
        right = int(np.sum(correct))
        high, low = (right + 1) / (right + 2), 1 / (len(correct) - right + 2)
        targets = np.where(np.asarray(correct, dtype=bool), high, low)
        inputs = np.column_stack([(raw - mean) / scale, np.ones(len(raw))])
        *weights, bias = (float(weight) for weight in _logistic(inputs, targets, ridge))
        return cls(
            tuple(mean.tolist()), tuple(scale.tolist()), tuple(weights), bias, threshold, examples=len(raw)
        )

    def save(self, folder: Path) -> None:
        with replacing(folder / FILE) as file:
            file.write(json.dumps({"features": FEATURES} | asdict(self), indent=1) + "\n")
        seal_again(folder)

    @classmethod
    def of_model(cls, folder: Path) -> Confidence:
        """What was fitted for a model; the built-in numbers where nothing was."""
        path = folder / FILE
        try:
            data: Any = plain_json(path)
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, RecursionError) as error:
            raise ModelError(f"{path} cannot be read ({error}); fit it again or remove it.") from error
        try:
            names = tuple(data["features"])
            if unknown := set(names) - set(FEATURES):
                raise ValueError(f"it weighs {min(unknown)!r}, which this version does not have")
            mean, weights = (_numbers(names, data[key], 0.0) for key in ("mean", "weights"))
            scale = _numbers(names, data["scale"], 1.0)
            rest = float(data["bias"]), float(data["threshold"]), int(data["examples"])
            expected = tuple((float(limit), float(share)) for limit, share in data.get("expected", ()))
            return cls(mean, scale, weights, *rest, expected, float(data.get("if_none", 0.0)))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{path} does not fit ({error}); fit it again or remove it.") from error


def _numbers(names: Sequence[str], data: Any, missing: float) -> tuple[float, ...]:
    """In the order of FEATURES; a feature that was not there when a model was fitted weighs nothing."""
    given = dict(zip(names, (float(number) for number in data), strict=True))
    return tuple(given.get(name, missing) for name in FEATURES)


def _finite(row: Row) -> Row:
    return np.minimum(np.maximum(np.where(np.isnan(row), 0.0, row), -LIMIT), LIMIT)


def _logistic(
    inputs: NDArray[np.float64], targets: NDArray[np.float64], held_back: float
) -> NDArray[np.float64]:
    """Newton's method with halved steps; the last column is the bias and is not held back."""
    ridge = np.full(inputs.shape[1], held_back)
    ridge[-1] = 1e-6

    def loss(weights: NDArray[np.float64]) -> float:
        scores = inputs @ weights
        return float(np.sum(np.logaddexp(0, scores) - targets * scores) + ridge @ weights**2 / 2)

    weights = np.zeros(inputs.shape[1])
    current = loss(weights)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -LIMIT, LIMIT)))
        gradient = inputs.T @ (chance - targets) + ridge * weights
        curvature = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        while (proposed := loss(weights - step)) > current and np.abs(step).max() > 1e-12:
            step = step / 2
        if current - proposed < 1e-10:
            break
        weights, current = weights - step, proposed
    return weights
