"""Words for the ends of time against programs over the bundled knowledge base."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.judgement.answer_kinds import takes_coordinates
from arcaneqa.judgement.polarity import is_reversed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import parse


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
        ("the brightest star", "(ARGMAX demo:Star demo:magnitude)", True),
        ("the faintest star", "(ARGMAX demo:Star demo:magnitude)", False),
        ("the star with the greatest magnitude", "(ARGMAX demo:Star demo:magnitude)", False),
    ],
)
def test_the_ends_of_time(kb: KnowledgeBase, question: str, program: str, expected: bool) -> None:
    assert is_reversed(question, parse(program, Names(kb.profile), kb.schema), kb) is expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("states with at least 1,000 people", "(LE demo:population 1000)", True),
        ("states with at least 1,000 people", "(GE demo:population 1000)", False),
        ("states with more than 1000 people", "(LT demo:population 1000)", True),
        ("states with no more than 1000 people", "(GT demo:population 1000)", True),
        ("states with no more than 1000 people", "(LE demo:population 1000)", False),
        ("states that do not have more than 1000 people", "(LE demo:population 1000)", False),
        ("states with more than 1000 people", "(NOT demo:State (LE demo:population 1000))", False),
        # Both ends are said of the number, or another number is compared.
        ("more than 1000 people or less than 1000 km", "(LT demo:population 1000)", False),
        ("states with more than 1000 people", "(LT demo:population 2000)", False),
    ],
)
def test_more_than_a_number_is_not_less(
    kb: KnowledgeBase, question: str, program: str, expected: bool
) -> None:
    assert is_reversed(question, parse(program, Names(kb.profile), kb.schema), kb) is expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("who was the oldest guest?", "(ARGMIN table:guests column:guests.age)", True),
        ("who was the oldest guest?", "(ARGMAX table:guests column:guests.age)", False),
        ("the youngest guest", "(ARGMAX table:guests column:guests.age)", True),
        ("the newest guest", "(ARGMIN table:guests column:guests.first_year)", True),
        ("the oldest guest", "(ARGMIN table:guests column:guests.first_year)", False),
        ("the oldest guest", "(ARGMIN table:guests column:guests.nights)", False),
        ("guests older than 35", "(LT column:guests.age 35)", True),
        ("guests older than 35", "(GT column:guests.age 35)", False),
        ("the fastest guest", "(ARGMAX table:guests column:guests.swimming_time)", True),
        ("guests faster than 60 seconds", "(LT column:guests.swimming_time 60)", False),
        ("the cheapest guest", "(ARGMAX table:guests column:guests.room_price)", True),
        ("the least expensive guest", "(ARGMIN table:guests column:guests.room_price)", False),
        ("the thickest passport", "(ARGMIN table:guests column:guests.thick)", True),
        ("the thinnest passport", "(ARGMIN table:guests column:guests.thick)", False),
        ("the shortest guest", "(ARGMAX table:guests column:guests.height)", True),
        ("who has been here longest?", "(ARGMAX table:guests column:guests.here_since)", True),
        ("who has been here longest?", "(ARGMIN table:guests column:guests.here_since)", False),
        ("who has been here longest?", "(ARGMAX table:guests column:guests.left_on)", False),
        ("the longest stay", "(ARGMIN table:guests column:guests.length_of_stay)", True),
        ("the northernmost guest", "(ARGMIN table:guests column:guests.home_latitude)", True),
        ("the guest who lives furthest south", "(ARGMIN table:guests column:guests.home_latitude)", False),
    ],
)
def test_an_age_grows_with_time_and_a_year_does_not(
    tmp_path: Path, question: str, program: str, expected: bool
) -> None:
    (tmp_path / "guests.csv").write_text(
        "name,age,first year,nights,swimming time,room price,thick,height,length of stay,home latitude,"
        "here since,left on\nAnn,30,1990,3,55.5,80,3,170,4,48.1,2001-02-03,2011-04-05\n"
        "Bob,40,2001,12,71,90,4,180,5,-3.2,2002-02-03,2012-04-05\n"
    )
    build_index([tmp_path / "guests.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert is_reversed(question, parse(program, Names(kb.profile), kb.schema), kb) is expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("what is the largest city of Kenya?", "(ARGMAX demo:City demo:longitude)", True),
        ("what is the largest city of Kenya?", "(ARGMAX demo:City demo:population)", False),
        ("what is the northernmost city of Kenya?", "(ARGMAX demo:City demo:latitude)", False),
        ("which city is farthest to the East?", "(ARGMAX demo:City demo:longitude)", False),
        ("which city has the largest longitude?", "(ARGMAX demo:City demo:longitude)", False),
        ("what is the mayor of Nairobi?", "(JOIN demo:latitude_inv demo:nairobi)", True),
        ("where is Nairobi located?", "(JOIN demo:latitude_inv demo:nairobi)", False),
        ("what is the latitude of Nairobi?", "(JOIN demo:latitude_inv demo:nairobi)", False),
    ],
)
def test_where_something_lies_is_taken_where_it_is_asked_for(
    kb: KnowledgeBase, question: str, program: str, expected: bool
) -> None:
    assert takes_coordinates(question, parse(program, Names(kb.profile), kb.schema), kb) is expected
