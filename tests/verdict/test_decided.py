"""From programs to one choice: what they claim, what is left over, what is proposed, how likely each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcaneqa.induction.found import Found
from arcaneqa.induction.found import SearchOutcome as Searched
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form
from arcaneqa.links import Links
from arcaneqa.record import Outcome
from arcaneqa.support.errors import ModelError
from arcaneqa.verdict.alignment import Alignment, Nearness, aligned
from arcaneqa.verdict.claims import claims_of
from arcaneqa.verdict.decision import Verdict, ranked
from arcaneqa.verdict.evidence import evidence
from arcaneqa.verdict.fitted import Case, Fitted, fit
from arcaneqa.verdict.frame import frame_of
from arcaneqa.verdict.proposals import PROPOSALS, joins_by_chance, proposed
from tests.verdict.found_programs import found

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:louvre a :Museum ; rdfs:label "Louvre" ; :homepage "louvre.fr" ; :opened 1793 ; :visitors 9600 .
:louvre :city :paris .
:prado a :Museum ; rdfs:label "Prado" ; :homepage "prado.es" ; :opened 1819 ; :visitors 3200 ; :city :madrid .
:orsay a :Museum ; rdfs:label "Orsay" ; :homepage "orsay.fr" ; :opened 1986 ; :visitors 3200 ; :city :paris .
:opera a :Theatre ; rdfs:label "Opera" ; :opened 1875 ; :city :paris ; :seats 1986 .
:louvre :isFree false . :prado :isFree true . :orsay :isFree false .
:paris a :City ; rdfs:label "Paris" ; :holds :louvre, :orsay, :opera ; :population 2100 .
:madrid a :City ; rdfs:label "Madrid" ; :holds :prado ; :population 3300 .
"""


def named(program: str, question: str, name: str, kb: Index) -> Found:
    """Found for a question that names the entities of the program."""
    one = found(program, kb)
    start = question.index(name)
    words = TopicWords(name, start, start + len(name), 0)
    return replace(one, topics=tuple(Topic(term, words) for term in ex.mentioned(one.program)))


def left_over(question: str, one: Found, kb: Index) -> Alignment:
    frame = frame_of(question)
    nearness = Nearness(np.zeros((len(frame.telling), 0), np.float32))
    return aligned(frame, Links(question), claims_of(one, kb), nearness, kb)


# What is claimed and what is left over.


def test_a_program_says_what_it_measures_and_compares(kb: Index) -> None:
    claims = claims_of(found("(ARGMIN (AND :Museum (GE :opened 1819)) :visitors)", kb), kb)
    told = {(one.relation and one.relation.label, one.is_much, one.comparison) for one in claims.measured}
    assert told == {("opened", True, Comparison.GE), ("visitors", False, None)}
    assert claims.numbers == {"1819"}
    assert {claim.words for claim in claims.said} >= {"museum", "opened", "visitors"}


def test_what_tells_the_answers_is_what_a_program_ends_with(kb: Index) -> None:
    for program, label in (
        ("(JOIN :city_inv :louvre)", "city"),
        ("(AND :Museum (JOIN :city :paris))", "museum"),
        ("(COUNT (JOIN :holds_inv :paris))", "holds"),
        ("(ARGMAX :Museum :visitors)", "museum"),
    ):
        last = claims_of(found(program, kb), kb).last
        assert last is not None
        assert last.label == label


def test_another_word_for_a_relation_is_left_over_and_no_veto(kb: Index) -> None:
    question = "website of Louvre"
    one = named("(JOIN :homepage_inv :louvre)", question, "Louvre", kb)
    left = left_over(question, one, kb)
    assert left.words(question) == ("website",)
    assert [claim.words for claim in left.unsaid] == ["homepage"]
    answer = verdict(kb, Fitted({"as a reading": 1.0})).of_search(
        question, Links(question), Searched((one,), True)
    )
    assert answer.outcome is Outcome.ANSWER
    assert answer.not_used == ("website",)


