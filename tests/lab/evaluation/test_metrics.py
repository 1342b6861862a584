"""Answer sets under each convention, with values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.lab.evaluation.metrics import (
    FULL,
    NOTHING,
    Overlap,
    best_of_parses,
    lenient,
    overlap,
    plain,
    webqsp,
)

terms = st.frozensets(st.sampled_from("abcdef"))


def test_partial_overlap() -> None:
    found = overlap({"a", "b", "c"}, {"b", "c", "d", "e"})
    assert (found.precision, found.recall) == (0.5, 2 / 3)
    assert found.f1 == pytest.approx(4 / 7)


def test_empty_sides_differ_between_conventions() -> None:
    assert plain(set(), set()) == FULL
    assert plain(set(), {"a"}) == NOTHING
    assert overlap(set(), set()) == NOTHING
    assert lenient(set(), {"a"}) == FULL
    assert lenient({"a"}, set()) == NOTHING
    assert webqsp([], []) == FULL
    assert webqsp([], ["a"]) == Overlap(0.0, 1.0, 0.0)
    assert webqsp(["a"], []) == Overlap(1.0, 0.0, 0.0)


def test_webqsp_counts_repeated_answers() -> None:
    found = webqsp(["a", "b"], ["a", "x", "x"])
    assert (found.precision, found.recall) == (1 / 3, 0.5)


def test_the_best_parse_counts() -> None:
    assert best_of_parses([["x"], ["a", "b"]], ["a", "b"]) == FULL
    assert best_of_parses([["x"], ["y"]], ["a"]) == NOTHING


@given(terms, terms)
def test_f1_is_symmetric_and_lies_between_its_parts(gold: frozenset[str], predicted: frozenset[str]) -> None:
    found = overlap(gold, predicted)
    assert found.f1 == pytest.approx(overlap(predicted, gold).f1)
    low, high = sorted((found.precision, found.recall))
    assert low - 1e-12 <= found.f1 <= high + 1e-12


@given(terms.filter(bool), terms.filter(bool))
def test_conventions_agree_where_neither_side_is_empty(
    gold: frozenset[str], predicted: frozenset[str]
) -> None:
    expected = pytest.approx(overlap(gold, predicted).f1)
    assert plain(gold, predicted).f1 == expected
    assert lenient(gold, predicted).f1 == expected
    assert webqsp(sorted(gold), sorted(predicted)).f1 == expected
