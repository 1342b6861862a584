"""What people write in Python: arguments that make no sense, several questions, event loops, closing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

import arcaneqa
from arcaneqa import ArcaneError, ArcaneQA, ArgumentError, Question

CAPITAL = "what is the capital of France?"
QUESTIONS = [CAPITAL, "what is the capital of Peru?", "which planet has the most moons?"]


@pytest.fixture(scope="module")
def qa() -> Iterator[ArcaneQA]:
    with ArcaneQA.load() as opened:
        yield opened


def test_everything_that_is_promised_is_there() -> None:
    for name in arcaneqa.__all__:
        assert getattr(arcaneqa, name).__name__ == name
    with pytest.raises(AttributeError):
        _ = arcaneqa.nothing_of_the_kind


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"question": None}, "A question is a text, not NoneType."),
        ({"question": CAPITAL, "threshold": 7}, "between 0 and 1, not 7"),
        ({"question": CAPITAL, "threshold": float("nan")}, "between 0 and 1, not nan"),
        ({"question": CAPITAL, "seconds": -1}, "`seconds` is at least 0"),
    ],
)
def test_bad_arguments_are_sentences(qa: ArcaneQA, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        qa.ask(**arguments)
    assert isinstance(raised.value, ArcaneError), "who catches all of ours catches these"


def test_bad_arguments_of_many_are_known_at_once(qa: ArcaneQA) -> None:
    with pytest.raises(ArgumentError, match="several questions"):
        qa.ask_many(CAPITAL)
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        qa.ask_many([CAPITAL], threshold=-1)
    with pytest.raises(ArgumentError, match="at least 1"):
        ArcaneQA.load(beam=0)


def test_many_take_texts_and_records_and_no_time_of_the_reader(qa: ArcaneQA) -> None:
    asked: list[str | Question] = [QUESTIONS[0], Question("2", QUESTIONS[1]), QUESTIONS[2]]
    answers = []
    for answer in qa.ask_many(asked):
        time.sleep(2)
        answers.append(answer)
    assert [answer.items for answer in answers] == [qa.ask(question).items for question in QUESTIONS]
    assert answers[-1].seconds < answers[0].seconds + 1, "nobody's sleep is in it"


def test_an_event_loop_goes_on_meanwhile(qa: ArcaneQA) -> None:
    async def asked() -> list[str | None]:
        one = await qa.aask(CAPITAL)
        many = [answer async for answer in qa.aask_many(QUESTIONS[:2])]
        return [answer.items[0].label for answer in (one, *many)]

    assert asyncio.run(asked()) == ["Paris", "Paris", "Lima"]


def test_what_a_question_names(qa: ArcaneQA) -> None:
    assert "France" in [mention.text for mention in qa.link(CAPITAL).mentions]


def test_one_model_over_another_knowledge_base(qa: ArcaneQA) -> None:
    with ArcaneQA.load() as other:
        again = qa.over(other.kb)
        assert again.scorer is qa.scorer
        assert again.ask(CAPITAL).items == qa.ask(CAPITAL).items
    assert qa.ask(CAPITAL).items, "closing one leaves the other open"