@pytest.mark.parametrize(
    ("question", "program", "counted"),
    [
        ("the oldest museum", "(ARGMAX :Museum :opened)", (1, 0)),
        ("the oldest museum", "(ARGMIN :Museum :opened)", (0, 1)),
        ("the museum with the fewest visitors", "(ARGMAX :Museum :visitors)", (1, 0)),
    ],
)
def test_the_wrong_end_of_a_scale(question: str, program: str, counted: tuple[int, int], kb: Index) -> None:
    left = left_over(question, found(program, kb), kb)
    assert (left.wrong_ends, left.right_ends) == counted


def test_a_form_that_is_asked_for_and_one_that_is_not(kb: Index) -> None:
    plain, counted = found("(JOIN :holds_inv :paris)", kb), found("(COUNT (JOIN :holds_inv :paris))", kb)
    assert [sign.form for sign in left_over("how many does Paris hold?", plain, kb).unmet] == [Form.NUMBER]
    assert not left_over("how many does Paris hold?", counted, kb).unmet
    assert left_over("what does Paris hold?", counted, kb).unasked == {Form.NUMBER}


# What is proposed.


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("the oldest museum", "(ARGMAX :Museum :opened)", "(ARGMIN :Museum :opened)"),
        ("museums opened before 1819", "(JOIN :opened 1819)", "(LT :opened 1819)"),
        ("how many museums are there?", ":Museum", "(COUNT :Museum)"),
        ("what does Paris hold?", "(COUNT (JOIN :holds_inv :paris))", "(JOIN :holds_inv :paris)"),
        ("free museums", ":Museum", "(AND :Museum (JOIN :isFree true))"),
        ("how many museums are not free?", "(COUNT :Museum)", "(COUNT (AND :Museum (JOIN :isFree false)))"),
        ("theatres in Paris", "(JOIN :city :paris)", "(AND :Theatre (JOIN :city :paris))"),
    ],
)
def test_a_proposal_stands_beside_what_was_found(
    question: str, program: str, expected: str, kb: Index
) -> None:
    one = found(program, kb)
    made = proposed(question, [one], kb)
    assert made[0] is one
    assert found(expected, kb).program in [other.program for other in made if other.origin]


def test_every_proposal_comes_from_a_program_of_its_own_and_finds_something(kb: Index) -> None:
    programs = [":Museum", "(ARGMAX :Museum :opened)", "(JOIN :holds_inv :paris)", "(COUNT :Museum)"]
    questions = ["how many different museums are not old?", "which other museum is the oldest?"]
    for question in questions:
        for made in proposed(question, [found(one, kb) for one in programs], kb):
            assert made.origin == "" or made.origin in PROPOSALS
            assert made.result.value is not None or made.result.table is not None or made.nodes


@pytest.mark.parametrize(
    ("program", "is_chance"),
    [
        ("(JOIN :opened (JOIN :seats_inv :opera))", True),
        ("(JOIN :visitors (JOIN :visitors_inv :orsay))", False),
        ("(JOIN :city (JOIN :city_inv :orsay))", False),
        ("(AND :Museum (JOIN :opened (JOIN :seats_inv :opera)))", True),
    ],
)
def test_equal_numbers_of_two_relations_join_nothing(program: str, is_chance: bool, kb: Index) -> None:
    """The museum that opened in the year that is another's number of seats is no reading."""
    one = found(program, kb)
    assert one.nodes, "it finds something, and so a search may end with it"
    assert joins_by_chance(frame_of("what?"), one.program, kb) is is_chance
    assert (one in proposed("what?", [one], kb)) is not is_chance
    assert one in proposed("what opened in the year that is the number of seats of Opera?", [one], kb)


# How likely.


@given(st.lists(st.tuples(st.floats(-50, 50), st.integers(0, 3)), min_size=1, max_size=8), st.floats(-50, 50))
def test_chances_of_all_answers_and_of_none_make_one(readings: list[tuple[float, int]], none: float) -> None:
    fitted = Fitted({"fit": 1.0})
    groups = [group for _, group in readings]
    alone, together = fitted.chances([{"fit": fit} for fit, _ in readings], groups, {"fit": none})
    by_group = dict(zip(groups, together, strict=True))
    assert sum(by_group.values()) == pytest.approx(sum(alone))
    worths = np.clip([*(fit for fit, _ in readings), none], -30, 30)
    shares = np.exp(worths - worths.max())
    assert 1 - sum(alone) == pytest.approx(shares[-1] / shares.sum(), abs=1e-9)


