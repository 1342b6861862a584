"""A classifier of answer types learns among classes, and what it predicts is all that is offered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.vocabulary import Options
from arcaneqa.language.expression import Class
from arcaneqa.language.steps import Function, Symbol, Variable
from arcaneqa.language.text import parse
from arcaneqa.record import Question
from baselines.answer_types import Predictor, TypedInduction, answer_class, classes_of, examples
from tests.baselines.test_comparisons import KB, NAMES, topics
from tests.induction.plain import EX


def test_the_class_of_the_answers_is_what_is_learned() -> None:
    programs = ["(COUNT (AND ex:Film (JOIN ex:films_inv ex:ridley)))", "(JOIN ex:cast_inv ex:alien)"]
    found = [answer_class(parse(program, NAMES, KB.schema), KB) for program in programs]
    assert found == [Class(EX + "Film"), Class(EX + "Person")]
    questions = [Question(str(n), "which?", program) for n, program in enumerate(programs)]
    golds = [example.steps[0].candidates[example.steps[0].gold] for example in examples(questions, KB)]
    assert golds == [classes_of(KB)[EX + name] for name in ("Film", "Person")]


class Likes:
    def __init__(self, text: str) -> None:
        self._text = text

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        (one,) = decisions
        return [Scores(np.array([c.text == self._text for c in one.candidates], np.float32), None)]


def test_only_predicted_classes_are_offered_where_one_can_stand() -> None:
    predicted = Predictor(KB, Likes("film"), kept=1).predict("which film?")
    assert predicted == {Class(EX + "Film")}

    def offered(types: frozenset[Class]) -> Options:
        machine = TypedInduction(KB, types).machine()
        state = machine.start(topics())
        for token in (Symbol.OPEN, Function.COUNT):
            state = machine.advance(state, token)
        return machine.options(state)

    assert offered(predicted).tokens == [Class(EX + "Film")]
    everything = {Class(EX + name) for name in ("Film", "Person", "Place", "Studio")}
    assert set(offered(frozenset({Class(EX + "Ghost")})).tokens) == everything, "no dead end"
    assert Variable(0) not in offered(predicted).tokens
