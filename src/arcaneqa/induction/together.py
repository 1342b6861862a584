"""Several searches side by side: what all of them ask next is scored in one call.

A search alone is one of one; files of questions and the service drive theirs with the same two steps.
Threads that search at the same time share one scorer.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from threading import local

from arcaneqa.induction.found import Considered, Outcome
from arcaneqa.induction.guide import Guide
from arcaneqa.induction.scorer import Attentive, Counting, Decision, Heat, Reads, Scorer, Scores

Steps = Generator[list[Decision], Sequence[Scores], Outcome]
"""A search as a coroutine: yields the decisions of one step, is sent their scores."""


@dataclass(eq=False)
class Underway:
    """A search between two calls of the scorer: what it asks now, and what it was told last.

    A `guide` holds it to choices somebody has made.
    """

    steps: Steps
    guide: Guide = field(default_factory=Guide)
    asked: list[Decision] = field(default_factory=list)
    told: Sequence[Scores] | None = None

    def advance(self) -> Outcome | None:
        """On to the next decisions; what was found, once there are none."""
        try:
            self.asked = next(self.steps) if self.told is None else self.steps.send(self.told)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome
        return None


def score_together(scorer: Scorer, searches: Sequence[Underway]) -> None:
    """Tell every search the scores of what it asks, by one call of the scorer."""
    asked = [search.guide.before(search.asked) for search in searches]
    scores = scorer.score([decision for decisions in asked for decision in decisions])
    first = 0
    for search in searches:
        last = first + len(search.asked)
        search.told = search.guide.after(search.asked, scores[first:last])
        first = last


def run_together(scorer: Scorer, searches: Sequence[Steps]) -> list[Outcome]:
    """What each search finds, in their order."""
    outcomes: dict[int, Outcome] = {}
    live = [(place, Underway(steps)) for place, steps in enumerate(searches)]
    while live:
        going = []
        for place, search in live:
            if (outcome := search.advance()) is None:
                going.append((place, search))
            else:
                outcomes[place] = outcome
        if going:
            score_together(scorer, [search for _, search in going])
        live = going
    return [outcomes[place] for place in range(len(searches))]


class SharedScorer:
    """Keeps each thread's time in a scorer. Threads do not wait for each other here."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._spent = local()

    @property
    def seconds(self) -> float:
        """Spent here by this thread so far."""
        return getattr(self._spent, "seconds", 0.0)

    @property
    def reads(self) -> Reads:
        """What the model has read so far, for all threads; nothing where it cannot tell."""
        return self._scorer.reads if isinstance(self._scorer, Counting) else Reads()

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        started = time.perf_counter()
        scores = self._scorer.score(decisions)
        self._spent.seconds = self.seconds + time.perf_counter() - started
        return scores

    def heat(self, question: str, step: Considered) -> Heat | None:
        if not isinstance(self._scorer, Attentive):
            return None
        return self._scorer.heat(question, step.context, step.candidates)
