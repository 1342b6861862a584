"""Whatever is typed is judged, and soon: no rule grows faster than the square of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.judgement.asked import signs, wanted
from arcaneqa.judgement.junk import junk


@pytest.mark.parametrize(
    "piece",
    ["a", "how many ", "each ", "er ", "name, ", "select ", "the most ", "who have ", "<", "est", "a'"],
)
def test_long_texts_of_one_piece(piece: str) -> None:
    text = (piece * 2000)[:2000]
    assert all(0 <= sign.start < sign.end <= len(text) for sign in signs(text))
    wanted(text)
    junk(text)


@given(st.text(max_size=200))
def test_any_text_is_a_question_or_has_a_reason(text: str) -> None:
    reason = junk(text)
    assert reason is None or reason.endswith(".")
