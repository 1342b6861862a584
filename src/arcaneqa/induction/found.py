"""What a search ends with."""

from __future__ import annotations

from dataclasses import dataclass

from arcaneqa.induction.topics import Topic
from arcaneqa.induction.trace import Trace
from arcaneqa.kb.interface import NodeSet
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Expression


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
