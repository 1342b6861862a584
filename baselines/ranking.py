"""Enumerate and rank: every program around the linked entities, each read with the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arcaneqa.induction.found import Considered, Found, SearchOutcome, Trace
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import Candidate, Decision, Scorer, TokenKind, WordRanker
from arcaneqa.induction.topics import Topics, terms_of
from baselines.enumerated import Enumerator

MOST_READ = 400
"""Programs that are ranked: of more, those whose words are nearest to the question's."""
KEPT = 5


def as_candidate(state: Partial) -> Candidate:
    """A whole program in words, for a scorer an end."""
    assert state.top is not None
    return Candidate(TokenKind.END, state.top.words)


def found_of(state: Partial, score: float, step: Considered) -> Found:
    assert state.top is not None
    used = terms_of(state.top.expression)
    topics = tuple(topic for topic in state.topics.items if topic.term in used)
    trace = Trace(state.topics.words, [step])
    return Found(state.top.expression, score, state.top.meaning.result, topics, trace)


def ranked(
    question: str, states: Sequence[Partial], candidates: Sequence[Candidate], scorer: Scorer, kept: int
) -> list[Found]:
    """The best of some programs, by one decision of the scorer."""
    if not states:
        return []
    (scores,) = scorer.score([Decision(question, (), candidates)])
    order = (-scores.log_probs).argsort(kind="stable")[:kept].tolist()
    return [
        found_of(
            states[place],
            float(scores.log_probs[place]),
            Considered("", candidates, scores.log_probs, place, None),
        )
        for place in order
    ]


class Searching:
    """What all comparisons share with `induction.search.Search`: one question, or many in their order."""

    def run(self, question: str, hypotheses: Sequence[Topics], seconds: float | None = None) -> SearchOutcome:
        raise NotImplementedError

    def run_many(
        self,
        questions: Iterable[tuple[str, Sequence[Topics]]],
        together: int = 1,  # noqa: ARG002 - one by one, so that each is timed by itself
        seconds: float | None = None,
    ) -> Iterator[SearchOutcome]:
        for question, hypotheses in questions:
            yield self.run(question, hypotheses, seconds)


class RankingSearch(Searching):
    def __init__(
        self, enumerator: Enumerator, scorer: Scorer, most: int = MOST_READ, kept: int = KEPT
    ) -> None:
        self._enumerator = enumerator
        self._ranker = WordRanker()
        self.scorer = scorer
        self._most = most
        self._kept = kept

    def run(
        self,
        question: str,
        hypotheses: Sequence[Topics],
        seconds: float | None = None,  # noqa: ARG002 - the enumerator has its own
    ) -> SearchOutcome:
        (topics,) = hypotheses
        states = list(self._enumerator.programs(question, topics).values())
        candidates = [as_candidate(state) for state in states]
        if len(states) > self._most:
            best = sorted(self._ranker.rank(question, [one.text for one in candidates], self._most))
            states, candidates = [states[i] for i in best], [candidates[i] for i in best]
        return SearchOutcome(tuple(ranked(question, states, candidates, self.scorer, self._kept)), True)
