"""Words for the ends of time against programs over the bundled knowledge base."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcaneqa.judgement.polarity import is_reversed
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.program.text import parse


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with open_kb() as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("what is the oldest state?", "(ARGMAX demo:State demo:statehoodYear)", True),
        ("what is the oldest state?", "(ARGMIN demo:State demo:statehoodYear)", False),
        ("the most recently founded state", "(ARGMIN demo:State demo:statehoodYear)", True),
        ("which state is the NEWEST?", "(ARGMAX demo:State demo:statehoodYear)", False),
        # A number may be an age: the oldest have most of it.
        ("what is the oldest state?", "(ARGMAX demo:State demo:population)", False),
        ("is the youngest state older than the oldest?", "(ARGMAX demo:State demo:statehoodYear)", False),
        ("which state was founded first?", "(ARGMAX demo:State demo:statehoodYear)", False),
    ],
)
def test_the_ends_of_time(kb: KnowledgeBase, question: str, program: str, expected: bool) -> None:
    assert is_reversed(question, parse(program, Names(kb.profile), kb.schema), kb) is expected
