"""Induction over a server offers what it offers over an index of the same facts, in every form."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arcaneqa.induction import scorer
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.language.expression import Entity, Expression, Value, post_order
from arcaneqa.language.steps import Ranks
from tests.kb.endpoint.agreement import EX, random_facts, random_value
from tests.servers.oxigraph import Oxigraph
from tests.servers.virtuoso import Virtuoso

pytest_plugins = ["tests.servers.fixtures"]

WALKS = 12


def _topics(rng: random.Random) -> Topics:
    terms: list[Entity | Value] = [Entity(Iri(f"{EX}e{rng.randrange(25)}")) for _ in range(rng.randint(0, 2))]
    terms += [Value(random_value(rng)[1]) for _ in range(rng.randint(0, 1))]
    terms += [Value(Literal("name"))] if rng.random() < 0.3 else []
    topics = (Topic(term, scorer.TopicWords("topic", 0, 0, group)) for group, term in enumerate(terms))
    return Topics(tuple(topics), ranks=(Ranks(1, 2), Ranks(2, 2)), counts=(1, 2))


def _walk_together(index: KnowledgeBase, endpoint: KnowledgeBase, seed: int) -> set[type[Expression]]:
    """Take any token both offer until END; what was built on the way."""
    rng, built = random.Random(seed), set[type[Expression]]()
    inductions = Induction(index), Induction(endpoint)
    for _ in range(WALKS):
        topics = _topics(rng)
        machines = [induction.machine() for induction in inductions]
        states = [machine.start(topics) for machine in machines]
        while not states[0].is_complete:
            offered, there = (m.options(s) for m, s in zip(machines, states, strict=True))
            assert offered.tokens == there.tokens, machines[0].context(states[0])
            assert [one.text for one in offered.candidates] == [one.text for one in there.candidates]
            token = rng.choice(offered.tokens)
            states = [m.advance(s, token) for m, s in zip(machines, states, strict=True)]
        tops = [state.top for state in states]
        assert tops[0] is not None
        assert tops[1] is not None
        assert tops[0].expression == tops[1].expression
        built.update(type(node) for node in post_order(tops[0].expression))
    return built


def _agree(server: Oxigraph | Virtuoso, seeds: range, folder: Path) -> set[type[Expression]]:
    built = set[type[Expression]]()
    for seed in seeds:
        # Nobody can name a blank node to a server.
        lines = random_facts(seed).splitlines(keepends=True)
        facts = "".join(line for line in lines if "_:" not in line)
        source = folder / f"{seed}.nt"
        source.write_text(facts, encoding="utf-8")
        build_index([source], folder / f"{seed}")
        settings = EndpointSettings(folder=folder / f"{seed}.memory")
        with (
            Index(folder / f"{seed}") as index,
            open_endpoint(server.load(facts), settings=settings) as endpoint,
        ):
            built |= _walk_together(index, endpoint, seed)
    return built


def test_walks_over_oxigraph_are_offered_the_same(oxigraph: Oxigraph, tmp_path: Path) -> None:
    built = _agree(oxigraph, range(4), tmp_path)
    assert len(built) > 12, "most forms come up"


@pytest.mark.slow
def test_many_walks_over_oxigraph(oxigraph: Oxigraph, tmp_path: Path) -> None:
    _agree(oxigraph, range(100, 140), tmp_path)


@pytest.mark.virtuoso
def test_walks_over_virtuoso_are_offered_the_same(virtuoso: Virtuoso, tmp_path: Path) -> None:
    _agree(virtuoso, range(4), tmp_path)
