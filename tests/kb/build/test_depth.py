"""Depth as compiled loops see it, in pieces of any size, against how the text was made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.build.bounds import begun, json_depth, turtle_depth, xml_depth
from arcaneqa.kb.index.store import Array

Measure = Callable[[Array, Array], int]


def deepest(measure: Measure, text: str, cuts: list[int]) -> int:
    """Cut into pieces at `cuts`."""
    state, found, data = begun(), 0, text.encode()
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in pairwise(places):
        found = max(found, measure(np.frombuffer(data[start:end], np.uint8), state))
    return found


Nested = tuple[str, int]
CUTS = st.lists(st.integers(0, 10_000), max_size=12)
INSIDE = "[({<<>>)}]#'\"\\\n"


def nested(leaf: st.SearchStrategy[str], *brackets: tuple[str, str]) -> st.SearchStrategy[Nested]:
    """Texts with the depth they were made with."""

    def around(inner: st.SearchStrategy[Nested]) -> st.SearchStrategy[Nested]:
        whole = st.tuples(st.sampled_from(brackets), st.lists(inner, max_size=3))
        return whole.map(
            lambda each: (
                f"{each[0][0]} {' , '.join(text for text, _ in each[1])} {each[0][1]}",
                1 + max((depth for _, depth in each[1]), default=0),
            )
        )

    return st.recursive(leaf.map(lambda text: (text, 0)), around, max_leaves=12)


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("'", "\\'")


WORDS = st.text(INSIDE + "ab ", max_size=6)
TURTLE = st.one_of(
    WORDS.map(lambda text: '"' + escaped(text).replace("\n", "\\n") + '"'),
    WORDS.map(lambda text: "'" + escaped(text).replace("\n", "\\n") + "'"),
    WORDS.map(lambda text: f'"""{escaped(text)}"""'),
    WORDS.map(lambda text: f"'''{escaped(text)}'''"),
    st.text("ab #'()[]", max_size=6).map(lambda text: f"<http://e/{text.replace(' ', '')}>"),
    WORDS.map(lambda text: f"# {text.replace(chr(10), '')}\n"),
    st.sampled_from(['""', "''", "e:a\\(b", "<= 5 =>", "e:it\\'s", '"a"@en', '"1"^^<http://e/#d>']),
)
JSON = WORDS.map(lambda text: '"' + escaped(text).replace("\\'", "'").replace("\n", "\\n") + '"')
XML = st.one_of(
    WORDS.map(lambda text: f"<!-- {text.replace('-', '')} -->"),
    WORDS.map(lambda text: f"<![CDATA[{text.replace(']', '')}</a> ]]>"),
    WORDS.map(lambda text: f"<a b='{text.replace(chr(39), '')}/>' c=\">\"/>"),
    st.sampled_from(
        ["text", "<a/>", "<?do <b> ?>", "<!-- </a></a></a> -->", "<!DOCTYPE r [<!ENTITY a 'b'>]>"]
    ),
)


@given(nested(TURTLE, ("[", "]"), ("(", ")"), ("{", "}"), ("<<", ">>")), CUTS)
def test_turtle(made: Nested, cuts: list[int]) -> None:
    assert deepest(turtle_depth, made[0], cuts) == made[1]


@given(nested(JSON, ("[", "]"), ("{", "}")), CUTS)
def test_json(made: Nested, cuts: list[int]) -> None:
    assert deepest(json_depth, made[0], cuts) == made[1]


@given(nested(XML, ("<a>", "</a>"), ('<b c="/>">', "</b>")), CUTS)
def test_xml(made: Nested, cuts: list[int]) -> None:
    assert deepest(xml_depth, made[0], cuts) == made[1]


@pytest.mark.parametrize("text", ["<<(" * 9, "]" * 9 + "[" * 9, '"[\n' + "[" * 9, "<a [\n" + "[" * 9])
def test_what_is_not_well_formed_is_rather_deep(text: str) -> None:
    assert deepest(turtle_depth, text, []) >= 9


def test_the_outermost_object_is_measured() -> None:
    state = begun()
    for piece in (b'[{"a": [1,', b"2,3", b"]}"):
        json_depth(np.frombuffer(piece, np.uint8), state)
    assert tuple(state[4:6]) == (0, 0), "it has ended"
    json_depth(np.frombuffer(b',{"b": {"c,": 1}, "d": 2', np.uint8), state)
    assert tuple(state[4:6]) == (len('"b": {"c,": 1}, "d": 2'), 1)
