"""Searching texts end to end against looking at each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.index.lookup import _Texts

LETTERS = st.text("ab\0ß", max_size=6)


@given(st.lists(LETTERS, max_size=8), LETTERS)
def test_all_that_hold_some_words_are_found(texts: list[str], words: str) -> None:
    made = _Texts(7, texts)
    assert list(made.holding(words)) == [place for place, text in enumerate(texts) if words in text]
    assert [made[place] for place in range(len(texts))] == texts
