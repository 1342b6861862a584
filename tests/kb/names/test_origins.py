from __future__ import annotations

import pytest

from arcaneqa.kb.names.name_forms import are_of_one_origin, may_be_slip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rodent", "rodentia"),
        ("carnivore", "carnivora"),
        ("smoking", "smoke"),
        ("heavily", "heavy"),
        ("bank", "banking"),
        ("edited", "editor"),
        ("protestant", "protestantism"),
    ],
)
def test_words_of_one_origin_differ_in_their_endings(one: str, other: str) -> None:
    assert are_of_one_origin(one, other)
    assert are_of_one_origin(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("part", "party"), ("port", "portugal"), ("student", "studio"), ("race", "rate"), ("active", "actor")],
)
def test_words_that_only_begin_alike_are_others(one: str, other: str) -> None:
    assert not are_of_one_origin(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("rand", "randy", True), ("clevelland", "cleveland", True), ("international", "imperial", False)],
)
def test_a_slip_shares_most_letters(one: str, other: str, expected: bool) -> None:
    assert may_be_slip(one, other) is expected
