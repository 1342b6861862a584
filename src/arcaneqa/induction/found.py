"""What a search ends with: programs, and what was considered at each step of one, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.scorer import Candidate, TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.kb.interface import NodeSet
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Expression


class Considered(NamedTuple):
    """One step: the candidates with their log-probabilities, which was taken, and to how large a set it led.

    `size` is None unless the step closed a subprogram; `context` is the program before the step; `left_out`
    is how many candidates a shortlist spared the model, `level` how well those it read fit (`Scores`).
    """

    context: str
    candidates: Sequence[Candidate]
    log_probs: NDArray[np.float32]
    choice: int
    size: int | None = None
    left_out: int = 0
    level: float = 0.0

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
    topics: Sequence[TopicWords]
    steps: Sequence[Considered]

    def to_json(self, most: int | None = None) -> dict[str, Any]:
        return {
            "topics": [{"text": t.text, "start": t.start, "end": t.end} for t in self.topics],
            "steps": [step.to_json(most) for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A program with its score, and what it denotes.

    The score is the sum of its log-probabilities and priors, and of `reading`: what the model makes of the
    whole program beside the others that were found.
    """

    program: Expression
    score: float
    result: Result
    topics: tuple[Topic, ...]
    trace: Trace
    reading: float = 0.0

    @property
    def nodes(self) -> NodeSet:
        """The members of a set or list, or what a number or table is about."""
        return self.result.nodes


@dataclass(frozen=True, slots=True)
class Outcome:
    """Programs, best first. `is_complete` is False where time ran out before the beam was done.

    `none` is the probability that none of them is meant, as far as the model was asked (`readings`).
    """

    found: tuple[Found, ...]
    is_complete: bool
    none: float = 0.0
