"""Random graphs and a scorer without any knowledge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arcaneqa.induction import scorer
from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.expression import Entity, Value
from arcaneqa.language.steps import Ranks
from tests.induction.plain import EX, PROFILE, PlainKb


class RandomScorer:
    """Log-probabilities of a random distribution, a sharp or a flat one; counts its calls."""

    def __init__(self, seed: int, sharpness: float = 3.0) -> None:
        self._random = np.random.default_rng(seed)
        self._sharpness = sharpness
        self.calls = 0

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        self.calls += 1
        return [self._score(decision) for decision in decisions]

    def _score(self, decision: Decision) -> Scores:
        assert decision.candidates, "a decision without candidates is a dead end"
        assert (decision.state is None) == (decision.choice is None)
        logits = self._random.normal(size=len(decision.candidates)) * self._sharpness
        logits -= np.log(np.exp(logits).sum())
        return Scores(logits.astype(np.float32), state=object())


VALUES = [Literal(str(number), XSD + "integer") for number in range(4)]
VALUES += [Literal("2.0", XSD + "decimal"), Literal("a word")]
VALUES += [Literal(str(year), XSD + "gYear") for year in (1990, 2019, 2020)]
VALUES += [Literal("2020-05-01", XSD + "date")]


RANKS = (Ranks(1, 2), Ranks(2, 2))


def random_kb(seed: int) -> PlainKb:
    """A small graph with hidden relations, attributes, dated nodes, mixed ranges and cycles."""
    rng = random.Random(seed)
    nodes = [f"n{i}" for i in range(rng.randint(3, 14))]
    facts: list[tuple[str, str, str | Literal]] = []
    for name in [f"r{i}" for i in range(rng.randint(1, 4))]:
        facts += [(rng.choice(nodes), name, rng.choice(nodes)) for _ in range(rng.randint(1, 12))]
    for name in [f"a{i}" for i in range(rng.randint(0, 3))] + ["from", "to"]:
        facts += [(rng.choice(nodes), name, rng.choice(VALUES)) for _ in range(rng.randint(0, 6))]
    things: list[str | Literal] = [*VALUES, *nodes]
    facts += [(rng.choice(nodes), "mixed", rng.choice(things)) for _ in range(rng.randint(0, 5))]
    facts += [(rng.choice(nodes), "kind", rng.choice(nodes[:2])) for _ in range(rng.randint(0, 12))]
    facts += [(rng.choice(nodes), "type", f"C{rng.randint(0, 3)}") for _ in range(rng.randint(0, 16))]
    hidden = [name for name in ("r1", "a1", "C1") if rng.random() < 0.3]
    inverses = {"r0": "r2"} if rng.random() < 0.5 else None
    profile = replace(PROFILE, path_hops=rng.randint(1, 3), both_ways=rng.random() < 0.7)
    return PlainKb(facts, hidden, {"from": "to", "a0": None}, inverses, profile)


def random_topics(seed: int) -> list[Topics]:
    """Some hypotheses: topics with alternatives, overlapping spans, unknown terms, and the empty one."""
    rng = random.Random(seed)
    hypotheses = []
    for _ in range(rng.randint(1, 3)):
        items = []
        for _ in range(rng.randint(0, 4)):
            start = rng.randint(0, 30)
            words = scorer.TopicWords("topic", start, start + rng.randint(0, 8), rng.randint(0, 3))
            term = (
                Value(rng.choice(VALUES))
                if rng.random() < 0.35
                else Entity(Iri(EX + f"n{rng.randint(0, 15)}"))
            )
            items.append(Topic(term, words, -rng.random()))
        hypotheses.append(Topics(tuple(items), ranks=RANKS, counts=(1, 2)))
    return hypotheses
