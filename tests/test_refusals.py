"""What is refused, with the bundled model on a small knowledge base: a reason, never a guess or a crash."""

from dataclasses import replace
from pathlib import Path

import pytest

from arcaneqa.answer.answer import MOST_CHARACTERS, Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.topics import Topics
from arcaneqa.kb.build import build_index
from arcaneqa.language.forms import PAPER
from arcaneqa.links import Links
from arcaneqa.record import Outcome, Question

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
    answer = ArcaneQA(qa.kb, qa.scorer, qa.fitted, qa.linker, of_the_paper).conclude(
        asked, Links(asked), counted
    )
    assert answer.outcome is Outcome.REFUSE
    assert "This asks for an average (“average”)" in (answer.reason or "")


def test_what_nobody_here_is_called_is_said(qa: ArcaneQA) -> None:
    """How many there are in all is no sure answer to how many somebody has."""
    counted = qa.search.run("how many beers are there?", [Topics()])
    told = {
        asked: qa.conclude(asked, Links(asked), counted, threshold=1.0)
        for asked in ("how many beers does Nature have?", "how many beers are there?")
    }
    named, plain = told.values()
    assert "No entity is called Nature" in (named.reason or "")
    assert "No entity" not in (plain.reason or "")
    assert (named.confidence or 0.0) < (plain.confidence or 0.0)


def test_what_is_missing_is_said(qa: ArcaneQA) -> None:
    reason = qa.ask("What is the seating capacity of Seeblick Brewery?", threshold=1.0).reason or ""
    assert "seating" in reason
    assert "No entity is called Zugspitze Lager" in (
        qa.ask("who brews Zugspitze Lager?", threshold=1.0).reason or ""
    )


def test_a_doubtful_answer_is_not_shown_but_offered(qa: ArcaneQA) -> None:
    question = "Who owns the Seeblick Brewery?"
    sure = qa.ask(question)
    assert (sure.outcome, sure.reason) == (Outcome.ANSWER, None)
    doubtful = qa.ask(question, threshold=1.0)
    assert doubtful.outcome is Outcome.ASK
    assert doubtful.readings[0].program == sure.program
    assert doubtful.items == sure.items, "the first reading's, for whoever measures"
    assert (doubtful.reason or "").endswith("meant?")


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
    assert (answer.outcome is Outcome.ANSWER) == (answer.reason is None)
    assert answer.items or answer.outcome is not Outcome.ANSWER


def test_many_questions_are_answered_like_one(qa: ArcaneQA) -> None:
    asked = ["Who owns the Seeblick Brewery?", "", "how many beers are there?"]
    together = list(qa.ask_many([Question(str(n), q) for n, q in enumerate(asked)]))
    assert [a.program for a in together] == [qa.ask(q).program for q in asked]
