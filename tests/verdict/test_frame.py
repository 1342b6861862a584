"""A question as data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.interface import Comparison
from arcaneqa.verdict.frame import frame_of


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("films before 1937", [("1937", Comparison.LT)]),
        ("films from 1937", [("1937", Comparison.GE)]),
        ("films of 1937 or later", [("1937", Comparison.GE)]),
        ("at least 1,000.0 people", [("1000", Comparison.GE)]),
        ("between 10 and 20 m", [("10", Comparison.GE), ("20", Comparison.LE)]),
        ("more than 3 films under 90 minutes", [("3", Comparison.GT), ("90", Comparison.LT)]),
        ("room 109", [("109", None)]),
        ("the A380 of 2b", [("2", None)]),
    ],
)
def test_numbers_are_compared_as_the_words_say(
    question: str, figures: list[tuple[str, Comparison | None]]
) -> None:
    assert [(one.number, one.compared) for one in frame_of(question).figures] == figures


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("which record companies are in Paris?", ("record", "compani")),
        ("list the names of all tall men with a dog", ("tall", "man")),
        ("who won?", ()),
        ("how many different cities have a port?", ("citi",)),
    ],
)
def test_the_noun_that_is_asked_for(question: str, noun: tuple[str, ...]) -> None:
    assert len(frame_of(question).noun) == len(noun)
    assert all(one.startswith(two[:3]) for one, two in zip(frame_of(question).noun, noun, strict=True))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("who brews Zugspitze Lager?", ["Zugspitze Lager"]),
        ("who wrote “the raven”?", ["the raven"]),
        ("What Is the Capital of France?", []),
        ("WHO WROTE HAMLET", []),
        ("Tell me. Who wrote Hamlet?", ["Hamlet"]),
    ],
)
def test_names_as_they_are_written(question: str, names: list[str]) -> None:
    assert [question[start:end] for start, end in frame_of(question).names] == names


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("the oldest school", {"age": True}),
        ("the cheapest and slowest car", {"price": False, "speed": False}),
        ("at least 3 or at most 5", {}),
        ("the most recent and the oldest", {}),
    ],
)
def test_the_end_of_a_scale_that_is_said(question: str, ends: dict[str, bool]) -> None:
    told = dict(frame_of(question).ends)
    told.pop("amount", None)
    assert told == ends


@given(st.text(max_size=80))
def test_any_text_has_a_frame_with_places_inside_it(question: str) -> None:
    frame = frame_of(question)
    places = [(one.word.start, one.word.end) for one in frame.telling]
    places += [(one.start, one.end) for one in frame.figures] + list(frame.names)
    places += [(one.start, one.end) for one in frame.signs]
    assert all(0 <= start <= end <= len(question) for start, end in places)
