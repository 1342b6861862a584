"""What programs become in questions: names stay whole, quantities and relations have the words people use."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.lab.synthesis.questions import ask, finish
from arcaneqa.lab.synthesis.speaker import FIRST_MARK, QuestionSpeaker, UnspeakableError, Words
from arcaneqa.lab.synthesis.words import attribute, idiom, is_person
from arcaneqa.language.expression import Value
from arcaneqa.language.text import parse

pytest_plugins = ["tests.lab.synthesis.fixtures"]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(JOIN demo:capital_inv demo:France)", {"what is the capital of France", "France's capital"}),
        ("(ARGMAX demo:Mountain demo:elevation)", {"what is the tallest mountain", "highest mountain"}),
        ("(ARGMIN demo:Country demo:area 3)", {"the 3 smallest countries"}),
        ("(ARGMAX demo:Country (COUNT demo:cityServed_inv))", {"country with the most airports"}),
        ("(AND demo:Country (JOIN demo:borders demo:Spain))", {"countries border Spain"}),
        (
            "(COUNT (AND demo:Country (JOIN demo:memberOf demo:North_Atlantic_Treaty_Organization)))",
            {"how many countries are members of North Atlantic Treaty"},
        ),
        ("(NOT demo:Element (HAS demo:group))", {"chemical elements without a group"}),
        ("(MEET demo:France (JOIN demo:capital demo:Paris))", {"is the capital of France Paris"}),
        ("(AVG demo:Mountain demo:elevation)", {"what is the average elevation of all mountains"}),
        ("(PER demo:Element demo:period COUNT)", {"how many chemical elements are there for each period"}),
        ("(SHOW demo:Planet SELF demo:diameter)", {"with their diameter"}),
        ("(ARGMAX (OR demo:France demo:Spain) demo:area)", {"which is larger, France or Spain"}),
    ],
)
def test_programs_are_asked_as_people_would(program: str, expected: set[str], demo: Index) -> None:
    words, drawn = Words(demo, Random(1)), []
    parsed = parse(program, Names(demo.profile), demo.schema)
    for _ in range(150):
        words.begin(frozenset())
        draft = ask(QuestionSpeaker(words), parsed, 2 if "AND" in program else 1)
        drawn.append(finish(draft, words.marks, words.rng, careful=False)[0].replace("The ", "the "))
    missing = {text for text in expected if not any(text.lower() in one.lower() for one in drawn)}
    assert not missing, sorted(set(drawn))[:40]


def test_what_has_no_name_cannot_be_asked_about(atlas: Index) -> None:
    program = parse("(JOIN :office_inv :p1)", Names(atlas.profile), atlas.schema)
    words = Words(atlas, Random(0))
    with pytest.raises(UnspeakableError):
        ask(QuestionSpeaker(words), program, 1)


def test_quantities_have_their_adjectives_and_relations_their_verbs() -> None:
    longest, coast, people = map(attribute, ("river length", "length of coastline", "population"))
    assert longest is not None
    assert "longest" in longest.most
    assert coast is not None
    assert "the longest coastline" in coast.most_with
    assert people is not None
    assert "how many people live in {x}" in people.asks
    assert "who wrote {x}" in idiom("author").asks
    assert "written by {y}" in idiom("author").holders
    assert attribute("electronegativity") is None
    assert not idiom("electronegativity").asks
    assert is_person("football player")
    assert not is_person("city")


@pytest.mark.parametrize("label", ["number of votes", "num of votes", "votes", "vote count"])
def test_columns_called_after_what_they_count_are_asked_for_as_counts(label: str) -> None:
    said = attribute(label)
    assert said is not None
    assert "the most votes" in said.most_with
    assert "how many votes {does} {x} have" in said.asks


@given(
    st.lists(
        st.text(min_size=1).filter(lambda text: not any(0xE000 <= ord(c) <= 0xF8FF for c in text)), max_size=4
    ),
    st.integers(),
    st.booleans(),
)
def test_whatever_happens_to_the_text_the_places_hold_the_names(
    names: list[str], seed: int, careful: bool
) -> None:
    marks = [chr(FIRST_MARK + place) for place in range(len(names))]
    draft = "which rivers of the longest kind " + " and the other ".join(marks)
    values = [Value(Literal(str(place))) for place in range(len(names))]
    text, mentions = finish(draft, list(zip(values, names, strict=True)), Random(seed), careful)
    assert [term for term, _, _ in mentions] == values
    for name, (_, said, start) in zip(names, mentions, strict=True):
        assert text[start : start + len(said)] == said
        assert said.lower() == name.lower()
