from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.program.text import parse
from arcaneqa.synthesis.attributes import attribute
from arcaneqa.synthesis.idioms import idiom
from arcaneqa.synthesis.inflection import gerund, participle, past, plural, singular, third_person
from arcaneqa.synthesis.keywords import keywords
from arcaneqa.synthesis.lexicon import Lexicon
from arcaneqa.synthesis.noun_phrases import FIRST_MARK, Speaker, UnspeakableError
from arcaneqa.synthesis.relations import Shape, Wording, is_person, is_place, wording
from arcaneqa.synthesis.sampled_facts import Facts
from arcaneqa.synthesis.surface import finish

pytest_plugins = ["tests.synthesis.fixtures"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("capital", Wording(Shape.NOUN, "capital")),
        ("date of birth", Wording(Shape.NOUN, "date of birth")),
        ("discovered by", Wording(Shape.AGENT, "discover")),
        ("written by", Wording(Shape.AGENT, "write")),
        ("is located in", Wording(Shape.STATE, "locate", "in")),
        ("flows through", Wording(Shape.VERB, "flow", "through")),
        ("deals with", Wording(Shape.VERB, "deal", "with")),
        ("borders", Wording(Shape.VERB, "border")),
        ("gained independence from", Wording(Shape.VERB, "gain", "independence from")),
        ("member of", Wording(Shape.MEMBER, "member")),
        ("has capital", Wording(Shape.NOUN, "capital")),
    ],
)
def test_the_shape_of_a_label(label: str, expected: Wording) -> None:
    assert wording(label) == expected


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("city", "cities"),
        ("date of birth", "dates of birth"),
        ("language spoken", "languages spoken"),
        ("species", "species"),
        ("people", "people"),
        ("US state", "US states"),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many
    assert plural(many) == many
    assert singular("cities") == "city"


def test_verb_forms() -> None:
    assert [third_person(verb) for verb in ("cross", "fly", "play", "have")] == [
        "crosses",
        "flies",
        "plays",
        "has",
    ]
    assert [past(verb) for verb in ("write", "ship", "open", "marry")] == [
        "wrote",
        "shipped",
        "opened",
        "married",
    ]
    assert participle("write") == "written"
    assert [gerund(verb) for verb in ("live", "run", "border")] == ["living", "running", "bordering"]


def test_quantities_have_their_adjectives() -> None:
    longest = attribute("river length")
    assert longest is not None
    assert "longest" in longest.most
    assert "shortest" in longest.least
    coast = attribute("length of coastline")
    assert coast is not None
    assert "the longest coastline" in coast.most_with
    people = attribute("population")
    assert people is not None
    assert "how many people live in {x}" in people.asks
    staff = attribute("number of employees")
    assert staff is not None
    assert "the most employees" in staff.most_with
    assert attribute("electronegativity") is None


def test_nouns_have_their_verbs() -> None:
    author = idiom("author")
    assert author is not None
    assert "who wrote {x}" in author.asks
    assert "written by {y}" in author.holders
    discoverer = idiom("discoverer")
    assert discoverer is not None
    assert "who discovered {x}" in discoverer.asks
    assert idiom("electronegativity") is None


def test_people_and_places() -> None:
    assert is_person("football player")
    assert is_place("capital city")
    assert not is_person("city")
    assert not is_place(None)


@given(
    st.lists(
        st.text(min_size=1).filter(lambda text: not any(0xE000 <= ord(c) <= 0xF8FF for c in text)), max_size=4
    ),
    st.integers(),
    st.booleans(),
)
def test_whatever_happens_to_the_text_the_spans_hold_the_names(
    names: list[str], seed: int, careful: bool
) -> None:
    marks = [chr(FIRST_MARK + place) for place in range(len(names))]
    draft = "which rivers of the longest kind " + " and the other ".join(marks)
    text, spans = finish(draft, names, Random(seed), careful)
    assert [span.index for span in spans] == list(range(len(names)))
    for span in spans:
        assert text[span.start : span.end] == span.text
        assert span.text.lower() == names[span.index].lower()


def test_keywords_name_what_is_asked_for_and_what_leads_there(demo: Index) -> None:
    names = Names(demo.profile)

    def typed(program: str) -> set[str]:
        said = set()
        for seed in range(40):
            speaker = Speaker(Lexicon(demo, Facts(demo, Random(seed))), Random(seed))
            text = keywords(speaker, parse(program, names, demo.schema))
            for number, (_, surface) in enumerate(speaker.marks):
                text = text.replace(chr(FIRST_MARK + number), surface)
            said.add(text)
        return said

    found = typed("(JOIN demo:population_inv (JOIN demo:capital_inv demo:France))")
    assert {"population capital France", "France, capital, population"} <= found
    assert "number of states year of statehood 1907" in typed(
        "(COUNT (AND demo:State (JOIN demo:statehoodYear 1907^^http://www.w3.org/2001/XMLSchema#gYear)))"
    )
    with pytest.raises(UnspeakableError):
        typed("(ARGMAX demo:State demo:statehoodYear)")


@pytest.mark.parametrize("label", ["number of votes", "num of votes", "votes", "vote count"])
def test_columns_called_after_what_they_count_are_asked_for_as_counts(label: str) -> None:
    said = attribute(label)
    assert said is not None
    assert "the most votes" in said.most_with
    assert "how many votes {does} {x} have" in said.asks
