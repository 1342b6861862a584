"""Answer types as evidence in the search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arcaneqa.expected import ExpectedTypes, TypedRanker, TypedScorer
from arcaneqa.induction.scorer import Candidate, Decision, Scores, TokenKind
from arcaneqa.induction.wording import class_candidate
from arcaneqa.kb.index import Index
from arcaneqa.linking.classes import AnswerTypes
from arcaneqa.model.bundled import bundled_model
from arcaneqa.model.scorer import ModelScorer

pytest_plugins = ["tests.linking.linking_kb"]

QUESTION = "which river is the longest?"


class Undecided:
    """Everything is equally likely."""

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [
            Scores(np.full(len(d.candidates), -np.log(len(d.candidates)), np.float32), None)
            for d in decisions
        ]


@pytest.fixture(scope="module")
def classes(kb: Index) -> list[Candidate]:
    return [class_candidate(klass) for klass in kb.schema.classes if not klass.hidden]


@pytest.fixture(scope="module")
def expected(kb: Index) -> ExpectedTypes:
    return ExpectedTypes(kb, AnswerTypes(kb, ModelScorer.load(bundled_model()).ranker()))


def test_the_class_asked_for_gains_among_classes(expected: ExpectedTypes, classes: list[Candidate]) -> None:
    close = Candidate(TokenKind.CLOSE, ")")
    scorer = TypedScorer(Undecided(), expected)
    [scores] = scorer.score([Decision(QUESTION, (), [close, *classes])])
    assert classes[int(scores.log_probs[1:].argmax())].text == "river"
    assert scores.log_probs[0] == pytest.approx(-np.log(1 + len(classes)))
    assert np.exp(scores.log_probs).sum() == pytest.approx(1, abs=1e-5)


def test_nothing_moves_where_no_class_is_to_be_chosen(expected: ExpectedTypes) -> None:
    names = [Candidate(TokenKind.RELATION, text) for text in ("river", "length", "country")]
    decision = Decision(QUESTION, (), names)
    [before] = Undecided().score([decision])
    [after] = TypedScorer(Undecided(), expected).score([decision])
    assert np.array_equal(before.log_probs, after.log_probs)


def test_expected_classes_survive_a_shortlist(expected: ExpectedTypes, classes: list[Candidate]) -> None:
    texts = [f"{candidate.text} {candidate.types}" for candidate in classes]
    [kept] = TypedRanker(expected).rank(QUESTION, texts, 1)
    assert classes[kept].text == "river"
    assert len(TypedRanker(expected).rank(QUESTION, texts, 3)) == 3
