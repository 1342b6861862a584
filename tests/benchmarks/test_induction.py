"""The benchmark measures what it says, on a graph small enough to check by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.scorer import WordRanker
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.record import Question
from benchmarks.induction import (
    cases,
    measure_gold,
    measure_searches,
    most_connected,
    search_at_random,
    topics_of,
)
from benchmarks.induction_report import measure_with_server
from benchmarks.sampling import SAMPLE, measure_loss
from tests.induction.plain import EX, PlainKb
from tests.induction.randomness import random_kb

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
    found = measure_gold(Induction(KB), cases(QUESTIONS, KB), {"words": WordRanker()})
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


def test_samples_of_one_lose_what_a_whole_set_shows() -> None:
    facts: list[tuple[str, str, str | Literal]] = [(f"film{i}", "director", "ridley") for i in range(40)]
    facts += [("film39", "award", "oscar"), ("film39", "type", "Film")]
    kb = PlainKb(facts)
    asked = [
        Question("1", "which award?", "(JOIN ex:award_inv (JOIN ex:director ex:ridley))"),
        Question("2", "which films?", "(AND ex:Film (JOIN ex:director ex:ridley))"),
        Question("3", "what did ridley direct?", "(JOIN ex:director ex:ridley)"),
    ]
    whole = measure_loss(kb, cases(asked, kb), sample=40)
    assert (whole.questions, whole.choices, whole.large, whole.lost) == (3, 5, 0, 0)
    one = measure_loss(kb, cases(asked, kb), sample=1)
    assert (one.choices, one.large, one.lost, one.lost_questions) == (5, 2, 2, 2)


def test_both_ways_go_along_the_same_programs(tmp_path: Path) -> None:
    lines = [f"<{EX}film{i}> <{EX}director> <{EX}ridley> ." for i in range(30)]
    lines += [f"<{EX}film0> <{EX}award> <{EX}oscar> ."]
    (tmp_path / "facts.nt").write_text("\n".join(lines) + "\n")
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        programs = [
            f"(JOIN <{EX}director> <{EX}ridley>)",
            f"(JOIN <{EX}award>_inv (JOIN <{EX}director> <{EX}ridley>))",
            f"(JOIN <{EX}award> <{EX}ridley>)",
        ]
        given = cases([Question(str(i), "?", program) for i, program in enumerate(programs)], kb)
        found = measure_with_server(kb, given, tmp_path / "facts.nt", 3)
    assert found.programs == 2, "a program that is not admissible is walked neither way"
    assert found.queries == 3 + 3 + 3 * SAMPLE
    assert found.own_seconds > 0
    assert found.server_seconds > 0
