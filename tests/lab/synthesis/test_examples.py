"""Example questions of a graph nobody has seen: whole, short, about what is named."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.lab.synthesis.examples import example_questions, is_worth_showing
from arcaneqa.lab.synthesis.synthesize import with_programs

pytest_plugins = ["tests.lab.synthesis.fixtures"]
PREFIX = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def test_examples_are_short_and_printed_with_care(demo: Index, atlas: Index) -> None:
    for kb in (demo, atlas):
        examples = [example.question.question for example in islice(example_questions(kb), 4)]
        assert len(examples) == len(set(examples)) == 4
        assert all(text.endswith("?") and len(text) <= 70 for text in examples)


def test_no_example_is_about_codes(tmp_path: Path) -> None:
    """Telephone numbers, addresses on the web, rows that are called by their number, and what has a code."""
    rows = "\n".join(
        f'<http://a/s{n}> a <http://a/Shop> ; rdfs:label "{name}" ; <http://a/owner> <http://a/o{n % 3}> ; '
        f'<http://a/shop_code> "X{n}-9" .'
        for n, name in enumerate(["(1) 123-5555", "info@shop.com", "shop 7", "Green Tea House", "Old Bakery"])
    )
    owners = "\n".join(
        f'<http://a/o{n}> rdfs:label "{name}" .' for n, name in enumerate(["Ann", "Bo", "Cem"])
    )
    with _index(PREFIX + rows + owners, tmp_path) as kb:
        drawn = [question.question for question, _ in with_programs(kb, 150, careful=True)]
        examples = _examples(kb)
    silly = ("123-5555", "info@shop.com", "shop 7", "code")
    assert any(word in text for text in drawn for word in silly), "there was nothing to leave out"
    assert examples
    assert not [text for text in examples for word in silly if word in text]


def test_things_without_labels_are_called_by_the_words_of_their_iris(tmp_path: Path) -> None:
    """But not by a code, nor a row by its number: those are passed through."""
    wines = ["OakHillRiesling", "NorthBayMerlot", "StoneFieldMalbec", "BlueDoorChianti", "Q4711", "lot_12"]
    rows = "\n".join(
        f"<http://a/{w}> a <http://a/Wine> ; <http://a/maker> <http://a/GreyWinery> ." for w in wines
    )
    with _index(rows, tmp_path) as kb:
        examples = _examples(kb)
    assert any("Grey Winery" in text or "Oak Hill Riesling" in text for text in examples)
    assert not [text for text in examples if "4711" in text or "12" in text]


def test_what_is_said_of_few_things_is_no_example(tmp_path: Path) -> None:
    rows = "\n".join(
        f'<http://a/t{n}> a <http://a/Town> ; rdfs:label "{name}" ; <http://a/river> <http://a/r{n % 2}> .'
        for n, name in enumerate(["Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel"])
    )
    odd = '<http://a/t0> <http://a/patron> <http://a/r0> . <http://a/r0> rdfs:label "Ouse" . '
    with _index(PREFIX + rows + odd + '<http://a/r1> rdfs:label "Wye" .', tmp_path) as kb:
        drawn = [question.question for question, _ in with_programs(kb, 150, careful=True)]
        examples = _examples(kb)
    assert any("patron" in text for text in drawn), "there was nothing to leave out"
    assert any("river" in text for text in examples)
    assert not any("patron" in text for text in examples)


@pytest.mark.parametrize("text", ["C0042315", "https://a.org/x.jpg", "none", "N/A", "word " * 20])
def test_answers_that_tell_nothing(text: str) -> None:
    assert not is_worth_showing(text)


@pytest.mark.parametrize("text", ["Paris", "blue", "Côte d’Ivoire", "1,250", "None the Wiser"])
def test_answers_that_tell_something(text: str) -> None:
    assert is_worth_showing(text)


def _index(turtle: str, folder: Path) -> Index:
    (folder / "facts.ttl").write_text(turtle)
    build_index([folder / "facts.ttl"], folder / "kb")
    return Index(folder / "kb")


def _examples(kb: Index) -> list[str]:
    return [example.question.question for example in example_questions(kb)]
