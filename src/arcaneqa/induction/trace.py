"""What was considered at each step of a program, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.scorer import Candidate, Topic


@dataclass(frozen=True, slots=True)
class Considered:
    """One step: the candidates with their log-probabilities, which was taken, and to how large a set it led.

    `size` is None unless the step closed a subprogram; `context` is the program before the step.
    """

    context: str
    candidates: Sequence[Candidate]
    log_probs: NDArray[np.float32]
    choice: int
    size: int | None = None

    def to_json(self, most: int | None = None) -> dict[str, Any]:
        """The `most` likely candidates, best first, and always the one taken."""
        order = np.argsort(-self.log_probs, kind="stable").tolist()
        kept = order if most is None else order[:most]
        if self.choice not in kept:
            kept.append(self.choice)
        return {
            "context": self.context,
            "candidates": [
                {
                    "kind": self.candidates[position].kind.value,
                    "text": self.candidates[position].text,
                    "types": self.candidates[position].types,
                    "variable": self.candidates[position].variable,
                    "probability": float(np.exp(self.log_probs[position])),
                    "chosen": position == self.choice,
                }
                for position in kept
            ],
            "considered": len(self.candidates),
            "denotation": self.size,
        }


@dataclass(frozen=True, slots=True)
class Trace:
    topics: Sequence[Topic]
    steps: Sequence[Considered]

    def to_json(self, most: int | None = None) -> dict[str, Any]:
        return {
            "topics": [{"text": t.text, "start": t.start, "end": t.end} for t in self.topics],
            "steps": [step.to_json(most) for step in self.steps],
        }
