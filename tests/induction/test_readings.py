"""The last decision: whole programs beside each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.induction import scorer
from arcaneqa.induction.found import NONE, Found, Readings, distinct, is_same
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.scorer import Candidate, Decision, Scores, TokenKind
from arcaneqa.induction.search import Search
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.expression import Entity
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse, print_program
from tests.induction.plain import EX, PlainKb
from tests.induction.randomness import RandomScorer, random_kb, random_topics

KB = PlainKb(
    [
        ("alien", "type", "Film"),
        ("alien", "director", "ridley"),
        ("alien", "writer", "dan"),
        ("brazil", "type", "Film"),
        ("brazil", "director", "terry"),
        ("brazil", "writer", "terry"),
    ]
)
ALIEN = Topics((Topic(Entity(Iri(EX + "alien")), scorer.TopicWords("alien", 0, 5, 0)),))
BRAZIL = Topics((Topic(Entity(Iri(EX + "brazil")), scorer.TopicWords("brazil", 0, 6, 0)),))


class LastWord:
    """Undecided at every step; whole programs are weighed by their words."""

    def __init__(self, weight: Callable[[str], float]) -> None:
        self._weight = weight
        self.last: list[Sequence[Candidate]] = []

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [self._score(decision) for decision in decisions]

    def _score(self, decision: Decision) -> Scores:
        weights = np.ones(len(decision.candidates))
        if decision.is_last:
            self.last.append(decision.candidates)
            weights = np.array([self._weight(one.text) for one in decision.candidates])
        return Scores(np.log(weights / weights.sum()).astype(np.float32), None)


def programs(found: Sequence[Found]) -> list[str]:
    return [print_program(one.program, Names(KB.profile)) for one in found]


@pytest.mark.parametrize("word", ["director", "writer"])
def test_the_whole_decides_where_the_steps_cannot(word: str) -> None:
    judge = LastWord(lambda text: 100.0 if text == f"the {word} of alien" else 1.0)
    outcome = Search(Induction(KB), judge, beam=20, readings=Readings(KB)).run("?", [ALIEN])
    assert programs([max(outcome.found, key=lambda one: one.reading)]) == [f"(JOIN ex:{word}_inv ex:alien)"]
    (candidates,) = judge.last
    assert Candidate(TokenKind.END, "the director of alien", "1 thing") in candidates


def test_programs_with_the_same_answers_are_one_reading() -> None:
    judge = LastWord(lambda _: 1.0)
    plain = Search(Induction(KB), judge, beam=30).run("?", [BRAZIL]).found
    found = Search(Induction(KB), judge, beam=30, readings=Readings(KB)).run("?", [BRAZIL]).found
    assert set(programs(found)) == set(programs(plain))
    (terry,) = (
        reading
        for reading in distinct(found, KB)
        if reading[0].result.value is None and KB.terms(reading[0].nodes.ids) == [Iri(EX + "terry")]
    )
    assert {"(JOIN ex:director_inv ex:brazil)", "(JOIN ex:writer_inv ex:brazil)"} <= set(programs(terry))
    # What the model makes of the answers, it makes of every program that finds them.
    words = -math.log(len(distinct(found, KB)))
    assert [one.reading for one in terry] == pytest.approx([words] * len(terry), abs=1e-4)


def test_a_single_reading_is_not_asked_about() -> None:
    kb = PlainKb([("alien", "director", "ridley")])
    judge = LastWord(lambda _: 1.0)
    outcome = Search(Induction(kb), judge, beam=1, readings=Readings(kb)).run("?", [ALIEN])
    assert len(distinct(outcome.found, KB)) == 1
    assert not judge.last


@pytest.mark.parametrize("weight", [0.1, 1.0, 30.0])
def test_none_of_these_is_offered_and_takes_its_share(weight: float) -> None:
    judge = LastWord(lambda text: weight if text == NONE.text else 1.0)
    outcome = Search(Induction(KB), judge, beam=20, readings=Readings(KB, offers_none=True)).run("?", [ALIEN])
    (candidates,) = judge.last
    assert candidates[-1] == NONE
    assert outcome.none == pytest.approx(weight / (weight + len(candidates) - 1), abs=1e-4)
    without = Search(Induction(KB), judge, beam=20, readings=Readings(KB)).run("?", [ALIEN])
    assert programs(outcome.found) == programs(without.found)
    assert without.none == 0


def test_a_single_reading_may_be_refused() -> None:
    kb = PlainKb([("alien", "director", "ridley")])
    judge = LastWord(lambda text: 3.0 if text == NONE.text else 1.0)
    outcome = Search(Induction(kb), judge, beam=1, readings=Readings(kb, offers_none=True)).run("?", [ALIEN])
    assert outcome.none == pytest.approx(0.75, abs=1e-4)


@given(seed=st.integers(0, 10_000))
def test_no_program_is_lost_and_answers_stay_those_of_the_program(seed: int) -> None:
    kb, hypotheses = random_kb(seed), random_topics(seed)
    plain = Search(Induction(kb), RandomScorer(seed), beam=4).run("which?", hypotheses).found
    weighed = Search(Induction(kb), RandomScorer(seed), beam=4, readings=Readings(kb))
    found = weighed.run("which?", hypotheses).found
    assert sorted(map(repr, (one.program for one in found))) == sorted(
        map(repr, (one.program for one in plain))
    )
    for one in found:
        result = execute(one.program, kb)
        assert one.result.value == result.value
        if one.result.value is None:
            assert np.array_equal(one.nodes.ids, result.nodes.ids)


@pytest.mark.parametrize(
    ("program", "words", "answers"),
    [
        ("(AND ex:Film (JOIN ex:director ex:ridley))", "Films whose director is ridley", "1 Film"),
        ("(COUNT ex:Film)", "the number of Films", "number"),
        ("ex:Film", "Films", "2 Film"),
    ],
)
def test_a_program_in_words(program: str, words: str, answers: str) -> None:
    parsed = parse(program, Names(KB.profile), KB.schema)
    result = execute(parsed, KB)
    found = Readings(KB).candidate(parsed, result)
    assert (found.text.lower(), found.types.lower()) == (words.lower(), answers.lower())


def test_a_number_that_is_computed_and_one_that_stands_in_the_facts_are_one_answer() -> None:
    kb = PlainKb([("tea", "type", "Product"), ("tea", "price", Literal("3", XSD + "integer"))])
    stands, computed, other = (
        execute(parse(f"(SHOW ex:Product SELF ({function} ex:price))", Names(kb.profile), kb.schema), kb)
        for function in ("MAX", "SUM", "COUNT")
    )
    assert stands.table is not None
    assert computed.table is not None
    assert stands.table.rows != computed.table.rows
    assert is_same(stands, computed, kb)
    assert not is_same(stands, other, kb)


def test_what_is_proposed_is_read_beside_what_was_found() -> None:
    program = parse("(JOIN ex:writer_inv ex:brazil)", Names(KB.profile), KB.schema)

    def propose(question: str, found: Sequence[Found]) -> Sequence[Found]:
        assert question == "?"
        return [*found, replace(found[0], program=program, result=execute(program, KB), origin="proposal")]

    judge = LastWord(lambda text: 9.0 if text == "the writer of brazil" else 1.0)
    outcome = Search(Induction(KB), judge, beam=20, readings=Readings(KB), propose=propose).run("?", [ALIEN])
    (candidates,) = judge.last
    assert "the writer of brazil" in [one.text for one in candidates]
    (proposed,) = (one for one in outcome.found if one.origin)
    assert proposed.program == program
    assert proposed.reading == max(one.reading for one in outcome.found) > math.log(0.3)
