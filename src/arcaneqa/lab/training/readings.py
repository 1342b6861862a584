"""Whole programs to choose among: the gold one, and wrong ones that a search might bring beside it.

Without a model, a scorer that likes what the gold program is made of and what the question says, and is
noisy, finds programs that go astray somewhere: a hop too far, another class, the wrong way round. A model
finds what it will have to choose among itself, and now and then not the gold program: then none of what it
found is right. Where a hole is wanted, one thing that the gold program needs is hidden from the search, as if
the knowledge base did not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.found import NONE, Readings, distinct, is_same
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.scorer import Candidate, Decision, Ranker, Scorer, Scores
from arcaneqa.induction.search import Search
from arcaneqa.induction.targets import Target
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import Token
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.lab.training.prepared import Decided
from arcaneqa.language.expression import Class, Expression, Relation, post_order, relations
from arcaneqa.language.run import Result, execute
from arcaneqa.language.steps import Function, Variable

BEAM = 8
"""Hypotheses of the search that looks for rivals of the gold program."""
_MEANT, _SAID, _NOISE = 2.5, 2.5, 1.0
"""What a candidate gains by being part of the gold program, by its words being in the question, by chance."""
_HIDDEN = -100.0
"""Further behind than any search looks."""


class Astray:
    """Implements `induction.scorer.Scorer` for one question; what is `hidden` is never worth taking."""

    def __init__(
        self,
        question: str,
        meant: frozenset[Candidate],
        draw: Random,
        hidden: frozenset[Candidate] = frozenset(),
    ) -> None:
        self._meant, self._hidden = meant, hidden
        self._said = _stems(question)
        self._noise = np.random.default_rng(draw.getrandbits(32))

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [Scores(self._log_probs(decision.candidates), None) for decision in decisions]

    def _log_probs(self, candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        worth = _NOISE * self._noise.standard_normal(len(candidates))
        for place, candidate in enumerate(candidates):
            worth[place] += _MEANT * (candidate in self._meant) + _HIDDEN * (candidate in self._hidden)
            if own := _stems(candidate.text):
                worth[place] += _SAID * len(own & self._said) / len(own)
        log_probs: NDArray[np.float32] = (worth - np.logaddexp.reduce(worth)).astype(np.float32)
        return log_probs


class Hiding:
    """A model's scores, less those of what is `hidden`."""

    def __init__(self, scorer: Scorer, hidden: frozenset[Candidate]) -> None:
        self._scorer, self._hidden = scorer, hidden

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [
            scores._replace(log_probs=scores.log_probs + self._penalties(decision))
            for decision, scores in zip(decisions, self._scorer.score(decisions), strict=True)
        ]

    def _penalties(self, decision: Decision) -> NDArray[np.float32]:
        return np.array([_HIDDEN * (one in self._hidden) for one in decision.candidates], np.float32)


@dataclass(frozen=True, slots=True)
class Choices:
    """Makes last decisions over one knowledge base, in a random order, lest a model learn that the first is
    the best; with `NONE` among them where `offers_none`. The programs are what `model` finds, if given."""

    kb: KnowledgeBase
    induction: Induction
    ranker: Ranker
    offers_none: bool
    model: Scorer | None = None

    def right(self, program: Expression, target: Target, draw: Random) -> Decided | None:
        """The gold program among others; None where that leaves no choice."""
        gold = execute(program, self.kb)
        right = Readings(self.kb).candidate(program, gold)
        others = self._found(target.question, target.topics, self._scorer(target, draw), gold)
        return self._step([right, *(other for other in others if other.text != right.text)], right, draw)

    def as_found(self, question: str, program: Expression, topics: Topics, draw: Random) -> Decided | None:
        """What the model finds for who asks: the right reading if it is there, else none of these."""
        assert self.model is not None
        gold = execute(program, self.kb)
        search = Search(self.induction, self.model, BEAM, ranker=self.ranker)
        right, found = NONE, []
        for best, *_ in distinct(search.run(question, [topics]).found, self.kb):
            found.append(Readings(self.kb).candidate(best.program, best.result))
            if is_same(best.result, gold, self.kb):
                right = found[-1]
        return self._step(list(dict.fromkeys(found)), right, draw)

    def hole(self, program: Expression, target: Target, draw: Random) -> Decided | None:
        """What is found where the knowledge base lacks one thing that the gold program needs."""
        needed = [token for token in target.tokens if _weight(token, target.topics)]
        if not needed:
            return None
        (hidden,) = draw.choices(needed, [_weight(token, target.topics) for token in needed])
        topics, unseen = target.topics, frozenset[Candidate]()
        if isinstance(hidden, Variable):
            term = topics.items[hidden.index].term
            topics = replace(topics, items=tuple(topic for topic in topics.items if topic.term != term))
        else:
            steps = zip(target.tokens, target.steps, strict=True)
            unseen = frozenset(step.candidates[step.gold] for token, step in steps if token == hidden)
        found = self._found(
            target.question,
            topics,
            self._scorer(target, draw, unseen),
            execute(program, self.kb),
            lambda other: not _uses(other, hidden),
        )
        return self._step(found, NONE, draw)

    def strange(self, question: str, topics: Topics, draw: Random) -> Decided | None:
        """What is found for a question that was meant for another knowledge base."""
        scorer = self.model or Astray(question, frozenset(), draw)
        return self._step(self._found(question, topics, scorer), NONE, draw)

    def _scorer(self, target: Target, draw: Random, hidden: frozenset[Candidate] = frozenset()) -> Scorer:
        if self.model is not None:
            return Hiding(self.model, hidden) if hidden else self.model
        return Astray(target.question, _meant(target) - hidden, draw, hidden)

    def _found(
        self,
        question: str,
        topics: Topics,
        scorer: Scorer,
        gold: Result | None = None,
        is_possible: Callable[[Expression], bool] = lambda _: True,
    ) -> list[Candidate]:
        """What a search finds, less the right answers."""
        search = Search(self.induction, scorer, BEAM, ranker=self.ranker)
        wrong = []
        for best, *_ in distinct(search.run(question, [topics]).found, self.kb):
            is_right = gold is not None and is_same(best.result, gold, self.kb)
            if not is_right and is_possible(best.program):
                wrong.append(Readings(self.kb).candidate(best.program, best.result))
        return list(dict.fromkeys(wrong))

    def _step(self, found: Sequence[Candidate], gold: Candidate, draw: Random) -> Decided | None:
        candidates = [*found, NONE] if self.offers_none else list(found)
        if len(candidates) < 2:
            return None
        draw.shuffle(candidates)
        return Decided(tuple(candidates), candidates.index(gold), "")


def _meant(target: Target) -> frozenset[Candidate]:
    return frozenset(step.candidates[step.gold] for step in target.steps)


def _weight(token: Token, topics: Topics) -> float:
    """How often each kind of thing is what is missing: mostly relations and entities, as in life."""
    match token:
        case Relation():
            return 2.0
        case Variable(index):
            return 2.0 if index < len(topics.items) else 0.0
        case Class():
            return 1.0
        case Function():
            return 0.0 if token in (Function.JOIN, Function.AND) else 1.0
        case _:
            return 0.0


def _uses(program: Expression, hidden: Token) -> bool:
    """Whether a program needs what is hidden; a relation is hidden in both directions."""
    nodes = list(post_order(program))
    if isinstance(hidden, Relation):
        return any(relation.iri == hidden.iri for node in nodes for relation in relations(node))
    return isinstance(hidden, Class) and hidden in nodes


@lru_cache(50_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split(text))
