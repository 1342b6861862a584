"""Whole programs to choose among: the gold one, and wrong ones that a search might bring beside it.

No model is asked. A scorer that likes what the gold program is made of and what the question says, and is
noisy, finds programs that go astray somewhere: a hop too far, another class, the wrong way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.readings import Readings, distinct, is_same
from arcaneqa.induction.scorer import Candidate, Decision, Ranker, Scores
from arcaneqa.induction.search import Search
from arcaneqa.induction.targets import TargetStep
from arcaneqa.induction.topics import Topics
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.forms import split, stem
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import Expression
from arcaneqa.training.prepared import Step

BEAM = 8
_MEANT, _SAID, _NOISE = 2.5, 2.5, 1.0
"""What a candidate gains by being part of the gold program, by its words being in the question, by chance."""


class Astray:
    """Implements `induction.scorer.Scorer` for one question."""

    def __init__(self, question: str, meant: Sequence[TargetStep], draw: Random) -> None:
        self._meant = {step.candidates[step.gold] for step in meant}
        self._said = _stems(question)
        self._noise = np.random.default_rng(draw.getrandbits(32))

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [Scores(self._log_probs(decision.candidates), None) for decision in decisions]

    def _log_probs(self, candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        worth = _NOISE * self._noise.standard_normal(len(candidates))
        for place, candidate in enumerate(candidates):
            worth[place] += _MEANT * (candidate in self._meant)
            if own := _stems(candidate.text):
                worth[place] += _SAID * len(own & self._said) / len(own)
        log_probs: NDArray[np.float32] = (worth - np.logaddexp.reduce(worth)).astype(np.float32)
        return log_probs


def reading_step(
    kb: KnowledgeBase,
    induction: Induction,
    question: str,
    program: Expression,
    topics: Topics,
    meant: Sequence[TargetStep],
    ranker: Ranker,
    draw: Random,
) -> Step | None:
    """The last decision of a search for this question; None where it leaves no choice.

    In a random order, lest a model learn that the first is the best.
    """
    readings, gold = Readings(kb), execute(program, kb)
    right = readings.candidate(program, gold.nodes, gold.count)
    wrong = []
    search = Search(induction, Astray(question, meant, draw), BEAM, ranker=ranker)
    for best, *_ in distinct(search.run(question, [topics]).found):
        if not is_same(best.nodes, best.number, gold.nodes, gold.count):
            wrong.append(readings.candidate(best.program, best.nodes, best.number))
    others = [candidate for candidate in dict.fromkeys(wrong) if candidate.text != right.text]
    if not others:
        return None
    candidates = [right, *others]
    draw.shuffle(candidates)
    return Step(tuple(candidates), candidates.index(right), "")


@lru_cache(50_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split(text))
