"""What a question says besides names: ranks, numbers to count by, texts."""

from __future__ import annotations

import pytest

from arcaneqa.induction.topics import numbers_said, texts_said
from arcaneqa.language.steps import Ranks


@pytest.mark.parametrize(
    ("question", "ranks", "counts"),
    [
        ("the three largest planets", [Ranks(1, 3)], [3]),
        ("the second highest mountain", [Ranks(2, 2)], []),
        ("the 3rd and the 21st", [Ranks(3, 3), Ranks(21, 21)], []),
        ("countries with more than one language", [], [1]),
        ("the top 10 of 1999", [Ranks(1, 10)], [10, 1999]),
        ("who won twice?", [Ranks(1, 2)], [2]),
        ("longer than 3.5 hours, or 1,200 km", [], []),
        ("R2D2 of phone someone", [], []),
    ],
)
def test_numbers(question: str, ranks: list[Ranks], counts: list[int]) -> None:
    assert numbers_said(question) == (tuple(ranks), tuple(counts))


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("products with 'sauce' in their name", ["sauce"]),
        ("films whose title contains the word love", ["love"]),
        ("how many places are called Victoria?", ["Victoria"]),
        ("what's the singer's name?", []),
    ],
)
def test_texts(question: str, texts: list[str]) -> None:
    found = list(texts_said(question))
    assert [text.text for text in found] == texts
    assert all(question[text.start : text.end] == text.text for text in found)
