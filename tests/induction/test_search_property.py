"""With random scores every program found is well typed, executes and is not empty; nothing is a dead end."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from arcaneqa.induction.found import Found, is_same
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.results import MOST_SUBPROGRAMS
from arcaneqa.induction.search import Search
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.language.expression import Class, Denotation, Expression, Named, denotes, post_order
from arcaneqa.language.run import execute
from arcaneqa.language.steps import to_steps
from arcaneqa.language.text import parse, print_program
from benchmarks.induction import search_at_random
from tests.induction.plain import PlainKb
from tests.induction.randomness import RandomScorer, random_kb, random_topics


def walk_randomly(seed: int) -> list[Expression]:
    """Take any token offered until END: there must always be one. What was built on the way."""
    built = []
    rng = random.Random(seed)
    machine = Induction(random_kb(seed)).machine()
    for topics in random_topics(seed):
        state = machine.start(topics)
        options = machine.options(state)
        if not len(options):
            continue
        while not state.is_complete:
            assert len(options) == len(options.candidates) == len(set(options.tokens)) > 0, state
            state = machine.advance(state, rng.choice(options.tokens))
            options = machine.options(state)
            if state.top is not None:
                assert state.top.meaning, "a subprogram denotes nothing"
        assert state.waiting is None
        assert state.outer is None
        assert state.top is not None
        built.append(state.top.expression)
    return built


def search_randomly(seed: int) -> None:
    kb = random_kb(seed)
    induction = Induction(kb)
    hypotheses = random_topics(seed)
    outcome = Search(induction, RandomScorer(seed), beam=3).run("which?", hypotheses)
    machine = induction.machine()
    if any(len(machine.options(machine.start(topics))) for topics in hypotheses):
        assert outcome.found, "the search found nothing although it could start"
    for found in outcome.found:
        check(kb, found)


def check(kb: PlainKb, found: Found) -> None:
    result = execute(found.program, kb)
    assert is_same(result, found.result, kb)
    if denotes(found.program) is Denotation.SET:
        assert len(result.nodes) > 0
        assert result.nodes.ids.tolist() == found.nodes.ids.tolist()
    assert parse(print_program(found.program, Names(kb.profile)), Names(kb.profile), kb.schema)
    if not isinstance(found.program, Class):
        assert len(to_steps(found.program).subprograms) <= MOST_SUBPROGRAMS + 2, "counts in AND are two"


@pytest.mark.parametrize("block", range(4))
def test_random_searches_on_random_graphs(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        search_randomly(seed)


@pytest.mark.parametrize("block", range(4))
def test_random_walks_on_random_graphs(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        walk_randomly(seed)


def test_walks_come_by_every_form() -> None:
    built = {
        type(node) for seed in range(150) for program in walk_randomly(seed) for node in post_order(program)
    }
    assert set(get_args(Expression)) - built <= {Named}, "a name must be said for NAMED"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_ten_thousand_random_searches(block: int) -> None:
    for seed in range(block * 1000, block * 1000 + 1000):
        search_randomly(10_000 + seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_two_thousand_random_searches_on_the_demo(seed: int) -> None:
    with open_kb(None) as kb:
        found = search_at_random(kb, 500, seed)
    assert found.programs > 500
    assert (found.wrong, found.dead_ends) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_ten_thousand_random_walks(block: int) -> None:
    for seed in range(block * 1000, block * 1000 + 1000):
        walk_randomly(20_000 + seed)
