"""The little English that phrases need."""

from __future__ import annotations

import pytest

from arcaneqa.language.english import (
    SaidAs,
    is_plural,
    listed,
    ordinal,
    plural,
    shape,
    singular,
    states,
    with_article,
)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("city", "cities"),
        ("day", "days"),
        ("person", "people"),
        ("box", "boxes"),
        ("class", "classes"),
        ("date of birth", "dates of birth"),
        ("GDP per capita", "GDPs per capita"),
        ("language spoken", "languages spoken"),
        ("area (km2)", "areas (km2)"),
        ("aircraft", "aircraft"),
        ("head of state", "heads of state"),
    ],
)
def test_one_and_many(one: str, many: str) -> None:
    assert plural(one) == many
    assert plural(many) == many
    assert singular(many) == one


@pytest.mark.parametrize("name", ["status", "address", "gas", "series", "analysis", "bus", "boss"])
def test_what_ends_in_s_is_not_always_plural(name: str) -> None:
    assert not is_plural(name)
    assert singular(name) == name


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [
        ("mayor", "a mayor"),
        ("area", "an area"),
        ("university", "a university"),
        ("hour", "an hour"),
        ("IATA code", "an IATA code"),
        ("US president", "a US president"),
        ("films", "films"),
    ],
)
def test_articles(noun: str, phrase: str) -> None:
    assert with_article(noun) == phrase


@pytest.mark.parametrize(
    ("name", "kind", "many", "one"),
    [
        ("mayor", SaidAs.NOUN, "mayor", "mayor"),
        ("has maker", SaidAs.NOUN, "maker", "maker"),
        ("located in", SaidAs.STATE, "located in", "located in"),
        ("is part of", SaidAs.STATE, "parts of", "a part of"),
        ("president of", SaidAs.STATE, "presidents of", "a president of"),
        ("plays in", SaidAs.VERB, "play in", "plays in"),
        ("contains", SaidAs.VERB, "contain", "contains"),
        ("gained independence from", SaidAs.VERB, "gained independence from", "gained independence from"),
        ("members of", SaidAs.STATE, "members of", "members of"),
    ],
)
def test_how_a_relation_is_said(name: str, kind: SaidAs, many: str, one: str) -> None:
    found = shape(name)
    assert found.kind is kind
    assert (states(found) if kind is SaidAs.STATE else (found.many, found.one)) == (many, one)


def test_lists_and_ranks() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "12th",
        "21st",
        "102nd",
    ]
    assert [listed(list("abc")[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