def test_readings_with_the_same_answers_add_up(kb: Index) -> None:
    """Two that say the same in two ways are one, and likelier than what is likelier than either."""
    same = [found("(JOIN :holds_inv :paris)", kb), found("(JOIN :city :paris)", kb)]
    other = replace(found("(JOIN :population_inv :paris)", kb), reading=0.4)
    seen = evidence(Links("?"), Searched((other, *same), True), no_nearness, kb)
    chosen = ranked(seen, Fitted({"as a reading": 1.0}))
    assert [one.found for one, _ in chosen] == [same[0], other]
    assert chosen[0][1] == pytest.approx(2 / (2 + np.exp(0.4) + 1))


def test_what_speaks_for_right_ones_gets_weight_and_noise_little() -> None:
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(300):
        fits, noise = rng.normal(size=3), rng.normal(size=3)
        worths = np.exp([*(2 * fits), 1.0])
        right = int(rng.choice(4, p=worths / worths.sum()))
        rows = [{"fit": float(one), "noise": float(two)} for one, two in zip(fits, noise, strict=True)]
        cases.append(Case(rows, [0, 1, 2], {"none": 1.0}, frozenset({right} if right < 3 else ())))
    weights = fit(cases, 1.0)
    assert weights["fit"] == pytest.approx(2, abs=0.4)
    assert weights["none"] == pytest.approx(1, abs=0.4)
    assert abs(weights["noise"]) < 0.2


def test_a_fit_is_read_as_it_was_kept(tmp_path: Path) -> None:
    kept = Fitted({"fit": 0.5}, 0.4, 0.2, 7, ((0.0, 0.6), (0.4, 0.8)))
    kept.save(tmp_path)
    assert Fitted.of_model(tmp_path) == kept
    assert [kept.precision(limit) for limit in (0.1, 0.4, 0.9)] == [0.6, 0.8, 0.8]
    for text in ("{}", "[", '{"weights": {"a": "b"}, "answer": 1, "ask": 1, "examples": 1, "expected": []}'):
        (tmp_path / "verdict.json").write_text(text)
        with pytest.raises(ModelError, match="verdict"):
            Fitted.of_model(tmp_path)


# Answer, ask back, or refuse.


def no_nearness(
    _question: str, _spans: Sequence[tuple[int, int]], _texts: Sequence[str]
) -> NDArray[np.float32] | None:
    return None


def verdict(kb: Index, fitted: Fitted) -> Verdict:
    return Verdict(kb, fitted, frozenset(Form), lambda _typed, _limit: [], no_nearness)


@pytest.mark.parametrize(
    ("answer", "ask", "outcome"),
    [(0.4, 0.2, Outcome.ANSWER), (0.6, 0.2, Outcome.ASK), (0.6, 0.9, Outcome.REFUSE)],
)
def test_one_of_three_outcomes(answer: float, ask: float, outcome: Outcome, kb: Index) -> None:
    question = "what about Paris?"
    likely = replace(found("(JOIN :holds_inv :paris)", kb), reading=1.0)
    other = found("(JOIN :population_inv :paris)", kb)
    fitted = Fitted({"as a reading": 1.0}, answer, ask)
    told = verdict(kb, fitted).of_search(question, Links(question), Searched((other, likely), True))
    assert told.outcome is outcome
    assert (told.reason is None) == (outcome is Outcome.ANSWER)
    assert told.confidence == pytest.approx(np.e / (np.e + 2))
    labels = {item.label for item in told.items}
    if outcome is Outcome.REFUSE:
        assert not labels
    else:
        assert labels == {"Louvre", "Orsay", "Opera"}, "while it asks back, those of the first reading"
    first = [] if outcome is Outcome.ANSWER else ["(JOIN :holds_inv :paris)"]
    assert [one.program for one in told.readings] == [*first, "(JOIN :population_inv :paris)"]


def test_a_reading_that_finds_nothing_is_none(kb: Index) -> None:
    empty = found("(GT :opened 2020)", kb)
    told = verdict(kb, Fitted()).of_search(
        "museums after 2020", Links("museums after 2020"), Searched((empty,), True)
    )
    assert told.outcome is Outcome.REFUSE
    assert told.reason
