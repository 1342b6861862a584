"""Answer types in the search: what a question asks for speaks where a program chooses a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from arcaneqa.induction.ranker import WordRanker
from arcaneqa.induction.scorer import Candidate, Decision, Ranker, Scorer, Scores, TokenKind
from arcaneqa.induction.wording import class_candidate
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.linking.classes import AnswerTypes

WEIGHT = 0.5
UNEXPECTED = -2.0
"""A class that was not expected, in log-probability below the least expected one."""
REMEMBERED = 64


class ExpectedTypes:
    """The classes a question may ask for, as evidence for a scorer and as starts that are never cut."""

    def __init__(self, kb: KnowledgeBase, types: AnswerTypes) -> None:
        self._types = types
        self._texts = {klass.id: _words(class_candidate(klass)) for klass in kb.schema.classes}
        self.of = lru_cache(REMEMBERED)(self._read)

    def _read(self, question: str) -> Mapping[str, float]:
        """Words of classes, as candidates have them, with their log-probabilities."""
        found: dict[str, float] = {}
        for link in self._types.rank(question):
            found.setdefault(self._texts[link.klass], link.score)
        return found

    def weigh(self, decision: Decision, scores: Scores) -> Scores:
        """The scores of a decision among classes, moved towards those expected; others stay as they are."""
        places = [n for n, c in enumerate(decision.candidates) if c.kind is TokenKind.CLASS]
        expected = self.of(decision.question) if len(places) > 1 else {}
        if not expected:
            return scores
        floor = min(expected.values()) + UNEXPECTED
        said = [expected.get(_words(decision.candidates[n]), floor) for n in places]
        log_probs = scores.log_probs.astype(np.float64)
        among = log_probs[places]
        moved = among + WEIGHT * np.array(said)
        # Between classes only: how likely it is that a class comes at all stays what the model says.
        moved += np.logaddexp.reduce(among) - np.logaddexp.reduce(moved)
        log_probs[places] = moved
        return Scores(log_probs.astype(np.float32), scores.state)


def _words(candidate: Candidate) -> str:
    """All that is said of a candidate, as rankers get it: classes of different domains may share a name."""
    return f"{candidate.text} {candidate.types}"


class TypedScorer:
    """A scorer that listens to what is asked for."""

    def __init__(self, scorer: Scorer, expected: ExpectedTypes) -> None:
        self._scorer = scorer
        self._expected = expected

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        scored = self._scorer.score(decisions)
        return [self._expected.weigh(d, scores) for d, scores in zip(decisions, scored, strict=True)]


class TypedRanker:
    """Keeps the expected classes whatever their words, and the rest by another ranker."""

    def __init__(self, expected: ExpectedTypes, ranker: Ranker | None = None) -> None:
        self._expected = expected
        self._ranker = ranker or WordRanker()

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        expected = self._expected.of(question)
        first = sorted(
            (n for n, text in enumerate(texts) if text in expected), key=lambda n: -expected[texts[n]]
        )
        rest = self._ranker.rank(question, texts, limit)
        return list(dict.fromkeys([*first, *rest]))[:limit]
