"""Answers and refusals on a screen."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.explain import draw_answer
from arcaneqa.record import Reading


def shown(answer: Answer) -> str:
    console = Console(file=StringIO(), width=100)
    draw_answer(console, answer)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_refusal_offers_what_may_be_meant_and_nothing_that_is_not() -> None:
    likely, unlikely = Reading("(A)", "the one", 0.21), Reading("(B)", "the other", 0.004)
    both = shown(Answer("what?", reason="It is not said.", readings=(likely, unlikely)))
    assert "It may mean" in both
    assert "the one" in both
    assert "the other" not in both
    neither = shown(Answer("what?", reason="It is not said.", readings=(unlikely,)))
    assert "It is not said." in neither
    assert "It may mean" not in neither
