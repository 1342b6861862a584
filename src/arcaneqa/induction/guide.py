"""Holding a search to choices somebody has made: "not that river, the other one"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcaneqa.induction.scorer import Candidate, Decision, Scores, TokenKind

NEVER = -1e6
"""What a choice that was ruled out adds to a score; programs below half of it broke the rules."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate as somebody outside can name it."""

    kind: TokenKind
    text: str
    variable: int | None = None

    @classmethod
    def of(cls, candidate: Candidate) -> Choice:
        return cls(candidate.kind, candidate.text, candidate.variable)


@dataclass(frozen=True, slots=True)
class _Guided:
    """A scorer's state and how many real decisions lie behind it."""

    inner: object
    taken: int


class Guide:
    """The first real decisions of a search are settled; the rest is the scorer's.

    It stands between a search and a scorer that others use too, so it works on what passes by:
    `before` on decisions, `after` on their scores.
    """

    def __init__(self, choices: Sequence[Choice] = ()) -> None:
        self._choices = tuple(choices)

    def before(self, decisions: Sequence[Decision]) -> Sequence[Decision]:
        if not self._choices:
            return decisions
        return [
            decision._replace(state=decision.state.inner) if isinstance(decision.state, _Guided) else decision
            for decision in decisions
        ]

    def after(self, decisions: Sequence[Decision], scores: Sequence[Scores]) -> Sequence[Scores]:
        if not self._choices:
            return scores
        return [self._guided(*pair) for pair in zip(decisions, scores, strict=True)]

    def _guided(self, decision: Decision, scores: Scores) -> Scores:
        taken = decision.state.taken if isinstance(decision.state, _Guided) else 0
        if len(decision.candidates) == 1:
            return scores._replace(state=_Guided(scores.state, taken))
        if decision.is_last:
            return scores  # the choices have shaped these programs already
        log_probs = scores.log_probs
        if taken < len(self._choices):
            wanted = [Choice.of(candidate) == self._choices[taken] for candidate in decision.candidates]
            log_probs = np.where(wanted, np.float32(0), np.float32(NEVER)).astype(np.float32)
        return scores._replace(log_probs=log_probs, state=_Guided(scores.state, taken + 1))
