"""What a program leaves out of a question, and what is weighed of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from arcaneqa.induction import scorer
from arcaneqa.induction.found import Considered, Found, Outcome, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.answer_kinds import is_undated, is_unexpected, is_unmeasured
from arcaneqa.judgement.asked import signs
from arcaneqa.judgement.coverage import coverage, is_about, not_used
from arcaneqa.judgement.evidence import FEATURES, evidence
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.expression import Entity, Value
from arcaneqa.language.forms import Form
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import EntityCandidate, Links, LiteralLink, MentionLink
from tests.induction.plain import EX, PlainKb

KB = PlainKb(
    [
        ("anna", "type", "Worker"),
        ("bert", "type", "Worker"),
        ("anna", "gender", "female"),
        ("bert", "gender", "male"),
        ("anna", "boss", "bert"),
        ("anna", "height", Literal("170", XSD + "integer")),
        ("bert", "height", Literal("180", XSD + "integer")),
        ("anna", "totalCredits", Literal("5", XSD + "integer")),
        ("anna", "born", Literal("1990", XSD + "gYear")),
        ("anna", "hireDate", Literal("2010-05-01", XSD + "date")),
        ("firm", "motto", Literal("onward")),
        ("shop", "motto", Literal("in May")),
        ("anna", "married", Literal("true", XSD + "boolean")),
        ("anna", "room", Literal("cellar")),
        ("anna", "successor", "bert"),
    ]
)


def found(program: str, *names: str, topic: tuple[str, int, int] | None = None) -> Found:
    """As a search would find it: with the names it chose, and the place of its topic."""
    parsed = parse(program, Names(KB.profile), KB.schema)
    result = execute(parsed, KB)
    steps = [
        Considered("", [Candidate(TokenKind.RELATION, name)] * 2, np.log(np.array([0.8, 0.2], np.float32)), 0)
        for name in names
    ]
    topics: tuple[Topic, ...] = ()
    if topic is not None:
        name, start, end = topic
        topics = (Topic(Entity(Iri(EX + name)), scorer.TopicWords(name, start, end, 0)),)
    return Found(parsed, -1.0, result, topics, Trace((), steps))


def mention(question: str, text: str, score: float = -0.1) -> MentionLink:
    start = question.index(text)
    return MentionLink(start, start + len(text), text, score, (EntityCandidate(0, text, 0.0),))


def test_a_linked_word_that_is_ignored_is_named() -> None:
    question = "which female workers are there?"
    links = Links(question, (mention(question, "female"),))
    left = coverage(question, links, found("ex:Worker", "worker"), KB)
    assert not_used(question, left) == ("female",)
    assert left.share == 0.5
    used = found("(JOIN ex:gender ex:female)", "gender", topic=("female", 6, 12))
    assert not_used(question, coverage(question, links, used, KB)) == ()


def test_a_piece_of_a_name_is_no_text_of_its_own() -> None:
    question = "who is the boss of the onward firm"
    links = Links(question, (mention(question, "onward firm"),))
    boss = found("(JOIN ex:boss_inv ex:anna)", "boss", topic=("anna", 23, 29))
    assert not coverage(question, links, boss, KB).dropped, "somebody may be meant"
    text = Topic(Value(Literal("onward")), scorer.TopicWords("onward", 23, 29, 0))
    assert coverage(question, links, replace(boss, topics=(text,)), KB).dropped == 1
    alone = Links(question, (mention(question, "onward"),))
    assert not coverage(question, alone, replace(boss, topics=(text,)), KB).dropped


def test_an_unlikely_mention_is_not_missed() -> None:
    question = "which female workers are there?"
    links = Links(question, (mention(question, "female", score=-3.0),))
    assert not_used(question, coverage(question, links, found("ex:Worker", "worker"), KB)) == ()


def test_a_word_that_says_yes_or_no_and_is_ignored_is_named() -> None:
    question = "how many married workers are there?"
    plain = found("(COUNT ex:Worker)", "worker")
    assert not_used(question, coverage(question, Links(question), plain, KB)) == ("married",)
    used = found("(JOIN ex:married true)", "worker", "married")
    assert "married" not in not_used(question, coverage(question, Links(question), used, KB))


def test_a_fact_that_says_yes_or_no_answers_whether() -> None:
    question = "is anna married?"
    truth = found("(JOIN ex:married_inv ex:anna)", "married", topic=("anna", 3, 7))
    assert not coverage(question, Links(question), truth, KB).unmet
    other = found("(JOIN ex:gender_inv ex:anna)", "gender", topic=("anna", 3, 7))
    assert coverage(question, Links(question), other, KB).unmet


def test_a_number_that_is_ignored_is_named() -> None:
    question = "workers of height 170"
    links = Links(question, literals=(LiteralLink(18, 21, "170", (Literal("170", XSD + "integer"),)),))
    assert not_used(question, coverage(question, links, found("ex:Worker", "worker", "height"), KB)) == (
        "170",
    )


@pytest.mark.parametrize(
    ("question", "program", "names", "left"),
    [
        ("who is the tallest worker?", "ex:Worker", ["worker"], ("tallest",)),
        ("who is the tallest worker?", "(ARGMAX ex:Worker ex:height)", ["worker", "height"], ()),
        ("which workers have no boss?", "ex:Worker", ["worker", "boss"], ("have no",)),
        ("how many workers are there?", "(COUNT ex:Worker)", ["worker"], ()),
        ("how many workers are there?", "ex:Worker", ["worker"], ("how many",)),
        ("how many people live there?", "ex:Worker", ["population"], ()),
        ("how many workers live there?", "ex:Worker", ["population"], ("how many",)),
        ("what are total credits?", "(JOIN ex:totalCredits 5^^xsd:integer)", ["total credits"], ()),
        (
            "who has the most bosses?",
            "(ARGMAX ex:Worker ex:height)",
            ["worker", "boss"],
            ("the most bosses",),
        ),
        ("who has the most heights?", "(ARGMAX ex:Worker ex:height)", ["worker", "height"], ()),
    ],
)
def test_forms_without_their_program_are_named(
    question: str, program: str, names: list[str], left: tuple[str, ...]
) -> None:
    said = not_used(question, coverage(question, Links(question), found(program, *names), KB))
    assert said == left


@pytest.mark.parametrize(
    ("question", "program", "unexpected"),
    [
        ("when was Anna born?", "(JOIN ex:born_inv ex:anna)", False),
        ("when was Anna born?", "(JOIN ex:boss_inv ex:anna)", True),
        ("who is Anna's boss?", "(JOIN ex:boss_inv ex:anna)", False),
        ("who is Anna's boss?", "(JOIN ex:height_inv ex:anna)", True),
        ("how many workers?", "(COUNT ex:Worker)", False),
        ("how tall is Anna?", "(JOIN ex:height_inv ex:anna)", False),
        ("how tall is Anna?", "ex:Worker", True),
        ("where is Anna?", "(COUNT ex:Worker)", True),
        ("which workers?", "(COUNT ex:Worker)", False),
    ],
)
def test_an_answer_of_another_kind(question: str, program: str, unexpected: bool) -> None:
    assert is_unexpected(question, found(program), KB) is unexpected


def test_evidence_of_a_worked_case() -> None:
    question = "when was Anna born?"
    best = found("(JOIN ex:boss_inv ex:anna)", "boss", topic=("anna", 9, 13))
    same = found("(JOIN ex:gender ex:male)", "gender")
    outcome = Outcome((best, same), is_complete=True, none=0.25)
    left = coverage(question, Links(question), best, KB)
    row = dict(zip(FEATURES, evidence(question, best, outcome, left, KB).tolist(), strict=True))
    assert row["log-probability"] == pytest.approx(np.log(0.8), abs=1e-6)
    assert row["log-odds among the found"] == 0.0
    assert row["log-odds that none is meant"] == pytest.approx(math.log(1 / 3))
    assert row["other programs with the same answers"] == 1
    assert row["words taken up"] == 0.5
    assert row["answer of another kind"] == 1
    assert row["nothing linked"] == 0
    assert row["names that nobody has"] == 0


def test_a_likely_relation_of_a_list_that_fits_badly() -> None:
    best = found("(JOIN ex:boss_inv ex:anna)", "boss")
    fits = []
    for level in (9.0, -3.0):
        (step,) = best.trace.steps
        one = replace(best, trace=replace(best.trace, steps=[step._replace(level=level)]))
        left = coverage("who leads Anna?", Links("who leads Anna?"), one, KB)
        row = evidence("who leads Anna?", one, Outcome((one,), is_complete=True), left, KB)
        fits.append(row[FEATURES.index("fit of relations and classes")])
    assert fits == pytest.approx([9.0 + np.log(0.8), -3.0 + np.log(0.8)], abs=1e-6)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("who is the boss of Bertha Miller?", 2),
        ("Bertha is whose boss?", 0),
        ("Which Worker Has The Boss Bertha", 0),
        ("who is the boss of bertha?", 0),
    ],
)
def test_names_that_nobody_has(question: str, names: int) -> None:
    best = found("(JOIN ex:boss_inv ex:anna)", "boss")
    left = coverage(question, Links(question), best, KB)
    row = evidence(question, best, Outcome((best,), is_complete=True), left, KB)
    assert row[FEATURES.index("names that nobody has")] == names


@pytest.mark.parametrize(("question", "unsaid"), [("which workers are male?", 0), ("which workers?", 1)])
def test_constants_that_nobody_said(question: str, unsaid: int) -> None:
    best = found("(JOIN ex:gender ex:male)", "gender")
    constant = Considered("", [Candidate(TokenKind.CONSTANT, "male")], np.zeros(1, np.float32), 0)
    best = replace(best, trace=Trace(best.trace.topics, [*best.trace.steps, constant]))
    left = coverage(question, Links(question), best, KB)
    row = evidence(question, best, Outcome((best,), is_complete=True), left, KB)
    assert row[FEATURES.index("constants that nobody said")] == unsaid


def test_a_constant_is_said_by_what_was_linked_to_it() -> None:
    """As Asia is by "Asian"."""
    question = "which manly workers are there?"
    best = found("(JOIN ex:gender ex:male)", "gender")
    constant = Considered("", [Candidate(TokenKind.CONSTANT, "male")], np.zeros(1, np.float32), 0)
    best = replace(best, trace=Trace(best.trace.topics, [*best.trace.steps, constant]))
    manly = replace(mention(question, "manly"), candidates=(EntityCandidate(0, "male", 0.0),))
    left = coverage(question, Links(question, (manly,)), best, KB)
    assert not left.unsaid
    assert not left.unused
    assert "manly" not in left.unknown


def test_a_program_is_about_what_the_question_writes_as_one_word() -> None:
    rooms = found("ex:Worker", "class room")
    assert is_about("which classroom is the largest?", rooms, KB)
    assert is_about("which car is the largest?", found("ex:Worker", "cars93"), KB)
    assert is_about("which room is the largest?", rooms, KB)
    assert is_about("list all people", found("ex:Worker", "Person"), KB)
    assert not is_about("which teacher is the tallest?", rooms, KB)
    tallest = found("(ARGMAX ex:Worker ex:height)", "Worker", "height")
    assert is_about("who is taller than all others?", tallest, KB)
    assert not is_about("who is cheaper than all others?", tallest, KB)
    assert is_about("top 5 companies by market value", found("ex:Worker", "marketvalue"), KB)


def test_what_is_counted_must_be_said_by_the_program() -> None:
    question = "which workers have at least 2 payments?"
    counted = found("(AND ex:Worker (GE (COUNT ex:boss_inv) 1))", "boss", "worker")
    assert coverage(question, Links(question), counted, KB).unknown == ("payments",)
    # A relation that leads from payments says it.
    boss, worker = counted.trace.steps
    told = boss._replace(candidates=[Candidate(TokenKind.RELATION, "boss", "payment worker")] * 2)
    paid = replace(counted, trace=Trace((), (told, worker)))
    assert coverage(question, Links(question), paid, KB).unknown == ()


def test_a_decimal_number_is_no_count() -> None:
    question = "workers with a height of more than 1.85"
    assert Form.COUNT_COMPARED not in {sign.form for sign in signs(question)}


@pytest.mark.parametrize(
    ("question", "program", "unknown"),
    [
        ("workers with a height above 175", "(GT ex:height 175)", ()),
        ("workers with a height above 180", "(JOIN ex:height 180)", ("above",)),
        ("workers in the class room", "(HAS ex:room)", ()),
    ],
)
def test_words_of_a_comparison_and_words_apart(question: str, program: str, unknown: tuple[str, ...]) -> None:
    start = len(question) - 3
    told = found(program, "worker", "height" if "height" in program else "classroom")
    number = scorer.TopicWords("number", start, start + 3, 0)
    told = replace(told, topics=(Topic(Value(Literal("175", XSD + "integer")), number),))
    assert coverage(question, Links(question), told, KB).unknown == unknown


@pytest.mark.parametrize(
    ("question", "dropped"),
    [
        ('who is a worker of "Acme Works"?', 1),
        ("which workers are named Zora?", 1),
        ("who is a worker of Acme?", 0),
    ],
)
def test_texts_that_are_given_as_such_are_not_left_out(question: str, dropped: int) -> None:
    workers = found("ex:Worker", "worker")
    assert coverage(question, Links(question), workers, KB).dropped == dropped


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("how tall is anna?", "(JOIN ex:height_inv ex:anna)", False),
        ("how old is anna?", "(JOIN ex:height_inv ex:anna)", True),
        ("how high is anna?", "(JOIN ex:totalCredits_inv ex:anna)", True),
        ("how fast is anna?", "(JOIN ex:room_inv ex:anna)", True),
        ("how deep is anna?", "(COUNT (JOIN ex:boss ex:bert))", True),
        ("how many does anna have?", "(COUNT (JOIN ex:boss ex:bert))", False),
        ("how old is anna?", "(JOIN ex:born_inv ex:anna)", False),
        ("how old is anna?", "(JOIN ex:boss_inv ex:anna)", False),  # declined as no amount
        ("how old are those of a height of 170?", "(JOIN ex:height 170)", False),
    ],
)
def test_a_number_or_text_of_another_name_is_no_age(question: str, program: str, expected: bool) -> None:
    assert is_unmeasured(question, found(program).program, KB) is expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("when did Anna die?", "(JOIN ex:born_inv ex:anna)", True),
        ("what day was Anna born?", "(JOIN ex:boss_inv ex:anna)", True),
        ("when was Anna born?", "(JOIN ex:born_inv ex:anna)", False),
        # A date has to be one of that.
        ("when was Anna born?", "(JOIN ex:hireDate_inv ex:anna)", True),
        ("who was born before Anna?", "(JOIN ex:boss_inv ex:anna)", False),
    ],
)
def test_when_somebody_died_is_told_by_no_other_date(question: str, program: str, expected: bool) -> None:
    assert is_undated(question, found(program).program, KB) is expected


@pytest.mark.parametrize(
    ("program", "name", "is_met"),
    [
        ("(JOIN ex:boss_inv ex:anna)", "boss", False),
        ("(JOIN ex:successor_inv ex:anna)", "successor", True),
        ("(ARGMIN (GT ex:height (JOIN ex:height_inv ex:anna)) ex:height)", "height", True),
    ],
)
def test_what_is_next_is_told_by_a_relation_that_says_so_or_by_a_value_beyond_its_own(
    program: str, name: str, is_met: bool
) -> None:
    question = "who comes right after anna?"
    left = coverage(question, Links(question), found(program, name, topic=("anna", 22, 26)), KB)
    assert (Form.NEXT in {sign.form for sign in left.unmet}) is not is_met
