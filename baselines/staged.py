"""Staged search of query graphs (QGG): a graph grows by one action at a time, and each stage is ranked anew.

An action extends the core path by a JOIN, begins or joins another branch (a constraint), adds a class, or
aggregates. A stage ranks the graphs of the beam, which may stay as they are, and all that one action makes of
them. It ends when no better one comes, or after a few stages.
"""

from __future__ import annotations

from collections.abc import Sequence

from arcaneqa.induction.found import Considered, SearchOutcome
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import Candidate, Decision, Scorer, TokenKind, WordRanker
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import COMPARATIVES, SUPERLATIVES, Token
from arcaneqa.kb.schema import Schema
from arcaneqa.language.expression import Class
from arcaneqa.language.steps import Function
from baselines.enumerated import closings, implied_classes
from baselines.ranking import Searching, found_of

STAGES = 5
BEAM = 3
MOST_READ = 200
ACTIONS = (Function.JOIN, Function.AND, Function.COUNT, *COMPARATIVES, *SUPERLATIVES)


def grown(machine: Machine, state: Partial, schema: Schema) -> list[Partial]:
    """What one action makes of a graph."""
    implied = implied_classes(None if state.top is None else state.top.expression, schema)

    def keeps(inner: Partial, token: Token) -> bool:
        return not (inner.function is Function.AND and isinstance(token, Class)) or token in implied

    actions: Sequence[Function] = ACTIONS
    if state.top is None:
        # The core path starts from what the question names; without that, from whole classes.
        actions = (Function.JOIN, *COMPARATIVES) if state.topics.items else tuple(SUPERLATIVES)
    return list(closings(machine, state, actions, keeps))


def as_stage(machine: Machine, state: Partial) -> Candidate:
    """A graph in words; one that a branch waits beside is told apart from a whole one."""
    return Candidate(TokenKind.END, machine.context(state), "unfinished" if state.waiting else "")


class StagedSearch(Searching):
    def __init__(self, induction: Induction, scorer: Scorer, beam: int = BEAM, stages: int = STAGES) -> None:
        self._induction = induction
        self._ranker = WordRanker()
        self.scorer = scorer
        self._beam = beam
        self._stages = stages

    def run(
        self,
        question: str,
        hypotheses: Sequence[Topics],
        seconds: float | None = None,  # noqa: ARG002 - stages are few
    ) -> SearchOutcome:
        (topics,) = hypotheses
        machine = self._induction.machine()
        beam: list[Partial] = [machine.start(topics)]
        found: list[tuple[Partial, float, Considered]] = []
        for _ in range(self._stages):
            pool = self._pool(question, machine, beam)
            if not pool:
                break
            candidates = [as_stage(machine, state) for state in pool]
            (scores,) = self.scorer.score([Decision(question, (), candidates)])
            order = (-scores.log_probs).argsort(kind="stable")[: self._beam].tolist()
            former, beam = beam, [pool[place] for place in order]
            found = [
                (
                    pool[place],
                    float(scores.log_probs[place]),
                    Considered("", candidates, scores.log_probs, place),
                )
                for place in order
            ]
            if beam == former:
                break
        whole = [one for one in found if one[0].waiting is None]
        return SearchOutcome(tuple(found_of(*one) for one in whole), True)

    def _pool(self, question: str, machine: Machine, beam: Sequence[Partial]) -> list[Partial]:
        """The graphs there are, and all that one action makes of them, each once."""
        pool = {_key(state): state for state in beam if state.top is not None}
        for state in beam:
            for longer in grown(machine, state, self._induction.kb.schema):
                pool.setdefault(_key(longer), longer)
        states = list(pool.values())
        if len(states) <= MOST_READ:
            return states
        texts = [machine.context(state) for state in states]
        return [states[place] for place in sorted(self._ranker.rank(question, texts, MOST_READ))]


def _key(state: Partial) -> tuple[object, object]:
    return state.top and state.top.meaning, state.waiting and state.waiting.meaning
