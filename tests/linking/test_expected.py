"""Answer types as evidence in the search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arcaneqa.expected import ExpectedTypes, TypedRanker, TypedScorer
from arcaneqa.induction.scorer import Candidate, Decision, Scores, TokenKind
from arcaneqa.induction.wording import class_candidate
from arcaneqa.kb.index import Index

pytest_plugins = ["linking_kb"]

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


def test_the_class_asked_for_gains_among_classes(kb: Index, classes: list[Candidate]) -> None:
    close = Candidate(TokenKind.CLOSE, ")")
    scorer = TypedScorer(Undecided(), ExpectedTypes(kb))
    [scores] = scorer.score([Decision(QUESTION, (), [close, *classes])])
    assert classes[int(scores.log_probs[1:].argmax())].text == "river"
    assert scores.log_probs[0] == pytest.approx(-np.log(1 + len(classes)))
    assert np.exp(scores.log_probs).sum() == pytest.approx(1, abs=1e-5)


def test_nothing_moves_where_no_class_is_asked_for(kb: Index, classes: list[Candidate]) -> None:
    decision = Decision("xyzzy plugh", (), classes)
    [before] = Undecided().score([decision])
    [after] = TypedScorer(Undecided(), ExpectedTypes(kb)).score([decision])
    assert np.array_equal(before.log_probs, after.log_probs)


def test_expected_classes_survive_a_shortlist(kb: Index, classes: list[Candidate]) -> None:
    texts = [f"{candidate.text} {candidate.types}" for candidate in classes]
    [kept] = TypedRanker(ExpectedTypes(kb)).rank(QUESTION, texts, 1)
    assert classes[kept].text == "river"
    assert len(TypedRanker(ExpectedTypes(kb)).rank(QUESTION, texts, 3)) == 3
