"""What counts as the right answer on graphs of strangers, and what is told of many."""

from __future__ import annotations

import pytest
from away import Asked, overlap, spellings, told, wanted


def test_an_answer_is_known_by_its_name_or_its_iri_and_a_number_by_its_first_six_digits() -> None:
    gold = wanted({"answers": ["Ada  Byron", "3.0000001"], "answer_ids": ["<http://example.org/ada>", "3"]})
    assert overlap(gold, [spellings(["ada byron"]), spellings(["3"])]) == 1
    assert overlap(gold, [spellings(["Someone", "http://example.org/ada"])]) == pytest.approx(2 / 3)


def test_things_of_one_name_are_as_many_as_it_has_only_where_ids_tell_them_apart() -> None:
    gold = wanted({"answers": ["Springfield"], "answer_ids": ["a", "b"]})
    assert overlap(gold, [spellings(["Springfield", "a"]), spellings(["Springfield", "b"])]) == 1


def test_a_refusal_is_right_only_where_there_is_no_answer_and_no_confidence_counts_for_it() -> None:
    rows = [Asked(1.0, False, False, 0.0), Asked(0.0, True, False, 0.3), Asked(1.0, True, True, 0.95)]
    text = "\n".join(told("strangers", rows))
    assert "F1 66.7" in text
    assert "1 of 1 without an answer refused" in text
    assert "1 answers at 0.9 and more: 100.0% right, 100.0% nearly; 100% of all right answers" in text
    assert "expected calibration error 0.050 over 1 answers" in text
