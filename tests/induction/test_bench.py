"""The benchmark measures what it says, on a graph small enough to check by hand."""

from __future__ import annotations

import numpy as np
from plain import EX, PlainKb
from randomness import random_kb

from arcaneqa.bench.induction import (
    cases,
    measure_gold,
    measure_searches,
    most_connected,
    search_at_random,
    topics_of,
)
from arcaneqa.datasets.record import Question
from arcaneqa.induction.induction import Induction
from arcaneqa.kb.terms import Iri

KB = PlainKb(
    [
        ("alien", "director", "ridley"),
        ("blade", "director", "ridley"),
        ("alien", "type", "Film"),
        ("blade", "type", "Film"),
        ("ridley", "type", "Person"),
    ]
)
QUESTIONS = [
    Question("1", "what did ridley direct?", "(JOIN ex:director ex:ridley)"),
    Question("2", "whom did alien direct?", "(JOIN ex:director ex:alien)"),
    Question("3", "no program"),
    Question("4", "unknown relation", "(JOIN ex:producer ex:ridley)"),
]


def test_gold_programs_are_counted_by_what_becomes_of_them() -> None:
    found = measure_gold(Induction(KB), cases(QUESTIONS, KB))
    assert found.questions == 2
    assert found.admissible == 1
    assert found.reasons == {"relation": 1}
    assert found.sizes
    assert found.shortlisted == 0


def test_searches_are_timed_without_their_scorer() -> None:
    hubs = most_connected(KB, 2)
    assert KB.terms(np.array(hubs[:1])) == [Iri(EX + "ridley")]
    times = measure_searches(Induction(KB), [("which?", topics_of(KB, hubs))] * 3)
    assert times.searches == 3
    assert 0 <= times.median <= times.p95 <= times.longest


def test_random_searches_find_sound_programs_and_no_dead_ends() -> None:
    for seed in range(6):
        kb = random_kb(seed)
        if any(klass.members and not klass.hidden for klass in kb.schema.classes):
            found = search_at_random(kb, 20, seed)
            assert found.programs > 0
            assert found.wrong == 0
            assert found.dead_ends == 0
