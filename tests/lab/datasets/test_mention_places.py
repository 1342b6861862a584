"""Where a question names an entity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.lab.datasets.mention_places import locate


@pytest.mark.parametrize(
    ("question", "names", "expected"),
    [
        ("what did Justin Bieber sing?", ["Justin Bieber"], "Justin Bieber"),
        ("what did justin bieber sing?", ["Justin Bieber"], "justin bieber"),
        ("who married Beyoncé?", ["Beyonce"], "Beyoncé"),
        ("what flows into the deadsea?", ["Dead Sea"], "deadsea"),
        ("who plays in AC/DC?", ["ac dc"], "AC/DC"),
        ("whose mouth is the Danubee?", ["Danube"], "Danubee"),
        ("where is John Forbes buried?", ["John Forbes (British Army officer)"], "John Forbes"),
        ("what did obama study?", ["Barack Obama"], "obama"),
        ("what team did shaq play for?", ["Shaquille O'Neal"], "shaq"),
        ("who was president after jfk?", ["John F. Kennedy"], "jfk"),
        ("the category of cats", ["cat"], None),
        ("which country is it?", ["Country of Origin"], None),
        ("anything", [], None),
        ("", ["a name"], None),
        ("who is it?", ["", " "], None),
        ("what about big ben?", ["Elizabeth Tower", "Big Ben"], "big ben"),
    ],
)
def test_found(question: str, names: list[str], expected: str | None) -> None:
    span = locate(question, names)
    assert (None if span is None else question[slice(*span)]) == expected


@given(st.text(), st.text(), st.text(min_size=1))
def test_spans_lie_in_the_question(before: str, after: str, name: str) -> None:
    question = f"{before} {name} {after}"
    span = locate(question, [name])
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(question)
    if name.isalnum() and name.isascii():
        assert span is not None
        assert question[slice(*span)].lower() == name.lower()
