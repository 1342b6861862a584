"""What is refused, with the bundled model on a small knowledge base: a reason, never a guess or a crash."""

from dataclasses import replace
from pathlib import Path

import pytest
from arcaneqa.judgement.confidence import Confidence
from arcaneqa.judgement.evidence import FEATURES

from arcaneqa.answer.answer import MOST_CHARACTERS, Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.found import Found, Outcome, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb.build import build_index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import PAPER
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import Links

SOURCE = Path(__file__).parent / "strangers" / "brewery.ttl"


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    folder = tmp_path_factory.mktemp("kb") / "index"
    build_index([SOURCE], folder)
    return ArcaneQA.load(folder)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("x" * (MOST_CHARACTERS + 1), "characters"),
        ("why is the Seeblick Brewery in Bavaria?", "asks for a reason"),
        ("what share of beers is dark?", "a percentage"),
        ("asdf qwerty", "does not look like words"),
    ],
)
def test_a_refusal_says_why(qa: ArcaneQA, question: str, reason: str) -> None:
    answer = qa.ask(question)
    assert answer.items == ()
    assert answer.program is None
    assert reason in (answer.reason or "")


def test_a_refusal_offers_readings(qa: ArcaneQA) -> None:
    assert qa.ask("why is the Seeblick Brewery in Bavaria?").readings


def test_a_form_that_was_not_learned_is_refused_by_name(qa: ArcaneQA) -> None:
    asked = "what is the average number of beers?"
    counted = qa.search.run("how many beers are there?", [Topics()])
    assert qa.settings.learned is not None
    of_the_paper = replace(qa.settings, learned=replace(qa.settings.learned, forms=PAPER))
    answer = ArcaneQA(qa.kb, qa.scorer, qa.confidence, qa.linker, of_the_paper).conclude(
        asked, Links(asked), counted
    )
    assert "This asks for an average (“average”)" in (answer.reason or "")
    assert answer.not_used[0] == "average"


def test_what_is_surely_not_asked_for_is_declined_however_sure_the_model_is(qa: ArcaneQA) -> None:
    def refused(asked: str, read_as: str) -> str:
        outcome = qa.search.run(read_as, [Topics()])
        best = replace(outcome, found=outcome.found[:1])
        return qa.conclude(asked, Links(asked), best, threshold=0.0).reason or ""

    others = refused("how many beers are there?", "how many regions are there?")
    assert "The nearest reading finds nothing of the kind that is asked for." in others


def test_a_name_that_nobody_has_is_not_passed_over(qa: ArcaneQA) -> None:
    """How many there are in all is no answer to how many somebody has; where a model is sure, it may be."""
    counted = qa.search.run("how many beers are there?", [Topics()])
    assert not counted.found[0].topics

    def reason(asked: str, bias: float) -> str | None:
        confidence = Confidence(weights=(0.0,) * len(FEATURES), bias=bias)
        told = ArcaneQA(qa.kb, qa.scorer, confidence, qa.linker, qa.settings)
        return told.conclude(asked, Links(asked), counted, threshold=0.0).reason

    assert "No entity is called Nature" in (reason("how many beers does Nature have?", -1.0) or "")
    assert reason("how many beers does Nature have?", 3.0) is None
    # What begins a sentence, or says where something lies, is no name.
    assert reason("how many beers are there? Tell just that", -1.0) is None
    assert reason("how many beers are there in the South?", -1.0) is None


def test_a_year_is_not_taken_for_another_number(qa: ArcaneQA) -> None:
    asked = "how many breweries opened in 1923?"
    few = parse(
        "(COUNT (LT <http://breweries.example.com/employees> 1923))", Names(qa.kb.profile), qa.kb.schema
    )
    read = Found(few, -0.1, execute(few, qa.kb), (), Trace((), []))
    reason = qa.conclude(asked, Links(asked), Outcome((read,), is_complete=True), threshold=0.0).reason
    assert "takes a year for something else" in (reason or "")


def test_no_time_answers_when_only_if_it_is_sure(qa: ArcaneQA) -> None:
    asked = "when was Old Abbey invented?"
    brewery = parse("(JOIN b:brewedBy_inv b:b1)", Names(qa.kb.profile), qa.kb.schema)
    read = Found(brewery, -5.0, execute(brewery, qa.kb), (), Trace((), []), reading=-5.0)
    answer = qa.conclude(asked, Links(asked), Outcome((read,), is_complete=True, none=0.9), threshold=0.0)
    assert "This asks for a time, and the nearest reading finds none." in (answer.reason or "")


def test_what_no_word_asks_for_answers_only_if_nobody_doubts_it(qa: ArcaneQA) -> None:
    brewery = parse("(JOIN b:brewedBy_inv b:b1)", Names(qa.kb.profile), qa.kb.schema)
    (beer,) = ex.mentioned(brewery)

    def reason(asked: str, none: float, bias: float = 0.0) -> str:
        confidence = Confidence(weights=(0.0,) * len(FEATURES), bias=bias)
        told = ArcaneQA(qa.kb, qa.scorer, confidence, qa.linker, qa.settings)
        start = asked.index("Old Abbey")
        topic = Topic(beer, TopicWords("Old Abbey", start, start + len("Old Abbey"), 0))
        read = Found(brewery, -5.0, execute(brewery, qa.kb), (topic,), Trace((), []), reading=-5.0)
        found = Outcome((read,), is_complete=True, none=none)
        return told.conclude(asked, Links(asked), found, threshold=0.0).reason or ""

    why = "No word of the question asks for what the nearest reading tells."
    assert why in reason("which hops are in Old Abbey?", 0.9)
    assert not reason("which hops are in Old Abbey?", 0.1)
    assert not reason("which hops are in Old Abbey?", 0.9, bias=2.0)
    assert not reason("which ones brewed Old Abbey?", 0.9)
    # What is told instead of a number is no answer to how many, whatever a model makes of it.
    assert why in reason("how many cups are in Old Abbey?", 0.1, bias=2.0)


def test_what_is_missing_is_said(qa: ArcaneQA) -> None:
    reason = qa.ask("What is the seating capacity of Seeblick Brewery?", threshold=1.0).reason or ""
    assert "seating" in reason
    assert "It has" in reason
    assert "No entity is called Zugspitze Lager" in (
        qa.ask("who brews Zugspitze Lager?", threshold=1.0).reason or ""
    )


@pytest.mark.parametrize(
    "question",
    [
        "😀 🍺",
        "ما هي البيرة",
        "'; DROP TABLE beer; --",
        "<img src=x>",
        "the of and",
        "SELECT ?x { ?x ?y ?z }",
    ],
)
def test_odd_questions_get_an_answer_or_a_reason(qa: ArcaneQA, question: str) -> None:
    answer = qa.ask(question)
    assert isinstance(answer, Answer)
    assert bool(answer.items) != (answer.reason is not None)


def test_a_threshold_of_one_refuses_everything(qa: ArcaneQA) -> None:
    answer = qa.ask("Who owns the Seeblick Brewery?", threshold=1.0)
    assert "below 1.00" in (answer.reason or "")


def test_many_questions_are_answered_like_one(qa: ArcaneQA) -> None:
    from arcaneqa.record import Question

    asked = ["Who owns the Seeblick Brewery?", "", "how many beers are there?"]
    together = list(qa.ask_many([Question(str(n), q) for n, q in enumerate(asked)]))
    assert [a.program for a in together] == [qa.ask(q).program for q in asked]
