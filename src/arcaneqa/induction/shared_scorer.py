"""One scorer for several threads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Lock, local

from arcaneqa.induction.scorer import Attentive, Counting, Decision, Heat, Reads, Scorer, Scores
from arcaneqa.induction.trace import Considered


class SharedScorer:
    """Lets threads share a scorer whose caches are not locked, and keeps each thread's time in it."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._lock = Lock()
        self._spent = local()

    @property
    def seconds(self) -> float:
        """Spent here by this thread so far, waiting for others included."""
        return getattr(self._spent, "seconds", 0.0)

    @property
    def reads(self) -> Reads:
        """What the model has read so far, for all threads; nothing where it cannot tell."""
        return self._scorer.reads if isinstance(self._scorer, Counting) else Reads()

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        started = time.perf_counter()
        with self._lock:
            scores = self._scorer.score(decisions)
        self._spent.seconds = self.seconds + time.perf_counter() - started
        return scores

    def heat(self, question: str, step: Considered) -> Heat | None:
        if not isinstance(self._scorer, Attentive):
            return None
        with self._lock:
            return self._scorer.heat(question, step.context, step.candidates)
